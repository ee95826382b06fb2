//! Material libraries (`.mtl`) → [`Material`].
//!
//! `tobj` ends on a number it cannot read and panics on a colour of fewer than three, so lines are
//! tidied first; what it leaves in `unknown_param` (`Pr`, `Pm`, `map_Pr`, `map_Pm`, `map_Ke`,
//! `norm`, `Tr`) and the options before file names are read here.

use super::super::error::LoadError;
use super::super::files::{FileProblem, Folder, percent_decode, shorten};
use super::super::format::{from_utf16, mistaken};
use super::super::ignored::{Place, note};
use super::super::limits::{FILE_BYTES_MAX, MTL_BYTES_MAX};
use super::super::texture::{Bank, Recipe};
use super::super::vertex_color::srgb_to_linear;
use super::super::warning::{Warning, Warnings};
use super::scan::to_text;
use crate::scene::reading::MtlTint;
use crate::scene::{AlphaMode, ColorSpace, Material, Slot, TextureRef, UvTransform, Wrap};
use glam::{Vec2, Vec3};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The materials of all libraries of one asset.
#[derive(Debug, Default)]
pub(super) struct Library {
    /// By name, with the library's folder, relative to the asset's and ending with `/` if any.
    materials: BTreeMap<String, (tobj::Material, String)>,
    /// Pictures that were asked for already.
    images: BTreeMap<String, usize>,
    any_read: bool,
}

impl Library {
    /// True while no library could be read: materials are then missing for that reason, of which
    /// there is a warning already.
    pub(super) fn is_empty(&self) -> bool {
        !self.any_read
    }

    /// Adds the files after one `mtllib`: one file, or several with spaces between them.
    pub(super) fn read(
        &mut self,
        names: &str,
        path: &Path,
        folder: &mut Folder,
        warnings: &mut Warnings,
    ) -> Result<(), LoadError> {
        let whole = unquote(names);
        let meant = |name: &str| meanings(vec![name.to_owned()]);
        let mut result = vec![(whole, find(&meant(whole), MTL_BYTES_MAX, path, folder, warnings)?)];
        if result[0].1.is_err() && names.split_whitespace().nth(1).is_some() {
            let several = names.split_whitespace().take(super::scan::LIBRARIES_MAX);
            let several = several
                .map(|name| {
                    let found = find(&meant(name), MTL_BYTES_MAX, path, folder, warnings)?;
                    Ok((name, found))
                })
                .collect::<Result<Vec<_>, LoadError>>()?;
            if several.iter().any(|(_, found)| found.is_ok()) {
                result = several;
            }
        }
        for (name, found) in result {
            let is_other = |bytes: Vec<u8>| mistaken(&bytes).map_or(Ok(bytes), Err);
            match found.and_then(is_other).and_then(|bytes| parse(&bytes, warnings)) {
                Ok(materials) => {
                    self.any_read = true;
                    let inner =
                        unquote(name).rfind(['/', '\\']).map_or("", |end| &unquote(name)[..=end]);
                    let named =
                        materials.into_iter().map(|m| (m.name.clone(), (m, inner.to_owned())));
                    self.materials.extend(named);
                }
                Err(reason) => {
                    warnings.add(Warning::MaterialLibrary { name: shorten(name), reason })
                }
            }
        }
        Ok(())
    }

    /// How many materials there are, and the name of the first.
    pub(super) fn names(&self) -> (usize, Option<&String>) {
        (self.materials.len(), self.materials.keys().next())
    }

    /// The material of this name, with or without trailing comment; `None` if no library has it.
    pub(super) fn material(
        &mut self,
        name: &str,
        tint: MtlTint,
        bank: &mut Bank<'_>,
        path: &Path,
        folder: &mut Folder,
        warnings: &mut Warnings,
    ) -> Result<Option<Material>, LoadError> {
        let bare = name.split_once(" #").map_or(name, |(bare, _)| bare.trim_end());
        let Some((mtl, inner)) = self.materials.get(name).or_else(|| self.materials.get(bare))
        else {
            return Ok(None);
        };
        let mut pictures =
            Pictures { images: &mut self.images, inner, tint, bank, path, folder, warnings };
        convert(mtl, &mut pictures).map(Some)
    }
}

