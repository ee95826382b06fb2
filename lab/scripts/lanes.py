#!/usr/bin/env python3
"""The pace of a judge alone, and beside one that hangs, answers after 20 s or answers 503; and how many questions a second are drawn,
composed, encoded and asked at a size of pictures.

Needs Python 3.10 or later and a built program. The judge under test takes --delay seconds for each reply; its pace is counted from its
first reply to its last. Cases take turns, --rounds times. Prints a JSON line for each, then medians.

    python3 lab/scripts/lanes.py target/release/meshjudge /tmp/lanes
    python3 lab/scripts/lanes.py target/release/meshjudge /tmp/lanes --only alone --size-px 512 --concurrency 64 --delay 1 --questions 2000
"""
import argparse
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

from scale import place

OTHERS = {"alone": None, "hangs": ["--status", "0"], "20 s": ["--delay", "20"], "503": ["--status", "503"]}


def server(*arguments):
    process = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("fake_judge.py")), *arguments], stdout=subprocess.PIPE)
    return process, process.stdout.readline().decode().strip()


def pace(program, folder, questions, given, other):
    quick, url = server("--delay", str(given.delay))
    servers = [quick]
    judges = [{"spec": "openai:fake-1", "base_url": url}]
    if other is not None:
        process, address = server(*other)
        servers.append(process)
        judges.append({"spec": "openai:fake-2", "base_url": address})
    head, generators = (folder / "bench.toml").read_text().split("[pictures]", 1)
    tables = ", ".join("{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in judge.items()) + " }" for judge in judges)
    (folder / "case.toml").write_text(f"{head}judges = [{tables}]\n[pictures]{generators}\n")
    shutil.rmtree(folder / "run", ignore_errors=True)
    log = open(folder / "log.txt", "w")
    process = subprocess.Popen([program, "bench", "case.toml", "--run", "run", "--quiet"], cwd=folder, stdout=log, stderr=log)
    try:
        while True:
            with urllib.request.urlopen(url) as response:
                seen = json.load(response)
            if seen["replies"] >= questions or process.poll() is not None:
                break
            time.sleep(0.2)
        if seen["replies"] < questions:
            sys.exit((folder / "log.txt").read_text()[-2000:])
        return questions / (seen["last"] - seen["first"])
    finally:
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGKILL):
            if process.poll() is None:
                process.send_signal(number)
                time.sleep(1)
        process.wait()
        for one in servers:
            one.kill()
            one.wait()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--questions", type=int, default=2000)
    arguments.add_argument("--size-px", type=int, default=16)
    arguments.add_argument("--concurrency", type=int, default=16)
    arguments.add_argument("--delay", type=float, default=0.1, help="seconds that the judge under test takes for a reply")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", nargs="+", choices=list(OTHERS), default=list(OTHERS))
    given = arguments.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    questions = place(given.folder, given.questions, given.size_px, given.concurrency)
    paces = {name: [] for name in given.only}
    for _ in range(given.rounds):
        for name in given.only:
            paces[name].append(pace(program, given.folder, questions, given, OTHERS[name]))
            print(json.dumps({"beside": name, "questions_per_second": round(paces[name][-1], 1)}), flush=True)
    for name, values in paces.items():
        found = {"beside": name, "median": round(statistics.median(values), 1)}
        if name != "alone" and "alone" in paces:
            ratios = [value / alone for value, alone in zip(values, paces["alone"])]
            found["of_its_lone_pace"] = round(statistics.median(ratios), 3)
        print(json.dumps(found))


if __name__ == "__main__":
    main()
