//! Reflectance, clear coat and sheen against closed forms: layers that must look like a plain
//! material, and textures like the factor they hold. One body for all: the CPU's, or the card's
//! that `MESHJUDGE_GPU` declares.

use crate::support::scenes::{self, front_rig, sphere, square, textured};
use glam::{Vec3, Vec4};
use meshjudge::unstable::render::{Background, Channel, Image, Settings, draw};
use meshjudge::unstable::scene::{
    ColorSpace, Layers, Material, MeshParts, Slot, SpecularGlossiness, Texture, TextureRef, Wrap,
};

/// The one texel of a texture.
type Texel = ([u8; 4], ColorSpace);

/// The front of a shape over black, 48² px.
fn picture(parts: MeshParts, material: Material, texels: &[Texel]) -> Image {
    let textures = texels.iter().map(|&(texel, space)| {
        let wrap = [Wrap::Repeat; 2];
        Texture::new("t".into(), 1, 1, vec![texel], space, wrap).unwrap()
    });
    let scene = textured(parts, material, textures.collect());
    let settings =
        Settings { background: Background::Black, ..scenes::settings(48, &[Channel::Rgb]) };
    let mut frames = draw(&scene, &front_rig(1.1), &settings).unwrap();
    frames.remove(0).images.remove(&Channel::Rgb).unwrap()
}

/// A sphere with one texture coordinate everywhere that moves a little, so that it has tangents.
fn ball() -> MeshParts {
    let mut parts = sphere(24, 48);
    let uvs = parts.positions.iter().map(|p| glam::Vec2::new(p.x, -p.y));
    parts.uv_sets = vec![uvs.collect()];
    parts
}

fn at(texture: usize) -> Option<TextureRef> {
    Some(TextureRef::plain(texture))
}

fn paint(color: [f32; 3], roughness: f32) -> Material {
    Material { base_color: Vec3::from_array(color).extend(1.0), roughness, ..Material::default() }
}

fn layered(material: Material, layers: Layers) -> Material {
    Material { layers: Some(Box::new(layers)), ..material }
}

/// Black that reflects nothing, under the layers.
fn nothing_under(layers: Layers) -> Material {
    let layers = Layers { specular: 0.0, ..layers };
    layered(paint([0.0; 3], 0.5), layers)
}

/// That two pictures show something and are the same but for one step.
fn assert_same(what: &str, one: &Image, other: &Image) {
    let brightest = one.pixels.iter().max();
    assert!(brightest > Some(&20), "{what}: shows nothing");
    assert!(largest_difference(one, other) <= 1, "{what}");
}

fn largest_difference(one: &Image, other: &Image) -> u8 {
    let differences = one.pixels.iter().zip(&other.pixels).map(|(a, b)| a.abs_diff(*b));
    differences.max().unwrap_or(0)
}

#[test]
fn a_black_surface_without_reflection_is_black() {
    let found = picture(ball(), nothing_under(Layers::default()), &[]);
    assert_eq!(found.pixels.iter().max(), Some(&0));
}

#[test]
fn an_index_of_zero_reflects_everything_and_one_of_one_and_a_half_as_ever() {
    let with_ior = |ior| {
        let layers = Layers { ior, ..Layers::default() };
        picture(ball(), layered(paint([0.2, 0.4, 0.8], 0.3), layers), &[])
    };
    let mirror = Material { metallic: 1.0, ..paint([1.0; 3], 0.3) };
    assert_same("0", &with_ior(0.0), &picture(ball(), mirror, &[]));
    let plain = picture(ball(), paint([0.2, 0.4, 0.8], 0.3), &[]);
    assert_same("1.5", &with_ior(1.5), &plain);
    // ((2.5 − 1) / 3.5)² = 0.184.
    let colored = Layers { specular_color: Vec3::splat(0.183_673_5 / 0.04), ..Layers::default() };
    let colored = layered(paint([0.2, 0.4, 0.8], 0.3), colored);
    assert_same("2.5", &with_ior(2.5), &picture(ball(), colored, &[]));
    assert!(largest_difference(&with_ior(2.5), &plain) > 10);
}

