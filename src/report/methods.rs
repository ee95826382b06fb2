//! The paragraph on methods: how every number of the boards was made, in LaTeX, for a reader who
//! must make them again. Its sentences are a template.

use super::RunReport;
use super::show::short_hash;
use super::tex::escaped;
use crate::rate::Draws;
use crate::store::Rater;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};

const TEMPLATE: &str = include_str!("../../assets/report/methods.tex");

/// Everything except the files that a reader needs to get the same numbers.
pub(super) fn methods_paragraph(report: &RunReport) -> String {
    let (results, settings, from) = (&report.results, &report.settings, report.provenance());
    // Names, and questions together.
    let raters = |is: fn(&Rater) -> bool| {
        let those: Vec<_> = results.spending.iter().filter(|spent| is(&spent.judge)).collect();
        let names: Vec<String> = those.iter().map(|spent| spent.judge.to_string()).collect();
        (names.join(", "), those.iter().map(|spent| spent.questions).sum::<usize>(), those.len())
    };
    let people = raters(Rater::is_person);
    let held = results.controlled.iter().flat_map(|on| {
        let controls = on.board.effects.iter().map(|effect| &on.controls[effect.covariate]);
        controls.map(|control| (&*control.name, control.scale))
    });
    let mut controls: Vec<(&str, &str)> = Vec::new();
    held.for_each(|control| {
        if !controls.contains(&control) {
            controls.push(control)
        }
    });
    let measured = results.metrics.iter().filter(|board| !board.is_learned);
    let definitions = measured.flat_map(|board| board.definitions.values());
    let context = context! {
        version => from.version,
        has_boards => !results.boards.is_empty(),
        asked => Value::from(Serde(raters(Rater::is_asked))),
        num_people => people.2,
        people => Value::from(Serde(people)),
        imported => Value::from(Serde(raters(|judge| !judge.is_asked() && !judge.is_person()))),
        anchor => settings.anchor.clone(),
        has_prior => settings.has_prior,
        ties => match Draws::from(settings.ties) {
            Draws::Half => "half",
            Draws::BothWin => "both-win",
            Draws::Davidson => "davidson",
        },
        controls => Value::from(Serde(controls)),
        rubrics => Value::from(Serde(from.rubrics)),
        protocols => Value::from(Serde(from.protocols)),
        metrics => Value::from(Serde(&results.metrics)),
        definitions => Value::from(Serde(definitions.collect::<Vec<_>>())),
        replicates => settings.replicates,
        seed => settings.seed,
    };
    let mut environment = Environment::new();
    // A definition has only the keys that it needs.
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.add_filter("tex", |text: &str| escaped(text));
    environment.add_filter("short", |hash: &str| format!("\\texttt{{{}}}", short_hash(hash)));
    environment.add_filter("code", code);
    let text = environment.render_named_str("methods.tex", TEMPLATE, context);
    // Which a test would have found.
    let text = text.unwrap_or_else(|e| format!("{e:#}"));
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// A hash, which may be broken between lines.
fn code(hash: &str) -> String {
    let digits: Vec<char> = hash.chars().collect();
    let parts: Vec<String> =
        digits.chunks(8).map(|part| escaped(&part.iter().collect::<String>())).collect();
    format!("\\texttt{{{}}}", parts.join("\\allowbreak "))
}
