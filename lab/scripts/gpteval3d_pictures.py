"""Does GPTEval3D's own package compose the pictures that we compose? And does it judge what we exported?

Needs the PyPI packages gpteval3d, openai, numpy, pillow, tqdm, torch. Usage:

    meshjudge bench assets/demo/bench.toml --run RUN
    meshjudge export RUN --format gpteval3d --out TOUR
    python lab/scripts/gpteval3d_pictures.py MESHJUDGE TOUR ASSETS_BY_METHOD.json OUT

ASSETS_BY_METHOD.json: {"method": {"prompt number": "path of the asset"}}. The first part composes every pair of methods on every prompt in
every way of its published ensembles, and compares pixels with `meshjudge sheet pair --rig gpteval3d`. The second part lets the package
judge the tournament at a stub endpoint on this machine, and compares the pictures that arrive there.
"""

import base64, collections, contextlib, hashlib, io, itertools, json, os, subprocess, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from PIL import Image

meshjudge, tour, assets, out = sys.argv[1], os.path.abspath(sys.argv[2]), json.load(open(sys.argv[3])), os.path.abspath(sys.argv[4])
os.makedirs(out, exist_ok=True)
os.chdir(out)

from gpteval3d.utils import t23d_tournament  # noqa: E402
import gpteval3d.gpt_eval_alpha as alpha  # noqa: E402


def quiet(call):
    """The package prints every question."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return call()


theirs = quiet(lambda: t23d_tournament.T23DTournament(tour))
modes = [(v, n) for v in (1, 4, 9) for n in (1, 0)]


def ours(m1, m2, pid, views, normal):
    path = os.path.join(out, f"{m1}-{m2}-{pid}-{views}-{normal}.png")
    channels = "rgb,normal" if normal else "rgb"
    command = [meshjudge, "sheet", "pair", assets[m1][str(pid)], assets[m2][str(pid)], "--out", path, "--views", str(views), "--rig", "gpteval3d", "--channels", channels, "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    return np.asarray(Image.open(path).convert("RGB"))


same, differ = 0, 0
for m1, m2 in itertools.permutations(sorted(assets), 2):
    for pid in sorted(map(int, set(assets[m1]) & set(assets[m2]))):
        for views, normal in modes:
            mode = {"num_views": views, "rgb": 1, "normal": normal}
            made = theirs._create_comparison_(theirs.methods[m1], theirs.methods[m2], pid, flip=False, mode=mode)["out_image"]
            made = np.asarray(Image.fromarray(made).convert("RGB"))
            mine = ours(m1, m2, pid, views, normal)
            if mine.shape == made.shape and (mine == made).all():
                same += 1
            else:
                differ += 1
                print("differs:", m1, m2, pid, views, normal, mine.shape, made.shape)
print(f"composed: {same} pictures the same pixel for pixel, {differ} differ")

seen = {}


class Stub(BaseHTTPRequestHandler):
    """Answers every question with the left object, and keeps a hash of the picture's pixels."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        content = body["messages"][0]["content"]
        picture = base64.b64decode(content[1]["image_url"]["url"].split(",")[1])
        pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))
        seen[hashlib.sha256(pixels.tobytes()).hexdigest()] = content[0]["text"]
        choice = {"message": {"role": "assistant", "content": "Analysis.\n\nFinal answer:\n1 1 2 3 1 1"}, "finish_reason": "stop"}
        choices = [dict(choice, index=i) for i in range(body.get("n", 1))]
        reply = json.dumps({"id": "x", "object": "chat.completion", "created": 0, "model": "stub", "choices": choices, "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
threading.Thread(target=server.serve_forever, daemon=True).start()
# It waits five seconds before each request; a stub needs no politeness.
time.sleep = lambda _: None
kept = os.path.join(out, "comparisons")
wanted = sum(e["num_comparisons"] for e in theirs.cfg["ensembles"])
quiet(lambda: alpha.score_with_new_tournament(tour, "none", f"http://127.0.0.1:{server.server_port}/v1", budget=wanted + 1, output=kept))
expected = {}
for m1, m2 in itertools.permutations(sorted(assets), 2):
    for pid in sorted(map(int, set(assets[m1]) & set(assets[m2]))):
        pixels = np.asarray(Image.open(os.path.join(out, f"{m1}-{m2}-{pid}-4-1.png")).convert("RGB"))
        expected[hashlib.sha256(pixels.tobytes()).hexdigest()] = (m1, m2, pid)
arrived = collections.Counter("known" if h in expected else "unknown" for h in seen)
print(f"judged: {len(seen)} different pictures arrived at the stub, {arrived['known']} are ours pixel for pixel, {arrived['unknown']} are not")
print("the text ends:", json.dumps(next(iter(seen.values()))[-160:]))
print("its scores:", open(os.path.join(kept, "scores.json")).read().split("]")[0][:300])
sys.exit(1 if differ or arrived["unknown"] or not seen else 0)
