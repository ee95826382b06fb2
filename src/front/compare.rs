//! Two assets and a text prompt → both orders of a pair, asked and read.

use super::ask_once::{ask_once, open_store};
use super::comparison::Comparison;
use super::error::FrontError;
use super::run_config::{add_rubric, asset_of, method_names};
use crate::ask::{
    AskSettings, Drawing, Photo, Planner, QuestionError, QuestionTemplate, Shown, ViewOptions,
    Work, draw_all, drawings, protocol_of,
};
use crate::judge::{Asset, Judge, Specimen};
use crate::load::{Loaded, Options};
use crate::render::{Frame, ProtocolRecord};
use crate::rubric::Rubric;
use crate::scene;
use std::sync::Arc;

/// Two assets, and how they are shown and asked about.
#[derive(Debug, Clone)]
pub struct PairQuestion {
    pub rubric: Arc<Rubric>,
    /// The text that both were made from; empty where there is none.
    pub prompt: String,
    /// The photo that both were made from, for a rubric that shows it.
    pub photo: Option<Arc<Photo>>,
    /// As records name them, listed first as `[0]`.
    pub assets: [Asset; 2],
    pub specimens: [Arc<Specimen>; 2],
    /// For each picture of the rubric, how it is drawn.
    pub drawings: Vec<Option<Drawing>>,
    /// The record of that.
    pub protocol: Option<Arc<ProtocolRecord>>,
}

impl PairQuestion {
    /// The subject of a run about this pair, including the drawing and size of its pictures.
    pub fn about(&self, fit_px: Option<u32>) -> toml::Table {
        let mut about = toml::Table::new();
        for (side, asset) in ["a", "b"].iter().zip(&self.assets) {
            let mut table = toml::Table::new();
            table.insert("path".to_owned(), asset.path.clone().into());
            table.insert("hash".to_owned(), asset.hash.clone().into());
            about.insert((*side).to_owned(), table.into());
        }
        about.insert("prompt".to_owned(), self.prompt.clone().into());
        if let Some(photo) = &self.photo {
            let key = toml::Value::try_from(photo.key()).expect("texts are TOML");
            about.insert("photo".to_owned(), key);
        }
        add_rubric(&self.rubric, &mut about);
        let protocol = self.protocol.as_ref().map(|p| p.hash.clone());
        about.insert("protocol".to_owned(), protocol.unwrap_or_default().into());
        about.insert("fit_px".to_owned(), i64::from(fit_px.unwrap_or(0)).into());
        about
    }

    /// Two loaded assets under a rubric, shown as `drawings` say; `load` are the options that they were loaded with.
    pub fn new<S: Clone + Into<scene::Asset>>(
        rubric: Arc<Rubric>,
        prompt: &str,
        [a, b]: [&Loaded<S>; 2],
        drawings: Vec<Option<Drawing>>,
        load: &Options,
    ) -> Self {
        let [method_a, method_b] = method_names([&a.path, &b.path]);
        Self {
            prompt: prompt.to_owned(),
            photo: None,
            assets: [asset_of(a, method_a), asset_of(b, method_b)],
            specimens: [a, b].map(|loaded| Arc::new(Specimen::new(loaded.scene.clone()))),
            protocol: protocol_of(&drawings, load),
            drawings,
            rubric,
        }
    }

    /// The same for objects that were made from a photo.
    ///
    /// # Errors
    /// A rubric that shows a photo where there is none, or quotes a text where there is none; a photo that cannot be decoded.
    pub fn with_photo(self, photo: Option<Photo>) -> Result<Self, FrontError> {
        let wrong = |reason: String| Err(FrontError::Input { reason });
        let name = self.rubric.name();
        if self.rubric.shows_photo() && photo.is_none() {
            return wrong(format!(
                "the rubric {name:?} shows the photo that both objects were made from; give it"
            ));
        }
        if self.rubric.quotes_prompt() && self.prompt.is_empty() {
            return wrong(format!(
                "the rubric {name:?} quotes the text that both objects were made from; give it, or a photo"
            ));
        }
        let photo = photo.filter(|_| self.rubric.shows_photo()).map(Arc::new);
        if let Some(photo) = &photo {
            photo.cut_out()?;
        }
        Ok(Self { photo, ..self })
    }

    /// Work for what `planner`'s judges have not answered yet. `drawn` is called with the frames of each asset (0 or 1) that had to be drawn.
    ///
    /// # Errors
    /// [`QuestionError`].
    pub fn work(
        &self,
        planner: &Planner<'_>,
        drawn: impl Fn(usize, &[Arc<Vec<Frame>>]),
    ) -> Result<Vec<Work>, QuestionError> {
        let template = QuestionTemplate {
            rubric: &self.rubric,
            category: None,
            prompt: Some(self.prompt.as_str()).filter(|prompt| !prompt.is_empty()),
            photo: self.photo.as_deref(),
            drawings: &self.drawings,
            protocol: self.protocol.clone(),
            what: format!("{} against {}", self.assets[0].path, self.assets[1].path),
        };
        let [a, b] = &self.assets;
        planner.pair(&template, [a, b], || {
            let show = |i: usize| -> Result<Shown, QuestionError> {
                let frames = draw_all(self.specimens[i].asset(), &self.drawings);
                let frames = frames.map_err(|e| QuestionError::Asset { reason: e.to_string() })?;
                drawn(i, &frames);
                Ok(Shown {
                    asset: self.assets[i].clone(),
                    specimen: Some(Arc::clone(&self.specimens[i])),
                    frames,
                })
            };
            Ok([show(0)?, show(1)?])
        })
    }
}

/// Asks a judge which of two assets is better, in both orders, on the criteria of the pairwise rubric. Nothing outlives the call; for a
/// run folder, other rubrics, several judges and samples see [`PairQuestion`] and [`ask_once`].
///
/// # Errors
/// A picture that cannot be made. A server that does not answer as it should is no error: its records say what happened.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use meshjudge::{Judge, Winner};
///
/// let clean = meshjudge::load("assets/demo/chair_clean.glb")?;
/// let damaged = meshjudge::load("assets/demo/chair_damaged.glb")?;
/// let comparison = meshjudge::compare(&clean, &damaged, "a wooden chair", &Judge::Probe)?;
///
/// assert_eq!(comparison.winner("overall"), Some(Winner::A));
/// # Ok(())
/// # }
/// ```
pub fn compare<S: Clone + Into<scene::Asset>>(
    a: &Loaded<S>,
    b: &Loaded<S>,
    prompt: &str,
    judge: &Judge,
) -> Result<Comparison, FrontError> {
    let rubric = Arc::new(Rubric::open("pairwise")?);
    let drawings = drawings(&rubric, &ViewOptions::default())?;
    let question = PairQuestion::new(rubric, prompt, [a, b], drawings, &Options::default());
    let (_, _, records) = ask_once::<FrontError>(
        open_store(None)?,
        std::slice::from_ref(judge),
        &AskSettings::default(),
        None,
        |planner| Ok(question.work(planner, |_, _| ())?),
        |_| (),
    )?;
    Ok(Comparison::new(&question.rubric, records))
}
