"""`api_server.py` of Hunyuan3D-2, one image or (started with --enable_t23d) text to 3D. https://github.com/Tencent-Hunyuan/Hunyuan3D-2

    serve = "python3 hunyuan3d.py input=image"      the address is in HUNYUAN3D_BASE_URL, by default http://127.0.0.1:8081

Other words join the body. The server says "processing" for ever when it has failed, so give a short `timeout_secs`.
"""

import base64

from service import Service

service = Service("http://127.0.0.1:8081", every_secs=2)
TEXTURE = service.setting("texture", "true") == "true"


def submit(order):
    image = service.image()
    given = {"image": base64.b64encode(image.read_bytes()).decode()} if image else {"text": order["prompt"]}
    return service.submit("/send", {**given, "seed": order["seed"], "texture": TEXTURE, **service.inputs()})["uid"]


def poll(job):
    found = service.ask(f"/status/{job}")
    if found["status"] == "error":
        service.ended("error", found.get("message"))
    return service.fetch(found["model_base64"]) if found["status"] == "completed" else None


service.run(submit, poll)
