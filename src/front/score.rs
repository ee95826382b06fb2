//! One asset or picture → a score against a photo or a prompt.

use super::ask_once::{ask_once, open_store};
use super::error::FrontError;
use super::run_config::{asset_of, method_name};
use crate::ask::{
    AskSettings, Drawing, FittedExamples, Photo, Planner, QuestionError, QuestionTemplate, Shown,
    Subject, ViewOptions, Work, draw_all, drawings, protocol_of,
};
use crate::judge::{Asset, Judge, Picture, Specimen};
use crate::load::{Loaded, Options};
use crate::render::{Frame, Image, ProtocolRecord};
use crate::rubric::{Example, Rubric, Verdict};
use crate::scene;
use crate::store::Record;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub enum Input {
    /// Drawn as the question's `drawings` say.
    Asset(Arc<Specimen>),
    /// A ready picture, shown as it is.
    Picture {
        picture: Picture,
        /// Decoded, for the probe.
        image: Arc<Image>,
    },
}

/// One asset or picture, and how it is shown and asked about.
#[derive(Debug, Clone)]
pub struct ObjectQuestion {
    /// A reconstruction or category rubric.
    pub rubric: Arc<Rubric>,
    /// For the category rubric.
    pub category: Option<String>,
    /// The text that the object was made from.
    pub prompt: Option<String>,
    /// For the reconstruction rubric.
    pub photo: Option<Arc<Photo>>,
    pub examples: Vec<Example>,
    /// As records name it.
    pub asset: Asset,
    pub input: Input,
    /// For each picture of the rubric, how it is drawn.
    pub drawings: Vec<Option<Drawing>>,
    /// The record of that.
    pub protocol: Option<Arc<ProtocolRecord>>,
}

impl ObjectQuestion {
    /// Work for what `planner`'s judges have not answered yet. `drawn` is called with the asset's frames if it had to be drawn.
    ///
    /// # Errors
    /// [`QuestionError`].
    pub fn work(
        &self,
        planner: &Planner<'_>,
        drawn: impl Fn(&[Arc<Vec<Frame>>]),
    ) -> Result<Vec<Work>, QuestionError> {
        let template = QuestionTemplate {
            rubric: &self.rubric,
            category: self.category.as_deref(),
            prompt: self.prompt.as_deref(),
            photo: None,
            drawings: &self.drawings,
            protocol: self.protocol.clone(),
            what: self.asset.path.clone(),
        };
        let subject = match (&self.photo, &self.input) {
            (Some(photo), _) => Subject::Reconstruction(photo),
            (None, Input::Picture { picture, image }) => Subject::GivenPicture(picture, image),
            (None, Input::Asset(_)) => Subject::Category,
        };
        let examples: FittedExamples = planner.fit_examples(&self.examples)?;
        planner.single(&template, &examples, &self.asset, subject, || {
            let mut shown = Shown { asset: self.asset.clone(), specimen: None, frames: Vec::new() };
            if let Input::Asset(specimen) = &self.input {
                let frames = draw_all(specimen.asset(), &self.drawings);
                shown.frames =
                    frames.map_err(|e| QuestionError::Asset { reason: e.to_string() })?;
                drawn(&shown.frames);
                shown.specimen = Some(Arc::clone(specimen));
            }
            Ok(shown)
        })
    }
}

/// What an asset is scored against.
#[derive(Debug, Clone)]
pub enum ScoreQuestion {
    /// The prompt that it was made from, by the rubric `category`: 0 to 10 for each aspect that matters in one category of prompts.
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
    /// The score of a reconstruction, 1 to 3, or the overall score of a category, 0 to 10; `None` without a verdict, and where the judge
    /// could not decide.
    pub fn overall(&self) -> Option<f64> {
        match self.records.first()?.verdict()? {
            Verdict::Reconstruction { score } => score.map(f64::from),
            Verdict::Category { overall, .. } => Some(overall.as_ref()?.stated),
            Verdict::Pairwise { .. } => None,
        }
    }
}

/// Asks a judge how well an asset shows its prompt, or its photo. Nothing outlives the call; for ready pictures, run folders, several
/// judges and samples see [`ObjectQuestion`] and [`ask_once`].
///
/// # Errors
/// A category that the rubric lacks, a photo or mask that cannot be decoded. A server that does not answer as it should is no error: the
/// record says what happened.
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
) -> Result<Scored, FrontError> {
    let (rubric, category, prompt, photo) = match question {
        ScoreQuestion::Category { category, prompt } => {
            ("category", Some(category), Some(prompt), None)
        }
        ScoreQuestion::Reconstruction(photo) => ("reconstruction", None, None, Some(photo)),
    };
    let rubric = Arc::new(Rubric::open(rubric)?);
    rubric.text(category.map(String::as_str))?;
    let drawings = drawings(&rubric, &ViewOptions::default())?;
    let question = ObjectQuestion {
        category: category.cloned(),
        prompt: prompt.cloned(),
        photo: photo.cloned(),
        examples: Vec::new(),
        asset: asset_of(asset, method_name(&asset.path, None)),
        input: Input::Asset(Arc::new(Specimen::new(asset.scene.clone()))),
        protocol: protocol_of(&drawings, &Options::default()),
        drawings,
        rubric,
    };
    let (_, _, records) = ask_once::<FrontError>(
        open_store(None)?,
        std::slice::from_ref(judge),
        &AskSettings::default(),
        None,
        |planner| Ok(question.work(planner, |_| ())?),
        |_| (),
    )?;
    Ok(Scored { records })
}
