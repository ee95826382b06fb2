//! The boards for a paper: tables in LaTeX (booktabs), a paragraph that says how every number was made, and BibTeX entries of the sources.

use super::RunReport;
use super::metric_view::{MetricTable, metric_tables};
use super::show::visible;
use crate::results::{CriterionBoard, MetricBoard, Voice};
use serde_json::Value;
use std::fmt::Write;

/// Tables of ratings, one for each rubric and voice, of metrics, and the paragraph. Needs the package booktabs. In bold is what may be
/// first: whose 95 % interval of ranks reaches 1.
pub fn boards_latex(report: &RunReport) -> String {
    let mut out =
        "% Needs \\usepackage{booktabs}. Bold: the 95 % interval of the rank reaches 1.\n"
            .to_owned();
    let results = &report.results;
    let mut groups: Vec<(&String, &Voice)> = Vec::new();
    for board in &results.boards {
        if !groups.contains(&(&board.rubric, &board.voice)) {
            groups.push((&board.rubric, &board.voice));
        }
    }
    for (rubric, voice) in groups {
        let boards: Vec<&CriterionBoard> = (results.boards.iter())
            .filter(|board| (&board.rubric, &board.voice) == (rubric, voice))
            .collect();
        push_ratings(&mut out, &boards);
    }
    for table in metric_tables(&results.metrics) {
        push_metrics(&mut out, &table);
    }
    let _ = write!(out, "\n% How it was measured.\n{}\n", paragraph(report));
    out
}

fn push_ratings(out: &mut String, boards: &[&CriterionBoard]) {
    let overall = boards.iter().find(|board| board.criterion == "overall");
    let Some(main) = overall.or(boards.first()) else {
        return;
    };
    let heads: Vec<String> = boards
        .iter()
        .map(|b| escaped(&b.criterion.replace('_', " ")))
        .collect();
    let rows = main.board.lines.iter().map(|line| {
        let name = &main.methods[line.method];
        let cells = boards.iter().map(|board| {
            let mut lines = board.board.lines.iter().enumerate();
            let found = lines.find(|(_, line)| board.methods[line.method] == *name);
            found.map_or("--".to_owned(), |(at, line)| {
                let interval = line
                    .interval
                    .map(|i| format!("{:.0}, {:.0}", i.low, i.high));
                let is_best = line.ranks.map_or(at == 0, |(low, _)| low == 1);
                cell(&format!("{:.0}", line.rating), interval.as_deref(), is_best)
            })
        });
        (escaped(name), cells.collect::<Vec<_>>())
    });
    let caption = format!(
        "Ratings (Bradley--Terry on the Elo scale, mean 1000) with 95\\,\\% intervals over {} prompts; rubric {}, judged by {}.",
        main.board.num_prompts,
        escaped(&main.rubric),
        escaped(&main.voice.to_string()),
    );
    push_table(out, &caption, &heads, rows);
}

fn push_metrics(out: &mut String, table: &MetricTable) {
    let heads: Vec<String> = (table.heads.iter())
        .map(|head| {
            let arrow = match head.arrow {
                "↓" => " $\\downarrow$",
                "↑" => " $\\uparrow$",
                _ => "",
            };
            format!("{}{arrow}", escaped(&head.name))
        })
        .collect();
    let rows = table.lines.iter().map(|line| {
        let cells = line.cells.iter().map(|found| {
            found.as_ref().map_or("--".to_owned(), |found| {
                let interval = found.interval.replace(" to ", ", ");
                let interval = Some(interval.as_str()).filter(|text| !text.is_empty());
                cell(&found.mean, interval, found.is_best)
            })
        });
        (escaped(&line.method), cells.collect::<Vec<_>>())
    });
    let caption = format!(
        "{}: means over prompts with 95\\,\\% bootstrap intervals over prompts; {}.",
        table.title, table.rule
    );
    push_table(out, &caption, &heads, rows);
}

fn cell(value: &str, interval: Option<&str>, is_best: bool) -> String {
    let value = match is_best {
        true => format!("\\textbf{{{value}}}"),
        false => value.to_owned(),
    };
    match interval {
        Some(interval) => format!("{value} {{\\scriptsize [{interval}]}}"),
        None => value,
    }
}

