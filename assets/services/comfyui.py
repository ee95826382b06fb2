"""A ComfyUI server. https://docs.comfy.org

    serve = "python3 comfyui.py workflow=workflow_api.json"     the address is in COMFYUI_BASE_URL, by default http://127.0.0.1:8188

The workflow is in the API format ("Export (API)"); {prompt} and {seed} in its texts are replaced.
"""

import json
import pathlib
import urllib.parse

from service import Failed, Service

service = Service("http://127.0.0.1:8188", every_secs=2)
WORKFLOW = json.loads(pathlib.Path(service.setting("workflow")).read_text(encoding="utf-8"))


def filled(value, order):
    if isinstance(value, str):
        return order["seed"] if value == "{seed}" else value.replace("{prompt}", order["prompt"]).replace("{seed}", str(order["seed"]))
    if isinstance(value, list):
        return [filled(item, order) for item in value]
    return {name: filled(item, order) for name, item in value.items()} if isinstance(value, dict) else value


def submit(order):
    return service.submit("/prompt", {"prompt": filled(WORKFLOW, order), "client_id": "meshjudge"})["prompt_id"]


def files(value):
    if isinstance(value, dict) and "filename" in value:
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [file for part in parts for file in files(part)]


def poll(job):
    found = service.ask(f"/history/{urllib.parse.quote(job)}").get(job)
    state = found and found["status"]["status_str"]
    if state == "error":
        service.ended(state, json.dumps(found["status"].get("messages")))
    if state != "success":
        return None
    for file in files(found["outputs"]):
        if file["filename"].lower().endswith(".glb"):
            place = {name: file[name] for name in ("filename", "subfolder", "type")}
            return f"{service.base_url}/view?" + urllib.parse.urlencode(place, quote_via=urllib.parse.quote)
    raise Failed("the job is done, but made no GLB")


service.run(submit, poll)
