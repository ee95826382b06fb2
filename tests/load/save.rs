//! What `save` writes, `load` reads back as the same scene.

use crate::support::assets::{Folder, demo_scene};
use crate::support::scenes::textured;
use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::save::{SaveOptions, glb};
use meshjudge::unstable::scene::{
    AlphaMode, ColorSpace, Layers, Material, Mesh, MeshParts, Scene, Slot, Slots,
    SpecularGlossiness, Texture, TextureRef, UvTransform, Wrap,
};

fn back(bytes: &[u8]) -> std::sync::Arc<Scene> {
    let loaded = Folder::new().load("saved.glb", bytes).unwrap();
    assert_eq!(loaded.warnings, []);
    loaded.scene
}

fn same(x: &Scene, y: &Scene) {
    assert_eq!(x.meshes().len(), y.meshes().len());
    for (a, b) in x.meshes().iter().zip(y.meshes()) {
        let shape = |m: &Mesh| (m.positions().to_vec(), m.triangles().to_vec());
        assert_eq!(shape(a), shape(b));
        assert_eq!((a.normals(), a.tangents()), (b.normals(), b.tangents()));
        assert_eq!((a.colors(), a.uv_set_count()), (b.colors(), b.uv_set_count()));
        for set in 0..a.uv_set_count() {
            assert_eq!(a.uvs(set), b.uvs(set));
        }
        let (a, b) = (&x.materials()[a.material()], &y.materials()[b.material()]);
        let plain = |m: &Material| Material { textures: Slots::default(), ..m.clone() };
        assert_eq!(plain(a), plain(b));
        assert_eq!(a.texture_refs().count(), b.texture_refs().count());
        for (s, t) in a.texture_refs().zip(b.texture_refs()) {
            assert_eq!(s.uv_set, t.uv_set);
            for at in [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE] {
                let (s, t) = (s.transform.apply(at), t.transform.apply(at));
                assert!((s - t).length() < 1e-5, "{s} {t}");
            }
            let (s, t) = (&x.textures()[s.texture], &y.textures()[t.texture]);
            assert_eq!((s.texels(), s.wrap()), (t.texels(), t.wrap()));
            assert_eq!(s.color_space(), t.color_space());
        }
    }
}

#[test]
fn demo_objects_come_back() {
    for name in ["chair_clean.glb", "chair_damaged.glb", "vase_clean.glb", "vase_damaged.glb"] {
        let scene = demo_scene(name);
        same(&scene, &back(&glb(&scene, SaveOptions::default()).unwrap()));
    }
}

/// One triangle with everything that a scene can say.
fn full(layers: Option<Layers>, of_layers: &[Slot]) -> Scene {
    let texture = |name: &str, alpha: u8, color_space, wrap| {
        let texels = vec![[1, 2, 3, alpha], [200, 100, 50, 255]];
        Texture::new(name.to_owned(), 2, 1, texels, color_space, wrap).unwrap()
    };
    let (sin, cos) = (libm::sinf(0.4), libm::cosf(0.4));
    let turned = UvTransform {
        linear: [[cos * 2.0, sin * -0.5], [-sin * 2.0, cos * -0.5]],
        offset: Vec2::new(0.25, -3.0),
    };
    let at = |texture, uv_set, transform| Some(TextureRef { texture, uv_set, transform });
    let material = Material {
        name: "made by secret-method".to_owned(),
        base_color: Vec4::new(0.1, 0.2, 0.3, 0.4),
        metallic: 0.7,
        roughness: 0.35,
        normal_scale: 0.5,
        occlusion_strength: 0.25,
        emissive: Vec3::new(4.0, 0.5, 0.0),
        transmission: 0.75,
        textures: {
            let plain = at(1, 0, UvTransform::IDENTITY);
            let mut textures: Slots<_> = [
                (Slot::BaseColor, at(0, 1, turned)),
                (Slot::MetallicRoughness, plain),
                (Slot::Normal, plain),
                (Slot::Occlusion, plain),
                (Slot::Emissive, at(0, 1, turned)),
            ]
            .into();
            for &slot in of_layers {
                let texture = usize::from(slot.color_space() == ColorSpace::Linear);
                textures[slot] = at(texture, 1, UvTransform::IDENTITY);
            }
            textures
        },
        layers: layers.map(Box::new),
        alpha_mode: AlphaMode::Mask { cutoff: 0.3 },
        double_sided: true,
        unlit: true,
    };
    let parts = MeshParts {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        normals: Some(vec![Vec3::Z; 3]),
        tangents: Some(vec![Vec4::new(1.0, 0.0, 0.0, -1.0); 3]),
        uv_sets: vec![vec![Vec2::ZERO, Vec2::X, Vec2::Y], vec![Vec2::ONE; 3]],
        colors: Some(vec![Vec4::new(0.5, 1.0, 0.25, 1.0); 3]),
        material: 0,
        name: String::new(),
    };
    let wrap = [Wrap::ClampToEdge, Wrap::MirroredRepeat];
    let textures = vec![
        texture("secret-method.png", 128, ColorSpace::Srgb, wrap),
        texture("", 255, ColorSpace::Linear, [Wrap::Repeat; 2]),
    ];
    textured(parts, material, textures)
}

