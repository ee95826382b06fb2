"""A generator that stays, under a benchmark."""

import sys

import meshjudge as mj

GENERATOR = '''
import os, pathlib
import meshjudge as mj
from meshjudge.serving import GiveUp, serve

with open("starts", "a") as file:
    file.write("x")
print("words of a library on standard output", flush=True)
print("and such as wait in a buffer")

def make(order):
    name = order["prompt_id"]
    print("making", name, flush=True)
    if name == "refused":
        raise GiveUp("not this one")
    if name == "vase" and not pathlib.Path("crashed").exists():
        pathlib.Path("crashed").touch()
        os._exit(9)
    mj.objects.load(name).save(order["out"])

serve(make)
'''


def test_weights_are_loaded_once_and_a_crash_costs_one_try(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gen.py").write_text(GENERATOR)
    names = ["chair", "mug", "vase", "teapot", "refused"]
    for name in names:
        (tmp_path / "ready").mkdir(exist_ok=True)
        mj.damage(mj.objects.load("chair"), "holes", 0.5).save(f"ready/{name}.glb")
    run = mj.bench(
        {
            "name": "served",
            "prompts": [{"id": name, "prompt": name} for name in names],
            "generators": [
                {"name": "ready", "path": "ready/{prompt_id}.glb"},
                {"name": "served", "serve": [sys.executable, "gen.py"]},
            ],
            "pictures": {"size_px": 32},
        },
        run="run",
    )
    made = {path.parent.parent.name for path in (tmp_path / "run/made/served").glob("*/0/asset.glb")}
    assert made == {"chair", "mug", "vase", "teapot"}
    # Once at first, once after the crash; what was refused was not tried again.
    assert (tmp_path / "starts").read_text() == "xx"
    outcomes = run.verdicts().to_dict()["outcome"]
    assert outcomes.count("forfeit") == 1
    first, second = (
        next((tmp_path / "run/made/served").glob(f"server-worker*[0-9]{end}")).read_text() for end in (".previous.log", ".log")
    )
    assert "words of a library" in first and "in a buffer" in first and "making vase" in first and "not this one" not in first
    assert "words of a library" in second and "not this one" in second
