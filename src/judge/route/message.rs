//! A question as turns of a talk, before any route words it.

use super::call::Call;
use crate::rubric::{Part, Picture};
use base64::Engine;
use serde_json::{Value, json};
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Judge,
}

#[derive(Debug)]
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    Picture(&'a Picture),
}

/// Who speaks, and what.
type Turn<'a> = (Role, Vec<Piece<'a>>);

/// Turns that alternate and begin and end with the user. A note ends the last turn.
fn turns<'a>(call: &'a Call<'a>) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    let mut pieces = Vec::new();
    for part in call.parts {
        match part {
            Part::Text(text) => pieces.push(Piece::Text(text.into())),
            Part::Picture(picture) => pieces.push(Piece::Picture(picture)),
            Part::ExampleAnswer(answer) => {
                turns.push((Role::User, std::mem::take(&mut pieces)));
                turns.push((Role::Judge, vec![Piece::Text(answer.into())]));
            }
        }
    }
    if let Some(note) = &call.note {
        pieces.push(Piece::Text(note.into()));
    }
    turns.push((Role::User, pieces));
    turns
}

/// The turns as most routes have them: under `key`, the list of what `piece` makes of each; the
/// judge's own as `judge`.
pub(super) fn turn_list(
    call: &Call<'_>,
    (judge, key): (&str, &str),
    piece: impl Fn(&Piece<'_>) -> Value,
) -> Vec<Value> {
    let turns = turns(call).into_iter().map(|(role, pieces)| {
        let role = if role == Role::User { "user" } else { judge };
        json!({"role": role, key: pieces.iter().map(&piece).collect::<Value>()})
    });
    turns.collect()
}

/// The same with the judge's own turns, one text each, as texts instead of lists: OpenAI's routes.
pub(super) fn turn_list_with_texts(
    call: &Call<'_>,
    piece: impl Fn(&Piece<'_>) -> Value,
) -> Vec<Value> {
    let mut turns = turn_list(call, ("assistant", "content"), piece);
    for turn in turns.iter_mut().filter(|turn| turn["role"] == "assistant") {
        turn["content"] = turn["content"][0]["text"].take();
    }
    turns
}

pub(in crate::unstable::judge) fn base64(picture: &Picture) -> String {
    base64::engine::general_purpose::STANDARD.encode(&picture.bytes)
}

pub(in crate::unstable::judge) fn data_uri(picture: &Picture) -> String {
    format!("data:{};base64,{}", picture.media_type, base64(picture))
}
