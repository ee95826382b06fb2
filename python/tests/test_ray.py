"""Drawing and benchmarks on a Ray cluster, and the process that an asset may end. What needs Ray is left out where it is not installed."""

import hashlib
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

import meshjudge as mj
from meshjudge._child import Child, Died

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed; pip install 'ray[data]>=2.44'")
VIEWS = {"views": 2, "size": 48}
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs limits of memory"),
    # Ray's own: unclosed sockets and files of the processes that it starts.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture
def drawing(tmp_path):
    """A process that draws."""
    settings = {"out": str(tmp_path / "out"), "measure": True, "rig": "ring", "channels": ["rgb"], "threads": 1, "options": VIEWS}
    child = Child("draw", settings, timeout_secs=30, memory_bytes=MEMORY_BYTES)
    yield child
    child.close()


# What the process may allocate: enough for our objects, not for `huge`.
MEMORY_BYTES = 480 << 20


def huge(edge):
    """A GLB of 200 kB whose texture takes edge² texels."""
    row = b"\0" + bytes(edge * 3)
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(row) for _ in range(edge)) + packer.flush()
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", edge, edge, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<6f", 0, 0, 1, 0, 0, 1)
    data = corners + png + bytes(-len(png) % 4)
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"bufferView": 2, "mimeType": "image/png"}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24},
                        {"buffer": 0, "byteOffset": 60, "byteLength": len(png)}],
        "buffers": [{"byteLength": len(data)}],
    }).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data


@pytest.fixture(scope="session")
def deadly(tmp_path_factory):
    """An asset that takes more memory than there is."""
    path = tmp_path_factory.mktemp("deadly") / "huge.glb"
    path.write_bytes(huge(8000))
    return path


