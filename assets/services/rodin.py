"""Rodin of Hyper3D, text to 3D. https://developer.hyper3d.ai

    serve = "python3 rodin.py"                  the key is in RODIN_API_KEY
    serve = "python3 rodin.py tier=Regular"

Other words join the form. Seeds go up to 65535; links are good for ten minutes.
"""

import json

from service import Service, glb_in

service = Service("https://api.hyper3d.com", key="RODIN_API_KEY")
TIER = service.setting("tier", "Gen-2")


def submit(order):
    form = {"prompt": order["prompt"], "tier": TIER, "seed": order["seed"], "geometry_file_format": "glb", **service.inputs()}
    reply = service.submit("/api/v2/rodin", form=form)
    return json.dumps([reply["uuid"], reply["jobs"]["subscription_key"]])


def poll(job):
    task, key = json.loads(job)
    states = [part["status"] for part in service.ask("/api/v2/status", {"subscription_key": key})["jobs"]]
    if "Failed" in states:
        service.ended(", ".join(states))
    if not states or any(state != "Done" for state in states):
        return None
    return glb_in(service.ask("/api/v2/download", {"task_uuid": task})["list"])


service.run(submit, poll)
