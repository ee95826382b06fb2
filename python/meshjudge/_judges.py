"""Callable judges: what decides their answers, as a text that changes with it, and how they are called.

Does not look into installed packages, which count by their versions, and imports no package itself.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import sys
import threading
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

from ._native import JudgeError

__all__ = ["Caller", "describe"]

# Identical exceptions in a row that end a run.
SAME_MAX = 5
# Arrays in a judge, in total.
BYTES_MAX = 256 << 20
# Objects in a judge; more than these are data rather than settings.
OBJECTS_MAX = 100_000
DEPTH_MAX = 100

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), range)
# What a class has in addition to what its author wrote.
INCIDENTAL = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__annotations__",
    "__annotate__", "__annotate_func__", "__annotations_cache__", "__abstractmethods__", "_abc_impl", "__orig_bases__", "__parameters__",
    "__type_params__", "__classdictcell__", "__slotnames__",
}  # fmt: skip
OURS = {"name", "settings"}


class Unreadable(Exception):
    """A value whose content cannot be read."""


class Reader:
    """Values → hashes that are equal in each process for values of equal content."""

    def __init__(self) -> None:
        self.known: dict[int, bytes] = {}
        # Or another object could get the number of one that is gone.
        self.kept: list[Any] = []
        self.bytes_left, self.depth = BYTES_MAX, 0
        self.unreadable: list[str] = []

    def hash(self, value: Any) -> bytes:
        """32 bytes. Raises Unreadable."""
        if isinstance(value, PLAIN) and type(value) in PLAIN:
            return self.mix(type(value).__name__, repr(value).encode("utf-8", "surrogatepass"))
        if (found := self.known.get(id(value))) is not None:
            return found
        if len(self.kept) >= OBJECTS_MAX or self.depth >= DEPTH_MAX:
            raise Unreadable
        self.known[id(value)] = b"again"
        self.kept.append(value)
        self.depth += 1
        try:
            found = self.content(value)
        except Unreadable:
            del self.known[id(value)]
            raise
        finally:
            self.depth -= 1
        self.known[id(value)] = found
        return found

    def mix(self, *parts: str | bytes) -> bytes:
        mixed = blake2b(digest_size=32)
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            mixed.update(len(data).to_bytes(8, "little") + data)
        return mixed.digest()

    def all(self, kind: str, values: Any) -> bytes:
        return self.mix(kind, *[self.hash(value) for value in values])

    def content(self, value: Any) -> bytes:
        if isinstance(value, (list, tuple)) and type(value).__module__ == "builtins":
            return self.all(type(value).__name__, value)
        if isinstance(value, (set, frozenset)):
            return self.mix("set", *sorted(self.hash(one) for one in value))
        if type(value) in (dict, types.MappingProxyType):
            return self.mix("dict", *sorted(self.all("item", item) for item in value.items()))
        if isinstance(value, types.CodeType):
            return self.code(value)
        if isinstance(value, types.FunctionType):
            return self.mix("function", *[f"{name}={part.hex()}" for name, part in self.function(value)])
        if isinstance(value, types.MethodType):
            return self.all("method", [value.__func__, value.__self__])
        if isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)):
            return self.mix("builtin", str(getattr(value, "__module__", None)), value.__qualname__)
        if isinstance(value, functools.partial):
            return self.all("partial", [value.func, value.args, value.keywords])
        if isinstance(value, (staticmethod, classmethod)):
            return self.all(type(value).__name__, [value.__func__])
        if isinstance(value, property):
            return self.all("property", [value.fget, value.fset, value.fdel])
        if isinstance(value, types.ModuleType):
            return self.mix("module", value.__name__, str(getattr(value, "__version__", "")))
        if isinstance(value, type):
            return self.type(value)
        return self.object(value)

    def code(self, code: types.CodeType) -> bytes:
        """Without lines, file and comments: the same code elsewhere is the same."""
        names = [*code.co_names, *code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
        shape = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags]
        free = [*code.co_freevars, "", *code.co_cellvars]
        return self.mix(
            "code", code.co_code, code.co_exceptiontable, repr(shape), repr(names), repr(free), self.all("consts", code.co_consts)
        )

    def function(self, function: types.FunctionType) -> Iterator[tuple[str, bytes]]:
        """Its parts by name."""
        if version := installed(function.__module__):
            yield "code", self.mix("installed", function.__module__, function.__qualname__, version)
            return
        yield "code", self.hash(function.__code__)
        if function.__defaults__ or function.__kwdefaults__:
            yield "defaults", self.part("its defaults", (function.__defaults__, function.__kwdefaults__))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                value = cell.cell_contents
            except ValueError:
                continue  # A name that has no value yet.
            yield name, self.part(name, value)
        names = names_of(function.__code__)
        for name in sorted(names & function.__globals__.keys()):
            value = function.__globals__[name]
            yield name, self.module(value, names) if isinstance(value, types.ModuleType) else self.part(name, value)
        for name, value in sorted(vars(function).items()):
            if name not in OURS:
                yield name, self.part(name, value)

    def part(self, name: str, value: Any) -> bytes:
        """As `hash`; where the content cannot be read, the name is noted and only the class counts."""
        try:
            return self.hash(value)
        except Unreadable:
            self.unreadable.append(name)
            return self.mix("unreadable", type(value).__qualname__)

    def module(self, module: types.ModuleType, names: set[str]) -> bytes:
        """A module of the user's own counts by the parts that are used."""
        if version := installed(module.__name__):
            return self.mix("module", module.__name__, version)
        used = sorted(names & vars(module).keys())
        parts = [vars(module)[name] for name in used]
        hashes = [self.mix(one.__name__) if isinstance(one, types.ModuleType) else self.part(name, one) for name, one in zip(used, parts)]
        return self.mix("module", module.__name__, *hashes)

    def type(self, cls: type) -> bytes:
        if version := installed(cls.__module__):
            return self.mix("class", cls.__module__, cls.__qualname__, version)
        own = [(name, value) for name, value in vars(cls).items() if name not in INCIDENTAL]
        members = [self.mix(name, self.part(f"{cls.__name__}.{name}", value)) for name, value in sorted(own, key=lambda item: item[0])]
        # A slot counts by its name.
        return self.mix("class", cls.__qualname__, self.all("bases", cls.__bases__), *members)

    def object(self, value: Any) -> bytes:
        if isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            return self.mix("slot", value.__name__)
        if (array := array_of(value)) is not None:
            kind = f"{type(value).__name__} {value.dtype} {tuple(value.shape)}"
            if array.dtype.hasobject:
                return self.mix(kind, self.hash(array.tolist()))
            self.bytes_left -= array.nbytes
            if self.bytes_left < 0:
                raise Unreadable
            return self.mix(kind, array.tobytes())
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:
            raise Unreadable from None
        if isinstance(reduced, str):
            return self.mix("global", type(value).__module__, reduced)
        make, args, state, items, pairs = (*reduced, None, None, None)[:5]
        return self.all("object", [make, args, state, list(items or ()), list(pairs or ())])


