//! How assets are drawn: options → cameras and settings, for each picture of a rubric → frames.

use crate::error::Error;
use crate::load::Options;
use crate::options::{LoadOptions, ViewOptions};
use crate::render::{
    Background, BackgroundError, Channel, Environment, Frame, Light, Protocol, ProtocolRecord,
    RenderError, Settings, draw,
};
use crate::rig::{ConventionError, Rig, ring_views};
use crate::rubric::{Content, PictureSpec, Rubric};
use crate::scene::{AssetRef, ViewScale};
use crate::sheet::{SheetError, layout, select_views};
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// How an asset is drawn, every choice made.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    pub rig: Rig,
    pub settings: Settings,
}

/// Light and background: the caller's, else the rig's protocol's, else ours.
struct Seen {
    background: Background,
    light: Light,
    environment: Option<Environment>,
}

impl Seen {
    /// `origin` is the rig's name or file; its panorama is next to it. `environment` is the
    /// caller's.
    fn of(
        options: &ViewOptions,
        environment: Option<&Environment>,
        rig: &Rig,
        origin: &str,
    ) -> Result<Self, Error> {
        let of_protocol = |reason: &dyn Display| Error::render(reason).at(&rig.name);
        let background = match (options.background, &rig.conventions.background) {
            (Some(background), _) => background,
            (None, Some(text)) => text.parse().map_err(|e: BackgroundError| of_protocol(&e))?,
            (None, None) => Background::default(),
        };
        let light = match (options.light, &rig.conventions.light) {
            (Some(light), _) => light,
            (None, Some(text)) => serde_json::from_value(text.as_str().into()).map_err(|_| {
                of_protocol(&format!("{text:?} is not a light; use studio or unlit"))
            })?,
            (None, None) => Light::default(),
        };
        let environment = match (environment, &rig.conventions.environment) {
            (Some(environment), _) => Some(environment.clone()),
            (None, Some(file)) if light != Light::Unlit => {
                let beside = Path::new(origin).parent().unwrap_or(Path::new(""));
                Some(Environment::open(&beside.join(file))?)
            }
            (None, _) => None,
        };
        let light = match (&environment, options.light) {
            (Some(_), Some(Light::Unlit)) => {
                return Err(Error::render(
                    "an unlit picture shows no environment; leave one of the two out",
                ));
            }
            (Some(_), _) => Light::Studio,
            (None, _) => light,
        };
        Ok(Self { background, light, environment })
    }
}

impl Drawing {
    /// The drawing for a picture of a rubric; none for one that is not drawn from an asset.
    fn for_picture(
        options: &ViewOptions,
        environment: Option<&Environment>,
        spec: &PictureSpec,
    ) -> Result<Option<Self>, Error> {
        let views = spec.views.map(|n| n as usize);
        match spec.content {
            Content::PairSheet
            | Content::PairBelowPhoto
            | Content::Left
            | Content::Right
            | Content::Picture => {
                let options =
                    ViewOptions { columns: options.columns.or(spec.columns), ..options.clone() };
                let drawing = Self::lit(&options, environment, "ring", views, &spec.channels)?;
                drawing.check_sheet(spec)?;
                Ok(Some(drawing))
            }
            // Its four cameras are what the picture is.
            Content::FourView => {
                let options = ViewOptions {
                    rig: None,
                    cameras: None,
                    views: None,
                    elevation_degrees: None,
                    ..options.clone()
                };
                Self::lit(&options, environment, "four-view", None, &[Channel::Rgb]).map(Some)
            }
            Content::Photo | Content::Highlighted | Content::ZoomHighlighted | Content::Zoom => {
                Ok(None)
            }
        }
    }

    /// Resolves options; those left open take the defaults given here.
    ///
    /// # Errors
    /// [`Error`].
    pub fn new(
        options: &ViewOptions,
        default_rig: &str,
        default_views: Option<usize>,
        channels: &[Channel],
    ) -> Result<Self, Error> {
        let environment = environment_of(options)?;
        Self::lit(options, environment.as_ref(), default_rig, default_views, channels)
    }

