//! A name that is not known → what was probably meant, in the words of an error.

/// Least similarity (Jaro–Winkler, 0 to 1) of a slip: `hole` and `holes` have 0.96, `cd_l1` and
/// `cd_l1_half` 0.90, unlike names mostly less than 0.6.
const SLIP_MIN: f64 = 0.8;

/// The known name that `name` probably means. Capitals, and `-` for `_`, do not count.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = |name: &str| name.to_lowercase().replace('-', "_");
    let name = folded(name);
    let alike = |known: &'a str| (strsim::jaro_winkler(&name, &folded(known)), known);
    let best = known.into_iter().map(alike).max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 >= SLIP_MIN).then_some(best.1)
}

/// `did you mean "holes"?`, or else `use one of blur, holes`.
pub fn one_of<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean {nearest:?}?"),
        None => format!("use one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_name_is_none() {
        let kinds = ["holes", "blur", "cd_l1_half", "texture_details"];
        for (slip, meant) in [
            ("hole", "holes"),
            ("Blur", "blur"),
            ("cd_l1", "cd_l1_half"),
            ("texture-detials", "texture_details"),
        ] {
            assert_eq!(nearest(slip, kinds), Some(meant));
        }
        assert_eq!(nearest("chamfer", kinds), None);
        assert_eq!(one_of("rust", ["holes", "blur"]), "use one of holes, blur");
        assert_eq!(nearest("holes", []), None);
    }
}
