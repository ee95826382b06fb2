//! Boards with asset figures held equal: would equal triangle counts give the same order?
//!
//! Figures come from the run's own metrics, by asset, or from a table, by method and prompt.

use super::boards::{anchor, model_of};
use super::collect::{Choice, Collected, Said, methods_of};
use super::key::Key;
use super::settings::{ControlTable, RateSettings};
use crate::error::Error;
use crate::metrics::{QualityMetric, Quantity};
use crate::rate::{Answer, Controlled, Meeting, Sampling, controlled};
use crate::scene::one_of;
use crate::store::MetricsKept;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Before a name: the logarithm of that figure.
const LOG: &str = "log:";

/// A figure that is held equal, and how it enters.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Control {
    /// As it was asked for.
    pub name: String,
    /// `ln(1 + x)` for counts and bytes, `ln(x)` for other unbounded figures, `x` otherwise.
    pub scale: &'static str,
}

/// The board of one criterion and voice with figures held equal.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionControlled {
    #[serde(flatten)]
    pub key: Key,
    /// Sorted names; every index in the board is into these.
    pub methods: Vec<String>,
    /// All that were asked for; covariates of the board are indices into these.
    pub controls: Vec<Control>,
    /// Those that are not held equal, and why.
    pub refused: Vec<(String, String)>,
    pub board: Controlled,
}

/// A board for which nothing can be held equal.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Uncontrolled {
    #[serde(flatten)]
    pub key: Key,
    pub reason: String,
}

/// A figure of every asset, on the scale of the fit.
struct Figure {
    control: Control,
    by_asset: HashMap<String, f64>,
    /// By method and name of the prompt.
    by_place: BTreeMap<(String, String), f64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Plain,
    /// Of counts, which may be 0.
    LogOfOneMore,
    Log,
}

impl Scale {
    fn of_metric(name: &str) -> Self {
        match name.parse::<QualityMetric>().map(QualityMetric::quantity) {
            Ok(Quantity::YesNo | Quantity::Share) => Self::Plain,
            Ok(Quantity::Count | Quantity::Bytes | Quantity::Volume | Quantity::Pixels) => {
                Self::LogOfOneMore
            }
            Ok(Quantity::Ratio | Quantity::Length | Quantity::PixelsPerLength) => Self::Log,
            // Distances and scores against references.
            Err(_) => Self::Plain,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "x",
            Self::LogOfOneMore => "ln(1 + x)",
            Self::Log => "ln(x)",
        }
    }

    /// None where it has no logarithm.
    fn apply(self, value: f64) -> Option<f64> {
        match self {
            Self::Plain => Some(value),
            Self::LogOfOneMore => (value > -1.0).then(|| libm::log1p(value)),
            Self::Log => (value > 0.0).then(|| libm::log(value)),
        }
    }
}

/// A board for each criterion and voice; nothing unless the settings ask for it.
///
/// # Errors
/// A figure that nobody has.
pub(super) fn controlled_boards(
    settings: &RateSettings,
    collected: &Collected,
    kept: &MetricsKept,
) -> Result<(Vec<CriterionControlled>, Vec<Uncontrolled>), Error> {
    if settings.controls.is_empty() {
        return Ok(Default::default());
    }
    let empty = ControlTable::default();
    let table = settings.control_table.as_ref().unwrap_or(&empty);
    let figures: Result<Vec<Figure>, Error> = settings
        .controls
        .iter()
        .map(|name| figure(name, table, kept, &collected.prompts_by_id))
        .collect();
    let figures = figures?;
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    for (key, choices) in &collected.games {
        match one(settings, collected, key, choices, &figures) {
            Ok(board) => done.push(board),
            Err(reason) => failed.push(Uncontrolled { key: key.clone(), reason }),
        }
    }
    Ok((done, failed))
}