#[test]
fn a_coat_over_nothing_is_a_dielectric_with_the_coat_s_roughness_and_normals() {
    let coat = Layers { coat: 1.0, coat_roughness: 0.3, ..Layers::default() };
    let expected = picture(ball(), paint([0.0; 3], 0.3), &[]);
    assert_same("smooth", &picture(ball(), nothing_under(coat.clone()), &[]), &expected);
    let bumps = [([190, 100, 220, 255], ColorSpace::Linear)];
    let mut bumpy_coat = nothing_under(Layers { coat_normal_scale: 0.8, ..coat.clone() });
    bumpy_coat.textures[Slot::CoatNormal] = at(0);
    let mut bumpy = Material { normal_scale: 0.8, ..paint([0.0; 3], 0.3) };
    bumpy.textures[Slot::Normal] = at(0);
    let bumpy = picture(ball(), bumpy, &bumps);
    assert_same("bumpy", &picture(ball(), bumpy_coat, &bumps), &bumpy);
    // The base's normal texture is not the coat's.
    let mut below = nothing_under(coat);
    below.textures[Slot::Normal] = at(0);
    assert_same("bumps below", &picture(ball(), below, &bumps), &expected);
    assert!(largest_difference(&bumpy, &expected) > 10);
}

#[test]
fn a_coat_takes_four_hundredths_from_what_it_covers_head_on() {
    // A lamp of 0.8 in red alone; the coat's own reflection of the studio is grey. Red under the
    // tone map's compression: 0.8 · 0.96 + g against 0.8, where g is what green shows.
    let lamp = |coat| {
        let layers = Layers { coat, coat_roughness: 1.0, ..Layers::default() };
        let mut material = nothing_under(layers);
        material.emissive = Vec3::new(0.6, 0.0, 0.0);
        let shown = picture(square(1.0, 0.0, 0), material, &[]);
        let linear = |byte: u8| libm::powf((f32::from(byte) / 255.0 + 0.055) / 1.055, 2.4);
        let pixel = shown.pixel(24, 24).to_vec();
        (linear(pixel[0]), pixel[1])
    };
    let (bare, _) = lamp(0.0);
    assert!((bare - 0.6).abs() < 0.004, "{bare}");
    // The tone map takes an offset off all colours alike, and green, the lowest, is left at 6.25
    // g²; the difference keeps g out.
    let (coated, green) = lamp(1.0);
    let byte = f32::from(green) / 255.0;
    let shown = if byte > 0.04045 { libm::powf((byte + 0.055) / 1.055, 2.4) } else { byte / 12.92 };
    let difference = coated - shown;
    assert!((difference - 0.576).abs() < 0.005, "{difference}");
}

#[test]
fn specular_glossiness_is_its_metallic_roughness_twin() {
    let glossy = |diffuse: [f32; 3], specular: [f32; 3], glossiness, texture| {
        let layers = Layers {
            specular_glossiness: Some(SpecularGlossiness {
                specular: Vec3::from_array(specular),
                glossiness,
            }),
            ..Layers::default()
        };
        let textures = [(Slot::SpecularGlossiness, texture)].into();
        layered(Material { textures, ..paint(diffuse, 1.0 - glossiness) }, layers)
    };
    let draw = |material, texels: &[_]| picture(ball(), material, texels);
    let gold = Material { metallic: 1.0, ..paint([0.9, 0.6, 0.2], 0.35) };
    let gold = draw(gold, &[]);
    let made = glossy([0.0; 3], [0.9, 0.6, 0.2], 0.65, None);
    assert_same("metal", &draw(made, &[]), &gold);
    // Diffuse light is left by the largest part of the specular colour: 1 − 0.04.
    let plastic = draw(paint([0.48, 0.096, 0.24], 0.2), &[]);
    let made = glossy([0.5, 0.1, 0.25], [0.04; 3], 0.8, None);
    assert_same("plastic", &draw(made, &[]), &plastic);
    // sRGB 188 is 0.503, 128 of 255 in alpha is 0.502.
    let texel = [([188, 255, 0, 128], ColorSpace::Srgb)];
    let textured = draw(glossy([0.1; 3], [0.8, 0.5, 0.9], 0.9, at(0)), &texel);
    let factors = glossy([0.1; 3], [0.8 * 0.502_886, 0.5, 0.0], 0.9 * 128.0 / 255.0, None);
    assert_same("texture", &textured, &draw(factors, &[]));
    assert!(largest_difference(&textured, &gold) > 10);
}

