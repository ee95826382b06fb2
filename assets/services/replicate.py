"""A model on Replicate. https://replicate.com/docs/reference/http

    serve = "python3 replicate.py version=… photo=image"        the key is in REPLICATE_API_TOKEN

`photo` names the model's input for the prompt's photo. Other words are more inputs. Assets are kept for an hour.
"""

from service import Service, data_url, glb_in

service = Service("https://api.replicate.com", key="REPLICATE_API_TOKEN", every_secs=3)
VERSION = service.setting("version")
PHOTO = service.setting("photo", "")


def submit(order):
    photo = {PHOTO: data_url(service.photo())} if PHOTO else {}
    inputs = {"prompt": order["prompt"], "seed": order["seed"], **photo, **service.inputs()}
    return service.submit("/v1/predictions", {"version": VERSION, "input": inputs})["urls"]["get"]


def poll(job):
    found = service.ask(job)
    if found["status"] in ("failed", "canceled", "aborted"):
        service.ended(found["status"], found.get("error"))
    return glb_in(found["output"]) if found["status"] == "succeeded" else None


service.run(submit, poll)
