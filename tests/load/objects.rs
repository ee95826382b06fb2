//! The clean objects are clean: closed, wound outwards, textured, of a fair size, split by
//! families.

use crate::support::assets::Folder;
use meshjudge::unstable::measure::{MeshFacts, measure};
use meshjudge::unstable::objects::assembled::Assembled;
use meshjudge::unstable::objects::{self, Family, LibraryObject, Split, kit};
use meshjudge::unstable::save::{self, SaveOptions};
use meshjudge::unstable::scene::{Mesh, Scene, Texture, Wrap};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

const TRIANGLES: std::ops::RangeInclusive<usize> = 2_000..=12_000;
const TEXTURE_PX: std::ops::RangeInclusive<u32> = 256..=512;

/// Every object, loaded and measured once for all tests.
fn each(examine: impl Fn(&LibraryObject, &Scene, &MeshFacts)) {
    static MADE: OnceLock<Vec<(&LibraryObject, Scene, MeshFacts)>> = OnceLock::new();
    let make = |object: &'static LibraryObject| {
        let scene = object.make();
        let facts = measure(&scene);
        (object, scene, facts)
    };
    let made = MADE.get_or_init(|| objects::all().iter().map(make).collect());
    assert!(made.len() >= 24, "only {} objects", made.len());
    for (object, scene, facts) in made {
        examine(object, scene, facts);
    }
}

/// Volumes of the parts of a mesh, joined where triangles share a position.
fn part_volumes(mesh: &Mesh) -> Vec<f64> {
    let mut welded = BTreeMap::new();
    let place = |p: &glam::Vec3| {
        let next = welded.len();
        let key = p.to_array().map(|c| (c + 0.0).to_bits());
        *welded.entry(key).or_insert(next)
    };
    let places: Vec<usize> = mesh.positions().iter().map(place).collect();
    let mut parent: Vec<usize> = (0..welded.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|v| places[v as usize]);
        for other in [b, c] {
            let (a, other) = (root(&mut parent, a), root(&mut parent, other));
            parent[a] = other;
        }
    }
    // From a corner of the mesh instead of the origin: parts are small, and far from it.
    let origin = mesh.positions()[0].as_dvec3();
    let mut volumes = BTreeMap::new();
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|v| mesh.positions()[v as usize].as_dvec3() - origin);
        let part = root(&mut parent, places[t[0] as usize]);
        *volumes.entry(part).or_insert(0.0) += a.dot(b.cross(c)) / 6.0;
    }
    volumes.into_values().collect()
}

fn has_many_colors(texture: &Texture) -> bool {
    let mut colors = BTreeSet::new();
    texture.texels().iter().any(|texel| colors.insert(*texel) && colors.len() >= 12)
}

#[test]
fn there_are_enough_objects_with_names_and_prompts_of_their_own() {
    let all = objects::all();
    assert!(all.len() >= 24, "{}", all.len());
    let names: BTreeSet<&str> = all.iter().map(|object| object.name.as_str()).collect();
    let prompts: BTreeSet<&str> = all.iter().map(|object| object.prompt.as_str()).collect();
    assert_eq!((names.len(), prompts.len()), (all.len(), all.len()));
    for object in all {
        let is_plain = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(object.name.chars().all(is_plain), "{}", object.name);
        let found = objects::named(&object.name).map(|found| &found.prompt);
        assert_eq!(found, Some(&object.prompt));
    }
    assert!(objects::named("no such thing").is_none());
}

#[test]
fn every_family_has_members_in_both_halves_and_the_halves_are_even() {
    let count = |family: Family, split: Split| {
        let is_in = |o: &&LibraryObject| o.family == family && o.split == split;
        objects::all().iter().filter(is_in).count()
    };
    let mut counts = [0, 0];
    for family in Family::ALL {
        let [fit, held] = [Split::Fit, Split::Held].map(|split| count(family, split));
        assert!(fit > 0 && held > 0, "{family:?}: {fit} and {held}");
        assert!(fit.abs_diff(held) <= 1, "{family:?}: {fit} and {held}");
        counts[0] += fit;
        counts[1] += held;
    }
    assert_eq!(counts[0] + counts[1], objects::all().len());
    assert!(counts[0].abs_diff(counts[1]) <= 2, "{counts:?}");
}

