"""Tripo, text or one image to 3D. https://platform.tripo3d.ai/docs

    serve = "python3 tripo.py"                  the key is in TRIPO_API_KEY
    serve = "python3 tripo.py input=image"      the prompt's photo instead of its text

Other words join the body of the task: `model_version=v2.5-20250123`. Links are good for minutes.
"""

from service import Service

service = Service("https://api.tripo3d.ai", key="TRIPO_API_KEY", every_secs=3)


def submit(order):
    image = service.image()
    if image:
        token = service.ask("/v2/openapi/upload", form={"file": image})["data"]["image_token"]
        task = {"type": "image_to_model", "file": {"type": image.suffix[1:].lower(), "file_token": token}}
    else:
        task = {"type": "text_to_model", "prompt": order["prompt"]}
    task |= {"model_seed": order["seed"], **service.inputs()}
    return service.submit("/v2/openapi/task", task)["data"]["task_id"]


def poll(job):
    data = service.ask(f"/v2/openapi/task/{job}")["data"]
    state, output = data["status"], data.get("output", {})
    if state in ("failed", "cancelled", "expired", "unknown", "banned"):
        service.ended(state, data.get("error_msg"), retry="never" if state == "banned" else True)
    if state != "success":
        return None
    return output.get("pbr_model") or output.get("model") or output["base_model"]


service.run(submit, poll)
