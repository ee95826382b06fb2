//! The paragraph on methods: how every number of the boards was made, in LaTeX, for a reader who
//! must make them again.

use super::RunReport;
use super::learned_methods::{learned, short};
use super::tex::escaped;
use crate::rate::Draws;
use crate::results::{MetricBoard, RateSettings};
use crate::store::Rater;
use serde_json::Value;
use std::fmt::Write;

/// Everything except the files that a reader needs to get the same numbers.
pub(super) fn methods_paragraph(report: &RunReport) -> String {
    let from = report.provenance();
    let mut out =
        format!("All figures were computed with meshjudge {}~\\cite{{meshjudge}}.", from.version);
    if !report.results.boards.is_empty() {
        out.push_str(&asked(report));
        let _ = write!(out, " {}", ratings(&report.settings));
        if !report.results.controlled.is_empty() {
            out.push_str(&held_equal(report));
        }
        for (name, hash) in &from.rubrics {
            let _ = write!(
                out,
                " The rubric {} has the BLAKE3 hash {}.",
                escaped(name),
                hash_code(hash)
            );
        }
        for hash in &from.protocols {
            let _ = write!(
                out,
                " Pictures were drawn and answers read by the protocol {}.",
                hash_code(hash)
            );
        }
    }
    let boards = &report.results.metrics;
    if let Some(first) = boards.first() {
        let _ = write!(
            out,
            " Metrics are means over prompts; {}.",
            if first.missing_is_worst {
                "a missing asset gets the worst value of the others on its prompt"
            } else {
                "missing assets are left out"
            }
        );
        let measured: Vec<&MetricBoard> = boards.iter().filter(|it| !it.is_learned).collect();
        out.push_str(&geometry(&measured));
        for board in boards {
            for (hash, definition) in &board.definitions {
                let sentence = if board.is_learned { learned } else { defined };
                let _ = write!(out, " {}", sentence(&board.metric, hash, definition));
            }
        }
        out.push_str(" The hash of a metric is the beginning of the BLAKE3 hash of its definition as meshjudge writes it in JSON without spaces.");
    }
    if report.settings.replicates > 0 {
        out.push_str(&intervals(&report.settings, !boards.is_empty()));
    }
    out
}

/// Who was asked how: judges in both orders, people once.
fn asked(report: &RunReport) -> String {
    let spending = &report.results.spending;
    let questions = |of: &dyn Fn(&Rater) -> bool| -> usize {
        let those = spending.iter().filter(|spent| of(&spent.judge));
        those.map(|spent| spent.questions).sum()
    };
    let named = |of: &dyn Fn(&Rater) -> bool| -> String {
        let those = spending.iter().filter(|spent| of(&spent.judge));
        let names: Vec<String> = those.map(|spent| escaped(&spent.judge.to_string())).collect();
        names.join(", ")
    };
    let mut out = String::new();
    let is_asked = |judge: &Rater| judge.is_asked();
    let is_person = |judge: &Rater| judge.is_person();
    let is_other = |judge: &Rater| !judge.is_asked() && !judge.is_person();
    if questions(&is_asked) > 0 {
        let _ = write!(
            out,
            " Judge: {} ({}). Every pair was asked in both orders, which together are one game; if they contradict each other, it is a tie.",
            named(&is_asked),
            plain(questions(&is_asked), "question")
        );
    }
    if questions(&is_person) > 0 {
        let people = spending.iter().filter(|spent| spent.judge.is_person()).count();
        let _ = write!(
            out,
            " {people} {} gave {}, each of which is one game; on the ballots of meshjudge a person sees a pair once, with the sides drawn at random for each person and pair.",
            if people == 1 { "person" } else { "people" },
            plain(questions(&is_person), "vote")
        );
    }
    if questions(&is_other) > 0 {
        let _ = write!(
            out,
            " Imported from {}: {}, each of which is one game.",
            named(&is_other),
            plain(questions(&is_other), "answer")
        );
    }
    out
}