fn figure(
    name: &str,
    table: &ControlTable,
    kept: &MetricsKept,
    prompts_by_id: &HashMap<String, String>,
) -> Result<Figure, Error> {
    let bare = name.strip_prefix(LOG).unwrap_or(name);
    let rows = || kept.rows.iter().filter(|row| row.metric == bare);
    let column = table.columns.get(bare);
    if column.is_none() && rows().next().is_none() {
        let columns = table.columns.keys().chain(kept.rows.iter().map(|row| &row.metric));
        let known: BTreeSet<&str> = columns.map(String::as_str).collect();
        let known = match known.len() {
            0 => String::new(),
            _ => format!(": {}", one_of(bare, known)),
        };
        return Err(Error::run(format!("the run has no figure {bare:?} to control for{known}; add [[metrics]] names = [{bare:?}] to the benchmark file and repeat `bench` (nothing is asked again), or give a table of figures")).option("control_from"));
    }
    let scale = match (column.is_some(), bare == name) {
        (false, _) if Scale::of_metric(bare) != Scale::Plain => Scale::of_metric(bare),
        (_, false) => Scale::Log,
        _ => Scale::Plain,
    };
    let (mut by_asset, mut by_place) = (HashMap::new(), BTreeMap::new());
    match column {
        Some(column) => {
            for ((method, prompt), value) in column {
                let prompt = prompts_by_id.get(prompt).unwrap_or(prompt);
                if let Some(value) = scale.apply(*value) {
                    by_place.insert((method.clone(), prompt.clone()), value);
                }
            }
        }
        None => {
            let values = rows().filter_map(|row| Some((&row.asset, scale.apply(row.value?)?)));
            by_asset.extend(values.map(|(asset, value)| (asset.clone(), value)));
        }
    }
    Ok(Figure {
        control: Control { name: name.to_owned(), scale: scale.name() },
        by_asset,
        by_place,
    })
}

fn one(
    settings: &RateSettings,
    collected: &Collected,
    key: &Key,
    choices: &[Choice],
    figures: &[Figure],
) -> Result<CriterionControlled, String> {
    let said: Vec<Said> = collected.said(choices).collect();
    let used = methods_of(said.iter().copied());
    let methods = collected.methods.of(&used);
    let anchor = anchor(settings, &methods).map_err(|e| e.to_string())?;
    let meetings = meetings(collected, said, &used, figures);
    let model = model_of(settings);
    let Sampling { replicates, seed } = settings.sampling();
    let found = controlled(&methods, &meetings, &model, anchor, replicates, seed);
    let (board, refused) = found.map_err(|e| e.to_string())?;
    let named = |(covariate, why): &(usize, crate::rate::Uncontrollable)| {
        (figures[*covariate].control.name.clone(), why.to_string())
    };
    let refused: Vec<(String, String)> = refused.iter().map(named).collect();
    let Some(board) = board else {
        let each = refused.iter().map(|(name, why)| format!("{name}: {why}"));
        return Err(each.collect::<Vec<_>>().join("; "));
    };
    Ok(CriterionControlled {
        key: key.clone(),
        methods,
        controls: figures.iter().map(|figure| figure.control.clone()).collect(),
        refused,
        board,
    })
}

/// The games of each two assets on a prompt, by all judges; methods as indices into `used`.
fn meetings(
    collected: &Collected,
    mut said: Vec<Said>,
    used: &[usize],
    figures: &[Figure],
) -> Vec<Meeting> {
    for one in &mut said {
        if one.answer.a > one.answer.b {
            one.answer = one.answer.sorted();
            one.assets.reverse();
        }
    }
    let key = |s: &Said| (s.answer.prompt, s.answer.a, s.answer.b, s.assets);
    said.sort_by_key(key);
    let figure = |figure: &Figure, (method, prompt, asset): (usize, usize, u32)| {
        let hash = &collected.assets.names[asset as usize];
        let place = || {
            let method = collected.methods.names[method].clone();
            (method, collected.prompts.names[prompt].clone())
        };
        match figure.by_asset.get(hash) {
            _ if figure.by_asset.is_empty() => figure.by_place.get(&place()).copied(),
            value => value.copied(),
        }
    };
    let of_both = |of: &[Said]| {
        let Answer { a, b, prompt, .. } = of[0].answer;
        let [x, y] = of[0].assets;
        let answers: Vec<Answer> = of.iter().map(|said| said.among(used)).collect();
        let difference = |f: &Figure| Some(figure(f, (a, prompt, x))? - figure(f, (b, prompt, y))?);
        let differences: Vec<Option<f64>> = match of[0].rater {
            // What a rule decided for want of an asset compares nothing.
            None => vec![None; figures.len()],
            Some(_) => figures.iter().map(difference).collect(),
        };
        Meeting::of(&answers, &differences)
    };
    said.chunk_by(|x, y| key(x) == key(y)).flat_map(of_both).collect()
}
