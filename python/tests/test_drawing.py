"""Pictures: arrays, folders as the command line writes them, sheets."""

import json
import os
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import meshjudge as mj

CHANNELS = ["rgb", "normal", "matte", "depth", "mask"]


def test_arrays_have_the_shape_that_is_said(chair):
    drawn = mj.render(chair, views=3, size=48, channels=CHANNELS)
    assert list(drawn) == CHANNELS and list(mj.render(chair, views=1, size=16, channels="mask")) == ["mask"]
    for name, channels, dtype in [("rgb", 3, "u1"), ("normal", 3, "u1"), ("matte", 3, "u1"), ("depth", 1, "u2"), ("mask", 1, "u1")]:
        array = drawn[name]
        assert array.shape == (3, 48, 48, channels)
        assert array.dtype == np.dtype(dtype) and array.flags.c_contiguous and array.flags.writeable
    covered = drawn["mask"][..., 0] == 255
    assert covered.any() and (drawn["depth"][..., 0] > 0)[covered].all()
    assert (drawn["rgb"][0, 0, 0] == 255).all()


def test_a_transparent_background_has_alpha(chair):
    drawn = mj.render(chair, views=1, size=32, channels=["rgb", "mask"], background="transparent")
    assert drawn["rgb"].shape == (1, 32, 32, 4)
    assert (drawn["rgb"][..., 3] == drawn["mask"][..., 0]).all()


def test_files_are_the_bytes_of_the_command_line(program, tmp_path):
    path = tmp_path / "vase.glb"
    path.write_bytes(mj.objects.glb("vase"))
    same_bytes(program, path, tmp_path, views=3, size=96)


def test_every_model_is_drawn_as_the_command_line_does(program, tmp_path):
    folder = os.environ.get("MESHJUDGE_MODELS")
    if folder is None:
        pytest.skip("MESHJUDGE_MODELS names no folder")
    models = [path for path in sorted(Path(folder).rglob("*")) if path.suffix in (".glb", ".gltf", ".obj", ".ply", ".stl")]
    drawn = 0
    for number, path in enumerate(models):
        (tmp_path / str(number)).mkdir()
        drawn += same_bytes(program, path, tmp_path / str(number), views=2, size=128)
    assert drawn > 0


def same_bytes(program, path, out, views, size) -> bool:
    """Whether the command line draws this asset; if it does, so does the package, the same bytes."""
    done = subprocess.run(
        [program, "render", path, "--out", out / "cli", "--views", str(views), "--size", str(size)]
        + ["--channels", ",".join(CHANNELS), "--renderer", "cpu", "--quiet"],
        capture_output=True,
    )
    renderer = mj.Renderer(views=views, size=size, channels=CHANNELS)
    if done.returncode != 0:
        with pytest.raises(mj.MeshjudgeError):
            renderer.save(path, out / "package")
        return False
    told = renderer.save(path, out / "package")
    assert told["views"] == views
    [expected] = (out / "cli").iterdir()
    files = sorted(expected.glob("*.png"))
    assert len(files) == views * len(CHANNELS)
    for file in files:
        assert file.read_bytes() == (out / "package" / file.name).read_bytes(), f"{path}: {file.name}"
    arrays = renderer.render(path)
    # Depth has 16 bits in its file, more than a picture for a judge.
    for channel in set(CHANNELS) - {"depth"}:
        for view in range(views):
            pixels = mj.Picture(expected / f"{channel}_{view}.png").to_numpy()
            assert (pixels == arrays[channel][view]).all(), f"{path}: {channel} {view}"
    record = json.loads((out / "package" / "frames.json").read_text())
    assert renderer.protocol_hash in json.dumps(record)
    return True


def test_a_renderer_draws_many_and_names_what_it_cannot(tmp_path):
    renderer = mj.Renderer(views=2, size=24, threads=1)
    assert renderer.num_views == 2 and len(renderer.protocol_hash) == 64 and renderer.protocol
    sources = [mj.objects.load("mug"), "nothing.glb", mj.objects.glb("chair")]
    kinds = [type(one) for one in renderer.map(sources)]
    assert kinds == [dict, mj.errors.LoadError, dict]
    saved = list(renderer.save_all(sources, [tmp_path / str(i) for i in range(3)]))
    assert saved[0]["views"] == 2 and isinstance(saved[1], mj.errors.LoadError)
    assert (tmp_path / "2" / "normal_1.png").exists() and not (tmp_path / "1").exists()
    with pytest.raises(mj.errors.ArgumentError, match="one folder for each"):
        list(renderer.save_all(sources, [tmp_path / "0"]))
    with pytest.raises(mj.errors.ArgumentError, match="a list is needed"):
        renderer.map("chair.glb")
    kinds = [type(one).__name__ for one in renderer.map([None, sources[0]])]
    assert kinds == ["ArgumentError", "dict"]


