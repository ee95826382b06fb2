"""What a drawing process does with one asset: reads, draws and measures it, unless that was done before."""

import json
import os

import meshjudge as mj

from ._native import write_file

__all__ = ["Drawer"]

FACTS_FILE = "facts.json"


class Drawer:
    """Draws assets into ``out/PROTOCOL/HASH``, each folder under its final name whole."""

    def __init__(self, out, measure, rig, channels, threads, options):
        self.renderer = mj.Renderer(rig, channels=channels, threads=threads, **options)
        self.folder = os.path.join(out, self.renderer.protocol_hash[:32])
        self.measure = measure

    def __call__(self, request, blob, stage):
        source = blob if "path" not in request else request["path"]
        stage("load")
        try:
            asset = self.renderer.load(source)
        except mj.MeshjudgeError as error:
            return {"stage": "load", "error": str(error)}, b""
        folder = os.path.join(self.folder, asset.hash)
        done = {"hash": asset.hash}
        try:
            is_drawn = os.path.isfile(os.path.join(folder, "frames.json"))
            if not is_drawn:
                del asset
                stage("draw")
                self.renderer.save(source, folder)
            facts = os.path.join(folder, FACTS_FILE)
            if self.measure:
                if not os.path.isfile(facts):
                    stage("measure")
                    write_file(facts, json.dumps(mj.inspect(source)["facts"]).encode())
                with open(facts, encoding="utf-8") as file:
                    done["facts"] = file.read()
            pictures = (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".png"))
            done["pictures"] = sorted(pictures, key=in_order)
            done["drawn_before"] = is_drawn
        except mj.MeshjudgeError as error:
            return {**done, "stage": "draw", "error": str(error)}, b""
        except OSError as error:
            return {**done, "stage": "write", "error": str(error)}, b""
        return done, b""


def in_order(path):
    """``rgb_10.png`` after ``rgb_9.png``."""
    channel, _, number = os.path.basename(path).removesuffix(".png").rpartition("_")
    return channel, int(number) if number.isdigit() else 0
