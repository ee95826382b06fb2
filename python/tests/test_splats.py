"""Gaussian splats: arrays in and out, files and bytes of them wherever an asset is taken."""

import base64
import json
import pickle

import numpy as np
import pytest

import meshjudge as mj


def ball(count=800, degree=0, place=(0.0, 0.0, 0.0)):
    """Splats on a sphere, blue above and red below."""
    y = 1 - 2 * (np.arange(count) + 0.5) / count
    turn, ring = np.arange(count) * 2.399963, np.sqrt(1 - y * y)
    at = np.stack([ring * np.cos(turn), y, ring * np.sin(turn)], -1)
    harmonics = np.zeros((count, (degree + 1) ** 2, 3))
    harmonics[:, 0] = np.where(y[:, None] > 0, [-1.7, -1.7, 1.7], [1.7, -1.7, -1.7])
    harmonics[:, 1:] = np.sin(np.arange(harmonics[:, 1:].size)).reshape(harmonics[:, 1:].shape) / 10
    scales = np.tile([0.05, 0.04, 0.03], (count, 1))
    return mj.Splats(at + place, scales, np.tile([2, 0, 0, 0], (count, 1)), np.full(count, 0.9), harmonics)


def tie(question):
    return dict.fromkeys(question.criteria, "tie")


def test_arrays_come_back_as_they_were_given():
    splats = ball(100, degree=3, place=(5000.25, 0, 0))
    assert (len(splats), splats.color_space, splats.order, splats.antialiased) == (100, "display", "depth", None)
    shapes = {name: getattr(splats, name).shape for name in ("positions", "scales", "rotations", "opacities", "harmonics")}
    assert shapes == {"positions": (100, 3), "scales": (100, 3), "rotations": (100, 4), "opacities": (100,), "harmonics": (100, 16, 3)}
    assert (splats.positions.dtype, splats.harmonics.dtype) == (np.float64, np.float32)
    assert np.allclose(np.linalg.norm(splats.positions - [5000.25, 0, 0], axis=-1), 1, atol=1e-6)
    assert np.array_equal(splats.rotations, np.tile([1, 0, 0, 0], (100, 1)))
    again = mj.Splats(splats.positions, splats.scales, splats.rotations, splats.opacities, splats.harmonics)
    for name in shapes:
        assert np.allclose(getattr(again, name), getattr(splats, name), rtol=0, atol=1e-6), name
    assert ball(100) == ball(100) and hash(ball(100)) == hash(ball(100)) and ball(100) != ball(99)
    assert "100 of degree 3" in repr(splats)


@pytest.mark.parametrize("suffix", ["ply", "spz", "glb"])
def test_a_file_and_its_bytes_are_the_splats_that_were_saved(tmp_path, suffix):
    splats, path = ball(degree=1), tmp_path / f"ball.{suffix}"
    losses = splats.save(path)
    assert len(losses) == {"ply": 0, "spz": 1, "glb": 1}[suffix]
    loaded = mj.load(path)
    assert isinstance(loaded, mj.Splats) and loaded.path == str(path)
    assert mj.load(path.read_bytes()) == loaded
    step = {"spz": 1 / 8000}.get(suffix, 1e-6)
    assert np.abs(loaded.positions - splats.positions).max() < step
    # The turn to the axes of PLY and back is one about a splat's own axis, which changes nothing.
    assert np.allclose(loaded.scales, splats.scales, rtol=0.04)
    assert np.abs(loaded.harmonics - splats.harmonics).max() < 0.02


def test_splats_are_drawn_compared_and_scored_like_files(tmp_path):
    splats = ball()
    splats.save(path := tmp_path / "ball.glb")
    pictures = [mj.render(one, views=2, size=48)["rgb"] for one in (splats, path, path.read_bytes())]
    assert pictures[0].shape == (2, 48, 48, 3)
    top, bottom = pictures[0][0, 14, 24], pictures[0][0, 34, 24]
    assert top[2] > 150 > top[0] and bottom[0] > 150 > bottom[2]
    assert np.array_equal(pictures[1], pictures[2])
    assert np.abs(pictures[0].astype(int) - pictures[1]).mean() < 0.5
    mug = mj.objects.load("mug")
    sheets = [np.asarray(mj.sheet.pair(one, mug, renderer=mj.Renderer(size=48))) for one in (path, path.read_bytes())]
    assert np.array_equal(*sheets) and sheets[0].std() > 10
    assert "overall: tie" in repr(mj.compare(splats, path.read_bytes(), "a ball", judge=tie, renderer=mj.Renderer(size=48)))
    assert "overall: undecided" in repr(mj.compare(splats, mug, "a ball", renderer=mj.Renderer(size=48)))
    assert mj.inspect(splats)["splats"]["splats"] == 800
    methods = {"mugs": {"a ball": mug}, "balls": {"a ball": splats}}
    run = mj.bench(methods, prompts=["a ball"], folder=tmp_path, run=tmp_path / "run", judge=tie, renderer=mj.Renderer(size=48))
    assert run.outcomes == {"verdict": 2}
    assert splats._repr_png_().startswith(b"\x89PNG")


