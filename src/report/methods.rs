//! The paragraph on methods: how every number of the boards was made, in LaTeX, for a reader who must make them again.

use super::RunReport;
use super::show::visible;
use crate::results::MetricBoard;
use serde_json::Value;
use std::fmt::Write;

/// What a reader needs beside the files to get the same numbers.
pub(super) fn methods_paragraph(report: &RunReport) -> String {
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
            " Metrics of a result against its reference are means over prompts with percentile intervals of a bootstrap over prompts~\\cite{{efron1993}}, widened for few prompts (on the scale of the logit between two bounds, of the logarithm above one); {}.",
            match first.missing_is_worst {
                true =>
                    "an asset that is missing gets the worst number of the others on its prompt",
                false => "assets that are missing are left out",
            }
        );
        out.push_str(&geometry(boards));
        out.push_str(" In the formulas $a$ are the distances of the result's points from the reference, $b$ those of the reference's points from the result, and thresholds are in the unit of length.");
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

/// How a result was placed, points drawn, distances taken and volumes compared: what the definitions share.
fn geometry(boards: &[MetricBoard]) -> String {
    let mut out = String::new();
    let has = |key: &str| {
        let mut each = boards.iter().flat_map(|board| board.definitions.values());
        each.any(|definition| !definition[key].is_null())
    };
    for align in ["none", "box", "axes", "search"] {
        if is_any(boards, "align", align) {
            out.push_str(placed(align));
        }
    }
    if has("samples") {
        out.push_str(" Point $k$ of a surface (from 0) takes the draws $u_{3k}, u_{3k+1}, u_{3k+2} = r, a, b$, where $u_i$ is output $i$ (from 0) of SplitMix64~\\cite{steele2014} with the given seed, shifted right by 11 bits, times $2^{-53}$; its triangle is the first in the order of the file whose running sum of areas is at least $r$ times the whole; if $a + b > 1$, both become $1 - a$ and $1 - b$; it is $p_0 + a (p_1 - p_0) + b (p_2 - p_0)$. Both surfaces use one seed. Positions are those of the files in single precision, with the transforms of their nodes; arithmetic is in double precision.");
    }
    if is_any(boards, "distance", "point-surface") {
        out.push_str(" Point-surface distances go to the nearest point of all triangles of the other surface; a point whose triangle the other surface has too is at distance 0.");
    }
    if is_any(boards, "distance", "point-point") {
        out.push_str(" Point-point distances go to the nearest sample of the other surface.");
    }
    if boards.iter().any(|board| board.metric.starts_with("nc")) {
        out.push_str(" Normals are those of the triangles by their winding, $(p_1 - p_0) \\times (p_2 - p_0)$ at unit length; that of the nearest triangle is taken, of those as near (to $10^{-9}$ of the distance plus $10^{-12}$ of the diagonal of the reference's box) the first in its file; a triangle without area has a cosine of 0.");
    }
    if boards.iter().any(|board| board.metric == "emd") {
        out.push_str(" The one-to-one matching is of points drawn in the same way, and exact~\\cite{jonker1987}.");
    }
    if has("cells") {
        out.push_str(" Volumes are compared on cubic cells whose side $s$ is the longest side of the box around both surfaces over the number of cells; along an axis on which that box is $l$ long there are $\\lceil l/s - 10^{-9} \\rceil$, at least 1, and the middle of the grid is that of the box. A cell is inside where the winding number of its middle exceeds $1/2$: the sum over the triangles of the solid angles $\\Omega$ over $4\\pi$, $\\tan(\\Omega/2) = \\det(a, b, c) / (|a||b||c| + (a \\cdot b)|c| + (b \\cdot c)|a| + (c \\cdot a)|b|)$ with the corners $a, b, c$ seen from it; groups of triangles farther than two of their radii are taken by their second-order expansion~\\cite{barill2018}.");
    }
    out
}

/// What is done to the result before anything is measured.
fn placed(align: &str) -> &'static str {
    match align {
        "box" => {
            " With alignment box the result is scaled by the longest side of the reference's box over that of its own, about the middles of the boxes, which are made to coincide; it is not turned."
        }
        "axes" => {
            " With alignment axes the result's centre of area is moved onto the reference's, and it is scaled to the same mean squared distance of the surface from that centre; of the 24 proper turns that bring its axes of inertia (of the surface, by area) onto the reference's, that of the least misfit is taken: half the sum of both mean squared distances of 3000 points of each surface (seed 1) to the other."
        }
        "search" => {
            " With alignment search the result is placed by the similarity, without mirroring, of the least misfit that is found, the misfit being half the sum of both mean squared distances of 3000 points of each surface (seed 1) to the other: from coinciding centres of area and equal mean squared distances from them, 560 turns (24 of the axes of inertia, 24 by right angles, 512 of super-Fibonacci spirals) are ranked by 128 points of each, the best 12 that are 12 degrees apart are refined with 400 points and the best of these with 3000, over turn, shift and scale by the method of Levenberg and Marquardt, until a round gains less than $10^{-6}$ of the misfit."
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
        "{} is {} ({}; hash \\texttt{{{}}}).",
        escaped(name),
        escaped(&text("formula").unwrap_or_default()),
        escaped(&parts.join(", ")),
        hash.chars().take(12).collect::<String>(),
    )
}

/// Text that LaTeX takes for text.
pub(super) fn escaped(text: &str) -> String {
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
            // At the start of a row they would be an argument of the line break before it.
            '[' | ']' => {
                out.push('{');
                out.push(c);
                out.push('}');
            }
            '–' => out.push_str("--"),
            '−' => out.push_str("$-$"),
            '≥' => out.push_str("$\\ge$"),
            '≤' => out.push_str("$\\le$"),
            '\u{a0}' | '\u{202f}' => out.push('~'),
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
