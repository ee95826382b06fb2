#!/usr/bin/env python3
"""Times two commands in turn and prints the ratio of their times, pair by pair: `paired.py PAIRS -- COMMAND A… -- COMMAND B…`.

One run of each comes first and does not count. Wall-clock time of whole processes; output is thrown away.
"""

import statistics
import subprocess
import sys
import time


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    arguments = sys.argv[1:]
    if arguments.count("--") != 2:
        sys.exit(__doc__)
    first = arguments.index("--")
    second = arguments.index("--", first + 1)
    commands = arguments[first + 1 : second], arguments[second + 1 :]
    for command in commands:
        seconds(command)
    pairs = [tuple(seconds(command) for command in commands) for _ in range(int(arguments[0]))]
    ratios = [a / b for a, b in pairs]
    for name, times in zip("AB", zip(*pairs)):
        print(f"{name}: median {statistics.median(times):.3f} s", *(f"{t:.3f}" for t in times))
    print(f"A/B: median {statistics.median(ratios):.3f} ({min(ratios):.2f}-{max(ratios):.2f})")


if __name__ == "__main__":
    main()
