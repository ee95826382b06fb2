"""Prints docs/python-reference.md, made from the docstrings of the installed package."""

import ast
import importlib
import importlib.util
import inspect
import re
import sys
import types
from pathlib import Path

# The sources next to this file have no compiled half.
sys.path.pop(0)

import meshjudge as mj

# Docstrings are read also where Ray is not installed.
if importlib.util.find_spec("ray") is None:
    sys.modules["ray"] = types.ModuleType("ray")
mj_ray = importlib.import_module("meshjudge.ray")

HEAD = """# Python reference

Made from the docstrings by `python python/reference.py > docs/python-reference.md`; a test compares the two.
[From zero to a leaderboard](PYTHON.md) shows how the calls go together.
"""


def stub() -> dict[str, ast.FunctionDef]:
    """The functions and members of the compiled half."""
    top = ast.parse(Path(mj.__file__).with_name("_native.pyi").read_text()).body
    classes = {f"{one.name}.": one.body for one in top if isinstance(one, ast.ClassDef)}
    return {head + one.name: one for head, body in {"": top, **classes}.items() for one in body if isinstance(one, ast.FunctionDef)}


STUB = stub()


def signature(name: str, value: object) -> str | None:
    """None for a class that is not constructed by its users, or as any exception is."""
    if inspect.isclass(value) and issubclass(value, Exception):
        return None
    plain = name.removeprefix("meshjudge.")
    node = STUB.get(f"{plain}.__new__" if inspect.isclass(value) else plain)
    is_python = hasattr(value, "__code__") or hasattr(getattr(value, "__new__", None), "__code__")
    if node and not is_python:
        node.args.args = [argument for argument in node.args.args if argument.arg not in ("self", "cls")]
        return f"{name}({ast.unparse(node.args)})" + ("" if inspect.isclass(value) else f" -> {ast.unparse(node.returns)}")
    found = str(inspect.signature(value))
    return None if inspect.isclass(value) and found == "()" else name + found


def text(docstring: str) -> str:
    """numpydoc as Markdown: sections in bold, entries as a list, examples as code."""
    lines = inspect.cleandoc(docstring).splitlines()
    out, section, number = [], None, 0
    while number < len(lines):
        line = lines[number]
        if number + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[number + 1]):
            section = line
            out += ["", f"**{line}**", ""]
            number += 2
            continue
        if line.startswith(">>> "):
            block = []
            while number < len(lines) and lines[number].strip():
                block.append(lines[number])
                number += 1
            out += ["```pycon", *block, "```"]
            continue
        if line.endswith("::"):
            end = number + 1
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            block = inspect.cleandoc("\n".join(lines[number + 1 : end])).strip()
            out += [line[:-1], "", "```text", *block.splitlines(), "```", ""]
            number = end
            continue
        is_entry = section in ("Parameters", "Attributes", "Returns", "Raises", "Yields") and line and not line.startswith(" ")
        if is_entry:
            name, colon, kind = line.partition(" : ")
            out.append(f"* `{name}`" + (f": {kind}" if colon else ""))
        else:
            out.append(("  " if section and line.startswith("    ") else "") + line.strip())
        number += 1
    page = "\n".join(out)
    page = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", page)
    page = re.sub(r"(?<!`)``(?!`)", "`", page)
    return re.sub(r"\n{3,}", "\n\n", page)


def entry(name: str, value: object, level: str) -> list[str]:
    head = [f"{level} `{name}`", ""]
    if shown := signature(name, value):
        head += ["```text", shown, "```", ""]
    return [*head, text(value.__doc__), ""]


def main() -> None:
    page = [HEAD]
    for name in mj.__all__:
        value = getattr(mj, name)
        if name == "__version__" or inspect.ismodule(value) or value is mj.MeshjudgeError:
            continue
        page += entry(f"meshjudge.{name}", value, "##")
        members = [one for one in inspect.getmembers(value) if inspect.isclass(value) and not one[0].startswith("_")]
        properties = [key for key, member in members if inspect.isdatadescriptor(member)]
        if properties:
            page += ["**Attributes**", ""]
        for key in properties:
            said = text(getattr(value, key).__doc__).replace("\n", "\n  ")
            page += [f"* `{key}`: `{ast.unparse(STUB[f'{name}.{key}'].returns)}`", f"  {said}"]
        page += [""] if properties else []
        for key, member in members:
            if key not in properties:
                page += entry(f"{name}.{key}", member, "###")
    for module in (mj.objects, mj.rating, mj_ray, mj.serving, mj.sheet):
        page += [f"## `{module.__name__}`", "", text(module.__doc__), ""]
        for name in module.__all__:
            page += entry(f"{module.__name__}.{name}", getattr(module, name), "###")
    page += ["## `meshjudge.errors`", ""]
    page += [f"* `{name}`: {getattr(mj.errors, name).__doc__}" for name in mj.errors.__all__]
    print("\n".join(page))


if __name__ == "__main__":
    main()
