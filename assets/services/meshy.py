"""Meshy, text to 3D in two steps (the shape, then its texture), or one image to 3D. https://docs.meshy.ai

    serve = "python3 meshy.py"                              the key is in MESHY_API_KEY
    serve = "python3 meshy.py input=image ai_model=meshy-5"

Other words join the body of the first task. Assets are kept for three days.
"""

from service import Service, data_url

service = Service("https://api.meshy.ai", key="MESHY_API_KEY")
AI_MODEL = service.setting("ai_model", "latest")
ENABLE_PBR = service.setting("enable_pbr", "true") == "true"
PATHS = {"image": "/openapi/v1/image-to-3d", "preview": "/openapi/v2/text-to-3d", "refine": "/openapi/v2/text-to-3d"}


def submit(order):
    image = service.image()
    if image:
        return begun("image", {"image_url": data_url(image), "ai_model": AI_MODEL, **service.inputs()})
    return begun("preview", {"mode": "preview", "prompt": order["prompt"], "ai_model": AI_MODEL, **service.inputs()})


def begun(step, body):
    return f"{step} {service.submit(PATHS[step], body)['result']}"


def poll(job):
    step, task = job.split()
    found = service.ask(f"{PATHS[step]}/{task}")
    if found["status"] in ("FAILED", "CANCELED", "EXPIRED"):
        service.ended(found["status"], (found.get("task_error") or {}).get("message"))
    if found["status"] != "SUCCEEDED":
        return None
    if step == "preview":
        service.keep(begun("refine", {"mode": "refine", "preview_task_id": task, "enable_pbr": ENABLE_PBR}))
        return None
    return found["model_urls"]["glb"]


service.run(submit, poll)