#[test]
fn each_texture_multiplies_its_factor_in_its_own_channel() {
    const BYTE: u8 = 128;
    const SHARE: f32 = 128.0 / 255.0;
    // Every other channel holds something else.
    let red = ([BYTE, 7, 9, 11], ColorSpace::Linear);
    let green = ([7, BYTE, 9, 11], ColorSpace::Linear);
    let alpha = ([7, 9, 11, BYTE], ColorSpace::Linear);
    let color = ([188, 0, 255, 13], ColorSpace::Srgb);
    let tint = Vec3::new(0.502_886, 0.0, 1.0);
    let full = Layers {
        specular: 0.9,
        specular_color: Vec3::splat(4.0),
        coat: 0.8,
        coat_roughness: 0.6,
        sheen_color: Vec3::splat(0.9),
        sheen_roughness: 0.8,
        iridescence: 0.9,
        iridescence_thickness_nm: [100.0, 600.0],
        ..Layers::default()
    };
    /// The texel, and the factors that say the same.
    type Case = (Slot, Texel, Layers);
    let cases: [Case; 8] = [
        (Slot::Specular, alpha, Layers { specular: 0.9 * SHARE, ..full.clone() }),
        (Slot::SpecularColor, color, Layers { specular_color: 4.0 * tint, ..full.clone() }),
        (Slot::Coat, red, Layers { coat: 0.8 * SHARE, ..full.clone() }),
        (Slot::CoatRoughness, green, Layers { coat_roughness: 0.6 * SHARE, ..full.clone() }),
        (Slot::SheenColor, color, Layers { sheen_color: 0.9 * tint, ..full.clone() }),
        (Slot::SheenRoughness, alpha, Layers { sheen_roughness: 0.8 * SHARE, ..full.clone() }),
        (Slot::Iridescence, red, Layers { iridescence: 0.9 * SHARE, ..full.clone() }),
        (
            Slot::IridescenceThickness,
            green,
            Layers { iridescence_thickness_nm: [0.0, 100.0 + 500.0 * SHARE], ..full.clone() },
        ),
    ];
    let base = paint([0.3, 0.2, 0.1], 0.4);
    let untouched = picture(ball(), layered(base.clone(), full.clone()), &[]);
    for (slot, texel, factors) in cases {
        let name = format!("{slot:?}");
        let mut material = layered(base.clone(), full.clone());
        material.textures[slot] = at(0);
        let textured = picture(ball(), material, &[texel]);
        let expected = picture(ball(), layered(base.clone(), factors), &[]);
        assert_same(&name, &textured, &expected);
        assert!(largest_difference(&textured, &untouched) > 2, "{name} has an effect");
    }
}

#[test]
fn a_sheen_has_its_colour_alone_and_shines_at_the_rim() {
    let sheen = |color, roughness| {
        let layers = Layers { sheen_color: color, sheen_roughness: roughness, ..Layers::default() };
        picture(ball(), nothing_under(layers), &[])
    };
    // Dim, since the tone map bleaches what is bright.
    let dim = 0.25 * Vec3::X;
    let red = sheen(dim, 0.4);
    assert!(red.pixels.as_chunks::<3>().0.iter().all(|p| p[1] == 0 && p[2] == 0));
    let (center, rim) = (red.pixel(24, 24)[0], red.pixel(5, 24)[0]);
    assert!(rim > center + 40, "{center} {rim}");
    // Rougher cloth shines more evenly.
    let rough = sheen(dim, 1.0);
    assert!(rough.pixel(24, 24)[0] > center + 10);
}

#[test]
fn a_white_sheen_takes_from_white_cloth_what_it_adds() {
    // Under light from all around both are the same; the studio is not that, so they are near.
    let layers = Layers { sheen_color: Vec3::ONE, sheen_roughness: 0.7, ..Layers::default() };
    let plain = Layers { specular: 0.0, ..Layers::default() };
    let both = [Layers { specular: 0.0, ..layers }, plain].map(|layers| {
        let shown = picture(square(1.0, 0.0, 0), layered(paint([1.0; 3], 1.0), layers), &[]);
        shown.pixel(24, 24)[1]
    });
    assert!(both[0].abs_diff(both[1]) < 16, "{both:?}");
}

#[test]
fn glass_with_a_high_index_reflects_more_and_passes_less() {
    let glass = |ior| {
        let layers = Layers { ior, ..Layers::default() };
        let pane = Material {
            transmission: 1.0,
            base_color: Vec4::ONE,
            ..layered(paint([1.0; 3], 0.0), layers)
        };
        let mut lamp = paint([0.0; 3], 1.0);
        lamp.emissive = Vec3::new(0.7, 0.0, 0.0);
        let parts = vec![square(1.0, 0.5, 0), square(1.0, -0.5, 1)];
        let scene = scenes::scene_of(parts, vec![pane, lamp]);
        let settings = scenes::settings(16, &[Channel::Rgb]);
        let frame = draw(&scene, &front_rig(1.0), &settings).unwrap().remove(0);
        let pixel = frame.images[&Channel::Rgb].pixel(8, 8).to_vec();
        i32::from(pixel[0]) - i32::from(pixel[1])
    };
    // Red comes from behind only, grey from the reflection.
    let passed = [1.5, 2.0, 3.0].map(glass);
    assert!(passed[0] > passed[1] + 10 && passed[1] > passed[2] + 10, "{passed:?}");
}