    fn lit(
        options: &ViewOptions,
        environment: Option<&Environment>,
        default_rig: &str,
        default_views: Option<usize>,
        channels: &[Channel],
    ) -> Result<Self, Error> {
        let name = options.rig.as_deref().unwrap_or(default_rig);
        let mut rig = Rig::named_or_file(name)?;
        let mut views = options.views.or(default_views);
        if let Some(path) = &options.cameras {
            let named = options.camera_convention.as_deref().map(str::parse).transpose();
            let named = named.map_err(|e: ConventionError| Error::render(e))?;
            let base = options.rig.is_some().then_some(&rig);
            (rig, _) = Rig::from_cameras(path, named.unwrap_or_default(), base)?;
            views = options.views;
        }
        if options.elevation_degrees.is_some_and(|it| !(-90.0..=90.0).contains(&it)) {
            return Err(
                Error::render("the elevation must be from -90 to 90 degrees").option("elevation")
            );
        }
        if name == "ring" && options.cameras.is_none() {
            let count = views.unwrap_or(rig.views.len());
            if !(1..=Rig::VIEWS_MAX).contains(&count) {
                return Err(Error::render(format!(
                    "{count} views are out of range; give 1 to {}",
                    Rig::VIEWS_MAX
                )));
            }
            let elevation = options.elevation_degrees.unwrap_or(rig.views[0].elevation_degrees);
            rig = rig.replacing_views(ring_views(count, elevation, false));
        } else {
            if options.elevation_degrees.is_some() {
                let rig = name.to_owned();
                return Err(Error::render(format!(
                    "an elevation belongs to the ring rig; the views of {rig:?} are fixed"
                )));
            }
            if let Some(count) = views {
                let chosen = select_views(rig.views.len(), count).map_err(Error::render)?;
                rig = rig.with_views(&chosen);
            }
        }
        // Those of a rig are for all of its views.
        let fills = |columns: &u32| rig.views.len().is_multiple_of((*columns).max(1) as usize);
        rig.columns = options.columns.or(rig.columns.filter(fills));
        let tile_px = options.tile_px.unwrap_or(rig.tile_px);
        let seen = Seen::of(options, environment, &rig, name)?;
        Ok(Self {
            settings: Settings {
                width_px: tile_px,
                height_px: rig.height_px(tile_px),
                channels: channels.to_vec(),
                background: seen.background,
                normal_space: options.normal_space.unwrap_or_default(),
                light: seen.light,
                environment: seen.environment,
                renderer: options.renderer.clone(),
            },
            rig,
        })
    }

    /// Whether a picture of a rubric can be composed of its views, before anything is drawn.
    fn check_sheet(&self, spec: &PictureSpec) -> Result<(), Error> {
        let wrong = |reason: &dyn Display| {
            Error::render(reason).within(format!("the picture {:?} cannot be made", spec.id))
        };
        let count = self.rig.views.len();
        let Some(only) = spec.only else {
            layout(count, self.rig.columns).map_err(|e| wrong(&e))?;
            if self.settings.width_px != self.settings.height_px {
                return Err(wrong(&"a sheet needs square views; choose another rig"));
            }
            return if spec.channels.is_empty() {
                Err(wrong(&SheetError::NoChannel))
            } else {
                Ok(())
            };
        };
        if only.view as usize >= count {
            let needed = u64::from(only.view) + 1;
            return Err(wrong(&format!(
                "it shows view {needed}, but only {count} {} drawn; choose at least {needed} views",
                if count == 1 { "is" } else { "are" }
            )));
        }
        if spec.channels.contains(&only.channel) {
            Ok(())
        } else {
            Err(wrong(&"it shows a channel that it does not draw"))
        }
    }

    /// Other set-ups of the rig's protocol, by name; light and background in `options` apply too.
    ///
    /// # Errors
    /// Lights, backgrounds and panoramas that are none.
    pub fn setups(&self, options: &ViewOptions) -> Result<Vec<(String, Self)>, Error> {
        let origin = options.rig.as_deref().unwrap_or_default();
        let environment = environment_of(options)?;
        let drawing = |(name, rig): (String, Rig)| {
            let seen = Seen::of(options, environment.as_ref(), &rig, origin)?;
            let settings = Settings {
                background: seen.background,
                light: seen.light,
                environment: seen.environment,
                ..self.settings.clone()
            };
            Ok((name, Self { rig, settings }))
        };
        self.rig.setups().into_iter().map(drawing).collect()
    }

