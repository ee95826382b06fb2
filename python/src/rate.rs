//! Games of any kind → a leaderboard.

use crate::error::{OrRaise, RateError};
use crate::options::{choice, names};
use crate::pool::SHARED;
use crate::table::{Column, Table};
use meshjudge::unstable::front::{
    GameRows, JudgedGame, NamedGame, anchor_named, rate_answers, rate_controlled, rate_people,
};
use meshjudge::unstable::options::Ties;
use meshjudge::unstable::rate::{
    Board, BoardSettings, Controlled, Draws, ELO_PER_NAT, Interval, Model,
};
use meshjudge::unstable::report::board_notes;
use meshjudge::unstable::results::{AnchoredIn, CriterionBoard, Key, On, Voice};
use meshjudge::unstable::store::Rater;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// As `anchor`: anchored ratings, from people's votes and judges' boards; as a judge's name: a
/// person without a name.
const PEOPLE: &str = "people";
/// Before a control's name: its logarithm.
const LOG: &str = "log:";

/// `half`, `both-win` or `davidson`.
pub(crate) fn draws(word: &str) -> PyResult<Draws> {
    choice::<Ties>("rule for ties", word).map(Draws::from)
}

#[doc = doc!("rate")]
#[pyfunction]
#[pyo3(signature = (games, *, a="a", b="b", winner="winner", prompt=Some("prompt"), ties="half", anchor=None, judge=Some("judge"), order="order", control=None, prior=true, bootstraps=1000, seed=0), text_signature = "(games, *, a='a', b='b', winner='winner', prompt='prompt', ties='half', anchor=None, judge='judge', order='order', control=None, prior=True, bootstraps=1000, seed=0)")]
pub(crate) fn rate(
    py: Python<'_>,
    games: &Bound<'_, PyAny>,
    a: &str,
    b: &str,
    winner: &str,
    prompt: Option<&str>,
    ties: &str,
    anchor: Option<String>,
    judge: Option<&str>,
    order: &str,
    control: Option<&Bound<'_, PyAny>>,
    prior: bool,
    bootstraps: usize,
    seed: u64,
) -> PyResult<Table> {
    let draws = draws(ties)?;
    let columns = Columns::of(games)?;
    let has_judges = match judge {
        Some(judge) => columns.has(judge)?,
        None => false,
    };
    let asks_people = anchor.as_deref() == Some(PEOPLE);
    let read = columns.answers([a, b, winner], prompt, judge, order, asks_people)?;
    // A method may be called so; without a column of judges, it is meant.
    let is_method =
        |name: &str| read.iter().any(|(_, row)| row.game.a == name || row.game.b == name);
    let is_people = asks_people && (has_judges || !is_method(PEOPLE));
    if is_people && !has_judges {
        return Err(lacks(judge.unwrap_or("judge")));
    }
    let settings = |anchor| BoardSettings {
        model: Model {
            draws,
            prior: if prior { Model::default().prior } else { None },
            ..Model::default()
        },
        anchor,
        replicates: bootstraps,
        seed,
    };
    match (is_people, control) {
        (true, Some(_)) => Err(RateError::new_err(
            "anchored ratings and style control cannot be combined; leave out anchor='people' or control",
        )),
        (true, None) => {
            let judged = with_judges(read);
            let found = SHARED.run(py, move || rate_people(&judged, draws, seed))?;
            let (methods, found) = found.map_err(|e| RateError::new_err(e.to_string()))?;
            Ok(anchored_table(&methods, &found))
        }
        (false, control) => {
            let games: Vec<NamedGame> = read.iter().map(|(_, row)| row.game.clone()).collect();
            let settings = settings(anchor_named(&games, anchor.as_deref()).or_raise()?);
            let Some(control) = control else {
                let rows: Vec<JudgedGame> = read.into_iter().map(|(_, row)| row).collect();
                let voice = rows.first().map(|row| row.judge.clone());
                let done = SHARED.run(py, move || rate_answers(&rows, &settings))?;
                let (methods, board) = done.or_raise()?;
                return Ok(board_table(methods, board, voice));
            };
            let (methods, found, _) = held_equal(py, &columns, read, control, settings)?;
            Ok(controlled_table(&methods, &found))
        }
    }
}

/// A judge; its votes, their range, slope, its deviation and the error; the reason of a refusal.
type JudgeRow = (String, [Option<f64>; 6], Option<String>);