def saved(asset, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    asset.save(path)
    return path


def test_without_ray_the_remedy_is_told(python):
    script = "import sys; sys.modules['ray'] = None\ntry: import meshjudge.ray\nexcept ImportError as e: print(e)"
    assert "pip install 'ray[data]>=2.44'" in python(script)


def test_a_drawn_asset_is_what_a_renderer_writes(drawing, chair, tmp_path):
    path = saved(chair, tmp_path / "chair.glb")
    row, _ = drawing.call({"path": str(path)})
    mj.Renderer(channels=["rgb"], **VIEWS).save(path, tmp_path / "here")
    assert row["hash"] == mj.load(path).hash and not row["drawn_before"]
    assert [Path(one).name for one in row["pictures"]] == ["rgb_0.png", "rgb_1.png"]
    for one in row["pictures"]:
        assert Path(one).read_bytes() == (tmp_path / "here" / Path(one).name).read_bytes()
    assert json.loads(row["facts"]) == mj.inspect(path)["facts"]
    # From bytes it is the same asset, which is not drawn again.
    first = Path(row["pictures"][0])
    drawn_at = first.stat().st_mtime_ns
    again, _ = drawing.call({}, path.read_bytes())
    assert again == {**row, "drawn_before": True}
    assert first.stat().st_mtime_ns == drawn_at
    assert not list(Path(tmp_path / "out").rglob(".part-*"))


def test_what_cannot_be_read_is_an_answer(drawing):
    row, _ = drawing.call({}, b"no asset at all")
    assert row["stage"] == "load" and row["error"]


def test_a_process_that_dies_or_hangs_ends_nothing_else(drawing, deadly, chair, tmp_path):
    path = saved(chair, tmp_path / "chair.glb")
    with pytest.raises(Died, match="died .signal 6") as died:
        drawing.call({"path": str(deadly)})
    assert died.value.stage == "process"
    assert drawing.call({"path": str(path)})[0]["hash"] == mj.load(path).hash
    # A process that is stopped stands for one that takes for ever.
    os.kill(drawing.process.pid, signal.SIGSTOP)
    drawing.timeout_secs = 0.5
    with pytest.raises(Died, match="longer than 0.5 s") as died:
        drawing.call({"path": str(path)})
    assert died.value.stage == "time"
    drawing.timeout_secs = 30
    assert drawing.call({"path": str(path)})[0]["drawn_before"]


def test_the_command_line_says_how_a_cluster_is_used(root, tmp_path, program):
    bench(tmp_path, engine="ray")
    script = "import sys; sys.modules['ray'] = None\nfrom meshjudge.__main__ import main\nsys.argv[1:] = ['bench', 'bench.toml', '--run', 'run']\nmain()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0 and "pip install 'ray[data]>=2.44'" in done.stderr
    done = subprocess.run([program, "bench", "bench.toml", "--shard", "1/2"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0 and "leave out --shard" in done.stderr


# Copies our objects; refuses one.
GENERATOR = """import shutil, sys
prompt, out, folder = sys.argv[1:]
if prompt == "mug": sys.exit("no mugs today")
shutil.copy(f"{folder}/{prompt}.glb", out)
"""


def bench(folder, **top):
    """A benchmark of ready assets against those of two generators, one of which stays; one asset is missing and one is half written."""
    for name in ("chair", "mug", "vase", "duck"):
        asset = mj.objects.load(name)
        saved(asset, folder / "clean" / f"{name}.glb")
        saved(mj.damage(asset, "holes", 0.7), folder / "holed" / f"{name}.glb")
    (folder / "holed" / "duck.glb").write_bytes((folder / "clean" / "duck.glb").read_bytes()[:500])
    (folder / "copy.py").write_text(GENERATOR)
    (folder / "stay.py").write_text(
        "import shutil\nfrom meshjudge.serving import serve\n"
        f"serve(lambda order: shutil.copy({str(folder)!r} + '/clean/' + order['prompt_id'] + '.glb', order['out']))\n"
    )
    prompts = [{"id": name, "text": f"a {name}"} for name in ("chair", "mug", "vase", "duck")]
    python = json.dumps(sys.executable)
    (folder / "bench.toml").write_text(
        "\n".join(f"{key} = {json.dumps(value)}" for key, value in top.items())
        + '\nname = "ray"\nprompts = "prompts.json"\nrubrics = ["pairwise", { name = "category", category = "single_object" }]\n'
        + '[pictures]\nviews = 1\nsize_px = 48\n[generation]\nworkers = 2\n'
        + '[[generators]]\nname = "holed"\npath = "holed/{prompt_id}.glb"\n'
        + f'[[generators]]\nname = "copied"\ncommand = [{python}, "copy.py", "{{prompt_id}}", "{{out}}", "clean"]\nretries = 0\n'
        + f'[[generators]]\nname = "stays"\nserve = [{python}, "stay.py"]\n'
    )
    (folder / "prompts.json").write_text(json.dumps(prompts))
    return folder / "bench.toml"


def judge(question):
    """Decides by the pictures' bytes, so that other bytes are other verdicts."""
    seen = hashlib.sha256(b"".join(picture.to_numpy().tobytes() for picture in question.pictures)).digest()
    judge.asked[question.kind, seen] += 1
    judge.heard()
    if question.kind == "pairwise":
        return {key: ("left", "right", "tie")[seen[i] % 3] for i, key in enumerate(question.criteria)}
    return {"overall_score": 5.0, **{key: seen[i] % 11 for i, key in enumerate(question.criteria)}}


judge.asked = Counter()
judge.heard = lambda: None
# It counts and waits, which is no change of its answers.
judge.settings = ""


def found(run):
    table = run.verdicts(by="criterion").to_dict()
    kept = [name for name in table if "seconds" not in name and "time" not in name]
    rows = sorted(json.dumps([table[name][i] for name in kept], default=str) for i in range(len(table["winner"])))
    return rows, run.results("rating", "overall").to_dict()


def missing(run, ours):
    told = [{**asset, "reason": asset["reason"].replace(str(ours), "")} for asset in run.summary["missing_assets"]]
    return sorted(json.dumps(asset) for asset in told)


class Machines:
    """A head without a core and two nodes of one core each, all on this machine."""

    def __init__(self):
        import ray
        from ray.cluster_utils import Cluster

        self.ray = ray
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self.nodes = [self.cluster.add_node(num_cpus=1) for _ in range(2)]
        self.cluster.wait_for_nodes()
        ray.init(address=self.cluster.address, log_to_driver=False)

    def replace_one(self):
        """Without a word to whoever works on it."""
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)
        self.nodes.append(self.cluster.add_node(num_cpus=1))

    def end(self):
        self.ray.shutdown()
        self.cluster.shutdown()


@pytest.fixture(scope="module")
def cluster():
    # The lowest priority else, which a busy machine lets wait.
    os.environ["RAY_worker_niceness"] = "0"
    machines = Machines()
    yield machines
    machines.end()


@needs_ray
def test_a_benchmark_on_two_nodes_one_of_which_is_killed_is_that_of_one_machine(cluster, tmp_path, monkeypatch):
    file = bench(tmp_path)
    judge.asked.clear()
    here = mj.bench(file, judge=["probe", judge], run=tmp_path / "here")
    asked = Counter(judge.asked)
    judge.asked.clear()
    is_time = threading.Event()
    monkeypatch.setattr(judge, "heard", lambda: judge.asked.total() < 4 or is_time.set())
    # Nodes are started by the main thread alone.
    with ThreadPoolExecutor() as beside:
        asking = beside.submit(mj.bench, file, judge=["probe", judge], run=tmp_path / "there", engine="ray")
        assert is_time.wait(60) and not asking.done()
        cluster.replace_one()
        there = asking.result(timeout=120)
    assert judge.asked == asked and asked.total() > 15
    assert there.summary["failed"] == here.summary["failed"]
    assert found(there) == found(here)
    assert missing(there, tmp_path / "there") == missing(here, tmp_path / "here")
    assert {asset["stage"] for asset in there.summary["missing_assets"]} == {"generate", "load"}
    # What was made and answered is made and asked once.
    again = mj.bench(file, judge=["probe", judge], run=tmp_path / "there", engine="ray")
    assert again.summary["answered_before"] == there.summary["verdicts"] and judge.asked == asked


@needs_ray
def test_an_asset_that_ends_its_process_loses_its_pairs(cluster, deadly, tmp_path):
    from meshjudge.ray import Engine

    file = bench(tmp_path)
    (tmp_path / "holed" / "vase.glb").write_bytes(deadly.read_bytes())
    run = mj.bench(file, judge=judge, run=tmp_path / "run", engine=Engine(memory_bytes=MEMORY_BYTES))
    [vase] = [asset for asset in run.summary["missing_assets"] if asset["prompt_id"] == "vase"]
    assert vase["stage"] == "draw" and "died (signal 6, " in vase["reason"]
    assert run.verdicts().to_dict()["outcome"].count("forfeit") > 0


@needs_ray
@pytest.mark.skipif(find_spec("pyarrow") is None, reason="ray[data] is not installed")
def test_a_dataset_is_drawn(cluster, deadly, chair, tmp_path):
    from meshjudge.ray import render

    paths = [saved(chair, tmp_path / "chair.glb"), tmp_path / "none.glb", deadly]
    options = {"channels": ["rgb"], "memory_bytes": MEMORY_BYTES, "actors": 1, **VIEWS}
    rows = {Path(row["path"]).stem: row for row in render(paths, tmp_path / "out", **options).take_all()}
    assert rows["chair"]["error"] == "" and len(rows["chair"]["pictures"]) == 2
    assert json.loads(rows["chair"]["facts"])["is_watertight"] in (True, False)
    assert rows["none"]["stage"] == "load" and rows["none"]["error"]
    assert rows["huge"]["stage"] == "process" and "signal 6" in rows["huge"]["error"]
    source = cluster.ray.data.from_items([{"bytes": paths[0].read_bytes(), "id": 7}])
    [row] = render(source, tmp_path / "out", **options).take_all()
    assert row["drawn_before"] and row["id"] == 7 and "bytes" not in row


@needs_ray
def test_tasks_get_objects(cluster, chair):
    import ray

    renderer = mj.Renderer(views=1, size=32, channels="mask")
    task = ray.remote(lambda renderer, asset: (renderer.render(asset)["mask"].sum(), asset))
    drawn, back = ray.get(task.remote(renderer, chair))
    assert drawn == renderer.render(chair)["mask"].sum() and back == chair


@needs_ray
def test_a_lack_of_columns_is_told():
    from meshjudge.ray import Draw

    draw = Draw("out")
    with pytest.raises(KeyError, match="no column"):
        draw({"uri": ["a.glb"]})


def test_a_process_that_cannot_be_set_up_is_an_error_and_no_assets_fault(tmp_path):
    settings = {"out": str(tmp_path), "measure": True, "rig": "no such rig", "channels": None, "threads": 1, "options": {}}
    child = Child("draw", settings, timeout_secs=30)
    with pytest.raises(RuntimeError, match="no such rig"):
        child.call({"path": "a.glb"})
    # Too little for Python itself.
    starved = Child("bench", {"setup": "{}", "threads": 1}, timeout_secs=30, memory_bytes=1 << 20)
    with pytest.raises(RuntimeError):
        starved.call({"do": "look", "slot": 0, "rubric": 0})
