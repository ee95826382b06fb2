"""Forks, signals, threads, and the command line."""

import multiprocessing
import os
import subprocess
import sys

import pytest

import meshjudge as mj

FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@FORK
def test_a_forked_worker_draws(python):
    out = python(
        """
import os, warnings
warnings.simplefilter("ignore")
import meshjudge as mj
asset, renderer = mj.objects.load("mug"), mj.Renderer(views=2, size=32, threads=2)
before = [renderer.render(asset)["rgb"].tobytes(), mj.render(asset, views=2, size=32)["rgb"].tobytes()]
child = os.fork()
if child == 0:
    after = [renderer.render(mj.objects.load("mug"))["rgb"].tobytes(), mj.render(asset, views=2, size=32)["rgb"].tobytes()]
    mj.inspect(asset)
    del renderer
    os._exit(0 if after == before else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert out == "0\n"


@FORK
def test_a_pool_of_forked_workers_draws(python):
    out = python(
        """
import multiprocessing, warnings
warnings.simplefilter("ignore")
import meshjudge as mj
renderer = mj.Renderer(views=2, size=32, channels=["mask"])
def work(name):
    return int(renderer.render(mj.objects.load(name))["mask"].sum())
names = ["mug", "chair", "vase"]
expected = [work(name) for name in names]
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(work, names) == expected)
"""
    )
    assert out == "True\n"


@FORK
def test_a_fork_after_asking_judges_is_refused_with_the_remedy(python):
    out = python(
        """
import os, warnings
warnings.simplefilter("ignore")
import meshjudge as mj
mug = mj.objects.load("mug")
judge = lambda question: dict.fromkeys(question.criteria, "tie")
assert mj.compare(mug, mug, "a mug", judge=judge, renderer=mj.Renderer(size=32)).winner() == "tie"
child = os.fork()
if child == 0:
    try:
        mj.compare(mug, mug, "a mug", judge=judge, renderer=mj.Renderer(size=32))
    except mj.errors.ForkError as error:
        os._exit(0 if "spawn" in str(error) else 2)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert out == "0\n"


INTERRUPTED = """
import os, signal, sys, threading
import meshjudge as mj
mug = mj.objects.load("mug")
asked, released = [], threading.Event()
def judge(question):
    asked.append(question)
    if len(asked) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    return dict.fromkeys(question.criteria, "tie")
try:
    mj.audit(judge, kinds=["geometry"], levels=[0.5], objects=3, renderer=mj.Renderer(size=16), concurrency=1, run=sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", len(asked) < 60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_stops_asking_and_keeps_what_was_answered(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, tmp_path / "run"], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "interrupted True\n", done.stderr
    kept = mj.Run(tmp_path / "run").verdicts()["outcome"].count("verdict")
    assert kept >= 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_stops_drawing(python):
    out = python(
        """
import os, signal, threading
import meshjudge as mj
renderer = mj.Renderer("gpteval3d", size=1024, channels=["rgb", "normal", "matte"])
chair = mj.objects.load("chair")
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        renderer.render(chair)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""
    )
    assert out == "interrupted\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes_get_objects(method, tmp_path):
    """As torch's DataLoader, joblib and Ray send them."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("this system does not start processes so")
    mug, renderer = mj.objects.load("mug"), mj.Renderer(views=1, size=32, channels=["mask"])
    with multiprocessing.get_context(method).Pool(2) as pool:
        drawn = pool.map_async(renderer.render, [mug, mj.damage(mug, "holes", 1.0)]).get(timeout=60)
    sums = [one["mask"].sum() for one in drawn]
    assert sums[0] == renderer.render(mug)["mask"].sum() != sums[1]


def test_joblib_and_data_loaders_get_objects():
    joblib = pytest.importorskip("joblib")
    mug, renderer = mj.objects.load("mug"), mj.Renderer(views=1, size=32, channels=["mask"])
    covered = renderer.render(mug)["mask"].sum()
    assert joblib.Parallel(2)(joblib.delayed(renderer.render)(one) for one in [mug])[0]["mask"].sum() == covered
    data = pytest.importorskip("torch.utils.data")
    loader = data.DataLoader([mug, mug], batch_size=None, num_workers=2, collate_fn=renderer.render, multiprocessing_context="spawn")
    assert [batch["mask"].sum() for batch in loader] == [covered] * 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupted_drawing_stops_at_once(python):
    """Also within one large picture, and in `map`; what comes after is not slower."""
    out = python(
        """
import os, signal, threading, time
import meshjudge as mj
chair = mj.objects.load("chair")
large = mj.Renderer("ring", views=2, size=4096, channels=["rgb", "normal", "matte"])
small = mj.Renderer(views=1, size=64)
def once():
    start = time.perf_counter()
    small.render(chair)
    return time.perf_counter() - start
before = min(once() for _ in range(3))
for draw in (lambda: large.render(chair), lambda: list(large.map([chair] * 9))):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    try:
        draw()
        print("not interrupted")
    except KeyboardInterrupt:
        print("interrupted", time.perf_counter() - start < 1.5, once() < 10 * before + 0.5)
print(large.num_views)
"""
    )
    assert out.splitlines() == ["interrupted True True"] * 2 + ["2"]


def test_the_command_line_comes_with_the_wheel(program, tmp_path):
    for command in ([program], [sys.executable, "-m", "meshjudge"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"meshjudge {mj.__version__}\n")
        done = subprocess.run([*command, "render", "none.glb", "--out", tmp_path], capture_output=True, text=True)
        assert done.returncode == 2 and "none.glb" in done.stderr
        done = subprocess.run([*command, "no-such-command"], capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr


def test_importing_loads_no_numpy(python):
    assert python("import sys, meshjudge; print('numpy' in sys.modules)") == "False\n"
