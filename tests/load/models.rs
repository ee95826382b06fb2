//! Every asset of the shared model folder loads.
//!
//! The folder is no part of the project: without it this test says so and passes.
//! `MESHJUDGE_MODELS` names another place.

use crate::support::assets::repository;
use meshjudge::unstable::load::{Options, load};
use std::path::PathBuf;

/// glTF (plain, meshopt, Draco with Basis Universal), OBJ, PLY and STL.
const LOADED: &str = "\
    AlphaBlendModeTest.glb BoxInterleaved.glb BoxTextured.glb CesiumMilkTruck.glb \
    DamagedHelmet.glb Duck.glb Fox.glb Mesh_PrimitiveMode_04.gltf NormalTangentTest.glb \
    SunglassesKhronos.glb TextureTransformTest/TextureTransformTest.gltf \
    alpha_blend/01_alpha_blend.gltf box_sparse.glb cakeBirthday.glb cubevc.glb emoji_heart.glb \
    greySnapper_vertColor.glb monkey.glb nested.glb \
    single_vs_double_sided/01_single_vs_double_sided.gltf suzanne/02_suzanne.gltf \
    two_uvmaps/12_orm_two_uvmaps.gltf obj/capsule.obj obj/cow.obj obj/fuze.obj obj/spot.obj \
    obj/stanford-bunny.obj obj/stuffedtoy.obj obj/teapot.obj bunny.ply cube_blender_uv.ply \
    20mm-xyz-cube.stl BoxTextured_meshopt.glb heart_draco.glb jet-fighter.glb";

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("MESHJUDGE_MODELS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| repository("../shared/models"));
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: no folder of models (set MESHJUDGE_MODELS to one)");
    None
}

#[test]
fn every_core_asset_loads() {
    let Some(folder) = folder() else { return };
    let mut problems = Vec::new();
    for name in LOADED.split(' ') {
        let start = std::time::Instant::now();
        match load(&folder.join(name), &Options::default()) {
            Err(e) => problems.push(format!("{name}: {e}")),
            Ok(loaded) => println!(
                "{name}: {} triangles, {:?}, {:?}, {:.1?}",
                loaded.scene.triangle_count(),
                loaded.normals,
                loaded.warnings,
                start.elapsed(),
            ),
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    let helmet = load(&folder.join("DamagedHelmet.glb"), &Options::default()).unwrap();
    // 46356 indices and five pictures in its JSON.
    assert_eq!(helmet.scene.triangle_count(), 15_452);
    assert_eq!(helmet.scene.textures().len(), 5);
    assert!(helmet.warnings.is_empty(), "{:?}", helmet.warnings);
}

#[test]
fn no_asset_is_left_out_of_the_list() {
    let Some(folder) = folder() else { return };
    let mut seen = 0;
    let mut pending = vec![folder.clone()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            if ["glb", "gltf", "obj", "ply", "stl"].contains(&&*extension) {
                let name = path.strip_prefix(&folder).unwrap().to_string_lossy();
                assert!(LOADED.split(' ').any(|it| it == name), "{name} is not in the list");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, LOADED.split(' ').count());
}