#[test]
fn every_object_is_closed_and_in_one_piece() {
    each(|object, _, facts| {
        let name = &object.name;
        assert!(facts.is_watertight, "{name}: {:?}", facts.edges);
        assert_eq!(facts.holes.count, 0, "{name}");
        assert_eq!((facts.parts.groups, facts.parts.floaters), (1, 0), "{name}");
        assert_eq!(facts.counts.degenerate_triangles, 0, "{name}");
        assert_eq!(facts.counts.duplicate_triangles, 0, "{name}");
        assert!(TRIANGLES.contains(&facts.counts.triangles), "{name}: {:?}", facts.counts);
    });
}

#[test]
fn every_part_is_wound_outwards() {
    each(|object, scene, _| {
        let volumes: Vec<f64> = scene.meshes().iter().flat_map(part_volumes).collect();
        assert!(!volumes.is_empty());
        for (part, volume) in volumes.iter().enumerate() {
            assert!(*volume > 0.0, "{}: part {part} has {volume}", object.name);
        }
    });
}

#[test]
fn a_part_that_is_turned_inside_out_is_seen() {
    let object = Assembled { seed: 11, number: 0 };
    let mut surfaces = object.surfaces();
    let mut inverted = kit::ball(glam::Vec3::splat(0.01), 6, 8).at(0.0, 9.0, 0.0);
    inverted.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    surfaces[0].shape.append(inverted);
    let volumes = part_volumes(&kit::scene(&surfaces).meshes()[0]);
    assert_eq!(volumes.iter().filter(|volume| **volume < 0.0).count(), 1);
}

#[test]
fn every_object_is_textured_within_its_picture() {
    each(|object, scene, facts| {
        let name = &object.name;
        // Brass feet and a steel nozzle are plain metal.
        let share = facts.texture.textured_area_share;
        assert!(share > 0.9, "{name}: {share}");
        for texture in scene.textures() {
            let size = [texture.width_px(), texture.height_px()];
            assert!(size.iter().all(|s| TEXTURE_PX.contains(s)), "{name}");
            assert!(has_many_colors(texture), "{name}");
        }
        for mesh in scene.meshes() {
            let texture = scene.materials()[mesh.material()].base_color_texture();
            let Some(texture) = texture.map(|of| &scene.textures()[of.texture]) else {
                continue;
            };
            let uvs = mesh.uvs(0).unwrap();
            let is_within = uvs.iter().all(|uv| uv.min_element() >= 0.0 && uv.max_element() <= 1.0);
            // The chair's oak repeats by intent.
            let does_repeat = name == "chair" && texture.wrap() == [Wrap::Repeat; 2];
            assert!(is_within || does_repeat, "{name}");
        }
    });
}

#[test]
fn the_files_of_the_library_load_without_a_warning() {
    each(|object, _, _| {
        let loaded = Folder::new().load(&object.name, object.glb()).unwrap();
        assert!(loaded.warnings.is_empty(), "{}: {:?}", object.name, loaded.warnings);
    });
}

#[test]
fn assembled_objects_keep_the_promises_of_the_others() {
    let mut seen = BTreeSet::new();
    for number in 0..70 {
        let object = Assembled { seed: 11, number };
        let (name, scene) = (object.name(), object.make());
        let facts = measure(&scene);
        assert!(facts.is_watertight, "{name}: {:?}", facts.edges);
        assert_eq!((facts.parts.groups, facts.parts.floaters), (1, 0), "{name}");
        assert_eq!(facts.counts.degenerate_triangles, 0, "{name}");
        assert!(TRIANGLES.contains(&facts.counts.triangles), "{name}: {}", facts.counts.triangles);
        for volume in scene.meshes().iter().flat_map(part_volumes) {
            assert!(volume > 0.0, "{name}");
        }
        assert!(has_many_colors(&scene.textures()[0]), "{name}");
        let bytes = save::glb(&scene, SaveOptions::default()).unwrap();
        assert!(bytes == save::glb(&object.make(), SaveOptions::default()).unwrap(), "{name}");
        assert!(seen.insert(bytes), "{name} is there twice");
    }
    let other = Assembled { seed: 12, number: 0 };
    assert!(seen.insert(save::glb(&other.make(), SaveOptions::default()).unwrap()));
}
