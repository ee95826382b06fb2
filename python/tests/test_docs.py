"""Docstrings, stubs, pages and the notebook: every example runs."""

import ast
import doctest
import importlib
import inspect
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import meshjudge as mj
from meshjudge import _native

MODULES = ["meshjudge", "meshjudge.objects", "meshjudge.sheet", "meshjudge._renderer", "meshjudge._api", "meshjudge._identity"]


def documented():
    """Everything public with its name."""
    for name in mj.__all__:
        value = getattr(mj, name)
        yield name, value
        if inspect.isclass(value) and not issubclass(value, Exception):
            yield from ((f"{name}.{key}", member) for key, member in inspect.getmembers(value) if not key.startswith("_"))
    for module in (mj.errors, mj.objects, mj.rating, mj.serving, mj.sheet):
        yield from ((f"{module.__name__}.{name}", getattr(module, name)) for name in module.__all__)


def test_everything_public_is_documented():
    names = [name for name, value in documented() if name != "__version__" and not (value.__doc__ or "").strip()]
    assert names == []
    assert len(list(documented())) > 120 and len(mj.__all__) <= 40
    # Every option by its name, so that editors complete it.
    named = [(name, inspect.signature(value)) for name, value in documented() if inspect.isfunction(value)]
    assert [name for name, found in named for option in found.parameters.values() if option.kind is option.VAR_KEYWORD] == []
    assert {*inspect.signature(mj.compare).parameters} - {*inspect.signature(mj.compare_many).parameters} == set()
    assert max(len(found.parameters) for _, found in named) <= 31


def test_editors_show_what_help_shows():
    """They read the stub of the compiled half."""
    stub = ast.parse(Path(mj.__file__).with_name("_native.pyi").read_text())
    compared = 0
    for top in (one for one in stub.body if isinstance(one, ast.ClassDef | ast.FunctionDef)):
        for node in [top, *(one for one in getattr(top, "body", ()) if isinstance(one, ast.FunctionDef))]:
            value = getattr(_native, top.name) if node is top else getattr(getattr(_native, top.name), node.name)
            if text := ast.get_docstring(node):
                assert inspect.getdoc(value) == text, (top.name, node.name)
                compared += 1
    assert compared > 100


def examples():
    finder = doctest.DocTestFinder(recurse=False)
    for name in MODULES:
        module = importlib.import_module(name)
        yield from finder.find(module, name, globs={})
    for name, value in documented():
        yield from finder.find(value, name, module=False, globs={})


@pytest.mark.parametrize("example", [one for one in examples() if one.examples], ids=lambda one: one.name)
def test_examples_of_docstrings(example):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    failed, tried = runner.run(example)
    assert tried > 0 and failed == 0


@pytest.mark.parametrize("page", ["docs/PYTHON.md", "README.md"])
def test_examples_of_pages(root, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```", (root / page).read_text(), re.S | re.M)
    assert blocks
    namespace = {"__name__": "page"}
    for language, block in blocks:
        if language == "python":
            exec(compile(block, page, "exec"), namespace)
        # The README's commands, which begin with cargo's, are run by its own test.
        elif page != "README.md":
            for line in block.splitlines():
                program, *words = shlex.split(line)
                assert program == "meshjudge", line
                done = subprocess.run([sys.executable, "-m", "meshjudge", *words], capture_output=True, text=True)
                assert done.returncode == 0 and done.stdout, line + done.stderr


def test_the_notebook_runs(root, tmp_path):
    import warnings

    with warnings.catch_warnings():
        # What Jupyter's own packages say of each other.
        warnings.simplefilter("ignore")
        import nbclient
        import nbformat

        notebook = nbformat.read(root / "docs" / "quickstart.ipynb", as_version=4)
        client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
        client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"image/png", "text/html"} <= kinds


def test_the_reference_is_what_the_docstrings_say(root):
    script = root / "python" / "reference.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == (root / "docs" / "python-reference.md").read_text(), f"write it again: python python/reference.py > docs/python-reference.md"


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_accept_the_documented_examples(root, tmp_path, checker):
    """In strict mode; a misspelt option is an error, so that they are not silent because they know nothing."""
    page = re.findall(r"^```python\n(.*?)^```", (root / "docs" / "PYTHON.md").read_text(), re.S | re.M)
    (tmp_path / "page.py").write_text("\n".join(page))
    for number, example in enumerate(one for one in examples() if one.examples):
        (tmp_path / f"example_{number}.py").write_text("".join(one.source for one in example.examples))
    command = {"mypy": ["mypy", "--strict"], "pyright": ["pyright", "--pythonpath", sys.executable]}[checker]
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "reportUnusedExpression": false}')

    def check(*files):
        return subprocess.run([sys.executable, "-m", *command, *files], cwd=tmp_path, capture_output=True, text=True)

    files = sorted(path.name for path in tmp_path.glob("*.py"))
    done = check(*files)
    assert len(files) > 10 and done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "wrong.py").write_text("import meshjudge as mj\n\nmj.compare('a', 'b', judg='probe')\n")
    assert "judg" in check("wrong.py").stdout


def test_stubs_say_what_is_there(tmp_path):
    # Aliases are text until a type checker reads them, so that importing them imports no numpy.
    allowed = tmp_path / "allowed.txt"
    allowed.write_text(r"meshjudge\.types\.(Answer|AssetLike|Channel|Channels|ColorLike|JudgeLike|PathLike|PhotoLike|PictureLike|PromptLike)|meshjudge\._native\.(compare_many|score)")
    # Modules that need Ray say so where it is not installed.
    if find_spec("ray") is None:
        allowed.write_text(allowed.read_text() + "\nmeshjudge\\.(ray|_ray_bench)")
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\n[mypy-ray.*]\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy.stubtest", "meshjudge", "--ignore-missing-stub"]
    command += ["--allowlist", allowed, "--mypy-config-file", config]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
