#!/usr/bin/env python3
"""A benchmark on two local Ray nodes of one core each against one process with two threads; then with nodes killed, and with a budget.

    python lab/scripts/ray_cluster.py FOLDER [--assets 300] [--views 16] [--size 256] [--only time|kills|budget]

Needs the package with its extra `ray`. Three generators (our objects, damaged to three degrees) and a local server that answers by the
question's hash. Prints one JSON line a run: seconds, what the server was asked, and whether rows, board and pictures are those of one
process. `--only time` leaves out what need not be timed on a quiet machine.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

METHODS = {"ours": 0.0, "theirs": 0.4, "old": 0.8}
# Dollars for a million tokens; the server reports 1000 in and 200 out: 0.0014 a question.
MODELS = """dated = "2026-11-23"
[[models]]
names = ["fake-1"]
routes = ["openai"]
output_tokens_max = 4000
usd_per_million = { input = 1.0, output = 2.0 }
"""
# One process, in a process of its own so that its threads are two.
ONE = "import json, sys, time, meshjudge as mj; begin = time.time(); mj.bench(sys.argv[1], run=sys.argv[2]); print(json.dumps(time.time() - begin))"


def make(folder, count, views, size):
    """The benchmark's file and assets."""
    import meshjudge as mj

    names = list(mj.objects.prompts().items())
    prompts = [{"id": f"{number:03}", "text": names[number % len(names)][1]} for number in range(count // len(METHODS))]
    for number, prompt in enumerate(prompts):
        asset = mj.objects.load(names[number % len(names)][0])
        for method, level in METHODS.items():
            path = folder / method / f"{prompt['id']}.glb"
            path.parent.mkdir(exist_ok=True)
            if not path.exists():
                # Another seed for each, so that all contents differ.
                mj.damage(asset, "noise-coarse", 0.05 + level, seed=number).save(path)
    (folder / "models.toml").write_text(MODELS)
    generators = "\n".join(f'[[generators]]\nname = "{name}"\npath = "{name}/{{prompt_id}}.glb"' for name in METHODS)
    text = f'name = "ray"\nprompts = "prompts.json"\nmodels = "models.toml"\n{generators}\n[pictures]\nviews = {views}\nsize_px = {size}\n'
    (folder / "prompts.json").write_text(json.dumps(prompts))
    return text


def serve(folder):
    """The judge's server; its address and the file of its questions."""
    log = folder / "questions.log"
    log.unlink(missing_ok=True)
    script = Path(__file__).with_name("fake_judge.py")
    server = subprocess.Popen([sys.executable, script, "--log", log], stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().split()[-1], log


def rows(run):
    """What does not depend on when it was asked."""
    table = run.verdicts(by="criterion").to_dict()
    kept = [name for name in table if not any(part in name for part in ("seconds", "time", "latency", "attempt", "path"))]
    return sorted(json.dumps([table[name][i] for name in kept], default=str) for i in range(len(table[kept[0]])))


def pictures(folder):
    """Every picture that a judge saw, by its content."""
    found = (path for path in Path(folder).rglob("*.png") if "report" not in path.parts)
    return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in found)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--assets", type=int, default=300)
    arguments.add_argument("--views", type=int, default=16)
    arguments.add_argument("--size", type=int, default=256)
    arguments.add_argument("--only", choices=["time", "kills", "budget"])
    given = arguments.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    text = make(folder, given.assets, given.views, given.size)
    server, address, log = serve(folder)
    os.environ["OPENAI_API_KEY"] = "none"
    file = folder / "bench.toml"
    judge = f'judges = [{{ spec = "openai:fake-1", base_url = "{address}" }}]\n'
    # Keys of the file are before its first table.
    file.write_text(text.replace("models =", judge + "models =", 1))
    try:
        measure(folder, file, log, given)
    finally:
        server.terminate()


def measure(folder, file, log, given):
    import meshjudge as mj

    stamp = f"{time.time():.0f}"
    num_questions = 2 * given.assets
    one = folder / f"one-{stamp}"
    done = subprocess.run(
        [sys.executable, "-c", ONE, file, one], env=os.environ | {"RAYON_NUM_THREADS": "2"}, capture_output=True, text=True, check=True
    )
    single = float(done.stdout.split()[-1])
    reference = mj.Run(one)
    expected = rows(reference), reference.leaderboard().to_dict(), pictures(one)
    print(json.dumps({"run": "one process, two threads", "seconds": round(single, 2), **asked(log)}), flush=True)
    # Ray's workers have the lowest priority else, and other programs of a shared machine would be measured.
    os.environ["RAY_worker_niceness"] = "0"
    from ray.cluster_utils import Cluster

    def on_nodes(name, kill_at, **options):
        """One benchmark on a new cluster; a node is killed whenever that share of the questions is answered."""
        import ray

        # The driver's own node has no core, as on a cluster whose head does not work.
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        nodes = [cluster.add_node(num_cpus=1), cluster.add_node(num_cpus=1)]
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False)
        # Machines that have just started are busy with that; those of a cluster are not.
        idle = ray.remote(num_cpus=1)(lambda seconds: time.sleep(seconds))
        ray.get([idle.remote(2) for _ in range(4)])
        run, answered, killed, outcome = folder / f"{name.split(',')[0]}-{stamp}", [0], [], {}

        def bench():
            begin = time.time()
            outcome["run"] = mj.bench(
                file, run=run, engine="ray", progress=lambda now: answered.__setitem__(0, now["done"]), **options
            )
            outcome["seconds"] = time.time() - begin

        # Ray starts nodes in the main thread only.
        asking = threading.Thread(target=bench)
        asking.start()
        for share in kill_at:
            while asking.is_alive() and answered[0] < share * num_questions:
                time.sleep(0.02)
            if asking.is_alive():
                killed.append(answered[0])
                cluster.remove_node(nodes[1], allow_graceful=False)
                nodes[1] = cluster.add_node(num_cpus=1)
        asking.join()
        found, seconds = outcome["run"], outcome["seconds"]
        ray.shutdown()
        cluster.shutdown()
        summary = found.summary
        print(json.dumps({
            "run": name, "seconds": round(seconds, 2), "speed": round(single / seconds, 3), "killed_at": killed, **asked(log),
            "verdicts": summary["verdicts"], "requests": summary["requests"], "spent_usd": summary["spent_usd"], "stop": summary["stop"],
            "missing": len(summary["missing_assets"]), "same_rows": rows(found) == expected[0],
            "same_board": found.leaderboard().to_dict() == expected[1], "same_pictures": pictures(run) == expected[2],
        }), flush=True)  # fmt: skip
        return run

    if given.only in (None, "time"):
        on_nodes("two nodes", [])
    if given.only in (None, "kills"):
        on_nodes("two nodes, one killed three times", [0.1, 0.4, 0.7])
    if given.only in (None, "budget"):
        # Enough for some 200 questions; the second call finds it spent.
        on_nodes("budget of 0.28 USD, one killed", [0.1], max_cost_usd=0.28)
        on_nodes("budget of 0.28 USD, the same run again", [], max_cost_usd=0.28)


def asked(log):
    """What the server was asked since the last call."""
    lines = log.read_text().split()
    log.write_text("")
    return {"asked": len(lines), "asked_twice": sum(count > 1 for count in Counter(lines).values())}


if __name__ == "__main__":
    main()
