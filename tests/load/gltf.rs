//! Each part of glTF that changes a picture, on files of a few triangles whose result is known in
//! closed form.

use crate::support::assets::{
    Builder, F32, Folder, I8, I16, U8, U16, U32, bytes_u16, corners, png,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::load::{Axis, NormalsPolicy, Options, Points, Warning};
use meshjudge::unstable::scene::{AlphaMode, ColorSpace, Slot, Wrap};
use serde_json::json;

const CORNERS: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

#[test]
fn a_triangle_is_read_with_the_default_material_and_flat_normals() {
    let loaded = Builder::triangle().load().unwrap();
    let mesh = &loaded.scene.meshes()[0];
    assert_eq!(corners(mesh), [CORNERS]);
    assert!(mesh.normals().is_none());
    assert_eq!(loaded.normals.flat, 1);
    let material = &loaded.scene.materials()[mesh.material()];
    assert_eq!((material.metallic, material.roughness), (1.0, 1.0));
    assert_eq!(material.base_color, Vec4::ONE);
    assert!(!material.double_sided);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn indices_of_every_width_and_none_give_the_same_triangle() {
    for indices in [
        Some((U8, vec![0, 1, 2])),
        Some((U16, bytes_u16(&[0, 1, 2]))),
        Some((U32, [0_u32, 1, 2].iter().flat_map(|v| v.to_le_bytes()).collect())),
        None,
    ] {
        let mut builder = Builder::triangle();
        let index =
            indices.map(|(component, bytes)| builder.accessor(component, "SCALAR", 3, &bytes));
        let primitive = &mut builder.json["meshes"][0]["primitives"][0];
        match index {
            Some(index) => primitive["indices"] = json!(index),
            None => drop(primitive.as_object_mut().unwrap().remove("indices")),
        }
        let loaded = builder.load().unwrap();
        assert_eq!(corners(&loaded.scene.meshes()[0]), [CORNERS]);
    }
}

#[test]
fn quantised_positions_of_every_type_are_scaled_as_the_specification_says() {
    let i16s = |v: [i16; 9]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    for (component, normalized, bytes, unit) in [
        (I8, true, vec![0, 0, 0, 127, 0, 0, 0, 127, 0], 1.0),
        (I8, false, vec![0, 0, 0, 5, 0, 0, 0, 5, 0], 5.0),
        (U8, true, vec![0, 0, 0, 255, 0, 0, 0, 255, 0], 1.0),
        (U8, false, vec![0, 0, 0, 200, 0, 0, 0, 200, 0], 200.0),
        (I16, true, i16s([0, 0, 0, 32767, 0, 0, 0, 32767, 0]), 1.0),
        (I16, true, i16s([0, 0, 0, -32768, 0, 0, 0, -32768, 0]), -1.0),
        (I16, false, i16s([0, 0, 0, -300, 0, 0, 0, -300, 0]), -300.0),
        (U16, true, bytes_u16(&[0, 0, 0, 65535, 0, 0, 0, 65535, 0]), 1.0),
        (U16, false, bytes_u16(&[0, 0, 0, 40000, 0, 0, 0, 40000, 0]), 40000.0),
    ] {
        let mut builder = Builder::triangle();
        builder.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        let positions = builder.accessor(component, "VEC3", 3, &bytes);
        builder.json["accessors"][positions]["normalized"] = json!(normalized);
        builder.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
        let loaded = builder.load().unwrap();
        let expected = CORNERS.map(|corner| corner * unit);
        assert_eq!(corners(&loaded.scene.meshes()[0]), [expected], "{component} {normalized}");
    }
}

#[test]
fn interleaved_attributes_are_taken_apart() {
    let mut builder = Builder::triangle();
    let mut bytes = Vec::new();
    for (position, uv) in [
        ([0.0_f32, 0.0, 0.0], [0.1_f32, 0.2]),
        ([1.0, 0.0, 0.0], [0.3, 0.4]),
        ([0.0, 1.0, 0.0], [0.5, 0.6]),
    ] {
        bytes.extend(position.iter().chain(&uv).flat_map(|v| v.to_le_bytes()));
    }
    let view = builder.view(&bytes);
    builder.json["bufferViews"][view]["byteStride"] = json!(20);
    let mut accessor = |kind: &str, offset: usize| {
        builder.push("accessors", json!({"bufferView": view, "byteOffset": offset, "componentType": F32, "type": kind, "count": 3}))
    };
    let (positions, uvs) = (accessor("VEC3", 0), accessor("VEC2", 12));
    builder.json["meshes"][0]["primitives"][0]["attributes"] =
        json!({"POSITION": positions, "TEXCOORD_0": uvs});
    let loaded = builder.load().unwrap();
    let mesh = &loaded.scene.meshes()[0];
    assert_eq!(corners(mesh), [CORNERS]);
    let uvs = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]].map(Vec2::from_array);
    assert_eq!(mesh.uvs(0).unwrap(), uvs);
}

