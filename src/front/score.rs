//! One asset → a score against a photo or a prompt.

use super::ask_once::ask_once;
use super::run_config::{asset_of, method_name};
use crate::ask::{AskSettings, Case, Photo, Side, Source, Template, drawings};
use crate::error::Error;
use crate::judge::{Judge, Specimen};
use crate::load::{Loaded, Options};
use crate::options::ViewOptions;
use crate::rubric::{Rubric, Verdict};
use crate::scene;
use crate::store::{Record, Store};
use std::sync::Arc;

/// What an asset is scored against.
#[derive(Debug, Clone)]
pub enum ScoreQuestion {
    /// The prompt that it was made from, by the rubric `category`: 0 to 10 for each aspect that
    /// matters in one category of prompts.
    Category { category: String, prompt: String },
    /// The photo that it was made from, by the rubric `reconstruction`: 1 to 3.
    Reconstruction(Arc<Photo>),
}

/// A judge's score of one asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Every request with its evidence, in the order of asking.
    pub records: Vec<Record>,
}

impl Scored {
    /// The score of a reconstruction, 1 to 3, or the overall score of a category, 0 to 10; `None`
    /// without a verdict, and where the judge could not decide.
    pub fn overall(&self) -> Option<f64> {
        match self.records.first()?.verdict()? {
            Verdict::Reconstruction { score } => score.map(f64::from),
            Verdict::Category { overall, .. } => Some(overall.as_ref()?.stated),
            Verdict::Pairwise { .. } => None,
        }
    }
}

/// Asks a judge how well an asset shows its prompt, or its photo. Nothing outlives the call; for
/// ready pictures, run folders, several judges and samples see [`ObjectFiles`](super::ObjectFiles)
/// and [`ask_once`].
///
/// # Errors
/// A category that the rubric lacks, a photo or mask that cannot be decoded. A server that does not
/// answer as it should is no error: the record says what happened.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use meshjudge::{Judge, Photo, ScoreQuestion};
///
/// let chair = meshjudge::load("assets/demo/chair_clean.glb")?;
/// let photo = Photo::open("assets/demo/photo.png".as_ref(), Some("assets/demo/mask.png".as_ref()))?;
/// let against_photo = ScoreQuestion::Reconstruction(photo.into());
/// let scored = meshjudge::score(&chair, &against_photo, &Judge::Probe)?;
/// assert!((1.0..=3.0).contains(&scored.overall().unwrap()));
///
/// let against_prompt = ScoreQuestion::Category {
///     category: "single_object".to_owned(),
///     prompt: "a wooden chair".to_owned(),
/// };
/// let scored = meshjudge::score(&chair, &against_prompt, &Judge::Probe)?;
/// assert_eq!(scored.records[0].rubric, "category");
/// # Ok(())
/// # }
/// ```
pub fn score<S: Clone + Into<scene::Asset>>(
    asset: &Loaded<S>,
    question: &ScoreQuestion,
    judge: &Judge,
) -> Result<Scored, Error> {
    let (rubric, category, prompt, photo) = match question {
        ScoreQuestion::Category { category, prompt } => {
            ("category", Some(category), Some(prompt), None)
        }
        ScoreQuestion::Reconstruction(photo) => ("reconstruction", None, None, Some(photo)),
    };
    let rubric = Arc::new(Rubric::open(rubric)?);
    rubric.text(category.map(String::as_str))?;
    let drawings = drawings(&rubric, &ViewOptions::default())?;
    let side = Side {
        asset: asset_of(asset, method_name(&asset.path, None)),
        source: Source::Held(Arc::new(Specimen::new(asset.scene.clone()))),
    };
    let case = Case {
        template: Arc::new(Template::new(rubric, drawings, &Options::default())),
        category: category.cloned(),
        prompt: prompt.cloned(),
        photo: photo.cloned(),
        what: side.asset.path.clone(),
        sides: vec![side],
    };
    let (judges, settings) = (std::slice::from_ref(judge), AskSettings::default());
    let answered = ask_once(Store::in_memory()?, judges, &settings, None, &case)?;
    Ok(Scored { records: answered.records })
}
