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
use crate::rubric::{Example, Rubric};
use crate::store::Record;
use std::sync::Arc;

/// What is scored.
#[derive(Debug, Clone)]
pub enum Input {
    /// Drawn as the question says.
    Asset(Arc<Specimen>),
    /// Shown as it is.
    Picture {
        /// As it is sent.
        picture: Picture,
        /// Decoded, for judges that measure.
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
    /// Worked examples.
    pub examples: Vec<Example>,
    /// As records name it.
    pub asset: Asset,
    /// The object itself.
    pub input: Input,
    /// For each picture of the rubric, how it is drawn.
    pub drawings: Vec<Option<Drawing>>,
    /// The record of that.
    pub protocol: Option<Arc<ProtocolRecord>>,
}

impl ObjectQuestion {
    /// What `planner`'s judges have not answered yet. `drawn` sees the asset's frames if it had to be drawn.
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
            let mut shown = Shown {
                asset: self.asset.clone(),
                specimen: None,
                frames: Vec::new(),
            };
            if let Input::Asset(specimen) = &self.input {
                let frames = draw_all(specimen.scene(), &self.drawings);
                shown.frames = frames.map_err(|e| QuestionError::Asset {
                    reason: e.to_string(),
                })?;
                drawn(&shown.frames);
                shown.specimen = Some(Arc::clone(specimen));
            }
            Ok(shown)
        })
    }
}

/// What a judge said of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Every request with its evidence, in the order of asking.
    pub records: Vec<Record>,
}

/// Asks a judge how well an asset shows what its prompt says, on the aspects of one category of the category rubric. Nothing outlives the
/// call; for photos, pictures, run folders, several judges and samples see [`ObjectQuestion`] and [`ask_once`].
///
/// # Errors
/// A category that the rubric lacks. A server that does not answer as it should is no error: the record says what happened.
pub fn score(
    asset: &Loaded,
    category: &str,
    prompt: &str,
    judge: &Judge,
) -> Result<Scored, FrontError> {
    let rubric = Arc::new(Rubric::open("category")?);
    rubric.text(Some(category))?;
    let drawings = drawings(&rubric, &ViewOptions::default())?;
    let question = ObjectQuestion {
        category: Some(category.to_owned()),
        prompt: Some(prompt.to_owned()),
        photo: None,
        examples: Vec::new(),
        asset: asset_of(asset, method_name(&asset.path, None)),
        input: Input::Asset(Arc::new(Specimen::new(Arc::clone(&asset.scene)))),
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
