"""The sentences of the table of weights, and how it is read and written.

A sentence is a template with {own}, {other} and {at}, for a number that crates/probe/src/words.rs measures, and bounds that the number must be
within: `more` than so many times the other's, the other's `less` (than so many times fewer), at `least`, at `most`. The first that is true is said.
"""

import json
import pathlib
import tomllib

ROUGHER = [("rougher", {"more": 1.1}, "is rougher: within {at} of its size its surface turns by {own}, the other's by {other}")]
SMOOTHER = [("smoother", {"less": 1.1}, "is smoother: within {at} of its size its surface turns by {own}, the other's by {other}")]
COARSER = [("triangles", {"less": 1.5}, "has {own} triangles, the other {other}; a tenth of the surface is more than {at} of the size away from the other's")]
OPEN = [("open-edges", {"more": 1.1}, "is open where the other is closed, along edges {own} times as long as its size")]
LACKS = [("lost-surface", {"more": 1.1}, "lacks {own} of the other's surface"), *OPEN]
INWARDS = [("inwards", {}, "faces inwards on {own} of the surface, where the other faces outwards")]
EXTRA = [("added-surface", {}, "has extra surface that the other lacks, {own} of its area")]
SAYS = {
    "rough": ROUGHER, "rough-in-part": ROUGHER, "lumps": ROUGHER, "smoothed": SMOOTHER, "smoothed-in-part": SMOOTHER,
    "snapped": [("coordinates", {"less": 1.1}, "has rounded positions: along one axis {own} of its coordinates are distinct, {other} of the other's")],
    "coarse": COARSER, "clustered": COARSER, "torn": OPEN, "lost": LACKS, "cut": LACKS, "inside-out": INWARDS, "reversed": INWARDS,
    "turned": [("turned-normals", {"more": 1.1}, "has stored normals that point inwards on {own} of its surface, the other on {other}")],
    "copied": [("copied-surface", {}, "has a duplicate of one of its parts that the other lacks, {own} of its area"), *EXTRA],
    "floaters": [("floating-pieces", {"more": 1.0}, "has {own}, {at} of its area; the other has {other}"), *EXTRA],
    "sheets": EXTRA,
    "slab": [("slab", {}, "has a slab of ground that the other lacks, {own} of its area"), *EXTRA],
    "flat": [("depth", {"most": 0.95}, "is {own} as deep as the other, at the same width and height")],
    "grain": [("grain", {"more": 1.1}, "has grain, spots or lines that the other lacks: its neighbouring texels or vertices differ by {own} of the full range, the other's by {other}")],
    "blocks": [("equal-neighbours", {"more": 1.5, "least": 0.3}, "has large pixels: {own} of its neighbouring texels or vertices are equal, {other} of the other's")],
    "softened": [("filtered", {"least": 0.5, "more": 1.05}, "is a blurred copy: a filter of the other's colours explains {own} of the detail by which the two differ, a filter of its own colours {other}")],
    "posterised": [("steps", {"least": 0.4, "more": 1.3}, "has few colours, each in place of a range of the other's: {own} of its jumps between neighbouring texels or vertices are not the other's, {other} the other way round")],
    "compressed": [("blocks", {"least": 1.3, "more": 1.15}, "has blocks of 8 by 8 texels, as strong JPEG compression leaves them: its colours change {own} times as much at their borders as inside, the other's {other} times")],
}


def sentence(number, bounds, text):
    parts = [f'number = "{number}"', *(f"{bound} = {float(value)}" for bound, value in bounds.items()), f'text = "{text}"']
    return "{ " + ", ".join(parts) + " }"


def read(file):
    """The models of a table: lists of (done, lowers, bias, weights)."""
    table = tomllib.loads(pathlib.Path(file).read_text())
    models = [[(kind["done"], kind["lowers"], kind["bias"], kind["weights"]) for kind in model["kind"]] for model in table["model"]]
    return table["provenance"], models


def write(file, provenance, level, speaks, models):
    out = [
        "# What the offline judge weighs. Data: written by lab/probe/fit_probe.py and fit_colours.py, which say what the weights mean; not edited by hand.",
        f'provenance = """{provenance}"""',
        f"level = {float(level)}",
        f"speaks = {float(speaks)}",
    ]
    for kinds in models:
        out += ["", "[[model]]"]
        for done, lowers, bias, weights in kinds:
            out += ["", "[[model.kind]]", f'done = "{done}"', f"lowers = {json.dumps(lowers)}", "says = ["]
            out += [*(f"    {sentence(*says)}," for says in SAYS[done]), "]", f"bias = {bias:.4g}", "[model.kind.weights]"]
            out += [f'"{name}" = {value:.3g}' for name, value in sorted(weights.items())]
    pathlib.Path(file).write_text("\n".join(out) + "\n")
