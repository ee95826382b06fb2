"""Ratings with two facts held equal, by Newton's method in plain Python, one game at a time, with derivatives of its own.

Independent of meshjudge; the numbers that it prints stand in tests/rate/controlled.rs. Run: python3 tests/data/controlled_vectors.py
"""

from math import exp, log, sqrt

METHODS, PROMPTS, FACTS = 4, 12, 2
POINTS = 400 / log(10)


def figure(fact, m, p):
    return ((7 * m + 3 * p + m * p) % 11) / 10 if fact == 0 else ((5 * m + 2 * p + 2 * m * m * p) % 13) / 4


def score(a, b, p):
    """1, 0.5 or 0 for a."""
    lean = figure(0, a, p) - figure(0, b, p)
    if abs(lean) > 0.45:
        return 1.0 if lean > 0 else 0.0
    return [1.0, 1.0, 0.5, 0.0, 0.0][(a * 131 + b * 17 + p * 29 + (a * b * p) % 13 * 7) % 5]


GAMES = [(a, b, p) for p in range(PROMPTS) for a in range(METHODS) for b in range(a + 1, METHODS)]
SD = [sqrt(sum((figure(k, a, p) - figure(k, b, p)) ** 2 for a, b, p in GAMES) / len(GAMES)) for k in range(FACTS)]


def row(a, b, p):
    out = [0.0] * (METHODS + FACTS)
    out[a], out[b] = 1.0, -1.0
    for k in range(FACTS):
        out[METHODS + k] = (figure(k, a, p) - figure(k, b, p)) / SD[k]
    return out


def solve(matrix, right):
    n = len(right)
    m = [line[:] + [right[i]] for i, line in enumerate(matrix)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda j: abs(m[j][i]))
        m[i], m[pivot] = m[pivot], m[i]
        for j in range(n):
            if j != i:
                f = m[j][i] / m[i][i]
                m[j] = [x - f * y for x, y in zip(m[j], m[i])]
    return [m[i][n] / m[i][i] for i in range(n)]


def fit(prior_sd):
    n = METHODS + FACTS
    pull = (POINTS / prior_sd) ** 2
    at = [0.0] * n
    for _ in range(60):
        gradient = [-pull * u for u in at]
        hessian = [[pull if i == j else 0.0 for j in range(n)] for i in range(n)]
        for game in GAMES:
            x = row(*game)
            p = 1 / (1 + exp(-sum(u * v for u, v in zip(at, x))))
            for i in range(n):
                gradient[i] += (score(*game) - p) * x[i]
                for j in range(n):
                    hessian[i][j] += p * (1 - p) * x[i] * x[j]
        at = [u + s for u, s in zip(at, solve(hessian, gradient))]
    return at


at = fit(800.0)
mean = sum(at[:METHODS]) / METHODS
print("sd", SD)
print("ratings", [1000 + (t - mean) * POINTS for t in at[:METHODS]])
print("effects", [b * POINTS for b in at[METHODS:]])
print("scores", [sum(score(*g) if g[0] == m else 1 - score(*g) for g in GAMES if m in g[:2]) for m in range(METHODS)])
