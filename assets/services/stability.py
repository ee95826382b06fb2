"""Stable Fast 3D of Stability AI, one image to 3D: the reply is the asset. https://platform.stability.ai/docs

    serve = "python3 stability.py"                                  the key is in STABILITY_API_KEY
    serve = "python3 stability.py model=stable-point-aware-3d"

Other words join the form.
"""

from service import Service

service = Service("https://api.stability.ai", key="STABILITY_API_KEY")
MODEL = service.setting("model", "stable-fast-3d")


def submit(order):
    return service.submit(f"/v2beta/3d/{MODEL}", form={"image": service.photo(), **service.inputs()})


service.run(submit)
