//! Words that announce an answer: `Final answer:`, `My scores (in order):`, `最终答案：`.

use super::line::words;

/// Each names an answer; an announcement holds one of these at least.
const ANSWERS: [&str; 34] = [
    "answer",
    "answers",
    "choice",
    "choices",
    "conclusion",
    "decision",
    "decisions",
    "evaluation",
    "evaluations",
    "judgement",
    "judgements",
    "judgment",
    "judgments",
    "order",
    "output",
    "pick",
    "picks",
    "preference",
    "preferences",
    "rating",
    "ratings",
    "result",
    "results",
    "score",
    "scores",
    "selection",
    "selections",
    "summary",
    "therefore",
    "thus",
    "verdict",
    "verdicts",
    "vote",
    "votes",
];

/// What else an announcement may hold.
const AROUND: [&str; 28] = [
    "above",
    "all",
    "and",
    "are",
    "as",
    "criteria",
    "criterion",
    "each",
    "final",
    "follows",
    "for",
    "hence",
    "here",
    "in",
    "is",
    "last",
    "line",
    "listed",
    "my",
    "of",
    "our",
    "overall",
    "respectively",
    "row",
    "same",
    "so",
    "the",
    "to",
];

/// The same two in Chinese and Japanese, which write words together.
const ANSWERS_HAN: [&str; 18] = [
    "答案", "結果", "结果", "評分", "评分", "得分", "打分", "分数", "决定", "決定", "结论", "結論",
    "选择", "選擇", "判断", "判斷", "回答", "输出",
];
const AROUND_HAN: [&str; 19] = [
    "最终", "最終", "最后", "最後", "我的", "综合", "总结", "总", "各项", "依次", "按", "顺序",
    "順序", "如下", "为", "是", "的", "は", "の",
];

/// Whether `text` holds words, and they announce an answer.
pub(super) fn announces(text: &str) -> bool {
    let words = words(text);
    words.iter().all(|word| is_announcing(word)) && words.iter().any(|word| names_answer(word))
}

/// Whether a word may stand in an announcement.
fn is_announcing(word: &str) -> bool {
    ANSWERS.contains(&word) || AROUND.contains(&word) || han_parts(word).is_some()
}

fn names_answer(word: &str) -> bool {
    let is_answer = |part: &&str| ANSWERS_HAN.contains(part);
    ANSWERS.contains(&word) || han_parts(word).is_some_and(|parts| parts.iter().any(is_answer))
}

/// The known words that `word` is made of, if it is made of known ones only.
fn han_parts(word: &str) -> Option<Vec<&'static str>> {
    let mut parts = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let known = ANSWERS_HAN.iter().chain(&AROUND_HAN);
        let part = known.into_iter().find(|part| rest.starts_with(**part))?;
        rest = &rest[part.len()..];
        parts.push(*part);
    }
    (!parts.is_empty()).then_some(parts)
}
