"""What a drawing process does with one asset: reads, draws and measures it, unless that was done before."""

import json
import os
import shutil
import tempfile

import meshjudge as mj

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
                self._whole(folder, lambda made: self.renderer.save(source, made))
            facts = os.path.join(folder, FACTS_FILE)
            if self.measure:
                if not os.path.isfile(facts):
                    stage("measure")
                    self._write(facts, json.dumps(mj.inspect(source)["facts"]))
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

    def _whole(self, folder, make):
        """A folder that is complete when it is there; where two machines draw the same asset, the first one's is kept."""
        os.makedirs(self.folder, exist_ok=True)
        made = tempfile.mkdtemp(prefix=".part-", dir=self.folder)
        try:
            make(made)
            # Others may read it: a temporary folder is its owner's alone.
            os.chmod(made, 0o777 & ~umask())
            try:
                os.rename(made, folder)
            except OSError:
                if not os.path.isdir(folder):
                    raise
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def _write(self, path, text):
        handle, made = tempfile.mkstemp(prefix=".part-", dir=os.path.dirname(path))
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(made, 0o666 & ~umask())
        os.replace(made, path)


def umask():
    """The process's, which can only be read by setting it; this process has one thread of Python."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def in_order(path):
    """``rgb_10.png`` after ``rgb_9.png``."""
    channel, _, number = os.path.basename(path).removesuffix(".png").rpartition("_")
    return channel, int(number) if number.isdigit() else 0
