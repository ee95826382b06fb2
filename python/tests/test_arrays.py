"""Meshes as arrays and of other packages, there and back; points for networks; pickled and copied objects; animations."""

import copy
import io
import pickle

import numpy as np
import pytest

import meshjudge as mj

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 1, 2, 3]])


def test_arrays_are_assets(chair):
    again = mj.load((chair.vertices, chair.faces))
    assert again.num_triangles == chair.num_triangles and np.array_equal(again.vertices, chair.vertices.astype("f4"))
    assert np.array_equal(mj.load(SQUARE).faces, [[0, 1, 2], [0, 2, 3]]) and np.allclose(mj.load(SQUARE).normals, [0, 0, 1])
    assert mj.compare(chair, (chair.vertices, chair.faces), "a chair", renderer=mj.Renderer(size=32)).winner("texture_details") == "a"  # bare
    with pytest.raises(mj.errors.ArgumentError, match="name vertices from 0 to 9"):
        mj.load((SQUARE[0], [[0, 1, 9]]))
    with pytest.raises(mj.errors.ArgumentError, match=r"\(4, 3\) or \(4, 4\), not \(1, 3\)"):
        mj.load((*SQUARE, [[1, 0, 0]]))
    for wrong in ((SQUARE[0], [[0, 1, 2.5]]), (SQUARE[0] * 1j, SQUARE[1]), (*SQUARE, np.full((4, 3), 256)), (*SQUARE, np.full((4, 3), -0.1))):
        with pytest.raises(mj.errors.ArgumentError, match="numbers"):
            mj.load(wrong)
    far = mj.load((SQUARE[0] + 1e7, SQUARE[1]))
    assert np.array_equal(far.vertices, SQUARE[0] + 1e7)


def test_colours_and_textures_of_arrays_are_srgb():
    def shade(*arrays):
        drawn = mj.render(arrays, channels=["base-color", "mask"], views=1, size=32)
        return drawn["base-color"][0][drawn["mask"][0].squeeze() == 255]

    grey = np.full((4, 3), 128, np.uint8)
    assert (shade(*SQUARE, grey) == 128).all() and (shade(*SQUARE, grey / 255) == 128).all()
    # Red below, green above.
    picture = np.array([[[0, 255, 0]], [[255, 0, 0]]], np.uint8)
    points, _, colors = mj.sample((*SQUARE, None, SQUARE[0][:, :2], picture), 200)
    assert (colors[points[:, 1] > 0.5] == [0, 255, 0]).all() and (colors[points[:, 1] < 0.5] == [255, 0, 0]).all()


def test_meshes_of_trimesh_come_and_go(chair):
    trimesh = pytest.importorskip("trimesh")
    mesh = chair.to_trimesh()
    assert isinstance(mesh, trimesh.Trimesh) and len(mesh.faces) == chair.num_triangles
    # One material comes back as it was; several are merged, with their colours.
    for name, most in (("mug", 0.01), ("chair", 2)):
        asset = mj.objects.load(name)
        before, after = (mj.render(one, views=2, size=64)["rgb"].astype(int) for one in (asset, asset.to_trimesh()))
        assert abs(before - after).mean() <= most
    with pytest.raises(mj.errors.ArgumentError, match="empty"):
        mj.load(trimesh.Scene())
    box = trimesh.creation.box()
    box.visual.vertex_colors = [255, 0, 0, 255]
    assert mj.load(box).num_triangles == mj.load(trimesh.Scene([box])).num_triangles == 12
    assert (mj.sample(box, 10).colors == [255, 0, 0]).all()
    # Colours of vertices stay there and back, to a step of 8 bits in what is linear.
    shades = mj.load((*SQUARE, np.array([[200, 30, 30, 255]] * 4, np.uint8)))
    again = shades.to_trimesh()
    assert abs(again.visual.vertex_colors[:, :3].astype(int) - [200, 30, 30]).max() <= 1
    assert abs(mj.sample(again, 10).colors.astype(int) - [200, 30, 30]).max() <= 1


def test_pictures_of_pillow_are_what_they_show():
    image = pytest.importorskip("PIL.Image")
    shown = image.new("RGB", (8, 8), (204, 51, 51))
    for mode in ("P", "CMYK", "YCbCr", "HSV", "RGBA", "RGBa"):
        given = (shown.convert("RGBA") if mode == "RGBa" else shown).convert(mode)
        assert abs(mj.Picture(given).to_numpy()[0, 0, :3].astype(int) - [204, 51, 51]).max() <= 3
    clear = image.new("LA", (8, 8), (90, 0))
    assert (mj.Picture(clear).to_numpy()[0, 0] == [90, 90, 90, 0]).all()
    for mode in ("I;16", "F"):
        with pytest.raises(mj.errors.PictureError, match="8 bits"):
            mj.Picture(image.new(mode, (8, 8)))


