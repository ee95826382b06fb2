//! Games of any kind → a leaderboard.

use crate::error::{OrRaise, RateError};
use crate::options::choice;
use crate::pool::SHARED;
use crate::table::{Column, Table};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_schema::DataType;
use meshjudge::rate::{Anchor, BoardSettings, Draws, Model, Winner};
use meshjudge::results::DrawRule;
use meshjudge::{NamedGame, rate as rate_games};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyMapping, PyString};

/// `half`, `both-win` or `davidson`.
pub(crate) fn draws(word: &str) -> PyResult<Draws> {
    Ok(
        match choice::<DrawRule>("rule for ties", word, "half, both-win, davidson")? {
            DrawRule::Half => Draws::Half,
            DrawRule::BothWin => Draws::BothWin,
            DrawRule::Davidson => Draws::Davidson,
        },
    )
}

/// Rates who won against whom: Bradley–Terry on the Elo scale, with 95 % intervals from a bootstrap over prompts. The games need not have
/// anything to do with meshes.
///
/// Parameters
/// ----------
/// games : table
///     A dict of columns, a :class:`Table`, a pandas or polars frame, or anything with the Arrow PyCapsule interface. A row is a game.
/// a, b : str
///     Columns with the names of the two.
/// winner : str
///     Column with 'a', 'b' or 'tie'; rows with anything else than these or a missing value are an error, missing values are left out.
/// prompt : str, optional
///     Column with what both were given; games on one prompt are a cluster of the bootstrap. Without it (None, or a table that lacks the
///     column) each game is a cluster of its own.
/// ties : {'half', 'both-win', 'davidson'}
///     How a tie counts.
/// anchor : str, optional
///     Whose rating is 1000. Default: the mean of all.
/// prior : bool
///     Whether a weak prior keeps one that only wins finite.
/// bootstraps : int
///     Replicates; 0 for no intervals. There are none with fewer than five prompts.
/// seed : int
///
/// Returns
/// -------
/// Table
///     Best first: ``method``, ``rating`` (Elo points), ``low``, ``high`` (95 %; none for a method that only won or only
///     lost), ``rank_low``, ``rank_high``, ``games``, ``ties``.
///
/// Raises
/// ------
/// RateError
///     No games, groups that never met, or a rating that is infinite without the prior.
///
/// Examples
/// --------
/// >>> import meshjudge as mj
/// >>> games = {"a": ["x", "x", "y"], "b": ["y", "z", "z"], "winner": ["a", "a", "tie"]}
/// >>> mj.rate(games)["method"]
/// ['x', 'y', 'z']
#[pyfunction]
#[pyo3(signature = (games, *, a="a", b="b", winner="winner", prompt=Some("prompt"), ties="half", anchor=None, prior=true, bootstraps=1000, seed=0), text_signature = "(games, *, a='a', b='b', winner='winner', prompt='prompt', ties='half', anchor=None, prior=True, bootstraps=1000, seed=0)")]
pub(crate) fn rate(
    py: Python<'_>,
    games: &Bound<'_, PyAny>,
    a: &str,
    b: &str,
    winner: &str,
    prompt: Option<&str>,
    ties: &str,
    anchor: Option<String>,
    prior: bool,
    bootstraps: usize,
    seed: u64,
) -> PyResult<Table> {
    let draws = draws(ties)?;
    let columns = Columns::of(games)?;
    let [a, b, winners] = [columns.texts(a)?, columns.texts(b)?, columns.texts(winner)?];
    let prompts = match prompt {
        Some(name) if name != "prompt" || columns.has(name)? => Some(columns.texts(name)?),
        _ => None,
    };
    let games = named_games(&a, &b, &winners, prompts.as_deref())?;
    let done = SHARED.run(py, move || {
        let anchor = match anchor {
            None => Anchor::Mean,
            Some(anchor) => {
                let mut names: Vec<&String> = games.iter().flat_map(|g| [&g.a, &g.b]).collect();
                names.sort_unstable();
                names.dedup();
                match names.binary_search(&&anchor) {
                    Ok(place) => Anchor::Method(place),
                    Err(_) => {
                        return Err(meshjudge::rate::RateError::UnknownAnchor {
                            anchor,
                            methods: names.into_iter().cloned().collect(),
                        });
                    }
                }
            }
        };
        let settings = BoardSettings {
            model: Model {
                draws,
                prior: match prior {
                    true => Model::default().prior,
                    false => None,
                },
                ..Model::default()
            },
            anchor,
            replicates: bootstraps,
            seed,
        };
        rate_games(&games, &settings)
    })?;
    let (methods, board) = done.or_raise()?;
    let lines = &board.lines;
    let rank = |of: fn((usize, usize)) -> usize| -> Column {
        Column::Int(
            lines
                .iter()
                .map(|line| line.ranks.map(|ranks| of(ranks) as i64))
                .collect(),
        )
    };
    Ok(Table::new(vec![
        (
            "method",
            Column::Text(
                lines
                    .iter()
                    .map(|line| Some(methods[line.method].clone()))
                    .collect(),
            ),
        ),
        (
            "rating",
            Column::Float(lines.iter().map(|line| Some(line.rating)).collect()),
        ),
        (
            "low",
            Column::Float(
                lines
                    .iter()
                    .map(|line| line.interval.map(|i| i.low))
                    .collect(),
            ),
        ),
        (
            "high",
            Column::Float(
                lines
                    .iter()
                    .map(|line| line.interval.map(|i| i.high))
                    .collect(),
            ),
        ),
        ("rank_low", rank(|ranks| ranks.0)),
        ("rank_high", rank(|ranks| ranks.1)),
        (
            "games",
            Column::Int(lines.iter().map(|line| Some(line.games as i64)).collect()),
        ),
        (
            "ties",
            Column::Int(lines.iter().map(|line| Some(line.ties as i64)).collect()),
        ),
    ]))
}

