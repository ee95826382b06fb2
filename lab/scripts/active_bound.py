"""The smallest share of round-robin's units after which any choice of pairs can be as sure: optimal designs with a proof.

    pip install numpy && python lab/scripts/active_bound.py

A pair e adds information w_e v vᵀ to the ratings. For weights k on the methods, the summed variance Σ k_i C_ii of the best shares λ of
units over pairs is at least f² / max_e w_e vᵀM⁻¹KM⁻¹v for whatever λ reached f (Kiefer & Wolfowitz's equivalence theorem, for linear
criteria: Atkinson, Donev & Tobias 2007, 10-11), and the largest variance is at least the mean under any k. So the figures are bounds.
"""
import json, math
import numpy as np

K = math.log(10) / 400
board = json.load(open("tests/data/gpteval3d_leaderboard.json"))["scores"][5]
SPREADS = {"published": np.array(list(board.values())), "even480": np.linspace(0, 480, 13), "even1200": np.linspace(0, 1200, 13)}
JUDGES = {"lazy": (0.5, 0.2), "plain": (0.0, 0.0)}  # Davidson's nu, share of answers "left"


def world(ratings, nu, lazy):
    n = len(ratings)
    a, b = np.triu_indices(n, 1)
    h = np.exp((ratings[a] - ratings[b]) * K / 2)
    pa, pb = h / (h + 1 / h + nu), 1 / h / (h + 1 / h + nu)
    c = 1 - lazy  # inconsistent units are draws
    mean, var = 0.5 + 0.5 * c * (pa - pb), c * (pa + pb) / 4 - (c * 0.5 * (pa - pb)) ** 2
    v = np.zeros((len(a), n))
    v[np.arange(len(a)), a], v[np.arange(len(a)), b] = 1, -1
    theta, gauge = np.zeros(n), np.full((n, n), 1 / n)
    for _ in range(50):  # where round-robin's fit settles
        p = 1 / (1 + np.exp(-v @ theta))
        theta += np.linalg.solve(v.T @ ((p * (1 - p))[:, None] * v) + gauge, v.T @ (mean - p))
    p = 1 / (1 + np.exp(-v @ theta))
    slope, uniform = p * (1 - p), np.full(len(a), 1 / len(a))
    bread = np.linalg.inv(v.T @ ((uniform * slope)[:, None] * v) + gauge)
    sandwich = bread @ (v.T @ ((uniform * var)[:, None] * v)) @ bread
    # No weighting of the same answers is surer than this information (Godambe 1960).
    return v, slope**2 / var, np.diag(sandwich)


def best(v, w, k):
    """Σ k C_ii at the optimum: (reached, lower bound, C's diagonal)."""
    n, lam = v.shape[1], np.full(len(v), 1 / len(v))
    for _ in range(600):
        inv = np.linalg.inv(v.T @ ((lam * w)[:, None] * v) + np.full((n, n), 1 / n)) - np.full((n, n), 1 / n)
        d = w * (((v @ inv) ** 2) @ k)
        f = k @ np.diag(inv)
        lam = lam * np.sqrt(d / f)
        lam /= lam.sum()
    return f, f * f / d.max(), np.diag(inv)


for judge, how in JUDGES.items():
    for name, ratings in SPREADS.items():
        v, w, base = world(ratings, *how)
        n = len(ratings)
        _, mean_bound, _ = best(v, w, np.full(n, 1 / n))
        k, low = np.full(n, 1 / n), 0
        for _ in range(60):  # weights that make the bound on the largest variance high
            _, bound, diag = best(v, w, k)
            low = max(low, bound)
            k = k * (diag / diag.max()) ** 1.5
            k /= k.sum()
        print(f"{judge:5} {name:9} widest >= {low / base.max():.3f}, mean variance >= {mean_bound / base.mean():.3f}", flush=True)
