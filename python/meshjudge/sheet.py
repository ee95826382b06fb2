"""The exact pictures that a rubric shows a judge.

>>> import meshjudge as mj
>>> mj.sheet.four_view(mj.objects.load("vase"), size=64)
<Picture 128×128 image/png>
"""

from ._native import (
    sheet_four_view as four_view,
    sheet_grid as grid,
    sheet_pair as pair,
    sheet_reference as reference,
)

__all__ = ["four_view", "grid", "pair", "reference"]
