"""Assets: from files, bytes and our own library; measured, saved, damaged."""

import base64
import json
import pickle
import struct

import pytest

import meshjudge as mj

SQUARE = b"mtllib red.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
RED = b"newmtl red\nKd 1 0 0\n"


def test_a_file_and_its_bytes_are_one_asset(tmp_path):
    path = tmp_path / "mug.glb"
    path.write_bytes(mj.objects.glb("mug"))
    from_file = mj.load(path)
    for source in (str(path), path.read_bytes(), bytearray(path.read_bytes()), memoryview(path.read_bytes())):
        assert mj.load(source).hash == from_file.hash
    assert from_file.path == str(path)
    assert from_file.num_triangles == mj.objects.load("mug").num_triangles > 0
    smallest, largest = from_file.bounds
    assert all(low < high for low, high in zip(smallest, largest))


@pytest.mark.parametrize("files", [{"red.mtl": RED}, {"red.mtl": RED}.get])
def test_named_files_come_from_a_mapping_or_a_function(files):
    square = mj.load(SQUARE, name="square.obj", files=files)
    assert square.warnings == []
    alone = mj.load(SQUARE, name="square.obj")
    assert "red.mtl" in alone.warnings[0]
    assert square.hash != alone.hash


def test_what_a_function_for_files_raises_is_raised():
    def files(name):
        raise KeyError(name)

    with pytest.raises(KeyError, match="red.mtl"):
        mj.load(SQUARE, name="square.obj", files=files)


@pytest.mark.parametrize(
    "source, words",
    [
        ("not-there.glb", "not-there.glb"),
        (b"", "empty"),
        (b"glTF\x02\0\0\0", "GLB"),
        (b"nothing known", "a known format"),
    ],
)
def test_errors_are_typed_and_say_what_helps(source, words):
    with pytest.raises(mj.errors.LoadError, match=words) as raised:
        mj.load(source)
    assert isinstance(raised.value, mj.MeshjudgeError)
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is mj.errors.LoadError and str(again) == str(raised.value)


def test_what_is_no_asset_is_a_type_error(chair):
    with pytest.raises(TypeError, match="path"):
        mj.inspect(12)
    for function, call in [("render", mj.render), ("Renderer.__new__", mj.Renderer)]:
        with pytest.raises(TypeError, match=rf"^{function}\(\) got an unexpected keyword argument 'colour'"):
            call(chair, colour="red")
    with pytest.raises(ValueError, match="rgb, normal"):
        mj.render(chair, channels=["colour"])


def test_axes_and_normals_are_chosen(chair):
    turned = mj.load(chair.to_glb(), up="+z", front="+x")
    assert turned.bounds != chair.bounds
    with pytest.raises(ValueError, match="file, flat, smooth"):
        mj.load(chair.to_glb(), normals="round")
    with pytest.raises(mj.errors.LoadError):
        mj.load(chair.to_glb(), up="up")


def test_vertex_colours_are_read_as_linear_light_or_as_srgb(tmp_path):
    """Half the light is shown as 188 of 255; half of sRGB as 128."""
    data = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<9f", *[0.5] * 9)
    views = [{"buffer": 0, "byteOffset": at, "byteLength": 36} for at in (0, 36)]
    accessors = [{"bufferView": k, "componentType": 5126, "count": 3, "type": "VEC3"} for k in (0, 1)]
    uri = "data:;base64," + base64.b64encode(data).decode()
    gltf = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 1}}]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": uri}],
    }
    path = tmp_path / "half.gltf"
    path.write_text(json.dumps(gltf))

    def shade(asset, **options):
        drawn = mj.render(asset, channels=["base-color", "mask"], views=1, size=32, **options)
        shades = drawn["base-color"][0][drawn["mask"][0].squeeze() == 255]
        assert len(shades) and (shades == shades[0]).all()
        return shades[0][0]

    assert shade(path) == shade(mj.load(path)) == 188
    assert shade(path, vertex_colors="srgb") == shade(mj.load(path, vertex_colors="srgb")) == 128
    with pytest.raises(ValueError, match="linear, srgb"):
        mj.load(path, vertex_colors="rgb")


def test_inspect_measures(chair, holed):
    clean, damaged = mj.inspect(chair), mj.inspect(holed)
    assert clean["hash"] == chair.hash
    assert clean["quality"]["manifold"]["is_edge_manifold"]
    assert clean["facts"]["holes"]["count"] == 0 < damaged["facts"]["holes"]["count"]


def test_measure_against_a_reference(chair, holed):
    same = mj.measure(chair, chair, ["cd_l1_half", "f@0.01", "iou"], samples=2000, cells=16)
    assert same["values"] == {"cd_l1_half": 0.0, "f@0.01": 1.0, "iou": 1.0}
    worse = mj.measure(holed, chair, samples=2000, cells=16)
    assert worse["values"]["comp"] > worse["values"]["acc"] and worse["values"]["f@0.02"] < 1
    for value in worse["comparison"]["values"]:
        assert worse["definitions"][value["definition"]]["metric"] == value["metric"]
    with pytest.raises(mj.errors.UnknownNameError, match="unknown metric .chamfer."):
        mj.measure(chair, chair, ["chamfer"])
    with pytest.raises(ValueError, match="none, box, axes, search"):
        mj.measure(chair, chair, align="icp")


def test_damage_is_the_same_again(chair, holed):
    assert mj.damage(chair, "holes", 1.0).hash == holed.hash != mj.damage(chair, "holes", 1.0, seed=1).hash
    assert "holes" in [kind["name"] for kind in mj.damage_kinds()]
    with pytest.raises(mj.errors.UnknownNameError, match="did you mean 'holes'"):
        mj.damage(chair, "hole")
    with pytest.raises(mj.errors.DamageError, match="0 .* to 1"):
        mj.damage(chair, "holes", 2.0)


def test_an_asset_is_saved_and_comes_back(chair, tmp_path):
    chair.save(tmp_path / "copy.glb")
    assert (tmp_path / "copy.glb").read_bytes() == chair.to_glb()
    assert mj.load(tmp_path / "copy.glb").num_triangles == chair.num_triangles
    with pytest.raises(mj.errors.PictureError, match="cannot write"):
        chair.save(tmp_path / "copy.glb" / "copy.glb")
    with pytest.raises(mj.errors.ArgumentError, match="glb"):
        chair.save(tmp_path / "copy.obj")


def test_objects_have_prompts():
    prompts = mj.objects.prompts()
    assert len(prompts) == 32 and prompts["chair"]
    with pytest.raises(mj.errors.UnknownNameError, match="did you mean 'chair'"):
        mj.objects.glb("chairs")