def test_numbers_out_of_range_are_refused(chair):
    for count in (0, 10**12):
        with pytest.raises(mj.errors.ArgumentError, match="count"):
            mj.sample(chair, count)
    with pytest.raises(mj.errors.ArgumentError, match="samples"):
        mj.measure(chair, chair, samples=0)
    with pytest.raises(mj.errors.ArgumentError, match="masked"):
        mj.load((np.ma.masked_equal(SQUARE[0], 0), SQUARE[1]))


def test_meshes_of_open3d_are_assets(chair, tmp_path):
    open3d = pytest.importorskip("open3d")
    box = open3d.geometry.TriangleMesh.create_box()
    box.paint_uniform_color([1, 0, 0])
    assert (mj.sample(box, 10).colors == [255, 0, 0]).all()
    assert mj.load(open3d.t.geometry.TriangleMesh.from_legacy(box)) == mj.load(box)
    mj.objects.load("mug").save(tmp_path / "mug.glb")
    expected = mj.render(tmp_path / "mug.glb", views=2, size=64, channels="base-color")["base-color"]
    for module in (open3d.t.io, open3d.io):
        read = module.read_triangle_mesh(str(tmp_path / "mug.glb"))
        assert np.array_equal(mj.render(read, views=2, size=64, channels="base-color")["base-color"], expected)
    read.textures = [open3d.geometry.Image(np.zeros((2, 2, 3), np.uint8))] * 2
    for wrong in (read, open3d.geometry.PointCloud()):
        with pytest.raises(mj.errors.ArgumentError, match="Open3D"):
            mj.load(wrong)


def test_tensors_are_arrays():
    torch = pytest.importorskip("torch")
    for vertices in (torch.tensor(SQUARE[0]), torch.tensor(SQUARE[0], dtype=torch.bfloat16, requires_grad=True), torch.tensor(SQUARE[0].T.copy()).T):
        assert mj.load((vertices, torch.tensor(SQUARE[1]))) == mj.load(SQUARE)


def test_points_are_on_the_surface(chair):
    points, normals, colors = mj.sample(chair, 5000, seed=1)
    assert points.shape == normals.shape == colors.shape == (5000, 3) and np.allclose(np.linalg.norm(normals, axis=1), 1)
    low, high = np.array(chair.bounds)
    assert (points >= low - 1e-6).all() and (points <= high + 1e-6).all()
    assert np.array_equal(points, mj.sample(chair, 5000, seed=1).points) and not np.array_equal(points, mj.sample(chair, 5000).points)
    square = mj.sample(SQUARE, 4000).points
    # Evenly: a quarter of the square has a quarter of the points, to four standard deviations.
    assert abs((square[:, :2] < 0.5).all(axis=1).mean() - 0.25) < 4 * (0.25 * 0.75 / 4000) ** 0.5


def test_files_and_equal_assets(chair):
    with pytest.raises(mj.errors.LoadError, match='name="chair.obj"'):
        mj.load(io.StringIO("v 0 0 0"))
    assert mj.load(io.BytesIO(chair.to_glb()), name="chair.glb") == mj.load(chair.to_glb()) and len({chair, mj.objects.load("chair")}) == 1
    assert chair != mj.objects.load("mug")