type Texts = Vec<Option<String>>;

fn named_games(
    a: &Texts,
    b: &Texts,
    winners: &Texts,
    prompts: Option<&[Option<String>]>,
) -> PyResult<Vec<NamedGame>> {
    if a.len() != b.len() || a.len() != winners.len() || prompts.is_some_and(|p| p.len() != a.len())
    {
        return Err(RateError::new_err(
            "the columns of the games differ in length",
        ));
    }
    let mut games = Vec::new();
    for row in 0..a.len() {
        let (Some(a), Some(b), Some(said)) = (&a[row], &b[row], &winners[row]) else {
            continue;
        };
        let winner = match said.as_str() {
            "a" => Winner::A,
            "b" => Winner::B,
            "tie" => Winner::Tie,
            _ => {
                return Err(RateError::new_err(format!(
                    "row {row} names {said:?} as the winner; give 'a', 'b' or 'tie'"
                )));
            }
        };
        let prompt = match prompts {
            Some(prompts) => prompts[row].clone().unwrap_or_default(),
            None => row.to_string(),
        };
        games.push(NamedGame {
            a: a.clone(),
            b: b.clone(),
            prompt,
            winner,
        });
    }
    Ok(games)
}

/// A table of the caller's, column by column.
enum Columns<'py> {
    /// By `table[name]`.
    Items(Bound<'py, PyAny>),
    Arrow(Vec<RecordBatch>),
}

impl<'py> Columns<'py> {
    fn of(table: &Bound<'py, PyAny>) -> PyResult<Self> {
        if is_by_name(table)? {
            return Ok(Self::Items(table.clone()));
        }
        if !table.hasattr("__arrow_c_stream__")? {
            return Err(RateError::new_err(
                "games are a dict of columns, a frame, or a table with the Arrow PyCapsule interface",
            ));
        }
        let capsule = table.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: a capsule of that name holds such a stream, which is taken over once, as the interface says.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
        let failed = |e: arrow_schema::ArrowError| RateError::new_err(format!("Arrow: {e}"));
        let reader = RecordBatchStreamReader::try_new(stream).map_err(failed)?;
        let batches = reader.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        Ok(Self::Arrow(batches))
    }

    fn has(&self, name: &str) -> PyResult<bool> {
        match self {
            Self::Items(table) => match table.getattr("columns") {
                Ok(columns) => columns.contains(name),
                Err(_) => table.contains(name),
            },
            Self::Arrow(batches) => Ok(batches
                .first()
                .is_some_and(|batch| batch.column_by_name(name).is_some())),
        }
    }

    /// Every cell as text; what is missing as none.
    fn texts(&self, name: &str) -> PyResult<Texts> {
        let lacks = || {
            RateError::new_err(format!(
                "the games have no column {name:?}; say which it is: mj.rate(games, a=…, b=…, winner=…, prompt=…)"
            ))
        };
        match self {
            Self::Items(table) => {
                if !self.has(name)? {
                    return Err(lacks());
                }
                (table.get_item(name)?.try_iter()?)
                    .map(|cell| {
                        let cell = cell?;
                        // What pandas has for a missing value: NaN is not itself, and NA does not say whether it is.
                        let is_missing = cell.is_none() || !cell.eq(&cell).unwrap_or(false);
                        (!is_missing).then(|| cell.str()?.extract()).transpose()
                    })
                    .collect()
            }
            Self::Arrow(batches) => {
                let mut texts = Vec::new();
                for batch in batches {
                    let column = batch.column_by_name(name).ok_or_else(lacks)?;
                    texts.extend(texts_of(column.as_ref())?);
                }
                Ok(texts)
            }
        }
    }
}

/// Whether `table[name]` is a column: of a dict, a frame of pandas or polars, a table of ours. A table of pyarrow has columns without names,
/// and a relation of DuckDB gives relations.
fn is_by_name(table: &Bound<'_, PyAny>) -> PyResult<bool> {
    if table.cast::<PyMapping>().is_ok() {
        return Ok(true);
    }
    if !table.hasattr("__getitem__")? || table.hasattr("fetch_arrow_table")? {
        return Ok(false);
    }
    let Ok(columns) = table.getattr("columns") else {
        return Ok(false);
    };
    let mut names = columns.try_iter()?;
    names.try_fold(
        true,
        |is, name| Ok(is && name?.is_instance_of::<PyString>()),
    )
}

fn texts_of(column: &dyn Array) -> PyResult<Texts> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().map(owned).collect(),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().map(owned).collect(),
        DataType::Utf8View => column.as_string_view().iter().map(owned).collect(),
        // As categories are kept.
        DataType::Dictionary(..) => {
            let column = column.as_any_dictionary();
            let values = texts_of(column.values().as_ref())?;
            if values.is_empty() {
                return Ok(vec![None; column.len()]);
            }
            let keys = column.normalized_keys().into_iter().enumerate();
            keys.map(|(row, key)| {
                values
                    .get(key)
                    .filter(|_| column.is_valid(row))
                    .cloned()
                    .flatten()
            })
            .collect()
        }
        _ => arrow_array::downcast_integer_array!(
            column => column.iter().map(|value| value.map(|value| value.to_string())).collect(),
            other => return Err(RateError::new_err(format!(
                "a column of {other} is not read; cast it to text"
            ))),
        ),
    })
}