/// Without the quotation marks that some exporters write.
fn unquote(name: &str) -> &str {
    let name = name.trim();
    for quote in ['"', '\''] {
        let inner = name.strip_prefix(quote).and_then(|n| n.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    name
}

/// The bytes of a named file, or why they cannot be had. A link that leads outside ends the load.
fn find(
    names: &[String],
    max: u64,
    path: &Path,
    folder: &mut Folder,
    warnings: &mut Warnings,
) -> Result<Result<Vec<u8>, String>, LoadError> {
    match folder.find(names, max, warnings) {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(problem @ FileProblem::Escape(_)) => {
            Err(problem.into_error("a material", &names[0], path))
        }
        Err(problem) => Ok(Err(problem.to_string())),
    }
}

/// A name and what it may mean: `%20` and the like decoded, blanks escaped by a back slash.
fn meanings(names: Vec<String>) -> Vec<String> {
    let mut all = names.clone();
    for name in &names {
        for other in [percent_decode(name), name.replace("\\ ", " ")] {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    all
}

fn parse(bytes: &[u8], warnings: &mut Warnings) -> Result<Vec<tobj::Material>, String> {
    let decoded = from_utf16(bytes);
    let text = tidy(decoded.as_deref().unwrap_or(bytes), warnings);
    let (materials, _) = tobj::load_mtl_buf(&mut text.as_bytes()).map_err(|e| e.to_string())?;
    Ok(materials)
}

/// Keywords whose spelling varies, as `tobj` and [`convert`] know them.
const KEYWORDS: [&str; 29] = [
    "Ka", "Kd", "Ks", "Ke", "Ns", "Ni", "d", "Tr", "Pr", "Pm", "illum", "newmtl", "map_Ka",
    "map_Kd", "map_Ks", "map_Ke", "map_Ns", "map_d", "map_Pr", "map_Pm", "map_Bump", "bump",
    "norm", "Tf", "disp", "refl", "decal", "aniso", "anisor",
];

/// The library with every line in a form `tobj` takes; senseless ones are left out and counted.
fn tidy(bytes: &[u8], warnings: &mut Warnings) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut out = String::with_capacity(bytes.len());
    let (mut not_utf8, mut bad) = (0, 0);
    let mut first_bad = String::new();
    for line in bytes.split(|&byte| byte == b'\n' || byte == b'\r') {
        let line = to_text(line, &mut not_utf8);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let known = KEYWORDS.iter().find(|known| known.eq_ignore_ascii_case(keyword));
        match tidy_line(known.copied().unwrap_or(keyword), rest.trim()) {
            Some(line) => {
                out.push_str(&line);
                out.push('\n');
            }
            None => {
                if bad == 0 {
                    first_bad = shorten(line);
                }
                bad += 1;
            }
        }
    }
    warnings.count(not_utf8, |count| Warning::NotUtf8 { count });
    warnings.count(bad, |count| Warning::Lines { count, first: first_bad });
    out
}

fn tidy_line(keyword: &str, rest: &str) -> Option<String> {
    let numbers = || {
        rest.split_whitespace()
            .map_while(|token| token.parse::<f32>().ok())
            .filter(|value| value.is_finite())
            .collect::<Vec<_>>()
    };
    match keyword {
        "Ka" | "Kd" | "Ks" | "Ke" | "Tf" => match *numbers() {
            // One value is used for all three.
            [grey] => Some(format!("{keyword} {grey} {grey} {grey}")),
            [r, g, b, ..] => Some(format!("{keyword} {r} {g} {b}")),
            _ => None,
        },
        "Ns" | "Ni" | "d" | "Tr" | "Pr" | "Pm" => {
            let rest = rest.strip_prefix("-halo").unwrap_or(rest);
            let value: f32 = rest.split_whitespace().next()?.parse().ok()?;
            value.is_finite().then(|| format!("{keyword} {value}"))
        }
        "illum" => {
            let value: f32 = rest.split_whitespace().next()?.parse().ok()?;
            (0.0..=255.0).contains(&value).then(|| format!("illum {}", value as u8))
        }
        _ => (!rest.is_empty()).then(|| format!("{keyword} {rest}")),
    }
}

/// A texture statement taken apart.
#[derive(Debug, PartialEq)]
struct Map<'m> {
    /// `-imfchan` or `-mm`
    has_other_options: bool,
    file: &'m str,
    scale: [f32; 2],
    offset: [f32; 2],
    is_clamped: bool,
    /// `-bm`
    multiplier: f32,
}

impl<'m> Map<'m> {
    /// Options first, each with a known number of values; the rest is the file name, with spaces.
    fn parse(text: &'m str) -> Self {
        let mut map = Self {
            has_other_options: false,
            file: "",
            scale: [1.0; 2],
            offset: [0.0; 2],
            is_clamped: false,
            multiplier: 1.0,
        };
        let mut rest = text.trim();
        while rest.starts_with('-') {
            let (option, after) = next_token(rest);
            let values_max = match option {
                "-s" | "-o" | "-t" => 3,
                "-mm" => 2,
                "-blendu" | "-blendv" | "-boost" | "-texres" | "-clamp" | "-bm" | "-imfchan"
                | "-type" | "-cc" | "-colorspace" => 1,
                _ => break, // a file name that begins so
            };
            rest = after;
            if values_max == 1 {
                let (value, after) = next_token(rest);
                rest = after;
                match option {
                    "-clamp" => map.is_clamped = value == "on",
                    "-bm" => map.multiplier = number(value).unwrap_or(1.0),
                    "-imfchan" => map.has_other_options = true,
                    _ => {}
                }
                continue;
            }
            for i in 0..values_max {
                let (value, after) = next_token(rest);
                let Some(value) = number(value).filter(|_| !after.is_empty()) else {
                    break; // fewer values than there may be, or the file is called `1`
                };
                rest = after;
                map.has_other_options |= option == "-mm" && value != i as f32;
                match (option, i) {
                    ("-s", 0 | 1) => map.scale[i] = value,
                    ("-o", 0 | 1) => map.offset[i] = value,
                    _ => {}
                }
            }
        }
        map.file = unquote(rest);
        map
    }

    /// For coordinates with v downwards, while the options mean v upwards: u' = s·u + o in both.
    fn transform(&self) -> UvTransform {
        let [[scale_u, scale_v], [offset_u, offset_v]] = [self.scale, self.offset];
        UvTransform {
            linear: [[scale_u, 0.0], [0.0, scale_v]],
            offset: Vec2::new(offset_u, 1.0 - scale_v - offset_v),
        }
    }
}

fn next_token(text: &str) -> (&str, &str) {
    let (token, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (token, rest.trim_start())
}

fn number(text: &str) -> Option<f32> {
    text.parse::<f32>().ok().filter(|value| value.is_finite())
}

/// In place of a tile's number in the name of a picture.
const UDIM: &str = "<UDIM>";

struct Pictures<'p, 'b> {
    images: &'p mut BTreeMap<String, usize>,
    /// Of the library at hand.
    inner: &'p str,
    tint: MtlTint,
    bank: &'p mut Bank<'b>,
    path: &'p Path,
    folder: &'p mut Folder,
    warnings: &'p mut Warnings,
}

impl Pictures<'_, '_> {
    fn image(&mut self, file: &str) -> Result<usize, LoadError> {
        let key = format!("{}{file}", self.inner);
        if let Some(&known) = self.images.get(&key) {
            return Ok(known);
        }
        let bytes = self.find(file)?.map(Cow::Owned);
        let image = self.bank.image(file.to_owned(), bytes, self.warnings);
        self.images.insert(key, image);
        Ok(image)
    }

    /// A picture that the library names: next to it, or to the asset as some exporters mean.
    fn find(&mut self, file: &str) -> Result<Result<Vec<u8>, String>, LoadError> {
        let mut names = vec![joined(self.inner, file)];
        if !self.inner.is_empty() {
            names.push(file.to_owned());
        }
        find(&meanings(names), FILE_BYTES_MAX, self.path, self.folder, self.warnings)
    }

    fn texture(&mut self, recipe: Recipe, color_space: ColorSpace, map: &Map<'_>) -> TextureRef {
        let wrap = if map.is_clamped { Wrap::ClampToEdge } else { Wrap::Repeat };
        TextureRef {
            texture: self.bank.texture(recipe, color_space, [wrap; 2]),
            uv_set: 0,
            transform: map.transform(),
        }
    }

    /// Of two maps that are drawn as one texture.
    fn pair(&mut self, maps: &[Option<Map<'_>>; 2]) -> Result<[Option<usize>; 2], LoadError> {
        if let [Some(one), Some(other)] = maps
            && (one.transform() != other.transform() || one.is_clamped != other.is_clamped)
        {
            let feature = "another offset, scale or clamping for map_d or map_Pm than for the map it is drawn with";
            self.warnings.add(Warning::MaterialFeature { feature, count: 1 });
        }
        let mut image =
            |map: &Option<Map<'_>>| map.as_ref().map(|map| self.image_of(map)).transpose();
        Ok([image(&maps[0])?, image(&maps[1])?])
    }

    fn image_of(&mut self, map: &Map<'_>) -> Result<usize, LoadError> {
        if map.has_other_options {
            let feature = "the option -imfchan or -mm of a map";
            self.warnings.add(Warning::MaterialFeature { feature, count: 1 });
        }
        // Tiles of a surface that is painted in several pictures (UDIM): the first is drawn.
        let is_tile = map.file.contains(UDIM) || map.file.contains(".1001.");
        if is_tile {
            let feature = "UDIM tiles beyond 1001";
            self.warnings.add(Warning::MaterialFeature { feature, count: 1 });
        }
        self.image(&map.file.replace(UDIM, "1001"))
    }

    fn plain(
        &mut self,
        text: Option<&String>,
        color_space: ColorSpace,
    ) -> Result<Option<TextureRef>, LoadError> {
        let Some(text) = text else { return Ok(None) };
        let map = Map::parse(text);
        let recipe = Recipe::plain(self.image_of(&map)?);
        Ok(Some(self.texture(recipe, color_space, &map)))
    }
}

/// A name in a folder of the asset's, without leading `..` that stay within the asset's folder.
fn joined(inner: &str, file: &str) -> String {
    if file.starts_with(['/', '\\']) || file.contains(':') {
        return file.to_owned();
    }
    let mut folders: Vec<&str> = inner.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let mut rest = file;
    while let Some(after) = rest.strip_prefix("../").or_else(|| rest.strip_prefix("..\\")) {
        if folders.pop().is_none() {
            return file.to_owned();
        }
        rest = after;
    }
    folders.push(rest);
    folders.join("/")
}

/// Colours are taken as sRGB: most writers (MeshLab, trimesh, scanners) divide bytes by 255, and
/// viewers without colour management show them so.
fn color(rgb: [f32; 3]) -> Vec3 {
    Vec3::from_array(rgb.map(|c| srgb_to_linear(c.clamp(0.0, 1.0))))
}

fn convert(mtl: &tobj::Material, pictures: &mut Pictures<'_, '_>) -> Result<Material, LoadError> {
    let other = |key: &str| mtl.unknown_param.get(key);
    let value = |key: &str| other(key).and_then(|text| number(text)).map(|v| v.clamp(0.0, 1.0));
    let opacity = match (mtl.dissolve, value("Tr")) {
        (Some(dissolve), _) => dissolve.clamp(0.0, 1.0),
        // `Tr` is 1 − `d`, but many files write `Tr 1` for opaque; nobody exports the invisible.
        (None, Some(transparency)) if transparency < 1.0 => 1.0 - transparency,
        (None, _) => 1.0,
    };
    let diffuse = match (mtl.diffuse, &mtl.diffuse_texture) {
        // Exporters write black next to a texture when only the texture counts.
        (Some([0.0, 0.0, 0.0]), Some(_)) | (None, _) => Vec3::ONE,
        (Some(_), Some(_)) if pictures.tint == MtlTint::Ignore => Vec3::ONE,
        (Some(rgb @ [r, g, b]), texture) => {
            if texture.is_some() && r == g && g == b && r < 0.95 {
                pictures.warnings.add(Warning::Tint {
                    count: 1,
                    first: shorten(&mtl.name),
                    kd: format!("{r:.2}"),
                });
            }
            color(rgb)
        }
    };
    let emissive = match (mtl.emissive, other("map_Ke")) {
        (Some([0.0, 0.0, 0.0]) | None, Some(_)) => Vec3::ONE,
        (Some(rgb), _) => color(rgb),
        (None, None) => Vec3::ZERO,
    };
    let base_color_texture = base_color_texture(mtl, pictures)?;
    let emissive_texture = pictures.plain(other("map_Ke"), ColorSpace::Srgb)?;
    let normal_texture = pictures.plain(other("norm"), ColorSpace::Linear)?;
    let colors = [mtl.diffuse, mtl.emissive].into_iter().flatten().flatten();
    if colors.chain(mtl.dissolve).any(|c| !(0.0..=1.0).contains(&c)) {
        pictures.warnings.add(Warning::Clamped { count: 1 });
    }
    note_ignored(mtl, pictures.warnings);
    if mtl.normal_texture.is_some() && normal_texture.is_none() {
        pictures.warnings.add(Warning::MaterialFeature { feature: "a bump map", count: 1 });
    }
    Ok(Material {
        name: mtl.name.clone(),
        base_color: diffuse.extend(opacity),
        metallic: value("Pm").unwrap_or(if other("map_Pm").is_some() { 1.0 } else { 0.0 }),
        roughness: roughness(mtl, value("Pr")),
        emissive,
        normal_scale: other("norm").map_or(1.0, |text| Map::parse(text).multiplier),
        alpha_mode: if opacity < 1.0 || mtl.dissolve_texture.is_some() {
            AlphaMode::Blend
        } else {
            AlphaMode::Opaque
        },
        double_sided: true,
        textures: [
            (Slot::BaseColor, base_color_texture),
            (Slot::Emissive, emissive_texture),
            (Slot::Normal, normal_texture),
            (Slot::MetallicRoughness, metallic_roughness_texture(mtl, pictures)?),
        ]
        .into(),
        ..Material::default()
    })
}

/// Warns of keys that are not drawn, in an order that does not depend on hashes. Zeros, which
/// exporters write for all that there is, have no effect.
fn note_ignored(mtl: &tobj::Material, warnings: &mut Warnings) {
    const READ: [&str; 8] = ["Ke", "Tr", "Pr", "Pm", "map_Ke", "map_Pr", "map_Pm", "norm"];
    let pictures = [("map_Ks", &mtl.specular_texture), ("map_Ns", &mtl.shininess_texture)];
    let pictures = pictures.into_iter().filter_map(|(key, text)| Some((key, text.as_deref()?)));
    let others = mtl.unknown_param.iter().map(|(key, text)| (key.as_str(), text.as_str()));
    let is_zero = |text: &str| text.split_whitespace().all(|word| number(word) == Some(0.0));
    let keys = pictures.chain(others).filter(|(key, text)| !READ.contains(key) && !is_zero(text));
    let keys: BTreeSet<&str> = keys.map(|(key, _)| key).collect();
    keys.into_iter().for_each(|key| note(Place::Key, key, warnings));
}

/// `Pr` if present. Else from the highlight's exponent, α² = 2 / (Ns + 2) with α = roughness²
/// (Karis 2013, "Specular BRDF reference"); rough without a highlight (`Ks 0` or `illum` 0 or 1).
fn roughness(mtl: &tobj::Material, stated: Option<f32>) -> f32 {
    if let Some(stated) = stated {
        return stated;
    }
    if mtl.unknown_param.contains_key("map_Pr") {
        return 1.0;
    }
    let is_matte = mtl.specular.is_none_or(|ks| ks == [0.0; 3])
        || mtl.illumination_model.is_some_and(|illum| illum < 2);
    match mtl.shininess {
        Some(exponent) if !is_matte => (2.0 / (exponent.max(0.0) + 2.0)).sqrt().sqrt(),
        _ => 1.0,
    }
}

/// `map_Kd`, with the grey of `map_d` as alpha; if both are one file, with its own alpha.
fn base_color_texture(
    mtl: &tobj::Material,
    pictures: &mut Pictures<'_, '_>,
) -> Result<Option<TextureRef>, LoadError> {
    let maps =
        [&mtl.diffuse_texture, &mtl.dissolve_texture].map(|text| text.as_deref().map(Map::parse));
    let Some(leading) = maps.iter().flatten().next() else {
        return Ok(None);
    };
    let [base, alpha] = pictures.pair(&maps)?;
    let alpha = alpha.filter(|&alpha| Some(alpha) != base);
    let recipe = Recipe { base, green: None, blue: None, alpha };
    Ok(Some(pictures.texture(recipe, ColorSpace::Srgb, leading)))
}

/// `map_Pr` as green and `map_Pm` as blue; one file for both is taken to be packed so already
/// (which is also right for a grey one).
fn metallic_roughness_texture(
    mtl: &tobj::Material,
    pictures: &mut Pictures<'_, '_>,
) -> Result<Option<TextureRef>, LoadError> {
    let maps = ["map_Pr", "map_Pm"].map(|key| mtl.unknown_param.get(key).map(|t| Map::parse(t)));
    let Some(leading) = maps.iter().flatten().next() else {
        return Ok(None);
    };
    let [green, blue] = pictures.pair(&maps)?;
    let recipe = match (green, blue) {
        (Some(one), Some(other)) if one == other => Recipe::plain(one),
        _ => Recipe { base: None, green, blue, alpha: None },
    };
    Ok(Some(pictures.texture(recipe, ColorSpace::Linear, leading)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_before_a_file_name_are_taken_off() {
        let map = Map::parse("-s 2 3 1 -o 0.5 -clamp on -bm 0.2 -imfchan r my wood.png");
        assert_eq!(
            map,
            Map {
                has_other_options: true,
                file: "my wood.png",
                scale: [2.0, 3.0],
                offset: [0.5, 0.0],
                is_clamped: true,
                multiplier: 0.2,
            }
        );
        assert_eq!(Map::parse("\"a b.png\"").file, "a b.png");
        assert_eq!(Map::parse("-odd.png").file, "-odd.png");
        assert_eq!(Map::parse("-s 2 2 7").file, "7");
    }

    #[test]
    fn a_scaled_map_keeps_the_bottom_of_the_picture_in_place() {
        // v = 0 at the bottom is 1 for us; scaling by 2 about it leaves it there.
        let transform = Map::parse("-s 1 2 1 a.png").transform();
        assert_eq!(transform.apply(Vec2::new(0.25, 1.0)), Vec2::new(0.25, 1.0));
        assert_eq!(transform.apply(Vec2::new(0.0, 0.5)), Vec2::new(0.0, 0.0));
    }

    #[test]
    fn lines_that_tobj_ends_on_are_tidied() {
        for (line, tidied) in [
            (("Kd", "0.5"), Some("Kd 0.5 0.5 0.5")),
            (("Kd", "1 2"), None),
            (("Kd", "spectral a.rfl"), None),
            (("Ns", "nan"), None),
            (("Ns", ""), None),
            (("d", "-halo 0.5"), Some("d 0.5")),
            (("illum", "2.0"), Some("illum 2")),
            (("map_Kd", ""), None),
            (("newmtl", ""), None),
        ] {
            assert_eq!(tidy_line(line.0, line.1).as_deref(), tidied, "{line:?}");
        }
    }
}