#[test]
fn sparse_accessors_replace_elements_with_and_without_a_base() {
    for has_base in [true, false] {
        let mut builder = Builder::triangle();
        let indices = builder.view(&[1, 2]);
        let values: Vec<u8> =
            [4.0_f32, 0.0, 0.0, 0.0, 7.0, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let values = builder.view(&values);
        builder.json["accessors"][0]["sparse"] = json!({
            "count": 2, "indices": {"bufferView": indices, "componentType": U8}, "values": {"bufferView": values}});
        if !has_base {
            builder.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
        }
        let loaded = builder.load().unwrap();
        let expected = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 7.0];
        assert_eq!(corners(&loaded.scene.meshes()[0]), [expected]);
    }
}

#[test]
fn strips_and_fans_become_triangles_with_one_winding() {
    for (mode, positions) in [
        (5, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]),
        (6, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
    ] {
        let mut builder = Builder::new();
        let positions = builder.floats("VEC3", &positions);
        builder.primitive(json!({"attributes": {"POSITION": positions}, "mode": mode}));
        let loaded = builder.load().unwrap();
        let triangles = corners(&loaded.scene.meshes()[0]);
        let area: f32 = triangles.iter().map(|[a, b, c]| (*b - *a).cross(*c - *a).z * 0.5).sum();
        assert_eq!((triangles.len(), area), (2, 1.0), "mode {mode}");
    }
}