    /// How large its pictures show an asset, and so how much of large textures has to be kept.
    /// `None` where that is unknown.
    pub fn view_scale(&self) -> Option<ViewScale> {
        self.rig.view_scale(self.settings.height_px)
    }

    /// The record that is stored with every picture and verdict.
    pub fn protocol(&self, load: &Options) -> Protocol {
        Protocol::new(&self.rig, &self.settings, load)
    }
}

/// How each picture of a rubric is drawn; none for one that is not drawn from an asset.
///
/// # Errors
/// As [`Drawing::new`].
pub fn drawings(rubric: &Rubric, options: &ViewOptions) -> Result<Vec<Option<Drawing>>, Error> {
    let environment = environment_of(options)?;
    let pictures = rubric.pictures().iter();
    pictures.map(|spec| Drawing::for_picture(options, environment.as_ref(), spec)).collect()
}

/// The light of the options, which takes time to read.
fn environment_of(options: &ViewOptions) -> Result<Option<Environment>, Error> {
    Ok(options.environment.as_deref().map(Environment::open).transpose()?)
}

/// The loader's settings: axes of the caller, else those of the files that a rig's protocol
/// expects. An asset is read once for all pictures, so the first drawing that has such axes
/// decides.
pub fn load_options<'a>(
    drawings: impl IntoIterator<Item = &'a Drawing>,
    given: &LoadOptions,
) -> Options {
    let mut axes = drawings.into_iter().filter_map(|drawing| drawing.rig.conventions.file_axes);
    match axes.next() {
        Some([up, front]) if !given.names_axes() => Options { up, front, ..given.settings() },
        _ => given.settings(),
    }
}

/// The loader's options in the record of a protocol: the reverse of [`Drawing::protocol`]. `None`
/// for a record that is not ours, such as that of ready pictures.
pub fn recorded_options(protocol: &str) -> Option<Options> {
    let recorded: LoadOptions = serde_json::from_str(protocol).ok()?;
    let is_ours = recorded.normals.is_some() && recorded.up.is_some() && recorded.front.is_some();
    is_ours.then(|| recorded.settings())
}

/// The record of how a rubric's pictures are drawn and how its answers are read: of its first drawn
/// picture, which for our rubrics is the only one.
pub fn protocol_of(
    rubric: &Rubric,
    drawings: &[Option<Drawing>],
    load: &Options,
) -> Arc<ProtocolRecord> {
    let drawn = drawings.iter().flatten().next().map(|drawing| drawing.protocol(load));
    let pictures = drawn.map_or_else(|| json!({}), |drawn| json!(drawn));
    with_answers(rubric, pictures)
}

/// The record of pictures, an object, with that of how answers are read.
pub fn with_answers(rubric: &Rubric, mut pictures: Value) -> Arc<ProtocolRecord> {
    pictures["answers"] = rubric.reading();
    Arc::new(ProtocolRecord::new(pictures.to_string()))
}

/// Frames of each drawing, in order; equal drawings share theirs, undrawn pictures have none.
///
/// # Errors
/// [`RenderError`].
pub fn draw_all<'a>(
    asset: impl Into<AssetRef<'a>>,
    drawings: &[Option<Drawing>],
) -> Result<Vec<Arc<Vec<Frame>>>, RenderError> {
    let asset = asset.into();
    let mut all: Vec<Arc<Vec<Frame>>> = Vec::with_capacity(drawings.len());
    for (i, drawing) in drawings.iter().enumerate() {
        let same = drawings[..i].iter().position(|before| before == drawing);
        all.push(match (same, drawing) {
            (Some(same), _) => Arc::clone(&all[same]),
            (None, Some(drawing)) => Arc::new(draw(asset, &drawing.rig, &drawing.settings)?),
            (None, None) => Arc::default(),
        });
    }
    Ok(all)
}

/// The distinct frames of [`draw_all`], each once.
pub fn distinct(frames: &[Arc<Vec<Frame>>]) -> impl Iterator<Item = &Frame> {
    frames
        .iter()
        .enumerate()
        .filter(|(i, frames_of_one)| {
            !frames[..*i].iter().any(|before| Arc::ptr_eq(before, frames_of_one))
        })
        .flat_map(|(_, frames_of_one)| frames_of_one.iter())
}
