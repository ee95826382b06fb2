//! What a sentence after an answer repeats of it: all its digits, how many criteria each side won,
//! or who won as a whole.

use crate::rubric::Winner;
use crate::rubric::read::announcement::{announces, has, names_others};
use crate::rubric::read::list::names_overall;
use crate::rubric::reply::announcements;

/// Whether a lower-case sentence agrees with the choices it repeats; `None` if it repeats none.
pub(super) fn agrees(sentence: &str, choices: &[Winner], menu: &[(u8, Winner)]) -> Option<bool> {
    let tokens = tokens(sentence);
    // `Ratings: 1 3 2 2 3 1` and `Confidence: 1 1 2 1 1 2` are lines of their own.
    let label = sentence.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    let is_other = announces(label) || names_others(label);
    let repeated = repeated(&tokens, choices, menu).filter(|_| !is_other);
    repeated.or_else(|| tally(sentence, &tokens, choices)).or_else(|| whole(sentence, choices))
}

/// A word, or a number.
#[derive(Debug, PartialEq)]
enum Token {
    Number(usize),
    Side(Winner),
    Word,
}

fn tokens(sentence: &str) -> Vec<Token> {
    let said = announcements();
    let kind = |c: char| (c.is_ascii_digit(), c.is_alphanumeric());
    let mut chars = sentence.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(c) = chars.next() {
        let mut word = String::from(c);
        while let Some(next) = chars.next_if(|next| kind(*next) == kind(c)) {
            word.push(next);
        }
        if !c.is_alphanumeric() {
            continue;
        }
        let number = word.parse().ok().or_else(|| said.counts.iter().position(|it| *it == word));
        let is_side = |k: usize| has(&word, &said.side_stems[k]);
        tokens.push(match (number, is_side(0), is_side(1)) {
            (Some(number), ..) => Token::Number(number),
            (None, true, false) => Token::Side(Winner::A),
            (None, false, true) => Token::Side(Winner::B),
            _ => Token::Word,
        });
    }
    tokens
}

/// As many digits of the menu in a row as there are choices: `Corrected: 1 1 2 3 2 1`.
fn repeated(tokens: &[Token], choices: &[Winner], menu: &[(u8, Winner)]) -> Option<bool> {
    const COUNT_MIN: usize = 4;
    let choice = |token: &Token| match token {
        Token::Number(number) => menu.iter().find(|(mark, _)| usize::from(*mark) == *number),
        _ => None,
    };
    let mut rows = tokens.windows(choices.len().max(1)).filter_map(|row| {
        let row: Option<Vec<Winner>> = row.iter().map(|it| Some(choice(it)?.1)).collect();
        row.filter(|row| row.len() >= COUNT_MIN)
    });
    rows.next().map(|row| row == choices)
}

/// `Tally: left wins 2, right wins 3`, `four points for the left and two for the right`.
fn tally(sentence: &str, tokens: &[Token], choices: &[Winner]) -> Option<bool> {
    if !has(sentence, &announcements().tallies) {
        return None;
    }
    let sides: Vec<usize> =
        (0..tokens.len()).filter(|&k| matches!(tokens[k], Token::Side(_))).collect();
    let [first, second] = sides[..] else {
        return None;
    };
    let number = |mut from: std::slice::Iter<'_, Token>, is_back: bool| {
        let is_number = |token: &&Token| matches!(token, Token::Number(_));
        let found = if is_back { from.rfind(is_number) } else { from.find(is_number) };
        found.map(|token| match token {
            Token::Number(number) => *number,
            _ => 0,
        })
    };
    let after =
        [number(tokens[first..second].iter(), false), number(tokens[second..].iter(), false)];
    let before = [number(tokens[..first].iter(), true), number(tokens[first..second].iter(), true)];
    let [Some(x), Some(y)] = (if after[1].is_some() { after } else { before }) else {
        return None;
    };
    let won = |side: Winner| choices.iter().filter(|it| **it == side).count();
    let named = if tokens[first] == Token::Side(Winner::A) { (x, y) } else { (y, x) };
    Some(named == (won(Winner::A), won(Winner::B)))
}

/// `Overall, the right one is better`, in a sentence on the whole. Only a contradiction counts.
pub(super) fn whole(sentence: &str, choices: &[Winner]) -> Option<bool> {
    let is_on_whole = names_overall(sentence) || has(sentence, &announcements().wholes);
    let side = winner(sentence)?;
    let is_other = choices.last().is_some_and(|overall| *overall != side);
    (is_on_whole && is_other).then_some(false)
}

/// The side that a lower-case sentence calls better, if it names no other.
pub(super) fn winner(sentence: &str) -> Option<Winner> {
    let said = announcements();
    let named = [("object 1", "left"), ("object 2", "right")];
    let sentence =
        &named.iter().fold(sentence.to_owned(), |it, (name, side)| it.replace(name, side));
    let tokens = tokens(sentence);
    let mut sides = tokens.iter().filter_map(|token| match token {
        Token::Side(side) => Some(*side),
        _ => None,
    });
    let side = sides.next().filter(|side| sides.all(|other| other == *side));
    side.filter(|_| has(sentence, &said.wins) && !has(sentence, &said.contrasts))
}