@pytest.mark.parametrize("copied", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
def test_objects_are_pickled_and_copied(copied, chair, holed):
    odd = mj.load(b"usemtl none\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 2\n", name="odd.obj", up="+z", front="+x")
    for asset in (chair, odd, mj.load(chair.to_glb(), normals="flat")):
        again = copied(asset)
        assert again == asset and (again.path, again.warnings) == (asset.path, asset.warnings)
        drawn = [mj.render(one, views=2, size=32)["normal"] for one in (asset, again)]
        assert np.array_equal(*drawn)
    renderer = mj.Renderer(views=2, size=32, channels=["mask"], background="#fff")
    assert copied(renderer).protocol_hash == renderer.protocol_hash
    picture = mj.sheet.four_view(chair, renderer=mj.Renderer(size=32))
    assert copied(picture) == picture
    found = mj.compare(chair, holed, "a chair", renderer=mj.Renderer(size=32))
    again = copied(found)
    assert again.findings == found.findings and again.pictures == found.pictures and again._repr_html_() == found._repr_html_()
    assert again.winner("geometry_details") == "a" and again.verdicts().to_dict() == found.verdicts().to_dict()
    score = mj.score(chair, prompt="a chair", category="single_object", renderer=mj.Renderer(size=32))
    assert (copied(score).overall, copied(score).aspects) == (score.overall, score.aspects)


def test_a_turntable_is_an_animation(chair, tmp_path):
    image = pytest.importorskip("PIL.Image")
    turn = mj.turntable(chair, views=6, size=32, background=(255, 0, 0))
    assert (turn.frames[:, 0, 0] == [255, 0, 0]).all() and not np.array_equal(turn.frames[0], turn.frames[1])
    for name in ("turn.gif", "turn.webp", "turn.png"):
        turn.save(tmp_path / name)
        with image.open(tmp_path / name) as saved:
            assert saved.n_frames == 6
    with pytest.raises(mj.errors.ArgumentError, match="gif"):
        turn.save(tmp_path / "turn.mp4")
    assert "data:image/webp" in turn._repr_html_()


def test_pictures_have_the_format_of_their_name(chair, tmp_path):
    picture = mj.sheet.four_view(chair, renderer=mj.Renderer(size=32))
    for name, start in (("a.png", b"\x89PNG"), ("a.jpg", b"\xff\xd8")):
        picture.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    with pytest.raises(mj.errors.ArgumentError, match="to_pil"):
        picture.save(tmp_path / "a.bmp")
    assert np.array_equal(np.asarray(picture.to_pil()), picture.to_numpy())
    mask = np.zeros((8, 8), bool)
    mask[2:6, 2:6] = True
    assert np.array_equal(mj.Picture(mask).to_numpy()[..., 0], mask * np.uint8(255))
    colours = [mj.render(chair, views=1, size=16, background=one)["rgb"] for one in ("#f00", "#ff0000", (255, 0, 0), (1, 0, 0), (1.0, 0.0, 0.0))]
    assert all(np.array_equal(one, colours[0]) for one in colours)


def test_points_for_networks_have_a_frame_a_colour_and_a_definition():
    drawn = mj.sample(SQUARE, 400, frame="mean-radius")
    points, normals, colors = drawn
    assert np.allclose(points.mean(axis=0), 0) and np.isclose(np.linalg.norm(points, axis=1).max(), 1)
    assert drawn.num_without_color == 400 and (colors == 102).all()
    swapped = mj.sample(SQUARE, 400, frame="mean-radius", network_up="swapped-yz", no_color="white")
    assert np.array_equal(swapped.points, points[:, [0, 2, 1]]) and np.array_equal(swapped.normals, normals[:, [0, 2, 1]])
    assert (swapped.colors == 255).all() and swapped.definition != drawn.definition
    with pytest.raises(ValueError, match="frame"):
        mj.sample(SQUARE, 400, frame="box")


def test_an_asset_is_checked_against_limits(chair, tmp_path):
    found = mj.check(chair, "game")
    assert found["profile"] == "game" and found["hash"] == chair.hash and len(found["limits"]) > 5
    assert found["ready"] is not any(limit["is_blocking"] for limit in found["limits"])
    strict = tmp_path / "strict.toml"
    strict.write_text('name = "strict"\n[[limits]]\nfigure = "triangles"\nat_most = 10\nseverity = "fail"\nwhy = "ten are enough"\n')
    chair.save(tmp_path / "chair.glb")
    for given in (tmp_path / "chair.glb", chair, chair.to_glb()):
        [limit] = mj.check(given, strict)["limits"]
        assert (limit["state"], limit["value"], limit["is_blocking"]) == ("failed", chair.num_triangles, True)
    for options, words in (({"profile": "games"}, "unknown profile"), ({"profile": "game", "unit": "ft"}, "use mm, cm, m or in")):
        with pytest.raises(mj.errors.ArgumentError, match=words):
            mj.check(chair, **options)


def test_an_interrupted_measurement_ends(python):
    """Its threads too: processor time stops growing."""
    out = python(
        """
import os, signal, threading, time
import meshjudge as mj
chair, vase = mj.objects.load("chair"), mj.objects.load("vase")
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    mj.measure(chair, vase, align="search", samples=1_000_000)
except KeyboardInterrupt:
    time.sleep(1)
    before = time.process_time()
    time.sleep(1)
    print(time.process_time() - before < 0.3)
"""
    )
    assert out == "True\n"