def test_splats_are_damaged_and_pickled():
    splats = ball(degree=1)
    assert {"holes", "splat-holes"} <= {kind["name"] for kind in mj.damage_kinds()}
    worse = mj.damage(splats, "splat-dust", 0.5)
    assert isinstance(worse, mj.Splats) and len(worse) > len(splats) and worse.path == "splats@splat-dust@0.5"
    with pytest.raises(mj.errors.DamageError, match="needs surfaces"):
        mj.damage(splats, "holes")
    again = pickle.loads(pickle.dumps(worse))
    assert again == worse and again.path == worse.path and np.array_equal(again.harmonics, worse.harmonics)


def test_what_cannot_be_is_said(tmp_path):
    one = [[0, 0, 0]], [[1, 1, 1]], [[1, 0, 0, 0]], [1], [[[0, 0, 0]]]
    for k, wrong, words in [
        (0, np.zeros((0, 3)), "differ in length"),
        (1, [[1, 1]], r"scales have the shape \[1, 2\], but need n rows of \[3\]"),
        (2, [[1, 0, 0]], "rotations have the shape"),
        (3, [1, 1], "differ in length: 1 positions and 2 of opacities"),
        (4, [[[0, 0, 0]] * 5], "3, 12, 27 or 48"),
        (0, [[0, 0, float("nan")]], "undefined"),
    ]:
        with pytest.raises(mj.errors.ArgumentError, match=words):
            mj.Splats(*one[:k], wrong, *one[k + 1 :])
    with pytest.raises(mj.errors.ArgumentError, match="color_space"):
        mj.Splats(*one, color_space="srgb")
    with pytest.raises(mj.errors.ArgumentError, match="saved as .ply"):
        mj.Splats(*one).save(tmp_path / "a.splat")
    linear = mj.Splats(*one, color_space="linear", antialiased=True)
    assert len(linear.save(tmp_path / "a.glb")) == 2
    assert mj.load(tmp_path / "a.glb").color_space == "linear"
    with pytest.raises(mj.errors.LoadError, match="linear light"):
        linear.save(tmp_path / "a.ply")
    with pytest.raises(mj.errors.LoadError, match="no surface"):
        mj.measure(linear, mj.objects.load("mug"))


def test_splats_among_surfaces_are_drawn_and_not_saved(tmp_path):
    """glTF with both: what a file of splats would lose is not left out in silence."""
    ball(20).save(tmp_path / "a.glb")
    data = (tmp_path / "a.glb").read_bytes()
    length = int.from_bytes(data[12:16], "little")
    scene, binary = json.loads(data[20 : 20 + length]), data[28 + length :]
    corners = np.array([[-9, -9, -9], [9, -9, -9], [0, 9, -9]], np.float32).tobytes()
    encoded = base64.b64encode(binary + corners).decode()
    total = len(binary) + len(corners)
    scene["buffers"] = [{"uri": f"data:application/octet-stream;base64,{encoded}", "byteLength": total}]
    scene["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(corners)})
    scene["accessors"].append(
        {
            "bufferView": len(scene["bufferViews"]) - 1,
            "componentType": 5126,
            "count": 3,
            "type": "VEC3",
            "min": [-9, -9, -9],
            "max": [9, 9, -9],
        }
    )
    place = len(scene["accessors"]) - 1
    scene["meshes"][0]["primitives"].append({"attributes": {"POSITION": place}})
    (tmp_path / "both.gltf").write_text(json.dumps(scene))
    both = mj.load(tmp_path / "both.gltf")
    assert len(both) == 20
    assert mj.render(both, channels="mask", views=1, size=64)["mask"].max() == 255
    for lose in (lambda: both.save(tmp_path / "b.ply"), lambda: pickle.dumps(both)):
        with pytest.raises(mj.errors.ArgumentError, match="surfaces among these splats"):
            lose()
