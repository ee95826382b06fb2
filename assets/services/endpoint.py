"""A server of your own that takes a JSON object by POST and answers with a GLB.

    serve = "python3 endpoint.py path=/generate"        the address is in ENDPOINT_BASE_URL, by default http://127.0.0.1:8000
    serve = "python3 endpoint.py variable=OUR_KEY"      Authorization: Bearer and the value of that environment variable

The body has `prompt`, `prompt_id`, `seed`, and `image` (base64) with `input=image`; other words join it. Edit it for your server.
"""

import base64
import sys

from service import Service

VARIABLE = next((word.partition("=")[2] for word in sys.argv if word.startswith("variable=")), None)
service = Service("http://127.0.0.1:8000", key=VARIABLE)
service.settings.pop("variable", None)
PATH = service.setting("path", "/")


def submit(order):
    image = service.image()
    body = {name: order[name] for name in ("prompt", "prompt_id", "seed")}
    if image:
        body["image"] = base64.b64encode(image.read_bytes()).decode()
    return service.submit(PATH, {**body, **service.inputs()})


service.run(submit)
