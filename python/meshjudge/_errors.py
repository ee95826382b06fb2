"""Errors of arguments, which are also the errors that Python's own functions raise for them."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches

from ._native import MeshjudgeError

__all__ = ["ArgumentError", "UnknownNameError", "unknown", "warn"]


class ArgumentError(MeshjudgeError, ValueError):
    """An argument has a value that is not allowed."""


class UnknownNameError(ArgumentError, KeyError):
    """A name that does not exist. The message gives the nearest one and all valid names."""

    # A KeyError shows its message in quotation marks.
    __str__ = Exception.__str__


def unknown(what: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is none of those."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return UnknownNameError(f"unknown {what} {name!r}{hint} (valid: {', '.join(names) or 'none'})")


def warn(words: str) -> None:
    """A warning at the line that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and (os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__) or frame.f_code.co_filename == contextlib.__file__):
        frame, level = frame.f_back, level + 1
    warnings.warn(words, stacklevel=level)
