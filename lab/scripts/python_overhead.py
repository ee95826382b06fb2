"""What Python costs: the same assets through the command line and through `Renderer`, in turn; one thread against two, and against what
two processes that share nothing reach on this machine.

    python lab/scripts/python_overhead.py MESHJUDGE FOLDER [COUNT] [ROUNDS]

MESHJUDGE is the program (that of the wheel or of cargo), FOLDER is made and filled with COUNT small assets. Prints one JSON object a line.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import meshjudge as mj

VIEWS, SIZE = 4, 128

# Loads the assets that it is given, waits for a word, and draws them on one thread.
ALONE = """
import sys, time, meshjudge as mj
renderer, assets = mj.Renderer(views=12, size=512, threads=1), [mj.load(path) for path in sys.argv[1:]]
print("ready", flush=True)
sys.stdin.readline()
start = time.perf_counter()
for asset in assets:
    renderer.render(asset)
print(time.perf_counter() - start)
"""


def assets(folder: Path, count: int) -> list[Path]:
    """Objects of the library in turn, each file a copy of its own."""
    names = list(mj.objects.prompts())
    paths = []
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        path = folder / f"{number:04}.glb"
        if not path.exists():
            path.write_bytes(mj.objects.glb(names[number % len(names)]))
        paths.append(path)
    return paths


def by_command_line(program: str, paths: list[Path], out: Path) -> None:
    command = [program, "render", *paths, "--out", out, "--views", str(VIEWS), "--size", str(SIZE), "--renderer", "cpu", "--quiet"]
    subprocess.run(command, check=True, capture_output=True)


def by_renderer(renderer: mj.Renderer, paths: list[Path], out: Path) -> None:
    for told in renderer.save_all(paths, [out / path.stem for path in paths]):
        if isinstance(told, mj.MeshjudgeError):
            raise told


def timed(work, out: Path) -> tuple[float, float]:
    """Seconds by the clock, and of processor time, which other programs disturb less."""
    shutil.rmtree(out, ignore_errors=True)
    begun, start = processor_secs(), time.perf_counter()
    work(out)
    return time.perf_counter() - start, processor_secs() - begun


def processor_secs() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def side_by_side(paths: list[Path], count: int) -> float:
    """Seconds of the slowest of so many processes that draw all these assets at the same time, each on one thread."""
    command = [sys.executable, "-c", ALONE, *paths]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("draw\n")
        process.stdin.flush()
    return max(float(process.communicate()[0]) for process in processes)


def main(program: str, folder: str, count: str = "1000", rounds: str = "3") -> None:
    base = Path(folder)
    paths = assets(base / "assets", int(count))
    renderer = mj.Renderer(views=VIEWS, size=SIZE)
    cli, package = [], []
    for _ in range(int(rounds)):
        cli.append(timed(lambda out: by_command_line(program, paths, out), base / "cli"))
        package.append(timed(lambda out: by_renderer(renderer, paths, out), base / "package"))
        print(json.dumps({"command_line": cli[-1], "renderer": package[-1], "of": "seconds by the clock, processor seconds"}), flush=True)
    for path in paths:
        for picture in sorted((base / "cli" / path.stem).glob("*.png")):
            assert picture.read_bytes() == (base / "package" / path.stem / picture.name).read_bytes(), picture
    overhead = [statistics.median(ours) / statistics.median(theirs) - 1 for ours, theirs in zip(zip(*package), zip(*cli))]
    print(json.dumps({"assets": len(paths), "views": VIEWS, "size_px": SIZE, "overhead": overhead, "same_bytes": True}), flush=True)
    some = [mj.load(path) for path in paths[:100]]
    drawers = [mj.Renderer(views=12, size=512, threads=threads) for threads in (1, 2)]
    # In turn for each asset, so that both see the same machine.
    spans = [[], []]
    for asset in some:
        for drawer, found in zip(drawers, spans):
            start = time.perf_counter()
            drawer.render(asset)
            found.append(time.perf_counter() - start)
    ratios = sorted(one / two for one, two in zip(*spans))
    print(json.dumps({"one_thread_secs": sum(spans[0]), "two_threads_secs": sum(spans[1]), "assets": len(some), "median_ratio": statistics.median(ratios), "upper_quartile": ratios[len(ratios) * 3 // 4], "load_average": os.getloadavg()[0]}), flush=True)
    spans = [[side_by_side(paths[:40], count) for count in (1, 2)] for _ in range(3)]
    print(json.dumps({"one_process_secs": [one for one, _ in spans], "two_at_once_secs": [two for _, two in spans], "of_twice_the_work": statistics.median(2 * one / two for one, two in spans)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
