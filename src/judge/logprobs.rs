//! Log-probabilities of a reply's tokens → a probability for each choice that the reader found.

/// A written token, and its alternatives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Token {
    pub text: String,
    /// The likeliest, the written one usually among them.
    pub alternatives: Vec<Alternative>,
}

/// What might have been written.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    pub text: String,
    /// Natural logarithm of its probability.
    pub logprob: f64,
}

/// For each place (the byte offset of a mark in the text), the probability of each mark, among the
/// marks only. `None` where the tokens do not spell the text, or no alternative is a mark.
pub fn probabilities(
    text: &str,
    tokens: &[Token],
    places: &[usize],
    marks: &[String],
) -> Option<Vec<Vec<f64>>> {
    let spelled: String = tokens.iter().map(|token| token.text.as_str()).collect();
    if spelled.trim().is_empty() || spelled.trim() != text.trim() {
        return None;
    }
    let before = |text: &str| text.len() - text.trim_start().len();
    let mut starts = Vec::with_capacity(tokens.len());
    let mut at = 0;
    for token in tokens {
        starts.push(at);
        at += token.text.len();
    }
    places
        .iter()
        .map(|&place| {
            // llama.cpp's server strips white space around the reply's text, not its tokens.
            let place = (place + before(&spelled)).checked_sub(before(text))?;
            let index = starts.partition_point(|&start| start <= place).checked_sub(1)?;
            let token = &tokens[index];
            let (before, after) = token.text.split_at_checked(place - starts[index])?;
            let after = after.get(1..)?;
            // The text around the mark within its token must be the same in an alternative.
            let of = |mark: &String| -> f64 {
                let spelling = format!("{before}{mark}{after}");
                token
                    .alternatives
                    .iter()
                    .filter(|alternative| alternative.text == spelling)
                    .map(|alternative| libm::exp(alternative.logprob))
                    .sum()
            };
            let shares: Vec<f64> = marks.iter().map(of).collect();
            let sum: f64 = shares.iter().sum();
            (sum > 0.0).then(|| shares.iter().map(|share| share / sum).collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str, alternatives: &[(&str, f64)]) -> Token {
        Token {
            text: text.to_owned(),
            alternatives: alternatives
                .iter()
                .map(|(text, p)| Alternative { text: (*text).to_owned(), logprob: libm::log(*p) })
                .collect(),
        }
    }

    #[test]
    fn marks_share_what_falls_to_them() {
        let tokens = [
            token("So:\n", &[]),
            token("1", &[("1", 0.6), ("2", 0.2), ("The", 0.2)]),
            token(" 2", &[(" 2", 0.5), (" 1", 0.5), ("2", 0.1)]),
        ];
        let marks = ["1", "2", "3"].map(str::to_owned);
        let found = probabilities("So:\n1 2", &tokens, &[4, 6], &marks).unwrap();
        let near = |x: f64, y: f64| (x - y).abs() < 1e-12;
        assert!(near(found[0][0], 0.75) && near(found[0][1], 0.25) && found[0][2] == 0.0);
        assert!(near(found[1][0], 0.5) && near(found[1][1], 0.5));
        let led = [&[token(" \n", &[])], &tokens[..], &[token(" ", &[])]].concat();
        assert_eq!(
            probabilities("So:\n1 2", &led, &[4, 6], &marks),
            Some(found),
            "white space around the text"
        );
        assert_eq!(probabilities("other", &tokens, &[4], &marks), None);
        assert_eq!(probabilities("So:\n1 2", &tokens, &[0], &marks), None);
    }
}