#[doc = doc!("judge_worth")]
#[pyfunction]
#[pyo3(signature = (games, *, a="a", b="b", winner="winner", prompt=Some("prompt"), judge="judge", order="order", ties="half", seed=0), text_signature = "(games, *, a='a', b='b', winner='winner', prompt='prompt', judge='judge', order='order', ties='half', seed=0)")]
pub(crate) fn judge_worth(
    py: Python<'_>,
    games: &Bound<'_, PyAny>,
    a: &str,
    b: &str,
    winner: &str,
    prompt: Option<&str>,
    judge: &str,
    order: &str,
    ties: &str,
    seed: u64,
) -> PyResult<Table> {
    let draws = draws(ties)?;
    let columns = Columns::of(games)?;
    if !columns.has(judge)? {
        return Err(lacks(judge));
    }
    let judged = with_judges(columns.answers([a, b, winner], prompt, Some(judge), order, true)?);
    let found = SHARED.run(py, move || rate_people(&judged, draws, seed))?;
    let (_, found) = found.map_err(|e| RateError::new_err(e.to_string()))?;
    let known = found.judges.iter().zip(&found.board.judges);
    let mut rows: Vec<JudgeRow> = known
        .map(|(judge, worth)| {
            let (low, high) = worth.votes_range;
            let figures = [worth.votes, low, high, worth.slope, worth.slope_sd, worth.off_elo];
            (judge.to_string(), figures.map(Some), None)
        })
        .collect();
    let refused = found.refused.iter();
    rows.extend(refused.map(|(judge, why)| (judge.to_string(), [None; 6], Some(why.clone()))));
    let texts =
        |of: &dyn Fn(&JudgeRow) -> Option<String>| Column::Text(rows.iter().map(of).collect());
    let mut columns = vec![("judge", texts(&|row| Some(row.0.clone())))];
    for (i, name) in ["votes", "low", "high", "slope", "slope_sd", "off"].into_iter().enumerate() {
        columns.push((name, Column::Float(rows.iter().map(|row| row.1[i]).collect())));
    }
    columns.push(("refused", texts(&|row| row.2.clone())));
    Ok(Table::new(columns))
}

#[doc = doc!("control_effects")]
#[pyfunction]
#[pyo3(signature = (games, control, *, a="a", b="b", winner="winner", prompt=Some("prompt"), ties="half", prior=true, bootstraps=1000, seed=0), text_signature = "(games, control, *, a='a', b='b', winner='winner', prompt='prompt', ties='half', prior=True, bootstraps=1000, seed=0)")]
pub(crate) fn control_effects(
    py: Python<'_>,
    games: &Bound<'_, PyAny>,
    control: &Bound<'_, PyAny>,
    a: &str,
    b: &str,
    winner: &str,
    prompt: Option<&str>,
    ties: &str,
    prior: bool,
    bootstraps: usize,
    seed: u64,
) -> PyResult<Table> {
    let model = Model {
        draws: draws(ties)?,
        prior: if prior { Model::default().prior } else { None },
        ..Model::default()
    };
    let columns = Columns::of(games)?;
    let read = columns.answers([a, b, winner], prompt, Some("judge"), "order", false)?;
    let settings =
        BoardSettings { model, replicates: bootstraps, seed, ..BoardSettings::default() };
    let (_, found, refused) = held_equal(py, &columns, read, control, settings)?;
    let names = names(control)?;
    let effect = |i: usize| found.effects.iter().find(move |effect| effect.covariate == i);
    let floats = |of: &dyn Fn(&meshjudge::unstable::rate::Effect) -> Option<f64>| {
        Column::Float((0..names.len()).map(|i| effect(i).and_then(of)).collect())
    };
    let why = |i: usize| {
        let found = refused.iter().find(|(covariate, _)| *covariate == i);
        found.map(|(_, why)| why.to_string())
    };
    Ok(Table::new(vec![
        ("control", Column::Text(names.iter().cloned().map(Some).collect())),
        ("sd", floats(&|effect| Some(effect.sd))),
        ("effect", floats(&|effect| Some(effect.elo))),
        ("low", floats(&|effect| effect.interval.map(|i| i.low))),
        ("high", floats(&|effect| effect.interval.map(|i| i.high))),
        ("refused", Column::Text((0..names.len()).map(why).collect())),
    ]))
}