#[test]
fn points_and_lines_that_are_indexed_are_drawn_where_there_is_nothing_else() {
    // Of three points: themselves, one line, a strip of two, a loop of three; then of two.
    let (three, two) = (&[0, 1, 2][..], &[2, 1][..]);
    for (mode, indices, rods) in
        [(0, three, 0), (1, three, 1), (3, three, 2), (2, three, 3), (0, two, 0), (1, two, 1)]
    {
        let mut builder = Builder::triangle();
        let count = indices.len();
        let indices = builder.accessor(U8, "SCALAR", count, indices);
        builder.json["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        builder.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
        let loaded = builder.load().unwrap();
        let expected = count * 128 + rods * 12;
        assert_eq!(loaded.scene.triangle_count(), expected, "mode {mode} of {count}");
        assert!(
            matches!(loaded.warnings[0], Warning::Dots { points, .. } if points == count as u64)
        );
    }
}

#[test]
fn points_and_lines_beside_a_surface_are_skipped_and_counted() {
    let mut builder = Builder::triangle();
    for mode in 0..4 {
        builder.primitive(json!({"attributes": {"POSITION": 0}, "mode": mode}));
    }
    let loaded = builder.load().unwrap();
    assert_eq!(loaded.scene.triangle_count(), 1);
    assert_eq!(loaded.warnings, [Warning::NoSurface { points: 1, lines: 3 }]);
}

#[test]
fn points_and_lines_beside_a_surface_are_drawn_on_request() {
    let mut builder = Builder::triangle();
    builder.primitive(json!({"attributes": {"POSITION": 0}, "mode": 0}));
    builder.primitive(json!({"attributes": {"POSITION": 0}, "mode": 1}));
    let options = Options { points: Points::Always, ..Options::default() };
    let loaded = builder.load_with(&options).unwrap();
    assert_eq!(loaded.scene.meshes().len(), 3);
    assert_eq!(loaded.scene.triangle_count(), 1 + 6 * 128 + 12);
    let said = loaded.warnings[0].to_string();
    assert!(said.contains("6 of 6 points") && said.contains("1 lines"), "{said}");
}

#[test]
fn node_transforms_multiply_and_a_mirror_turns_winding_normals_and_tangents() {
    let mut builder = Builder::triangle();
    let normals = builder.floats("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.8]);
    let tangents = builder.floats("VEC4", &[1.0, 0.0, 0.0, 1.0].repeat(3));
    let attributes = &mut builder.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["NORMAL"] = json!(normals);
    attributes["TANGENT"] = json!(tangents);
    builder.json["nodes"] = json!([
        {"children": [1], "translation": [10.0, 0.0, 0.0]},
        {"mesh": 0, "matrix": [-2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 5.0, 0.0, 1.0]}]);
    let loaded = builder.load().unwrap();
    let mesh = &loaded.scene.meshes()[0];
    let [a, b, c] =
        [Vec3::new(10.0, 5.0, 0.0), Vec3::new(8.0, 5.0, 0.0), Vec3::new(10.0, 6.0, 0.0)];
    assert_eq!(corners(mesh), [[a, c, b]]);
    // The inverse transpose of diag(-2, 1, 1): (0.6, 0, 0.8) → (-0.3, 0, 0.8), made unit.
    let expected = Vec3::new(-0.3, 0.0, 0.8).normalize();
    assert!((mesh.normals().unwrap()[2] - expected).length() < 1e-6);
    assert_eq!(mesh.normals().unwrap()[0], Vec3::Z);
    assert_eq!(mesh.tangents().unwrap()[0], Vec4::new(-1.0, 0.0, 0.0, -1.0));
    // The normal is still on the side that the winding calls front.
    assert!((c - a).cross(b - a).z > 0.0);
}

#[test]
fn rotation_and_scale_are_applied_in_the_order_of_the_specification() {
    let mut builder = Builder::triangle();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    builder.json["nodes"][0] = json!({"mesh": 0, "scale": [2.0, 1.0, 1.0], "rotation": [0.0, 0.0, half, half], "translation": [0.0, 0.0, 3.0]});
    let loaded = builder.load().unwrap();
    let expected = [Vec3::new(0.0, 0.0, 3.0), Vec3::new(0.0, 2.0, 3.0), Vec3::new(-1.0, 0.0, 3.0)];
    for (found, expected) in corners(&loaded.scene.meshes()[0])[0].iter().zip(expected) {
        assert!((*found - expected).length() < 1e-6, "{found} {expected}");
    }
}

#[test]
fn the_default_scene_is_drawn_else_the_first_else_all_roots() {
    for (scene, scenes, expected) in [
        (json!(1), json!([{"nodes": [0]}, {"nodes": [1]}]), vec![5.0]),
        (json!(null), json!([{"nodes": [0]}, {"nodes": [1]}]), vec![0.0]),
        (json!(null), json!([]), vec![0.0, 5.0]),
    ] {
        let mut builder = Builder::triangle();
        builder.json["nodes"] = json!([{"mesh": 0}, {"mesh": 0, "translation": [5.0, 0.0, 0.0]}]);
        builder.json["scenes"] = scenes;
        builder.json.as_object_mut().unwrap().remove("scene");
        if !scene.is_null() {
            builder.json["scene"] = scene;
        }
        let loaded = builder.load().unwrap();
        let lefts: Vec<f32> = loaded.scene.meshes().iter().map(|m| m.positions()[0].x).collect();
        assert_eq!(lefts, expected);
    }
}

#[test]
fn vertex_colours_of_every_kind_are_linear_rgba() {
    let floats = |v: &[f32]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let words = bytes_u16(&[13107, 26214, 65535, 0].repeat(3));
    for (component, kind, bytes, expected) in [
        (F32, "VEC3", floats(&[0.25, 0.5, 1.0].repeat(3)), Vec4::new(0.25, 0.5, 1.0, 1.0)),
        (F32, "VEC4", floats(&[0.25, 0.5, 1.0, 0.75].repeat(3)), Vec4::new(0.25, 0.5, 1.0, 0.75)),
        (U8, "VEC4", [51, 102, 255, 0].repeat(3), Vec4::new(0.2, 0.4, 1.0, 0.0)),
        (U16, "VEC4", words, Vec4::new(0.2, 0.4, 1.0, 0.0)),
    ] {
        let mut builder = Builder::triangle();
        let colors = builder.accessor(component, kind, 3, &bytes);
        builder.json["accessors"][colors]["normalized"] = json!(component != F32);
        builder.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(colors);
        let loaded = builder.load().unwrap();
        let found = loaded.scene.meshes()[0].colors().unwrap()[2];
        assert!((found - expected).length() < 1e-6, "{component} {kind}: {found}");
    }
}

fn textured(material: serde_json::Value) -> Builder {
    let mut builder = Builder::triangle();
    let uvs = builder.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let image = builder.view(&png(2, 1, &[[10, 20, 30, 40], [50, 60, 70, 80]]));
    builder.json["images"] = json!([{"bufferView": image, "mimeType": "image/png"}]);
    builder.json["samplers"] = json!([{"wrapS": 33071, "wrapT": 33648, "magFilter": 9728}]);
    builder.json["textures"] = json!([{"source": 0}, {"source": 0, "sampler": 0}, {"source": 0}]);
    builder.json["materials"] = json!([material]);
    let primitive = &mut builder.json["meshes"][0]["primitives"][0];
    primitive["attributes"]["TEXCOORD_0"] = json!(uvs);
    primitive["material"] = json!(0);
    builder
}

#[test]
fn one_picture_becomes_one_texture_for_each_colour_space_and_sampler() {
    let loaded = textured(json!({
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicRoughnessTexture": {"index": 0}},
        "emissiveTexture": {"index": 2}, "occlusionTexture": {"index": 1, "strength": 0.5}, "normalTexture": {"index": 0, "scale": 2.0}}))
    .load().unwrap();
    let scene = &loaded.scene;
    let material = &scene.materials()[0];
    let texture = |slot: Slot| material.textures[slot].unwrap().texture;
    assert_eq!(scene.textures().len(), 3);
    assert_eq!(texture(Slot::BaseColor), texture(Slot::Emissive));
    assert_eq!(texture(Slot::Normal), texture(Slot::MetallicRoughness));
    let base = &scene.textures()[texture(Slot::BaseColor)];
    assert_eq!((base.color_space(), base.wrap()), (ColorSpace::Srgb, [Wrap::Repeat; 2]));
    assert_eq!(*base.texels(), [[10, 20, 30, 40], [50, 60, 70, 80]]);
    assert!(!base.is_nearest());
    let occlusion = &scene.textures()[texture(Slot::Occlusion)];
    assert_eq!(occlusion.color_space(), ColorSpace::Linear);
    assert_eq!(occlusion.wrap(), [Wrap::ClampToEdge, Wrap::MirroredRepeat]);
    assert!(occlusion.is_nearest(), "magFilter 9728");
    assert_eq!((material.occlusion_strength, material.normal_scale), (0.5, 2.0));
}

#[test]
fn materials_are_read_with_their_cheap_extensions() {
    let loaded = textured(json!({
        "name": "m", "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true, "emissiveFactor": [0.5, 0.0, 1.0],
        "pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.3, 0.4], "metallicFactor": 0.5, "roughnessFactor": 0.25,
            "baseColorTexture": {"index": 0, "texCoord": 3, "extensions": {"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2.0, 3.0], "texCoord": 0}}}},
        "extensions": {"KHR_materials_unlit": {}, "KHR_materials_emissive_strength": {"emissiveStrength": 4.0}}}))
    .load().unwrap();
    let material = &loaded.scene.materials()[0];
    assert_eq!(material.base_color, Vec4::new(0.1, 0.2, 0.3, 0.4));
    assert_eq!((material.metallic, material.roughness), (0.5, 0.25));
    assert_eq!(material.alpha_mode, AlphaMode::Mask { cutoff: 0.25 });
    assert_eq!(material.emissive, Vec3::new(2.0, 0.0, 4.0));
    let small = textured(json!({"alphaMode": "mask"})).load().unwrap();
    let is_unknown = |it: &Warning| it.to_string().contains("unknown alpha mode");
    assert!(small.warnings.iter().any(is_unknown), "{:?}", small.warnings);
    assert!(material.unlit && material.double_sided && material.name == "m");
    let texture = material.textures[Slot::BaseColor].unwrap();
    assert_eq!(texture.uv_set, 0);
    assert_eq!(texture.transform.apply(Vec2::ONE), Vec2::new(2.5, 3.25));
}

#[test]
fn layers_are_read_and_files_that_say_nothing_new_have_none() {
    let mut builder = textured(json!({"extensions": {
        "KHR_materials_ior": {"ior": 1.25},
        "KHR_materials_specular": {"specularFactor": 0.5, "specularColorFactor": [1.0, 2.0, 0.0], "specularTexture": {"index": 0}, "specularColorTexture": {"index": 0}},
        "KHR_materials_clearcoat": {"clearcoatFactor": 0.75, "clearcoatRoughnessFactor": 0.25, "clearcoatTexture": {"index": 1},
            "clearcoatRoughnessTexture": {"index": 0}, "clearcoatNormalTexture": {"index": 0, "scale": 0.5}},
        "KHR_materials_volume": {"thicknessFactor": 2.0, "thicknessTexture": {"index": 1}, "attenuationColor": [0.5, 1.0, 0.25], "attenuationDistance": 0.5},
        "KHR_materials_sheen": {"sheenColorFactor": [0.5, 0.25, 1.0], "sheenRoughnessFactor": 0.125, "sheenColorTexture": {"index": 0}, "sheenRoughnessTexture": {"index": 0}},
        "KHR_materials_iridescence": {"iridescenceFactor": 0.5, "iridescenceIor": 1.75, "iridescenceThicknessMaximum": 250.0, "iridescenceTexture": {"index": 0}, "iridescenceThicknessTexture": {"index": 0}},
        "KHR_materials_anisotropy": {"anisotropyStrength": 0.75, "anisotropyRotation": 1.5, "anisotropyTexture": {"index": 0}}}}));
    let extensions = builder.json["materials"][0]["extensions"].as_object().unwrap();
    let names: Vec<String> = extensions.keys().cloned().collect();
    builder.json["extensionsRequired"] = json!(names);
    let loaded = builder.load().unwrap();
    assert_eq!(loaded.warnings, []);
    let scene = &loaded.scene;
    let layers = scene.materials()[0].layers.as_deref().unwrap();
    assert_eq!((layers.ior, layers.specular), (1.25, 0.5));
    assert_eq!(layers.specular_color, Vec3::new(1.0, 2.0, 0.0));
    assert_eq!((layers.coat, layers.coat_roughness), (0.75, 0.25));
    assert_eq!(layers.coat_normal_scale, 0.5);
    assert_eq!(layers.sheen_color, Vec3::new(0.5, 0.25, 1.0));
    assert_eq!(layers.sheen_roughness, 0.125);
    assert_eq!((layers.thickness, layers.attenuation_distance), (2.0, 0.5));
    assert_eq!(layers.attenuation_color, Vec3::new(0.5, 1.0, 0.25));
    assert_eq!((layers.iridescence, layers.iridescence_ior), (0.5, 1.75));
    assert_eq!(layers.iridescence_thickness_nm, [100.0, 250.0]);
    let grain = (layers.anisotropy, layers.anisotropy_rotation_radians);
    assert_eq!(grain, (0.75, 1.5));
    let textures = &scene.materials()[0].textures;
    let space = |slot: Slot| scene.textures()[textures[slot].unwrap().texture].color_space();
    let of_layers = Slot::ALL.into_iter().skip_while(|slot| *slot != Slot::Specular);
    for slot in of_layers.filter(|slot| *slot != Slot::SpecularGlossiness) {
        let is_color = matches!(slot, Slot::SpecularColor | Slot::SheenColor);
        let expected = if is_color { ColorSpace::Srgb } else { ColorSpace::Linear };
        assert_eq!(space(slot), expected, "{slot:?}");
    }
    let silent = textured(
        json!({"extensions": {"KHR_materials_ior": {"ior": 1.5}, "KHR_materials_specular": {},
        "KHR_materials_clearcoat": {"clearcoatRoughnessFactor": 0.5}, "KHR_materials_volume": {"thicknessFactor": 2.0, "attenuationColor": [0.5, 0.5, 0.5]}, "KHR_materials_sheen": {"sheenRoughnessFactor": 0.5},
        "KHR_materials_iridescence": {"iridescenceIor": 1.5}, "KHR_materials_anisotropy": {"anisotropyRotation": 0.5}}}),
    );
    let loaded = silent.load().unwrap();
    assert_eq!(loaded.scene.materials()[0].layers, None);
}

#[test]
fn specular_glossiness_wins_over_metallic_roughness() {
    let loaded = textured(json!({
        "pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.0, 0.0, 1.0], "metallicFactor": 1.0, "metallicRoughnessTexture": {"index": 0}},
        "extensions": {"KHR_materials_pbrSpecularGlossiness": {"diffuseFactor": [0.25, 0.5, 0.75, 1.0], "specularFactor": [0.5, 0.25, 0.125],
            "glossinessFactor": 0.75, "diffuseTexture": {"index": 0}, "specularGlossinessTexture": {"index": 0}}}}))
    .load().unwrap();
    assert_eq!(loaded.warnings, []);
    let material = &loaded.scene.materials()[0];
    assert_eq!(material.base_color, Vec4::new(0.25, 0.5, 0.75, 1.0));
    assert_eq!((material.metallic, material.roughness), (0.0, 0.25));
    assert!(material.textures[Slot::BaseColor].is_some());
    assert!(material.textures[Slot::MetallicRoughness].is_none());
    let layers = material.layers.as_deref().unwrap();
    let glossy = layers.specular_glossiness.as_ref().unwrap();
    assert_eq!(glossy.specular, Vec3::new(0.5, 0.25, 0.125));
    assert_eq!(glossy.glossiness, 0.75);
    let texture = material.textures[Slot::SpecularGlossiness].unwrap().texture;
    assert_eq!(loaded.scene.textures()[texture].color_space(), ColorSpace::Srgb);
}

#[test]
fn the_default_variant_is_drawn_and_all_are_named() {
    let mut builder = textured(json!({"name": "beach"}));
    builder.push("materials", json!({"name": "midnight"}));
    builder.json["extensionsUsed"] = json!(["KHR_materials_variants"]);
    builder.json["extensions"] =
        json!({"KHR_materials_variants": {"variants": [{"name": "Beach"}, {"name": "Midnight"}]}});
    builder.json["meshes"][0]["primitives"][0]["extensions"] = json!({"KHR_materials_variants": {"mappings": [
        {"material": 0, "variants": [0]}, {"material": 1, "variants": [1]}]}});
    let loaded = builder.load().unwrap();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.variants, ["Beach", "Midnight"]);
    let drawn = loaded.scene.meshes()[0].material();
    assert_eq!(loaded.scene.materials()[drawn].name, "beach");
}

#[test]
fn a_texture_that_cannot_be_had_is_a_warning() {
    for image in [
        json!({"uri": "missing.png"}),
        json!({"uri": "data:image/png;base64,AAAA"}),
        json!({"bufferView": 99}),
        json!({}),
    ] {
        let mut builder =
            textured(json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
        builder.json["images"] = json!([image]);
        let loaded = builder.load().unwrap();
        assert!(loaded.scene.materials()[0].base_color_texture().is_none());
        assert_warns!(loaded, [Warning::Texture { .. }]);
    }
}

#[test]
fn skins_stand_in_their_rest_pose_and_ignore_the_node() {
    let mut builder = Builder::triangle();
    let joints = builder.accessor(U8, "VEC4", 3, &[0, 1, 0, 0].repeat(3));
    let weights =
        builder.floats("VEC4", &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    let attributes = &mut builder.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
    let mut binds: Vec<f32> = glam::Mat4::IDENTITY.to_cols_array().to_vec();
    binds.extend(glam::Mat4::from_translation(Vec3::new(0.0, 0.0, -1.0)).to_cols_array());
    let binds = builder.floats("MAT4", &binds);
    builder.json["nodes"] = json!([{"mesh": 0, "skin": 0, "translation": [100.0, 0.0, 0.0]}, {"translation": [0.0, 2.0, 0.0]}, {"translation": [0.0, 0.0, 5.0]}]);
    builder.json["scenes"] = json!([{"nodes": [0, 1, 2]}]);
    builder.json["skins"] = json!([{"joints": [1, 2], "inverseBindMatrices": binds}]);
    let loaded = builder.load().unwrap();
    // Joint 0 lifts by 2 in y; joint 1 by 5 - 1 = 4 in z; the last vertex takes the mean, its
    // weights being 1 and 1.
    let expected = [Vec3::new(0.0, 2.0, 0.0), Vec3::new(1.0, 0.0, 4.0), Vec3::new(0.0, 2.0, 2.0)];
    assert_eq!(corners(&loaded.scene.meshes()[0]), [expected]);
}

/// A triangle bound with full weight to the second of two joints, of which those named are mirrored
/// in x.
fn skinned(mirrored: [bool; 2], joints: impl FnOnce(&mut Builder) -> usize) -> Builder {
    let mut builder = Builder::triangle();
    let joints = joints(&mut builder);
    let weights = builder.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3));
    let attributes = &mut builder.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
    let [first, second] = mirrored.map(|is| json!({"scale": [if is { -1 } else { 1 }, 1, 1]}));
    builder.json["nodes"] = json!([{"mesh": 0, "skin": 0}, first, second]);
    builder.json["scenes"] = json!([{"nodes": [0, 1, 2]}]);
    builder.json["skins"] = json!([{"joints": [1, 2]}]);
    builder
}

#[test]
fn a_skin_is_mirrored_by_the_joints_with_weight_and_not_by_its_first() {
    for mirrored in [[true, false], [false, true], [true, true]] {
        let builder = skinned(mirrored, |b| b.accessor(U8, "VEC4", 3, &[1, 0, 0, 0].repeat(3)));
        let loaded = builder.load().unwrap();
        let [[a, b, c]] = corners(&loaded.scene.meshes()[0])[..] else {
            panic!("one triangle");
        };
        // Its front faces +z, as that of the file's triangle, whichever joints are mirrored.
        assert!((b - a).cross(c - a).z > 0.0, "{mirrored:?}");
        let side = if mirrored[1] { Vec3::NEG_X } else { Vec3::X };
        assert!([a, b, c].contains(&side), "{mirrored:?}");
    }
}

#[test]
fn joints_that_are_stored_as_floats_are_read_where_they_are_whole() {
    let with = |joint: f32| {
        skinned([false, true], |b| b.floats("VEC4", &[joint, 0.0, 0.0, 0.0].repeat(3))).load()
    };
    let loaded = with(1.0).unwrap();
    assert!(corners(&loaded.scene.meshes()[0])[0].contains(&Vec3::NEG_X));
    for joint in [0.5, -1.0, f32::NAN] {
        let error = with(joint).unwrap_err().to_string();
        assert!(error.contains("no whole numbers"), "{error}");
    }
}

#[test]
fn morph_targets_take_the_weights_of_the_node_before_those_of_the_mesh() {
    for (node, factor) in [(None, 0.5), (Some(2.0), 2.0)] {
        let mut builder = Builder::triangle();
        let moved = builder.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
        builder.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": moved}]);
        builder.json["meshes"][0]["weights"] = json!([0.5]);
        if let Some(weight) = node {
            builder.json["nodes"][0]["weights"] = json!([weight]);
        }
        let loaded = builder.load().unwrap();
        assert_eq!(corners(&loaded.scene.meshes()[0]), [CORNERS.map(|c| c + Vec3::Z * factor)]);
    }
}

#[test]
fn buffers_may_be_files_or_data_uris_and_files_count_in_the_hash() {
    let builder = Builder::triangle();
    let mut json = builder.json.clone();
    let folder = Folder::new();
    folder.write("my data.bin", &builder.bin);
    json["buffers"] = json!([{"byteLength": builder.bin.len(), "uri": "my%20data.bin"}]);
    let loaded = folder.load("a.gltf", json.to_string()).unwrap();
    assert_eq!(corners(&loaded.scene.meshes()[0]), [CORNERS]);
    assert_eq!(loaded.bytes_read, (json.to_string().len() + builder.bin.len()) as u64);
    let mut longer = builder.bin.clone();
    longer.push(0);
    folder.write("my data.bin", &longer);
    assert_ne!(folder.load("a.gltf", json.to_string()).unwrap().hash, loaded.hash);

    let data = STANDARD.encode(&builder.bin);
    json["buffers"] = json!([{"byteLength": builder.bin.len(), "uri": format!("data:application/octet-stream;base64,{data}")}]);
    let loaded = folder.load("b.gltf", json.to_string()).unwrap();
    assert_eq!(corners(&loaded.scene.meshes()[0]), [CORNERS]);
    assert_eq!(loaded.hash, blake3::hash(json.to_string().as_bytes()).to_hex().to_string());
}

#[test]
fn unknown_required_extensions_are_refused_by_name_and_known_ones_warned_of() {
    let mut builder = Builder::triangle();
    builder.json["extensionsUsed"] = json!(["EXT_foo", "KHR_materials_dispersion"]);
    let loaded = builder.load().unwrap();
    assert_warns!(loaded, [Warning::NotDrawn { name, .. }] if name == "KHR_materials_dispersion");
    builder.json["extensionsRequired"] = json!(["EXT_foo"]);
    let message = builder.load().unwrap_err().to_string();
    let said = "needs glTF extension EXT_foo, which this loader lacks; re-export without it: \"";
    assert!(message.starts_with(said), "{message}");
}

#[test]
fn triangles_with_broken_vertices_are_dropped_and_counted() {
    let mut builder = Builder::triangle();
    let positions =
        builder.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, f32::NAN, 0.0, 0.0]);
    let indices = builder.accessor(U8, "SCALAR", 9, &[0, 1, 2, 1, 2, 3, 3, 2, 0]);
    builder.json["meshes"][0]["primitives"][0] =
        json!({"attributes": {"POSITION": positions}, "indices": indices});
    let loaded = builder.load().unwrap();
    assert_eq!(corners(&loaded.scene.meshes()[0]), [CORNERS]);
    assert_eq!(loaded.warnings, [Warning::NotFinite { triangles: 2 }]);
}

#[test]
fn axes_turn_the_asset() {
    let options = Options { up: Axis::PosZ, front: Axis::NegY, ..Options::default() };
    let loaded = Builder::triangle().load_with(&options).unwrap();
    // z up, front -y: x stays x, y goes to -z.
    assert_eq!(corners(&loaded.scene.meshes()[0]), [[Vec3::ZERO, Vec3::X, Vec3::NEG_Z]]);
    let options = Options { up: Axis::PosZ, front: Axis::NegZ, ..Options::default() };
    assert!(Builder::triangle().load_with(&options).is_err());
}

#[test]
fn normals_can_be_flat_or_smooth_against_the_file() {
    // Two triangles that share an edge at a right angle, each with vertices of its own.
    let mut builder = Builder::new();
    let first = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let second = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let positions = builder.floats("VEC3", &[first, second].concat());
    let normals = builder.floats("VEC3", &[0.0, 1.0, 0.0].repeat(6));
    builder.primitive(json!({"attributes": {"POSITION": positions, "NORMAL": normals}}));
    let with = |normals| builder.load_with(&Options { normals, ..Options::default() }).unwrap();
    let file = with(NormalsPolicy::File);
    assert_eq!((file.scene.meshes()[0].normals().unwrap()[0], file.normals.file), (Vec3::Y, 2));
    let flat = with(NormalsPolicy::Flat);
    assert!(flat.scene.meshes()[0].normals().is_none() && flat.normals.flat == 2);
    let smooth = with(NormalsPolicy::Smooth);
    assert_eq!(smooth.normals.smooth, 2);
    let normals = smooth.scene.meshes()[0].normals().unwrap();
    assert_eq!(normals[1], Vec3::Z); // used by one face only
    // At the origin both faces have 90°, at (0,1,0) both 45°: the mean of z and x.
    for shared in [0, 2, 3, 5] {
        assert!((normals[shared] - Vec3::new(1.0, 0.0, 1.0).normalize()).length() < 1e-6);
    }
}

#[test]
fn a_matrix_that_is_not_affine_or_not_alone_is_a_warning() {
    let affine = json!([2.0, 0, 0, 0, 0, 2.0, 0, 0, 0, 0, 2.0, 0, 1.0, 0, 0, 1.0]);
    let warnings = |node: serde_json::Value| {
        let mut builder = Builder::triangle();
        builder.json["nodes"] = json!([node]);
        builder.load().unwrap().warnings
    };
    assert_eq!(warnings(json!({"mesh": 0, "matrix": affine})), []);
    let mut odd = vec![json!({"mesh": 0, "matrix": affine, "scale": [1, 2, 1]})];
    for (at, value) in [(3, 0.5), (15, 2.0)] {
        let mut matrix = affine.clone();
        matrix[at] = json!(value);
        odd.push(json!({"mesh": 0, "matrix": matrix}));
    }
    for node in odd {
        assert_eq!(warnings(node.clone()), [Warning::NodeMatrix { count: 1 }], "{node}");
    }
}