def test_renderers_work_side_by_side(chair):
    expected = mj.render(chair, views=2, size=40)["rgb"]
    found = []

    def draw(threads):
        renderer = mj.Renderer(views=2, size=40, threads=threads)
        found.extend(renderer.render(chair)["rgb"] for _ in range(3))

    workers = [threading.Thread(target=draw, args=(threads,)) for threads in (None, 1, 2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 9 and all((one == expected).all() for one in found)


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"rig": "nowhere"}, mj.errors.RenderError, "nowhere"),
        ({"views": 0}, mj.errors.RenderError, "views"),
        ({"size": 100_000}, mj.errors.RenderError, "100000"),
        ({"elevation": 100.0}, mj.errors.RenderError, "-90 to 90"),
        ({"channels": []}, mj.errors.RenderError, "channel"),
        ({"background": "pink"}, ValueError, "pink"),
        ({"background": (0.5, 2, 3)}, ValueError, "three numbers"),
        ({"views": -1}, OverflowError, "views"),
        ({"light": "dim"}, ValueError, "studio, unlit"),
        ({"device": "tpu"}, ValueError, "cpu, auto, gpu"),
        ({"device": "gpu:no such card"}, mj.errors.RenderError, "card|adapter|driver"),
        ({"views": "four"}, TypeError, "views"),
    ],
)
def test_what_cannot_be_drawn_is_said(chair, options, error, words):
    with pytest.raises(error, match=words):
        mj.render(chair, **options)


def test_a_rig_of_ones_own_is_a_file(root, chair):
    own = root / "crates" / "render" / "assets" / "rigs" / "ring.toml"
    drawn = mj.Renderer(own, size=16, channels=["mask"]).render(chair)
    assert drawn["mask"].shape[0] == 12


def test_sheets_are_those_of_the_command_line(program, chair, holed, tmp_path):
    chair.save(tmp_path / "a.glb")
    holed.save(tmp_path / "b.glb")
    a, b = tmp_path / "a.glb", tmp_path / "b.glb"
    renderer = ["--renderer", "cpu", "--quiet", "--size", "64", "--out"]
    made = {
        "pair": mj.sheet.pair(a, b, renderer=mj.Renderer(size=64)),
        "grid": mj.sheet.grid(a, renderer=mj.Renderer(size=64)),
        "four-view": mj.sheet.four_view(a, renderer=mj.Renderer(size=64)),
    }
    for name, picture in made.items():
        assets = [a, b] if name == "pair" else [a]
        subprocess.run([program, "sheet", name, *assets, *renderer, tmp_path / "sheet.png"], check=True, capture_output=True)
        assert picture.data == (tmp_path / "sheet.png").read_bytes(), name
        assert picture._repr_png_() == picture.data and picture._repr_jpeg_() is None
    assert mj.sheet.pair(a, b, renderer=mj.Renderer(size=64), fit=100).width == 100
    assert np.asarray(made["pair"]).shape == (256, 256, 3)
    assert np.asarray(made["pair"], dtype=float).dtype == float
    made["pair"].save(tmp_path / "own.png")
    assert mj.Picture(tmp_path / "own.png").hash == made["pair"].hash


def test_a_reference_takes_files_and_arrays(root):
    photo, mask = root / "assets" / "demo" / "photo.png", root / "assets" / "demo" / "mask.png"
    files = mj.sheet.reference(photo, mask)
    arrays = mj.sheet.reference(np.asarray(mj.Picture(photo)), np.asarray(mj.Picture(mask)))
    assert mj.sheet.reference(mj.Photo.open(photo, mask)) == files
    on_white = np.full((64, 64, 3), 255, dtype=np.uint8)
    on_white[16:48, 16:48] = 40
    with pytest.warns(UserWarning, match="plain background"):
        assert len(mj.sheet.reference(on_white)) == 3
    assert [picture.hash for picture in files] == [picture.hash for picture in arrays]
    with pytest.raises(mj.errors.PictureError, match="uint8"):
        mj.sheet.reference(np.zeros((4, 4, 3)), mask)
    with pytest.raises(mj.errors.PictureError):
        mj.sheet.reference(photo, np.full((3, 3), 255, dtype=np.uint8))


def test_an_asset_shows_itself(chair):
    picture = mj.Picture(chair._repr_png_())
    assert picture.width == picture.height == 384
    assert np.asarray(picture).std() > 10
