"""What the tests share. They run against the installed wheel, never against the source tree."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import meshjudge as mj

ROOT = Path(__file__).resolve().parents[2]
installed = Path(mj.__file__).resolve()
assert ROOT / "python" not in installed.parents, f"this is the source tree, not a wheel: {installed}"


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def program() -> Path:
    """The command line that came with the wheel."""
    path = Path(sysconfig.get_path("scripts")) / "meshjudge"
    assert path.exists()
    return path


@pytest.fixture(scope="session")
def chair() -> mj.Asset:
    return mj.objects.load("chair")


@pytest.fixture(scope="session")
def holed(chair: mj.Asset) -> mj.Asset:
    return mj.damage(chair, "holes", 1.0)


@pytest.fixture
def python():
    """Runs a script in a process of its own, and hands back what it printed."""

    def run(script: str, **options) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, **options
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
