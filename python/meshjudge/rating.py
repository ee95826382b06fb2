"""What else games say: the worth of judges, and the effects of figures of the assets. :func:`meshjudge.rate` rates the methods."""

from ._native import control_effects, judge_worth

__all__ = ["control_effects", "judge_worth"]