/// Grey metal under the layers.
fn grey_metal(layers: Layers) -> Image {
    let metal = Material { metallic: 1.0, ..paint([0.5; 3], 0.35) };
    picture(ball(), layered(metal, layers), &[])
}

#[test]
fn a_film_colours_grey_metal_by_its_thickness_and_one_of_none_does_not() {
    let film = |thickness| {
        grey_metal(Layers {
            iridescence: 1.0,
            iridescence_ior: 1.5,
            iridescence_thickness_nm: [0.0, thickness],
            ..Layers::default()
        })
    };
    let plain = grey_metal(Layers::default());
    assert_same("no thickness", &film(0.0), &plain);
    let tint = |image: &Image| {
        let pixel = image.pixel(24, 24);
        pixel[0].abs_diff(pixel[2])
    };
    assert_eq!(tint(&plain), 0);
    let (thin, thick) = (film(250.0), film(420.0));
    assert!(tint(&thin) > 20 && tint(&thick) > 20);
    assert!(largest_difference(&thin, &thick) > 20);
    // A film whose faces reflect alike without interference is grey again.
    assert!(tint(&film(90_000.0)) <= 1);
}

/// How far the light of a picture spreads along x and along y, of the parts brighter than three
/// quarters of the brightest.
fn spread(image: &Image) -> [f32; 2] {
    let at = |x: u32, y: u32| f32::from(image.pixel(x, y)[1]);
    let places = || (0..48).flat_map(|y| (0..48).map(move |x| (x, y)));
    let brightest = places().map(|(x, y)| at(x, y)).fold(0.0, f32::max);
    let bright: Vec<_> = places().filter(|&(x, y)| at(x, y) > 0.75 * brightest).collect();
    let count = bright.len() as f32;
    let variance = |of: fn(&(u32, u32)) -> u32| {
        let mean = bright.iter().map(|p| of(p) as f32).sum::<f32>() / count;
        bright.iter().map(|p| (of(p) as f32 - mean) * (of(p) as f32 - mean)).sum::<f32>() / count
    };
    [variance(|p| p.0), variance(|p| p.1)].map(f32::sqrt)
}

#[test]
fn a_grain_stretches_highlights_along_itself() {
    let brushed = |degrees: f32| Layers {
        anisotropy: 0.9,
        anisotropy_rotation_radians: degrees.to_radians(),
        ..Layers::default()
    };
    // u grows along x, so that the tangent points to the right. The lights are not round
    // themselves, so the two pictures are compared.
    let [along, across] = [0.0, 90.0].map(|degrees| {
        let [x, y] = spread(&grey_metal(brushed(degrees)));
        x / y
    });
    assert!(along > 1.3 * across, "{along} {across}");
    // Back and forth are one direction, and none is round.
    assert_same("half a turn", &grey_metal(brushed(180.0)), &grey_metal(brushed(0.0)));
    let none = Layers { anisotropy: 0.0, ..brushed(90.0) };
    assert_same("none", &grey_metal(none), &grey_metal(Layers::default()));
    assert!(largest_difference(&grey_metal(brushed(90.0)), &grey_metal(brushed(0.0))) > 20);
}

#[test]
fn the_grain_s_texture_holds_a_direction_and_a_share_of_the_strength() {
    let metal = Material { metallic: 1.0, ..paint([0.5; 3], 0.35) };
    let brushed = |anisotropy, degrees: f32, texture| {
        let layers = Layers {
            anisotropy,
            anisotropy_rotation_radians: degrees.to_radians(),
            ..Layers::default()
        };
        let textures = [(Slot::Anisotropy, texture)].into();
        layered(Material { textures, ..metal.clone() }, layers)
    };
    // Straight along the bitangent, then turned by 90° to the tangent's line; half of the strength.
    let texel = [([127, 255, 128, 7], ColorSpace::Linear)];
    let textured = picture(ball(), brushed(0.8, 90.0, at(0)), &texel);
    let told = picture(ball(), brushed(0.8 * 128.0 / 255.0, 180.0, None), &[]);
    assert!(largest_difference(&textured, &told) <= 2);
    let across = picture(ball(), brushed(0.4, 90.0, None), &[]);
    assert!(largest_difference(&textured, &across) > 10);
}