#[test]
fn everything_that_a_scene_says_comes_back() {
    let scene = full(None, &[]);
    let bytes = glb(&scene, SaveOptions::default()).unwrap();
    assert_eq!(bytes.len() % 4, 0);
    same(&scene, &back(&bytes));
    assert_eq!(bytes, glb(&scene, SaveOptions::default()).unwrap(), "the same bytes");
}

#[test]
fn layers_come_back_with_their_textures() {
    let coated = Layers {
        ior: 1.3,
        specular: 0.5,
        specular_color: Vec3::new(0.25, 2.0, 0.0),
        coat: 0.75,
        coat_roughness: 0.5,
        coat_normal_scale: 0.25,
        sheen_color: Vec3::new(0.5, 0.25, 1.0),
        sheen_roughness: 0.125,
        thickness: 0.5,
        attenuation_color: Vec3::new(0.5, 0.25, 1.0),
        attenuation_distance: 0.125,
        iridescence: 0.75,
        iridescence_ior: 1.5,
        iridescence_thickness_nm: [200.0, 600.0],
        anisotropy: 0.5,
        anisotropy_rotation_radians: 0.25,
        specular_glossiness: None,
    };
    let of_layers = Slot::ALL.into_iter().skip_while(|slot| *slot != Slot::Specular);
    let of_layers: Vec<Slot> = of_layers.filter(|slot| *slot != Slot::SpecularGlossiness).collect();
    let scene = full(Some(coated), &of_layers);
    same(&scene, &back(&glb(&scene, SaveOptions::default()).unwrap()));

    let glossy = Layers {
        specular_glossiness: Some(SpecularGlossiness {
            specular: Vec3::new(0.5, 0.25, 0.125),
            glossiness: 0.75,
        }),
        ..Layers::default()
    };
    let scene = full(Some(glossy), &[Slot::SpecularGlossiness]);
    let (meshes, textures) = (scene.meshes().to_vec(), scene.textures().to_vec());
    let mut material = scene.materials()[0].clone();
    // What the extension says in another way.
    (material.metallic, material.roughness) = (0.0, 0.25);
    material.textures[Slot::MetallicRoughness] = None;
    let scene = Scene::new(meshes, vec![material], textures).unwrap();
    same(&scene, &back(&glb(&scene, SaveOptions::default()).unwrap()));
}

#[test]
fn names_are_left_out_when_they_would_tell() {
    let holds = |has_names| {
        let bytes = glb(&full(None, &[]), SaveOptions { has_names }).unwrap();
        bytes.windows(6).any(|w| w == b"secret")
    };
    assert!(holds(true));
    assert!(!holds(false));
}