/// `1 vote`, `1200 votes`: without the space in numbers, which some LaTeX fonts lack.
fn plain(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The model behind ratings.
fn ratings(settings: &RateSettings) -> String {
    let tie = match settings.draws {
        Draws::Half => "a tie counts as half a win for each",
        Draws::BothWin => "a tie counts as a win for each",
        Draws::Davidson => "ties have a fitted share of their own~\\cite{davidson1970}",
    };
    let origin = match &settings.anchor {
        None => "a mean of 1000".to_owned(),
        Some(method) => format!("{} at 1000", escaped(method)),
    };
    let prior = if settings.has_prior {
        ", with a normal prior on each rating about the mean (standard deviation 800 points)"
    } else {
        ""
    };
    format!(
        "Ratings are maximum-likelihood Bradley--Terry~\\cite{{bradley1952}} on the Elo scale (400 points are odds of ten to one) with {origin}{prior}; {tie}."
    )
}

/// Terms in a game's odds in addition to the methods.
fn held_equal(report: &RunReport) -> String {
    let mut names: Vec<String> = Vec::new();
    for on in &report.results.controlled {
        for effect in &on.board.effects {
            let control = &on.controls[effect.covariate];
            let name = format!("{} ($x$ taken as {})", escaped(&control.name), control.scale);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    format!(
        " For style-controlled ratings, the log-odds of a game also have a term for each of the differences of {}, divided by its root mean square over the games, with the prior of the ratings on its weight; games without these figures are left out.",
        names.join(", ")
    )
}

/// How intervals and ranks are made.
fn intervals(settings: &RateSettings, has_metrics: bool) -> String {
    let scale = if has_metrics {
        "; for metrics on the scale of the logit between two bounds and of the logarithm above one"
    } else {
        ""
    };
    format!(
        " Prompts are the clusters. Prompt $g$ moves a figure by $u_g$, its score times the inverse information, and has the share $h_g$ of the information; the squared standard error is $(1 - \\sum h_g^2) \\sum (u_g / (1 - h_g))^2$ with $\\sum u_g$ taken off in proportion to $h_g$, and 95\\,\\% intervals are by Student's t with $1 / \\sum h_g^2 - 1$ degrees of freedom~\\cite{{cameron2015}}{scale}. Of two generators with the difference $D$ let $d_g = u_g + D h_g$; their order is established where $|\\sum d_g| / \\sqrt{{\\sum d_g^2}}$ exceeds the 95\\,\\% quantile of the largest $|\\sum \\varepsilon_g d_g| / \\sqrt{{\\sum d_g^2}}$ among all pairs over {} draws (seed {}) of random signs $\\varepsilon_g$ of the prompts, step by step~\\cite{{romano2005}}. Ranks count these orders and are right together on 95 of 100 boards.",
        settings.replicates, settings.seed
    )
}

/// A hash, which may be broken between lines.
fn hash_code(hash: &str) -> String {
    let digits: Vec<char> = hash.chars().collect();
    let parts: Vec<String> =
        digits.chunks(8).map(|part| escaped(&part.iter().collect::<String>())).collect();
    format!("\\texttt{{{}}}", parts.join("\\allowbreak "))
}

fn is_any(boards: &[&MetricBoard], key: &str, value: &str) -> bool {
    let each = boards.iter().flat_map(|board| board.definitions.values());
    each.into_iter().any(|definition| definition[key] == value)
}

/// The common part of the definitions: placement of the result, sampling, distances and volumes.
fn geometry(boards: &[&MetricBoard]) -> String {
    let mut out = String::new();
    let has = |key: &str| {
        let mut each = boards.iter().flat_map(|board| board.definitions.values());
        each.any(|definition| !definition[key].is_null())
    };
    let is_about = |names: &[&str]| {
        let mut each = boards.iter().map(|board| board.metric.as_str());
        each.any(|metric| names.iter().any(|name| metric.starts_with(name)))
    };
    if boards.iter().any(|board| board.has_reference) {
        out.push_str(" A result is first placed in the frame of its reference, which all later steps use; nothing is ever mirrored.");
    }
    for align in ["none", "box", "axes", "search"] {
        if is_any(boards, "align", align) {
            out.push_str(placed(align));
        }
    }
    if has("samples") {
        out.push_str(" Surfaces are the triangles of the files in their order (polygons are cut into triangles, triangles without area are left out); positions are those of the files in single precision, with the transforms of their nodes, and arithmetic is in double precision. Point $k$ of a surface (from 0) takes the draws $u_{3k}, u_{3k+1}, u_{3k+2} = r, s, t$, where $u_i$ is output $i$ (from 0) of SplitMix64~\\cite{steele2014}, which starts with the given seed as its state, shifted right by 11 bits, times $2^{-53}$; its triangle, with the corners $p_0, p_1, p_2$, is the first whose running sum of areas is at least $r$ times the whole; if $s + t > 1$, both become $1 - s$ and $1 - t$; it is $p_0 + s (p_1 - p_0) + t (p_2 - p_0)$. Both surfaces use one seed.");
    }
    if is_any(boards, "distance", "point-surface") {
        out.push_str(" Point-surface distances are Euclidean and go to the nearest point of all triangles of the other surface; a point of a triangle that the other surface has too (the same three positions) is at distance 0, and its cosine is 1, or $-1$ where that triangle runs the other way around.");
    }
    if is_any(boards, "distance", "point-point") {
        out.push_str(" Point-point distances go to the nearest sample of the other surface and are Euclidean unless stated otherwise.");
    }
    if has("samples") {
        out.push_str(" In the formulas $a$ are the distances of the result's points from the reference, $b$ those of the reference's points from the result, each divided by the unit of length; thresholds are in that unit. Quantile $q$ of $N$ sorted values is at place $q (N - 1)$ from 0.");
    }
    if is_about(&["nc"]) {
        out.push_str(" Normals are those of the triangles by their winding, $(p_1 - p_0) \\times (p_2 - p_0)$ at unit length; that of the nearest triangle is taken, of those as near (to $10^{-9}$ of the distance plus $10^{-12}$ of the diagonal of the reference's box) the first in its file; between points it is that of the nearest sample's triangle.");
    }
    if is_about(&["edge_cd", "edge_f"]) {
        out.push_str(" Samples on edges follow~\\cite{chen2022}; their 0.004 is in the unit of length, normals are those of their triangles, and distances go to the nearest sample on an edge of the other surface; where a surface has none there is no number.");
    }
    if is_about(&["emd"]) {
        out.push_str(" The points that are matched one to one are drawn in the same way, their distances are Euclidean, and the matching is the best there is~\\cite{jonker1987}.");
    }
    if has("cells") {
        out.push_str(" Volumes are compared on cubic cells whose side $c$ is the longest side of the box around both surfaces over the number of cells; along an axis on which that box is $l$ long there are $\\lceil l/c - 10^{-9} \\rceil$, at least 1, and the middle of the grid is that of the box. A cell is inside where the winding number of its middle exceeds $1/2$~\\cite{jacobson2013}: the sum over the triangles of the signed solid angles $\\Omega$ over $4\\pi$, $\\tan(\\Omega/2) = \\det(x, y, z) / (|x||y||z| + (x \\cdot y)|z| + (y \\cdot z)|x| + (z \\cdot x)|y|)$, by the arctangent of two arguments, with the corners $x, y, z$ seen from it~\\cite{vanoosterom1983}; groups of triangles farther than two of their radii are taken by their second-order expansion~\\cite{barill2018}, which moves the winding number by less than 0.004.");
    }
    if is_about(&["uv_stretch"]) {
        out.push_str(" The stretch of texture coordinates is that of~\\cite{sander2001}.");
    }
    out
}

/// The transformation of the result before any measurement.
fn placed(align: &str) -> &'static str {
    match align {
        "box" => {
            " With alignment box the result is scaled by the longest side of the reference's box over that of its own, about the middles of the boxes, which are made to coincide; it is not turned."
        }
        "axes" => {
            " With alignment axes the result's centre of area is moved onto the reference's, and it is scaled to the same root mean square distance of the surface (by area) from that centre; of the 24 proper turns that bring its axes of inertia (eigenvectors of the covariance of the surface by area) onto the reference's, that of the least misfit is taken: half the sum of both mean squared distances of 3000 points of each surface (seed 1) from the other."
        }
        "search" => {
            " With alignment search the result is placed by the similarity of the least misfit that is found, the misfit being half the sum of both mean squared distances of 3000 points of each surface (seed 1) from the other: from coinciding centres of area and equal root mean square distances of the surfaces from them, 560 turns about the centre (24 that bring axes of inertia onto axes of inertia, 24 by right angles, 512 of super-Fibonacci spirals~\\cite{alexa2022}) are ranked by their misfit over the first 128 points of each; the best 12 that are 12 degrees apart are refined with the first 400 (at most 25 rounds; after every fourth the search ends if a misfit is below $10^{-10}$ of the squared diagonal of the reference's box), and the best of these with all 3000 (at most 60 rounds), over turn, shift and the logarithm of the scale by the method of Levenberg and Marquardt on the distances to the nearest points, until a round gains less than $10^{-6}$ of the misfit. If the untransformed result has no larger misfit, it is used. Each asset's similarity is listed with its numbers."
        }
        _ => " With alignment none the result is taken as its file is.",
    }
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
        "{} is {} ({}; hash {}).",
        escaped(name),
        escaped(&text("formula").unwrap_or_default()),
        escaped(&parts.join(", ")),
        short(hash),
    )
}