/// Rates with the usable controls, and gives the reason for the others.
fn held_equal(
    py: Python<'_>,
    columns: &Columns<'_>,
    read: Vec<(usize, JudgedGame)>,
    control: &Bound<'_, PyAny>,
    settings: BoardSettings,
) -> PyResult<(Vec<String>, Controlled, meshjudge::unstable::rate::Refused)> {
    let names = names(control)?;
    let mut figures = Vec::new();
    for name in &names {
        let bare = name.strip_prefix(LOG).unwrap_or(name);
        let [of_a, of_b] =
            [columns.numbers(&format!("{bare}_a"))?, columns.numbers(&format!("{bare}_b"))?];
        let scaled = |value: Option<f64>| match bare == name {
            true => value,
            // Values of 0 and below have no logarithm.
            false => value.filter(|value| *value > 0.0).map(libm::log),
        };
        let difference = |row: usize| Some(scaled(*of_a.get(row)?)? - scaled(*of_b.get(row)?)?);
        figures.push(read.iter().map(|(row, _)| difference(*row)).collect::<Vec<_>>());
    }
    let differences: Vec<Vec<Option<f64>>> =
        (0..read.len()).map(|game| figures.iter().map(|figure| figure[game]).collect()).collect();
    let rows: Vec<JudgedGame> = read.into_iter().map(|(_, row)| row).collect();
    let done = SHARED.run(py, move || rate_controlled(&rows, &differences, &settings))?;
    let (methods, found, refused) = done.or_raise()?;
    let found = found.ok_or_else(|| {
        let why = refused.iter().map(|(i, why)| format!("{}: {why}", names[*i]));
        RateError::new_err(format!(
            "no style-controlled ratings: {}",
            why.collect::<Vec<_>>().join("; ")
        ))
    })?;
    Ok((methods, found, refused))
}

/// The columns that all boards begin with.
fn first_columns<L>(
    methods: &[String],
    lines: &[L],
    of: impl Fn(&L) -> (usize, f64, Option<Interval>, Option<(usize, usize)>),
) -> Vec<(&'static str, Column)> {
    let lines: Vec<_> = lines.iter().map(of).collect();
    let ends = |end: fn(Interval) -> f64| {
        Column::Float(lines.iter().map(|line| line.2.map(end)).collect())
    };
    let ranks = |end: fn((usize, usize)) -> usize| {
        Column::Int(lines.iter().map(|line| line.3.map(|ranks| end(ranks) as i64)).collect())
    };
    vec![
        ("method", Column::Text(lines.iter().map(|line| Some(methods[line.0].clone())).collect())),
        ("rating", Column::Float(lines.iter().map(|line| Some(line.1)).collect())),
        ("low", ends(|i| i.low)),
        ("high", ends(|i| i.high)),
        ("rank_all_low", ranks(|ranks| ranks.0)),
        ("rank_all_high", ranks(|ranks| ranks.1)),
    ]
}

fn board_table(methods: Vec<String>, board: Board, judge: Option<Rater>) -> Table {
    let on = CriterionBoard {
        key: Key { on: On::default(), voice: judge.map_or(Voice::AllJudges, Voice::Judge) },
        methods,
        board,
        wins: Vec::new(),
        ties: Vec::new(),
        without_probe: false,
        undecided: 0,
        forfeits: 0,
        both_bad: 0,
        first_without_forfeits: None,
        samples: None,
    };
    let (methods, board) = (&on.methods, &on.board);
    let lines = &board.lines;
    let mut columns = first_columns(methods, lines, |line| {
        (line.method, line.rating, line.interval, line.ranks_all)
    });
    let counts = |of: fn(&meshjudge::unstable::rate::Line) -> usize| {
        Column::Int(lines.iter().map(|l| Some(of(l) as i64)).collect())
    };
    columns.push(("games", counts(|line| line.games)));
    columns.push(("ties", counts(|line| line.ties)));
    let bias = board.left_bias.map(|(nats, _)| nats * ELO_PER_NAT);
    columns.push(("left_bias", Column::Float(vec![bias; lines.len()])));
    Table::new(columns).with_notes(board_notes(&on))
}

fn anchored_table(methods: &[String], found: &AnchoredIn) -> Table {
    let lines = &found.board.lines;
    let mut columns = first_columns(methods, lines, |line| {
        (line.method, line.rating, line.interval, line.ranks_all)
    });
    columns
        .push(("games", Column::Int(lines.iter().map(|line| Some(line.votes as i64)).collect())));
    columns.push(("apart", Column::Float(lines.iter().map(|line| line.apart_elo).collect())));
    Table::new(columns)
}

fn controlled_table(methods: &[String], found: &Controlled) -> Table {
    let lines = &found.lines;
    let mut columns = first_columns(methods, lines, |line| {
        (line.method, line.rating, line.interval, line.ranks_all)
    });
    let floats = |of: fn(&meshjudge::unstable::rate::ControlledLine) -> Option<f64>| {
        Column::Float(lines.iter().map(of).collect())
    };
    columns.push(("plain", floats(|line| Some(line.plain))));
    columns.push(("moved", floats(|line| Some(line.moved))));
    columns.push(("moved_low", floats(|line| line.moved_interval.map(|i| i.low))));
    columns.push(("moved_high", floats(|line| line.moved_interval.map(|i| i.high))));
    Table::new(columns)
}

