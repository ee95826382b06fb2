"""All errors: one class for each stage, and :class:`MeshjudgeError` as the base of all."""

from ._errors import ArgumentError, UnknownNameError
from ._native import (  # fmt: skip
    AuditError, BenchError, DamageError, ForkError, InternalError, JudgeError, LoadError, MeshjudgeError, PictureError, RateError, RenderError,
    RubricError, RunError,
)

__all__ = [  # fmt: skip
    "ArgumentError", "AuditError", "BenchError", "DamageError", "ForkError", "InternalError", "JudgeError", "LoadError", "MeshjudgeError",
    "PictureError", "RateError", "RenderError", "RubricError", "RunError", "UnknownNameError",
]
