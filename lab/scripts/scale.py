#!/usr/bin/env python3
"""What a run of N questions costs: asking, resuming with nothing to ask, rate, report, export, serve.

Needs Python 3.10 or later and a built program. Makes a benchmark of 8 methods with an asset of its own for each prompt, asks a local
server (fake_judge.py) about every pair in both orders, and prints one JSON line for each command: seconds, user and system seconds, peak
memory, and what it wrote. Linux.

    python3 lab/scripts/scale.py target/release/meshjudge /tmp/scale --questions 2000 20000 200000
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

METHODS = 8
QUESTIONS_PER_PROMPT = METHODS * (METHODS - 1)
FACES = [(1, 2, 3), (1, 4, 2), (1, 3, 4), (2, 4, 3)]


def place(folder, questions, size_px, concurrency):
    """Writes assets, prompts and the benchmark file; returns the number of questions that it comes to."""
    prompts = max(1, round(questions / QUESTIONS_PER_PROMPT))
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for prompt in range(prompts):
        lines.append(json.dumps({"id": f"p{prompt}", "text": f"thing number {prompt}, of wood, on a table by a window"}))
        for method in range(METHODS):
            path = folder / "assets" / f"m{method}" / f"p{prompt}.obj"
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            tip = 1.0 + method / 10 + prompt / 1e6
            vertices = [(0, tip, 0), (1, 0, 0), (-0.6, 0, 0.9), (-0.6, 0, -0.9)]
            path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + "".join(f"f {a} {b} {c}\n" for a, b, c in FACES))
    (folder / "prompts.jsonl").write_text("\n".join(lines) + "\n")
    generators = "".join(f'[[generators]]\nname = "m{m}"\npath = "assets/m{m}/{{prompt_id}}.obj"\n' for m in range(METHODS))
    (folder / "bench.toml").write_text(
        f'name = "scale"\nprompts = "prompts.jsonl"\nconcurrency = {concurrency}\n[pictures]\nsize_px = {size_px}\n{generators}')
    return prompts * QUESTIONS_PER_PROMPT


def measured(what, command, folder):
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    found = {"what": what, "seconds": round(time.monotonic() - start, 2), "user": round(usage.ru_utime, 2),
             "system": round(usage.ru_stime, 2), "peak_mib": round(usage.ru_maxrss / 1024), "exit": process.returncode}
    if process.returncode not in (0, 1):
        sys.exit(output.decode(errors="replace")[-2000:])
    return found


def bytes_under(path):
    return sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) if path.is_dir() else path.stat().st_size


def served(program, folder):
    """Start, first page, a next pair, a vote and the page after it."""
    start = time.monotonic()
    process = subprocess.Popen([program, "serve", "run", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        line = process.stdout.readline().decode()
        url = re.search(r"http://[0-9.:]+/", line).group(0)
        found = {"what": "serve", "start": round(time.monotonic() - start, 2)}

        def timed(name, path, body=None):
            request = urllib.request.Request(url + path, data=None if body is None else json.dumps(body).encode(),
                                             headers={"content-type": "application/json", "origin": url.rstrip("/")})
            begun = time.monotonic()
            with urllib.request.urlopen(request) as response:
                content = response.read()
            found[name] = round(time.monotonic() - begun, 3)
            return content

        found["first_answer_bytes"] = len(timed("first_answer", ""))
        # A large run is read after the start.
        while b"being read" in timed("page", ""):
            time.sleep(0.1)
        found["ready"] = round(time.monotonic() - start, 2)
        turn = json.loads(timed("next", "api/next", {"rater": "Ada"}))
        for n in range(3):
            cast = {"rater": "Ada", "pair": turn["shown"]["pair"], "choices": {c["key"]: "left" for c in turn["shown"]["criteria"]}, "seconds": 1.0}
            timed(f"vote_{n}", "api/vote", cast)
            turn = json.loads(timed(f"next_{n}", "api/next", {"rater": "Ada"}))
        timed("page_after_vote", "")
        time.sleep(3)
        timed("page_later", "")
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        found["peak_mib"] = round(int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024)
        return found
    finally:
        process.kill()
        process.wait()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--questions", type=int, nargs="+", default=[2000, 20000, 200000])
    arguments.add_argument("--size-px", type=int, default=16)
    arguments.add_argument("--concurrency", type=int, default=64)
    arguments.add_argument("--delay", type=float, default=0.0)
    arguments.add_argument("--only", nargs="+", help="of ask, resume, rate, report, export, serve")
    arguments.add_argument("--port", type=int, default=8199, help="of the judge; its address is part of a question's identity")
    given = arguments.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    wants = lambda what: given.only is None or what in given.only
    for wanted in given.questions:
        folder = given.folder / str(wanted)
        questions = place(folder, wanted, given.size_px, given.concurrency)
        judge = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("fake_judge.py")), "--delay", str(given.delay),
                                  "--port", str(given.port)], stdout=subprocess.PIPE)
        try:
            url = judge.stdout.readline().decode().strip()
            bench = [program, "bench", "bench.toml", "--run", "run", "--judge", "openai:fake-1", "--base-url", url, "--quiet"]

            def tell(found):
                print(json.dumps({"questions": questions, **found}), flush=True)

            if wants("ask"):
                found = measured("ask", bench, folder)
                found["questions_per_second"] = round(questions / found["seconds"], 1)
                tell({**found, "database_mib": round(bytes_under(folder / "run" / "run.sqlite") / 2**20, 1)})
            if wants("resume"):
                tell(measured("resume", bench, folder))
            if wants("rate"):
                tell(measured("rate", [program, "rate", "run"], folder))
            if wants("report"):
                found = measured("report", [program, "report", "run"], folder)
                parts = folder / "run" / "report.files"
                tell({**found, "page_bytes": (folder / "run" / "report.html").stat().st_size,
                      "parts_bytes": bytes_under(parts) if parts.is_dir() else 0})
            if wants("export"):
                tell(measured("export", [program, "export", "run", "--format", "jsonl", "--out", "rows.jsonl"], folder))
            if wants("serve"):
                tell(served(program, folder))
        finally:
            judge.kill()
            judge.wait()


if __name__ == "__main__":
    main()