def names_of(code: types.CodeType) -> set[str]:
    """Of globals and attributes, those of functions inside included."""
    inner = [names_of(const) for const in code.co_consts if isinstance(const, types.CodeType)]
    return {*code.co_names}.union(*inner)


def plain(value: Any) -> Any:
    """A number of NumPy or a tensor as Python's, and a path as text, for JSON."""
    if getattr(value, "ndim", None) == 0:
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"expected text, numbers, lists or dicts, not {type(value).__name__}: {value!r:.80}")


def array_of(value: Any) -> Any:
    """A numpy array, or that of a tensor; None for anything else."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(value, numpy.ndarray | numpy.generic):
        return numpy.asarray(value)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        tensor = value.detach().cpu().contiguous()
        # numpy lacks some types of numbers.
        return tensor.flatten().view(torch.uint8).numpy() if tensor.numel() else numpy.zeros(0)
    return None


def installed(name: str | None) -> str:
    """The version of an installed package or of Python, with this module in it; empty for a module of the user's own."""
    if not name or name == "__main__":
        return ""
    root = name.partition(".")[0]
    if root in sys.stdlib_module_names:
        return "python"
    module = sys.modules.get(root)
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
    is_inside = not {"site-packages", "dist-packages"}.isdisjoint(os.path.normpath(file).split(os.sep))
    return str(getattr(module, "__version__", "installed")) if is_inside else ""


def parts(reader: Reader, judge: Any) -> Iterator[tuple[str, bytes]]:
    """What decides a judge's answers, by name."""
    if isinstance(judge, types.FunctionType):
        yield from reader.function(judge)
        return
    if isinstance(judge, functools.partial | types.MethodType) or type(judge).__reduce_ex__ is not object.__reduce_ex__:
        yield "code", reader.part(type(judge).__name__, judge)
        return
    yield "code", reader.part(type(judge).__name__, type(judge))
    state = getattr(judge, "__dict__", None)
    own = state.items() if isinstance(state, dict) else [("state", judge)]
    for name, value in sorted(own, key=lambda item: item[0]):
        if name not in OURS:
            yield name, reader.part(name, value)


def describe(judge: Any, what: str = "judge") -> tuple[str, str, bool]:
    """Name, settings, and whether it is a coroutine function."""
    inner = judge.func if isinstance(judge, functools.partial) else judge
    name = str(getattr(judge, "name", None) or getattr(inner, "__name__", None) or type(inner).__name__).strip("<>")
    is_async = inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(getattr(type(inner), "__call__", None))
    if (settings := getattr(judge, "settings", None)) is not None:
        return name, str(settings), is_async
    reader = Reader()
    found = [f"{part}={value.hex()[:16]}" for part, value in parts(reader, judge)]
    if reader.unreadable:
        warnings.warn(
            f"the {what} {name} uses {', '.join(reader.unreadable)}, whose content cannot be read, so versions that "
            "differ only there share their answers; give it an attribute `settings`, a text that changes with the version",
            stacklevel=2,
        )
    return name, " ".join(found), is_async


def warn_of_change(name: str, run: os.PathLike[str], before: str, now: str) -> None:
    """A judge's settings differ from those of its answers in a run."""
    parts = {part.partition("=")[0] for part in {*before.split()} ^ {*now.split()} if "=" in part}
    warnings.warn(
        f"the judge {name} has changed since it last answered in {os.fspath(run)!r} ({', '.join(sorted(parts)) or 'its settings'}): its earlier "
        "answers are kept, and not used; to make them count, give it an attribute `settings` that stays the same",
        stacklevel=2,
    )


class Loop:
    """The event loop of judges that are coroutine functions, on a thread of its own in each process."""

    def __init__(self) -> None:
        self.lock, self.process = threading.Lock(), 0
        self.loop: asyncio.AbstractEventLoop | None = None

    def run(self, awaited: Any, timeout_secs: float) -> Any:
        async def caught() -> tuple[Any, BaseException | None]:
            # An interrupt inside would end the loop for all, and so it would in a task of its own, as wait_for makes one in Python 3.11.
            try:
                async with asyncio.timeout(timeout_secs):
                    return await awaited, None
            except BaseException as error:
                return None, error

        with self.lock:
            loop = self.loop
            if loop is None or self.process != os.getpid():
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

    def __call__(self, question: Any) -> Any:
        answer = self.judge(question)
        return LOOP.run(answer, self.timeout_secs) if inspect.isawaitable(answer) else answer

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
