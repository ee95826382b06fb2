//! Two assets and a text prompt → both orders of a pair, asked and read.

use super::ask_once::{ask_once, open_store};
use super::comparison::Comparison;
use super::error::FrontError;
use super::run_config::{asset_of, method_names};
use crate::ask::{
    AskSettings, Drawing, Planner, QuestionError, QuestionTemplate, Shown, ViewOptions, Work,
    draw_all, drawings, protocol_of,
};
use crate::judge::{Asset, Judge, Specimen};
use crate::load::{Loaded, Options};
use crate::render::{Frame, ProtocolRecord};
use crate::rubric::Rubric;
use std::sync::Arc;

/// Two assets, and how they are shown and asked about.
#[derive(Debug, Clone)]
pub struct PairQuestion {
    /// A pairwise rubric.
    pub rubric: Arc<Rubric>,
    /// The text that both were made from.
    pub prompt: String,
    /// As records name them, listed first as `[0]`.
    pub assets: [Asset; 2],
    /// The assets themselves.
    pub specimens: [Arc<Specimen>; 2],
    /// For each picture of the rubric, how it is drawn.
    pub drawings: Vec<Option<Drawing>>,
    /// The record of that.
    pub protocol: Option<Arc<ProtocolRecord>>,
}

impl PairQuestion {
    /// What `planner`'s judges have not answered yet. `drawn` sees the frames of each asset (0 or 1) that had to be drawn.
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
            prompt: Some(&self.prompt),
            drawings: &self.drawings,
            protocol: self.protocol.clone(),
            what: format!("{} against {}", self.assets[0].path, self.assets[1].path),
        };
        let [a, b] = &self.assets;
        planner.pair(&template, [a, b], || {
            let show = |i: usize| -> Result<Shown, QuestionError> {
                let frames = draw_all(self.specimens[i].scene(), &self.drawings);
                let frames = frames.map_err(|e| QuestionError::Asset {
                    reason: e.to_string(),
                })?;
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
/// A rubric's picture that cannot be made, a server that does not answer as it should is no error: its records say what happened.
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
pub fn compare(
    a: &Loaded,
    b: &Loaded,
    prompt: &str,
    judge: &Judge,
) -> Result<Comparison, FrontError> {
    let rubric = Arc::new(Rubric::open("pairwise")?);
    let drawings = drawings(&rubric, &ViewOptions::default())?;
    let [method_a, method_b] = method_names([&a.path, &b.path]);
    let question = PairQuestion {
        prompt: prompt.to_owned(),
        assets: [asset_of(a, method_a), asset_of(b, method_b)],
        specimens: [a, b].map(|loaded| Arc::new(Specimen::new(Arc::clone(&loaded.scene)))),
        protocol: protocol_of(&drawings, &Options::default()),
        drawings,
        rubric,
    };
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
