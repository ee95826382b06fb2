"""A model on fal. https://fal.ai/docs

    serve = "python3 fal.py model=fal-ai/trellis photo=image_url"       the key is in FAL_KEY

`photo` names the model's input for the prompt's photo. Other words are more inputs.
"""

import json

from service import Service, data_url, glb_in

service = Service("https://queue.fal.run", key="FAL_KEY", scheme="Key", every_secs=3)
MODEL = service.setting("model")
PHOTO = service.setting("photo", "")


def submit(order):
    photo = {PHOTO: data_url(service.photo())} if PHOTO else {}
    body = {"prompt": order["prompt"], "seed": order["seed"], **photo, **service.inputs()}
    reply = service.submit(f"/{MODEL}", body)
    return json.dumps([reply["status_url"], reply["response_url"]])


def poll(job):
    status_url, response_url = json.loads(job)
    found = service.ask(status_url)
    if found.get("error"):
        service.ended(found.get("status"), found["error"])
    return glb_in(service.ask(response_url)) if found.get("status") == "COMPLETED" else None


service.run(submit, poll)
