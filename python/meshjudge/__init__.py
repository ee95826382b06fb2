"""Which 3D asset is better, and how sure are we?

Loads meshes, draws them without a display, puts pictures to judges, and rates what comes back, with intervals.

>>> import meshjudge as mj
>>> chair = mj.objects.load("chair")
>>> mj.render(chair, views=4, size=128)["rgb"].shape
(4, 128, 128, 3)

A notebook shows an :class:`Asset` as its four views, a :class:`Comparison` as its sheet with words, a :class:`Run` as its boards.
"""

from . import generator, objects, sheet, types
from ._api import audit, bench, compare, compare_many, render, score
from ._assets import Samples, sample
from ._errors import ArgumentError, UnknownNameError
from ._features import vectors
from ._native import (  # fmt: skip
    Asset, Audit, AuditError, BenchError, Comparison, DamageError, ForkError, InternalError, JudgeError, LoadError, MeshjudgeError,
    Photo, Picture, PictureError, Question, RateError, RenderError, RubricError, Run, RunError, Score, Splats, Table, __version__, control_effects,
    damage, damage_kinds, inspect, judge_worth, load, measure, rate,
)
from ._renderer import Renderer
from ._turntable import Turntable, turntable

__all__ = [  # fmt: skip
    "ArgumentError", "Asset", "Audit", "AuditError", "BenchError", "Comparison", "DamageError", "ForkError", "InternalError",
    "JudgeError", "LoadError", "MeshjudgeError", "Photo", "Picture", "PictureError", "Question", "RateError", "RenderError", "Renderer",
    "RubricError", "Run", "RunError", "Samples", "Score", "Splats", "Table", "Turntable", "UnknownNameError", "__version__", "audit", "bench",
    "compare", "compare_many", "control_effects", "damage", "damage_kinds", "generator", "inspect", "judge_worth", "load",
    "measure", "objects", "rate", "render", "sample", "score", "sheet", "turntable", "types", "vectors",
]
