"""The identity of a function that judges, generates or computes: what it declares, else its code and everything that it uses.

Does not look into installed packages, which count by their versions, and imports no package itself.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import inspect
import json
import os
import random
import re
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, TypeVar

from ._errors import warn
from ._native import write_file

__all__ = ["describe", "generator", "judge", "used"]

F = TypeVar("F", bound=Callable[..., Any])

# Arrays in a function, in total.
BYTES_MAX = 256 << 20
# Objects in a function; more than these are data rather than settings.
OBJECTS_MAX = 100_000
DEPTH_MAX = 100

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), range)
# Made by a decorator or a metaclass from what the author wrote; shown without addresses.
FIELDS = ("__pydantic_fields__", "__dataclass_fields__")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# Of code, from Python 3.13 on.
HAS_DOCSTRING = 0x4000000
OURS = {"name", "settings", "version"}
# In a run's folder: the code of judges with a declared identity, for a note where it has changed.
CODE_FILE = "judges_code.json"


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
        if isinstance(value, functools.cached_property):
            return self.all("cached_property", [value.func])
        if isinstance(value, random.Random) or type(value).__name__ == "Generator" or type(value).__module__.startswith("numpy.random"):
            return self.mix("random", type(value).__qualname__)
        if isinstance(value, types.ModuleType):
            return self.mix("module", value.__name__, str(getattr(value, "__version__", "")))
        if isinstance(value, type):
            return self.type(value)
        return self.object(value)

    def code(self, code: types.CodeType) -> bytes:
        """Without lines, file, comments and docstring: the same code elsewhere is the same."""
        steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
        loaded = [step.argval for step in steps if step.opcode in dis.hasconst]
        shown = [(step.opname, None if step.opcode in dis.hasconst else step.arg) for step in steps]
        names = [*code.co_names, *code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
        shape = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & ~HAS_DOCSTRING]
        free = [*code.co_freevars, "", *code.co_cellvars]
        return self.mix("code", repr(shown), code.co_exceptiontable, repr(shape), repr(names), repr(free), self.all("consts", loaded))

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
        # Python and metaclasses add data between underscores; functions there are the author's.
        own = [(name, value) for name, value in vars(cls).items() if not is_made(name, value)]
        members = [self.mix(name, self.part(f"{cls.__name__}.{name}", value)) for name, value in sorted(own, key=lambda item: item[0])]
        # A slot counts by its name.
        fields = [ADDRESS.sub("", repr(vars(cls).get(name))) for name in FIELDS]
        return self.mix("class", cls.__qualname__, self.all("bases", cls.__bases__), *fields, *members)

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
        cls: type[Any] = type(value)
        try:
            registered = copyreg.dispatch_table.get(cls)
            reduced = registered(value) if registered else value.__reduce_ex__(4)
        except Exception:
            raise Unreadable from None
        if isinstance(reduced, str):
            return self.mix("global", cls.__module__, reduced)
        make, args, state, items, pairs = (*reduced, None, None, None)[:5]
        # Its content, if it has any, is where Python cannot see it.
        is_opaque = installed(cls.__module__) and cls is not object and not hasattr(value, "__dict__") and "__slots__" not in vars(cls)
        if is_opaque and len(reduced) == 2 and len(args) == 1:
            raise Unreadable
        if isinstance(state, dict):
            state = {name: part for name, part in state.items() if not is_cached(cls, name)}
        return self.all("object", [make, args, state, list(items or ()), list(pairs or ())])


def names_of(code: types.CodeType) -> set[str]:
    """Of globals and attributes, those of functions inside included."""
    inner = [names_of(const) for const in code.co_consts if isinstance(const, types.CodeType)]
    return {*code.co_names}.union(*inner)


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


def is_made(name: str, value: Any) -> bool:
    """Whether a member of a class is none that its author wrote."""
    is_function = isinstance(value, types.FunctionType | classmethod | staticmethod | property)
    return name == "_abc_impl" or name.startswith("__") and name.endswith("__") and not is_function


def is_cached(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, str(name), None), functools.cached_property)


def parts(reader: Reader, function: Any) -> Iterator[tuple[str, bytes]]:
    """What decides a function's answers, by name."""
    if isinstance(function, types.FunctionType):
        yield from reader.function(function)
        return
    if isinstance(function, functools.partial | types.MethodType) or type(function).__reduce_ex__ is not object.__reduce_ex__:
        yield "code", reader.part(type(function).__name__, function)
        return
    yield "code", reader.part(type(function).__name__, type(function))
    state = getattr(function, "__dict__", None)
    own = state.items() if isinstance(state, dict) else [("state", function)]
    for name, value in sorted(own, key=lambda item: item[0]):
        if name not in OURS and not is_cached(type(function), name):
            yield name, reader.part(name, value)


def read(function: Any) -> tuple[dict[str, str], list[str]]:
    """The hash of each part, and the parts whose content cannot be read."""
    reader = Reader()
    return {name: found.hex()[:16] for name, found in parts(reader, function)}, reader.unreadable


