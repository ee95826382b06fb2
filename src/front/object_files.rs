//! One asset or picture, named by its files → its case.

use super::pairs::has_extension;
use super::run_config::{add_rubric, method_name};
use crate::ask::{Case, Drawing, Photo, Side, Sides, Source, Template};
use crate::error::Error;
use crate::judge::{Asset, Picture, Specimen};
use crate::load::{Choices, Loaded, Options, load_asset};
use crate::render::Image;
use crate::rubric::{Example, Rubric};
use crate::scene;
use std::path::PathBuf;
use std::sync::Arc;

/// The input of a score, and the parts of its question.
#[derive(Debug, Clone, Default)]
pub struct ObjectFiles {
    /// An asset, or for the category rubric also a picture.
    pub input: PathBuf,
    /// The photos that the object was rebuilt from; the reconstruction rubric shows the first.
    pub photos: Sides<PathBuf>,
    /// Folder of worked examples.
    pub examples: Option<PathBuf>,
    /// For the category rubric.
    pub category: Option<String>,
    /// The text that the input was made from.
    pub prompt: Option<String>,
}

impl ObjectFiles {
    /// Whether the input is a picture, by its name.
    pub fn is_picture(&self) -> bool {
        has_extension(&self.input, &["png", "jpg", "jpeg", "webp"])
    }

    /// The worked examples, and whether the rubric fits the input; cheap, before any loading.
    fn check(&self, rubric: &Rubric) -> Result<Vec<Example>, Error> {
        rubric.text(self.category.as_deref())?;
        let examples = match &self.examples {
            Some(folder) => rubric.examples(folder)?,
            None => Vec::new(),
        };
        let wrong = |reason: String| Err(Error::rubric(reason));
        if rubric.is_of_pairs() {
            return wrong(format!(
                "the rubric {:?} is about two objects; use a comparison instead",
                rubric.name()
            ));
        }
        if rubric.needs_photo() && self.is_picture() {
            return wrong(format!(
                "a picture has no geometry to score; give an asset, or the category rubric: {:?}",
                self.input
            ));
        }
        let shows_photo = rubric.needs_photo() || rubric.shows_photo();
        if shows_photo && self.photos.is_empty() {
            return wrong(format!(
                "the {} rubric needs the photo that the object was made from, and a mask where the photo is not transparent around it",
                rubric.name()
            ));
        }
        Ok(examples)
    }

    /// The case. `drawings` say how an asset is drawn, none for each picture of the rubric where
    /// the input is a picture; `loaded` sees the asset.
    ///
    /// # Errors
    /// A category that the rubric lacks, a rubric for two objects, a photo or mask that is missing,
    /// files that cannot be read.
    pub fn open(
        &self,
        rubric: Arc<Rubric>,
        options: &Options,
        drawings: Vec<Option<Drawing>>,
        loaded: impl FnOnce(&Loaded<scene::Asset>),
    ) -> Result<Case, Error> {
        let examples = self.check(&rubric)?;
        let (source, hash) = if self.is_picture() {
            let picture = Picture::open(&self.input)?;
            let image = Arc::new(Image::decode(&picture.bytes)?);
            let hash = picture.hash.clone();
            (Source::Picture(picture, image), hash)
        } else {
            let asset = load_asset(&self.input, options, Choices::default())?;
            loaded(&asset);
            let specimen = Arc::new(Specimen::new(asset.scene));
            (Source::Held(specimen), asset.hash)
        };
        let mut photo = None;
        if rubric.needs_photo() || rubric.shows_photo() {
            let sides = self.photos.iter();
            let sides = sides.map(|(side, image, mask)| (&**side, &**image, mask.as_deref()));
            let opened = Photo::open_sides(sides)?;
            opened.check()?;
            photo = Some(Arc::new(opened));
        }
        let path = self.input.to_string_lossy().into_owned();
        let asset = Asset { path: path.clone(), hash, method: method_name(&self.input, None) };
        let template = Template { examples, ..Template::new(rubric, drawings, options) };
        Ok(Case {
            template: Arc::new(template),
            category: self.category.clone(),
            prompt: self.prompt.clone(),
            photo,
            sides: vec![Side { asset, source }],
            what: path,
        })
    }

    /// The subject of a run about this object.
    pub fn about(&self, case: &Case) -> toml::Table {
        let file = |path: Option<&PathBuf>| path.map(|path| path.to_string_lossy().into_owned());
        let first = self.photos.first();
        let mut about = toml::Table::new();
        let Case { template, sides, .. } = case;
        about.insert("input".to_owned(), sides[0].asset.path.clone().into());
        about.insert("hash".to_owned(), sides[0].asset.hash.clone().into());
        add_rubric(&template.rubric, &mut about);
        for (key, value) in [
            ("category", self.category.clone()),
            ("prompt", self.prompt.clone()),
            ("image", file(first.map(|(_, image, _)| image))),
            ("mask", file(first.and_then(|(_, _, mask)| mask.as_ref()))),
            ("examples", file(self.examples.as_ref())),
            ("protocol", template.protocol.as_ref().map(|p| p.hash.clone())),
        ] {
            if let Some(value) = value {
                about.insert(key.to_owned(), value.into());
            }
        }
        // The content decides, too, not only the files' names.
        let hashes = |photo: &Arc<Photo>| {
            let (photo, mask) = photo.hashes();
            std::iter::once(photo).chain(mask)
        };
        let photo = case.photo.iter().flat_map(hashes);
        let examples = template.examples.iter().flat_map(|example| &example.pictures);
        let hashes: Vec<String> = photo.chain(examples.map(|p| p.hash.clone())).collect();
        if !hashes.is_empty() {
            about.insert("file_hashes".to_owned(), hashes.into());
        }
        about
    }
}