fn push_table(
    out: &mut String,
    caption: &str,
    heads: &[String],
    rows: impl Iterator<Item = (String, Vec<String>)>,
) {
    let _ = write!(
        out,
        "\n\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\nMethod & {} \\\\\n\\midrule\n",
        "r".repeat(heads.len()),
        heads.join(" & ")
    );
    for (name, cells) in rows {
        let _ = writeln!(out, "{name} & {} \\\\", cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

/// How the numbers were made, for a reader who must make them again.
fn paragraph(report: &RunReport) -> String {
    let from = report.provenance();
    let code = |text: &str| format!("\\texttt{{{}}}", escaped(text));
    let mut out = format!(
        "All figures were computed with meshjudge {}~\\cite{{meshjudge}}.",
        from.version
    );
    if !report.results.boards.is_empty() {
        let judges: Vec<String> = (report.results.spending.iter())
            .map(|spent| escaped(&spent.judge.to_string()))
            .collect();
        let _ = write!(
            out,
            " {} questions were put to {}; every pair was asked in both orders, which together are one game, and a tie where they contradict each other. Ratings are Bradley--Terry~\\cite{{bradley1952}} on the Elo scale with a mean of 1000; intervals and ranks are percentile intervals of a bootstrap over prompts~\\cite{{efron1993}}, widened for few prompts.",
            from.questions,
            judges.join(", ")
        );
        for (name, hash) in &from.rubrics {
            let _ = write!(
                out,
                " The rubric {} has the BLAKE3 hash {}.",
                escaped(name),
                code(hash)
            );
        }
        for hash in &from.protocols {
            let _ = write!(out, " Pictures follow the render protocol {}.", code(hash));
        }
    }
    let boards = &report.results.metrics;
    if let Some(first) = boards.first() {
        let _ = write!(
            out,
            " Metrics of a result against its reference are means over prompts; {}.",
            match first.missing_is_worst {
                true =>
                    "an asset that is missing gets the worst number of the others on its prompt",
                false => "assets that are missing are left out",
            }
        );
        out.push_str(&sampling(boards));
        for board in boards {
            for (hash, definition) in &board.definitions {
                let _ = write!(out, " {}", defined(&board.metric, hash, definition));
            }
        }
    }
    out
}

fn is_any(boards: &[MetricBoard], key: &str, value: &str) -> bool {
    let each = boards.iter().flat_map(|board| board.definitions.values());
    each.into_iter().any(|definition| definition[key] == value)
}

/// What all distances share.
fn sampling(boards: &[MetricBoard]) -> String {
    let mut out = " Point $k$ of a surface takes the draws $u_{3k}, u_{3k+1}, u_{3k+2} = r, a, b$, where $u_i$ is output $i$ (from 0) of SplitMix64~\\cite{steele2014} with the given seed, shifted right by 11 bits, times $2^{-53}$; its triangle is the first in the order of the file whose running sum of areas is at least $r$ times the whole; if $a + b > 1$, both become $1 - a$ and $1 - b$; it is $p_0 + a (p_1 - p_0) + b (p_2 - p_0)$. Both surfaces use one seed.".to_owned();
    if is_any(boards, "distance", "point-surface") {
        out.push_str(" Point-surface distances go to the nearest point of all triangles of the other surface.");
    }
    if is_any(boards, "distance", "point-point") {
        out.push_str(" Point-point distances go to the nearest sample of the other surface.");
    }
    out
}

fn defined(name: &str, hash: &str, definition: &Value) -> String {
    let text = |key: &str| definition[key].as_str().map(str::to_owned);
    let number = |key: &str| definition[key].as_u64();
    let mut parts = Vec::new();
    parts.extend(text("distance"));
    parts.extend(number("samples").map(|n| format!("{n} points on each surface")));
    parts.extend(number("seed").map(|n| format!("seed {n}")));
    parts.extend(
        number("cells").map(|n| format!("{n} cells along the longest side of the box around both")),
    );
    parts.extend(text("unit").map(|unit| match unit.as_str() {
        "longest" => "lengths divided by the longest side of the reference's box".to_owned(),
        "diagonal" => "lengths divided by the diagonal of the reference's box".to_owned(),
        _ => "lengths in the unit of the reference's file".to_owned(),
    }));
    parts.extend(text("align").map(|align| format!("alignment {align}")));
    parts.extend(number("version").map(|n| format!("definition version {n}")));
    format!(
        "{} is {} ({}; hash \\texttt{{{}}}); $a$ are the distances of the result's points, $b$ of the reference's.",
        escaped(name),
        escaped(&text("formula").unwrap_or_default()),
        escaped(&parts.join(", ")),
        hash.chars().take(12).collect::<String>(),
    )
}

/// Entries of what the paragraph cites.
pub fn boards_bibtex(report: &RunReport) -> String {
    let mut entries = vec![format!(
        "@software{{meshjudge,\n  title = {{meshjudge: which {{3D}} asset is better, and how sure are we?}},\n  version = {{{}}}\n}}",
        env!("CARGO_PKG_VERSION")
    )];
    let fixed = |text: &str| text.to_owned();
    if !report.results.boards.is_empty() {
        entries.push(fixed("@article{bradley1952,\n  author = {Bradley, Ralph Allan and Terry, Milton E.},\n  title = {Rank Analysis of Incomplete Block Designs: {I}. The Method of Paired Comparisons},\n  journal = {Biometrika},\n  volume = {39},\n  pages = {324--345},\n  year = {1952}\n}"));
        entries.push(fixed("@book{efron1993,\n  author = {Efron, Bradley and Tibshirani, Robert J.},\n  title = {An Introduction to the Bootstrap},\n  publisher = {Chapman \\& Hall},\n  year = {1993}\n}"));
    }
    let metrics = &report.results.metrics;
    if !metrics.is_empty() {
        entries.push(fixed("@inproceedings{steele2014,\n  author = {Steele, Guy L. and Lea, Doug and Flood, Christine H.},\n  title = {Fast Splittable Pseudorandom Number Generators},\n  booktitle = {OOPSLA},\n  year = {2014}\n}"));
    }
    let has = |name: &str| metrics.iter().any(|board| board.metric == name);
    if has("iou") || has("volume_ratio") {
        entries.push(fixed("@article{barill2018,\n  author = {Barill, Gavin and Dickson, Neil G. and Schmidt, Ryan and Levin, David I. W. and Jacobson, Alec},\n  title = {Fast Winding Numbers for Soups and Clouds},\n  journal = {ACM Transactions on Graphics},\n  volume = {37},\n  number = {4},\n  year = {2018}\n}"));
    }
    if has("emd") {
        entries.push(fixed("@article{jonker1987,\n  author = {Jonker, Roy and Volgenant, Anton},\n  title = {A Shortest Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems},\n  journal = {Computing},\n  volume = {38},\n  pages = {325--340},\n  year = {1987}\n}"));
    }
    entries.join("\n\n") + "\n"
}

/// Text that LaTeX takes for text.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text, false).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '–' => out.push_str("--"),
            '−' => out.push_str("$-$"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_cannot_be_commands() {
        assert_eq!(
            escaped("a_b & \\input{x} 5%^"),
            "a\\_b \\& \\textbackslash{}input\\{x\\} 5\\%\\textasciicircum{}"
        );
    }
}