type Texts = Vec<Option<String>>;

/// Answers whose judges are named.
fn with_judges(read: Vec<(usize, JudgedGame)>) -> Vec<JudgedGame> {
    let rows = read.into_iter().map(|(_, row)| row);
    rows.filter(|row| !row.judge.as_str().is_empty()).collect()
}

/// A table of the caller's, column by column, as `table[name]`.
struct Columns<'py>(Bound<'py, PyAny>);

impl<'py> Columns<'py> {
    fn of(table: &Bound<'py, PyAny>) -> PyResult<Self> {
        if table.cast::<PyList>().is_ok_and(PyListMethods::is_empty) {
            return Err(RateError::new_err("there are no games"));
        }
        let helper = table.py().import("meshjudge._columns")?;
        let found: Option<_> = helper.call_method1("columns_of", (table,))?.extract()?;
        found.map(Self).ok_or_else(|| {
            RateError::new_err(
                "games must be a dict of columns, a list of dicts, a frame, or a table with the Arrow PyCapsule interface",
            )
        })
    }

    fn has(&self, name: &str) -> PyResult<bool> {
        match self.0.getattr("columns") {
            Ok(columns) => columns.contains(name),
            Err(_) => self.0.contains(name),
        }
    }

    /// The cells of a column that need not exist.
    fn texts_if(&self, name: &str) -> PyResult<Option<Texts>> {
        self.has(name)?.then(|| self.texts(name)).transpose()
    }

    /// Rows with a winner, each with its number, all of one board; `names` are the columns of both
    /// methods and of the winner. Without `judge`, each row is a game; `several_judges` are one
    /// board.
    fn answers(
        &self,
        names: [&str; 3],
        prompt: Option<&str>,
        judge: Option<&str>,
        order: &str,
        several_judges: bool,
    ) -> PyResult<Vec<(usize, JudgedGame)>> {
        let [a, b, winner] = names.map(|name| self.texts(name));
        let mut rows = GameRows {
            a: a?,
            b: b?,
            winner: winner?,
            seed: self.texts_if("seed")?,
            hashes: [self.texts_if("a_hash")?, self.texts_if("b_hash")?],
            ..GameRows::default()
        };
        match prompt {
            None => {}
            Some("prompt") => {
                rows.prompt = self.texts_if("prompt")?;
                rows.prompt_id = self.texts_if("prompt_id")?;
            }
            Some(name) => rows.prompt = Some(self.texts(name)?),
        }
        if let Some(judge) = judge {
            rows.judge = self.texts_if(judge)?;
            rows.order = match order {
                "order" => self.texts_if(order)?,
                _ => Some(self.texts(order)?),
            };
        }
        for (column, what) in [
            ("criterion", "criteria"),
            ("rubric", "rubrics"),
            ("protocol", "render protocols"),
            ("rubric_hash", "versions of the rubric"),
        ] {
            if let Some(cells) = self.texts_if(column)? {
                rows.boards.push((column, what, cells));
            }
        }
        let read = rows.answers().or_raise()?;
        rows.check_one_board(&read, several_judges).or_raise()?;
        Ok(read)
    }

    /// Every cell as a number; a missing cell, or another value, as none.
    fn numbers(&self, name: &str) -> PyResult<Vec<Option<f64>>> {
        let number = |text: String| match text.as_str() {
            "True" => Some(1.0),
            "False" => Some(0.0),
            text => text.parse().ok().filter(|x: &f64| x.is_finite()),
        };
        Ok(self.texts(name)?.into_iter().map(|cell| cell.and_then(number)).collect())
    }

    /// Every cell as text; a missing cell as none.
    fn texts(&self, name: &str) -> PyResult<Texts> {
        if !self.has(name)? {
            return Err(lacks(name));
        }
        let text = |cell: PyResult<Bound<'py, PyAny>>| {
            let cell = cell?;
            // What pandas has for a missing value: NaN is not itself, and NA does not say whether
            // it is.
            let is_missing = cell.is_none() || !cell.eq(&cell).unwrap_or(false);
            (!is_missing).then(|| cell.str()?.extract()).transpose()
        };
        self.0.get_item(name)?.try_iter()?.map(text).collect()
    }
}

fn lacks(name: &str) -> PyErr {
    RateError::new_err(format!(
        "the games have no column {name:?}; name it: mj.rate(games, a=…, b=…, winner=…, prompt=…); a run has games in run.verdicts(by=\"criterion\")"
    ))
}
