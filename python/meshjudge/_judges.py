"""Callable judges: how they are called, and what becomes of their answers and exceptions."""

from __future__ import annotations

import asyncio
import enum
import inspect
import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from ._errors import warn
from ._native import JudgeError

__all__ = ["AWAITED", "Caller", "plain", "warn_of_change"]

# Identical exceptions in a row that end a run.
SAME_MAX = 5
# What awaits the present call, with its event loop.
AWAITED: ContextVar[Any] = ContextVar("AWAITED", default=None)


def plain(value: Any) -> Any:
    """A number of NumPy or a tensor as Python's, and a path as text, for JSON."""
    if getattr(value, "ndim", None) == 0:
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"expected text, numbers, lists or dicts, not {type(value).__name__}: {value!r:.80}")


def data_of(answer: Any) -> Any:
    """An object of pydantic or a dataclass as a dict, and members of enums as their values."""
    if hasattr(answer, "model_dump"):
        answer = answer.model_dump(mode="json")
    elif fields := getattr(type(answer), "__dataclass_fields__", None):
        answer = {name: getattr(answer, name) for name in fields}
    if isinstance(answer, Mapping):
        return {key: data_of(cell) for key, cell in answer.items()}
    return answer.value if isinstance(answer, enum.Enum) else answer


def warn_of_change(name: str, run: os.PathLike[str], before: str, now: str, is_reused: bool) -> None:
    """A judge's identity differs from that of its answers in a run."""
    parts = {part.partition("=")[0] for part in {*before.split()} ^ {*now.split()} if "=" in part}
    unused = f"kept, and not used; reuse=[{os.fspath(run)!r}] uses them, and a declared identity, @mj.judge(version=\"1\"), prevents this"
    warn(
        f"the judge {name} has changed since it last answered in {os.fspath(run)!r} ({', '.join(sorted(parts)) or 'its settings'}): its earlier "
        f"answers are {'used, because reuse names that run' if is_reused else unused}"
    )


class Loop:
    """The event loop of judges that are coroutine functions, on a thread of its own in each process."""

    def __init__(self) -> None:
        self.lock, self.process = threading.Lock(), 0
        self.loop: asyncio.AbstractEventLoop | None = None

    def run(self, awaited: Any, timeout_secs: float, own: asyncio.AbstractEventLoop | None) -> Any:
        async def caught() -> tuple[Any, BaseException | None]:
            # An interrupt inside would end the loop for all, and so it would in a task of its own, as wait_for makes one in Python 3.11.
            try:
                async with asyncio.timeout(timeout_secs):
                    return await awaited, None
            except BaseException as error:
                return None, error

        with self.lock:
            loop = own or self.loop
            if loop is None or not own and self.process != os.getpid():
                self.process, self.loop = os.getpid(), (loop := asyncio.new_event_loop())
                threading.Thread(target=loop.run_forever, name="meshjudge-judges", daemon=True).start()
        answer, error = asyncio.run_coroutine_threadsafe(caught(), loop).result()
        if isinstance(error, TimeoutError) and not error.args:
            raise TimeoutError(f"no answer within {timeout_secs:g} s (timeout_secs)")
        if error is not None:
            raise error
        return answer


LOOP = Loop()


class Caller:
    """A judge as it is called for one run."""

    def __init__(self, judge: Callable[[Any], Any], name: str, timeout_secs: float) -> None:
        self.judge, self.name, self.timeout_secs = judge, name, timeout_secs
        self.lock, self.last, self.same, self.is_shown = threading.Lock(), "", 0, False
        self.loop = getattr(AWAITED.get(), "loop", None)

    def __call__(self, question: Any) -> Any:
        answer = self.judge(question)
        return data_of(LOOP.run(answer, self.timeout_secs, self.loop) if inspect.isawaitable(answer) else answer)

    def answered(self) -> None:
        """The last call gave an answer."""
        self.same = 0

    def failed(self, error: BaseException) -> tuple[str, BaseException | None]:
        """The reason for the rows, and what ends the run, if anything does."""
        if not isinstance(error, Exception):
            return type(error).__name__, error
        said = "".join(traceback.format_exception_only(error)).strip()
        with self.lock:
            self.same = self.same + 1 if said == self.last else 1
            self.last, is_shown, self.is_shown = said, self.is_shown, True
            is_end = self.same >= SAME_MAX
        inner = trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == __file__:
                inner = trace.tb_next
            trace = trace.tb_next
        reason = "".join(traceback.format_exception(type(error), error, inner)).strip()
        # Rows have text only; half a surrogate pair is none.
        reason = reason.encode(errors="backslashreplace").decode()
        if not is_shown:
            head = f"the judge {self.name} raised an exception, and its question has no answer (shown once; rows have each as `reason`):"
            print(head, reason, sep="\n", file=sys.stderr)
        if not is_end:
            return reason, None
        end = JudgeError(f"the judge {self.name} raised the same exception {SAME_MAX} times in a row: {said}; earlier answers are kept")
        end.__cause__ = error
        return reason, end
