"""Which 3D asset is better, and how sure are we?

Loads meshes, draws them without a display, puts pictures to judges, and rates what comes back, with intervals.

>>> import meshjudge as mj
>>> chair = mj.objects.load("chair")
>>> mj.render(chair, views=4, size=128)["rgb"].shape
(4, 128, 128, 3)

A notebook shows an :class:`Asset` as its four views, a :class:`Comparison` as its sheet with words, a :class:`Run` as its boards.
"""

from . import errors, objects, rating, serving, sheet, types
from ._api import abench, acompare, audit, bench, compare, compare_many, render, score
from ._assets import sample
from ._identity import generator, judge
from ._native import (  # fmt: skip
    Asset, Audit, Comparison, MeshjudgeError, Photo, Picture, Question, Run, Score, Splats, Table, __version__, check, damage, damage_kinds,
    inspect, load, measure, rate,
)
from ._renderer import Renderer
from ._turntable import turntable

__all__ = [  # fmt: skip
    "Asset", "Audit", "Comparison", "MeshjudgeError", "Photo", "Picture", "Question", "Renderer", "Run", "Score", "Splats", "Table", "__version__",
    "abench", "acompare", "audit", "bench", "check", "compare", "compare_many", "damage", "damage_kinds", "errors", "generator", "inspect", "judge",
    "load", "measure", "objects", "rate", "rating", "render", "sample", "score", "serving", "sheet", "turntable", "types",
]