def judge(*, version: str, name: str | None = None) -> Callable[[F], F]:
    """Declares which judge a function is: its name and version, however its code changes. Else a run compares its code and all that it uses.

    The attributes ``name`` and ``version`` of a function or an object do the same.

    Parameters
    ----------
    version : str
        Another version is another judge, whose questions are asked anew.
    name : str, optional
        Its name in rows. Default: the name of the function.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> import meshjudge as mj
    >>> @mj.judge(version="2")
    ... def always_left(question: mj.Question) -> dict[str, str]:
    ...     return dict.fromkeys(question.criteria, "left")
    >>> chair = mj.objects.load("chair")
    >>> mj.compare(chair, chair, "a chair", judge=always_left).findings[0]["judge"]
    'python:always_left'
    """
    return declares(name, version)


def generator(*, version: str, name: str | None = None) -> Callable[[F], F]:
    """Declares which generator a function is, as :func:`judge` does for judges: assets of this name and version are not made again.

    Parameters
    ----------
    version : str
        Another version is another generator, whose assets are made anew.
    name : str, optional
        Its name in messages. Default: the name of the function.

    Returns
    -------
    callable
        A decorator.
    """
    return declares(name, version)


def declares(name: str | None, version: str) -> Callable[[F], F]:
    def mark(function: F) -> F:
        for key, value in (("name", name), ("version", version)):
            if value is not None:
                setattr(function, key, value)
        return function

    return mark


def declared(function: Any) -> str:
    """Its own words about its identity; empty if it has none."""
    version, settings = getattr(function, "version", None), getattr(function, "settings", None)
    words = [f"version={version}"] if isinstance(version, str | int | float) else []
    return " ".join(words + ([f"settings={settings}"] if settings is not None else []))


def name_of(function: Any) -> str:
    inner = function.func if isinstance(function, functools.partial) else function
    return str(getattr(function, "name", None) or getattr(inner, "__name__", None) or type(inner).__name__).strip("<>")


# By kind and name of a function, by part: from its hash after a use to its hash before the first one. What a function changes while
# it runs, such as a counter or a cache, is no change of the function.
SEEN: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
# Hashes of a part that are remembered.
SEEN_MAX = 1000
# The parts of its present identity, the number of its present uses, and the warnings that were given.
STARTED: dict[tuple[str, str], dict[str, str]] = {}
RUNNING: Counter[tuple[str, str]] = Counter()
WARNED: set[tuple[str, ...]] = set()


def describe(function: Any, what: str = "judge") -> tuple[str, str, bool]:
    """Name, identity, and whether it is a coroutine function."""
    inner = function.func if isinstance(function, functools.partial) else function
    name = name_of(function)
    is_async = inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(getattr(type(inner), "__call__", None))
    if words := declared(function):
        return name, words, is_async
    now, unreadable = read(function)
    key = (what, name)
    seen = SEEN.get(key, {})
    # In another thread it may be in the middle of a change.
    begun = STARTED.get(key, {}) if RUNNING[key] > 1 else {}
    first = {part: begun.get(part) or seen.get(part, {}).get(found, found) for part, found in now.items()}
    STARTED[key] = {part: found for part, found in first.items() if found}
    unknown = tuple(part for part in unreadable if part not in seen)
    if unknown and (what, name, *unknown) not in WARNED:
        WARNED.add((what, name, *unknown))
        warn(
            f"the {what} {name} uses {', '.join(unknown)}, whose content cannot be read, so versions that differ only there share their "
            f"{'assets' if what == 'generator' else 'answers'}; declare its identity, @mj.{what if what == 'generator' else 'judge'}(version=\"1\"), and raise the version when it changes"
        )
    return name, " ".join(f"{part}={found}" for part, found in STARTED[key].items()), is_async


@contextmanager
def used(functions: Any, what: str = "judge", run: Any = None) -> Iterator[None]:
    """While they run. What they change is remembered; of those with a declared identity the code is noted in the run's folder."""
    own = [function for function in functions if callable(function)]
    keys = [(what, name_of(function)) for function in own]
    notes = {f"{what} {name_of(function)}": code_of(function) for function in own if run is not None and declared(function)}
    known = codes_in(run) if notes else {}
    for name, code in notes.items():
        if known.get(name, code) != code and known[name][0] == code[0]:
            warn(f"the code of the {name} has changed since it last ran in {os.fspath(run)!r}; its declared identity ({code[0]}) is the same, so earlier answers count")
    RUNNING.update(keys)
    try:
        yield
    finally:
        RUNNING.subtract(keys)
        for key, function in zip(keys, own):
            if key in STARTED and not declared(function):
                start, seen = STARTED[key], SEEN.setdefault(key, {})
                for part, found in read(function)[0].items():
                    ends = seen.setdefault(part, {})
                    ends[found] = start.get(part, "")
                    if len(ends) > SEEN_MAX:
                        del ends[next(iter(ends))]
        if notes and os.path.isdir(run):
            write_file(os.path.join(run, CODE_FILE), json.dumps({**codes_in(run), **notes}).encode())


def code_of(function: Any) -> list[str]:
    """The declared identity, and a hash of the code."""
    reader = Reader()
    code = reader.code(function.__code__) if isinstance(function, types.FunctionType) else reader.type(type(function))
    return [declared(function), code.hex()[:16]]


def codes_in(run: Any) -> dict[str, list[str]]:
    try:
        with open(os.path.join(run, CODE_FILE), encoding="utf-8") as file:
            return dict(json.load(file))
    except (OSError, ValueError):
        return {}
