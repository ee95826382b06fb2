"""Times the fit of PyPI gpteval3d 0.0.1 on the comparisons of benches/rate.rs: 1,000,000 of 100 methods, the same random numbers.

    python -m venv v && v/bin/pip install gpteval3d && v/bin/python lab/scripts/gpteval3d_fit.py
"""

import math
import os
import sys
import time

from gpteval3d.utils.glide_elo import compute_glide_elo

MASK = (1 << 64) - 1
NUM_METHODS, NUM_PROMPTS = 100, 100


class Random:
    """SplitMix64 with a stream, as in src/rate/random.rs."""

    def __init__(self, seed, stream):
        self.state = seed
        first = self.next()
        self.state = (stream + 0x5851F42D4C957F2D) & MASK
        self.state = first ^ self.next()

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return (self.next() * n) >> 64

    def unit(self):
        return (self.next() >> 11) / (1 << 53)


def comparisons(n):
    random, out = Random(1, 1), []
    for _ in range(n):
        a = random.below(NUM_METHODS)
        b = (a + 1 + random.below(NUM_METHODS - 1)) % NUM_METHODS
        share = 1 / (1 + math.pow(10, (b - a) / 40))
        result = 0 if random.unit() < 0.1 else -1 if random.unit() < share else 1
        random.below(NUM_PROMPTS)
        out.append({"m1": f"m{a}", "m2": f"m{b}", "result": result})
    return out


games = comparisons(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
methods = [f"m{i}" for i in range(NUM_METHODS)]
print("load average", os.getloadavg())
for _ in range(3):
    start = time.perf_counter()
    elos, aux = compute_glide_elo(methods, games, return_aux=True)
    seconds = time.perf_counter() - start
    mean = sum(elos.values()) / NUM_METHODS
    shown = " ".join(f"{m} {elos[m] - mean + 1000:.4f}" for m in ("m0", "m37", "m99"))
    print(f"{seconds:.3f} s; draws are wins of both; {shown}")
