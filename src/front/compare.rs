//! Two assets and what they were made from → the case of a pair, asked and read.

use super::ask_once::ask_once;
use super::comparison::Comparison;
use super::run_config::{add_rubric, asset_of, method_names};
use crate::ask::{AskSettings, Case, Drawing, Photo, Side, Source, Template, drawings};
use crate::error::Error;
use crate::judge::{Judge, Specimen};
use crate::load::{Loaded, Options};
use crate::options::ViewOptions;
use crate::rubric::Rubric;
use crate::scene;
use crate::store::Store;
use std::sync::Arc;

/// Two loaded assets under a rubric, shown as `drawings` say; `load` are the options that they were
/// loaded with. `photo` is what both were made from; a rubric that shows none leaves it out.
///
/// # Errors
/// A rubric that shows a photo where there is none, or quotes a text where there is none; a photo
/// that cannot be decoded.
pub fn pair_case<S: Clone + Into<scene::Asset>>(
    rubric: Arc<Rubric>,
    prompt: &str,
    [a, b]: [&Loaded<S>; 2],
    photo: Option<Arc<Photo>>,
    drawings: Vec<Option<Drawing>>,
    load: &Options,
) -> Result<Case, Error> {
    let wrong = |reason: String| Err(Error::rubric(reason));
    let name = rubric.name();
    if rubric.shows_photo() && photo.is_none() {
        return wrong(format!(
            "the rubric {name:?} shows the photo that both objects were made from; give it"
        ));
    }
    if rubric.quotes_prompt() && prompt.is_empty() {
        return wrong(format!(
            "the rubric {name:?} quotes the text that both objects were made from; give it, or a photo"
        ));
    }
    let photo = photo.filter(|_| rubric.shows_photo());
    if let Some(photo) = &photo {
        photo.cut_out()?;
    }
    let side = |loaded: &Loaded<S>, method: String| Side {
        asset: asset_of(loaded, method),
        source: Source::Held(Arc::new(Specimen::new(loaded.scene.clone()))),
    };
    let [method_a, method_b] = method_names([&a.path, &b.path]);
    let sides = vec![side(a, method_a), side(b, method_b)];
    Ok(Case {
        template: Arc::new(Template::new(rubric, drawings, load)),
        category: None,
        prompt: Some(prompt.to_owned()).filter(|prompt| !prompt.is_empty()),
        photo,
        what: format!("{} against {}", sides[0].asset.path, sides[1].asset.path),
        sides,
    })
}

/// The subject of a run about a pair, including the drawing and size of its pictures.
pub fn about_pair(case: &Case, fit_px: Option<u32>) -> toml::Table {
    let mut about = toml::Table::new();
    for (name, side) in ["a", "b"].iter().zip(&case.sides) {
        let mut table = toml::Table::new();
        table.insert("path".to_owned(), side.asset.path.clone().into());
        table.insert("hash".to_owned(), side.asset.hash.clone().into());
        about.insert((*name).to_owned(), table.into());
    }
    about.insert("prompt".to_owned(), case.prompt.clone().unwrap_or_default().into());
    if let Some(photo) = &case.photo {
        let key = toml::Value::try_from(photo.key()).expect("texts are TOML");
        about.insert("photo".to_owned(), key);
    }
    add_rubric(&case.template.rubric, &mut about);
    let protocol = case.template.protocol.as_ref().map(|p| p.hash.clone());
    about.insert("protocol".to_owned(), protocol.unwrap_or_default().into());
    about.insert("fit_px".to_owned(), i64::from(fit_px.unwrap_or(0)).into());
    about
}

/// Asks a judge which of two assets is better, in both orders, on the criteria of the pairwise
/// rubric. Nothing outlives the call; for a run folder, other rubrics, several judges and samples
/// see [`pair_case`] and [`ask_once`].
///
/// # Errors
/// A picture that cannot be made. A server that does not answer as it should is no error: its
/// records say what happened.
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
) -> Result<Comparison, Error> {
    let rubric = Arc::new(Rubric::open("pairwise")?);
    let drawings = drawings(&rubric, &ViewOptions::default())?;
    let case = pair_case(rubric, prompt, [a, b], None, drawings, &Options::default())?;
    let (judges, settings) = (std::slice::from_ref(judge), AskSettings::default());
    let answered = ask_once(Store::in_memory()?, judges, &settings, None, &case)?;
    Ok(Comparison::new(&case.template.rubric, answered.records))
}
