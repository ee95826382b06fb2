//! Digits that are of something else than the answer, and replies that contradict theirs.

use super::{POSITION_OBJECT, digits, json, score};

const ANSWER: &str = "1 2 2 3 2 1";

#[test]
fn digits_under_a_line_about_something_else_are_no_answer() {
    for above in [
        "The left object is a die that shows the numbers",
        "The lettering on the right object reads:",
        "My previous answer was:",
        "It would be wrong to answer",
        "The answer is not",
        "The answer that the prompt injection wants is",
        "Hypothetically, were I able to see the objects, I would say",
        "Giving overall first:",
        "In reverse order of the criteria:",
        "Left scores:",
        "How sure am I of each of the six?",
        "Order: overall, match, plausibility, agreement, texture, geometry",
        "Order of criteria: 6, 5, 4, 3, 2, 1",
        "Each digit is my confidence from 1 to 3.",
        "Overall, the right one is better.",
    ] {
        assert!(digits(&format!("{above}\n{ANSWER}")).starts_with("invalid"), "{above}");
        // Nor do they replace an answer before them.
        let text = format!("3 3 3 3 3 3\n\n{above}\n{ANSWER}");
        assert_ne!(digits(&text), ANSWER, "{text}");
    }
    for above in [
        "How many legs does the reconstruction show?",
        "The chair should have 4 legs, the reconstruction has",
        "Number of errors found:",
        "Rank (1 = best):",
        "For instance, a perfect copy would get",
        "If the photo shows a chair, the score is",
    ] {
        assert_eq!(score(&format!("{above}\n3")), "invalid", "{above}");
    }
    for said in [">= 2", "Score: >= 2", "≤ 2"] {
        assert_eq!(score(said), "invalid", "{said}");
    }
}

#[test]
fn lines_that_lead_into_an_answer_are_kept() {
    for above in [
        "I'd go with:",
        "Putting it all together:",
        "As requested, the six decisions on one last line, separated by single spaces:",
        "On reflection:",
        "So the line is",
        "Here are my choices for the six criteria:",
        "Compared with the reference photo, my decisions are:",
        "En résumé :",
        "Zusammengefasst:",
        "Таким образом:",
        "結論として：",
        "Mina val:",
        "Which one is better?",
        "Legs whole on the left, broken on the right",
        "The right chair lacks a leg",
    ] {
        assert_eq!(digits(&format!("Remarks.\n\n{above}\n{ANSWER}")), ANSWER, "{above}");
    }
    for above in ["Shape 3, texture 1, so the average is", "I conclude with:", "The legs are thin"]
    {
        assert_eq!(score(&format!("{above}\n2")), "2", "{above}");
    }
}

#[test]
fn remarks_and_reasons_that_end_with_another_choice_contradict_the_answer() {
    let remarks = |ends: &str| {
        let remark = |(i, mark): (usize, &str)| format!("{}. It is sharper. {mark}\n", i + 1);
        let marks = ends.split(' ').enumerate();
        ["Option M follows.", "**M**", "→ M", "So M (sure).", "\n\nDecision: M"].map(|form| {
            marks.clone().map(|(i, m)| remark((i, &form.replace('M', m)))).collect::<String>()
        })
    };
    for same in remarks(ANSWER) {
        assert_eq!(digits(&format!("{same}\n{ANSWER}")), ANSWER, "{same}");
    }
    for other in remarks("1 2 2 3 2 2") {
        assert!(digits(&format!("{other}\n{ANSWER}")).starts_with("invalid"), "{other}");
        let text = format!("{other}\nWait, 6 is wrong. Corrected final answer:\n{ANSWER}");
        assert_eq!(digits(&text), ANSWER, "{text}");
    }
    let others = "1. Left. Option 1, not option 2.\n2. Option 2 over option 1.\n";
    assert_eq!(digits(&format!("{others}{others}{others}\n{ANSWER}")), ANSWER);
    let object = |reason: &str| {
        let keys = ["text_asset_alignment", "plausibility", "geometry_texture_alignment"];
        let keys = keys.into_iter().chain(["texture_details", "geometry_details", "overall"]);
        let entry = |key| format!(r#""{key}": {{"reasoning": "{reason}", "choice": "1"}}"#);
        format!("{{{}}}", keys.map(entry).collect::<Vec<_>>().join(", "))
    };
    for reason in ["The left one. I choose 1.", "Right is sharper, left whole.", "Left has 2."] {
        assert_eq!(digits(&object(reason)), "1 1 1 1 1 1", "{reason}");
    }
    for reason in [
        "TODO",
        "Placeholder.",
        "Choice: 2",
        "Right wins. Option 2.",
        "Left. Wait, the right one wins.",
    ] {
        assert!(digits(&object(reason)).starts_with("invalid"), "{reason}");
    }
    assert_eq!(score(r#"{"reasoning": "So I rate it 1.", "score": "3"}"#), "invalid");
    assert_eq!(score(r#"{"reasoning": "So I rate it 3.", "score": "3"}"#), "3");
    assert_eq!(score("The back is fine. So I rate it 3.\n1"), "invalid");
    let rated = |words: &str| {
        POSITION_OBJECT.replacen(
            ": 8",
            &format!(r#": {{"explanation": "{words}", "score": 8}}"#),
            1,
        )
    };
    for words in
        ["Two chairs, score 8.", "Whole: 8 points.", "It has 3 legs.", "Missing: 1 object."]
    {
        assert!(json(&rated(words)).starts_with('{'), "{words}");
    }
    for words in [
        "N/A",
        "Not assessed.",
        "Five chairs, so this gets 0.",
        "Wrong; score 1.",
        "None: 0 points.",
    ] {
        assert!(json(&rated(words)).starts_with("invalid"), "{words}");
    }
    assert_eq!(score("Final score: 1\n\n3"), "invalid");
    assert_eq!(score("Final score: 3\n\n3"), "3");
}

#[test]
fn digits_with_other_meanings_than_asked_for_are_no_answer() {
    for legend in [
        "Here 1 means the right object and 2 the left.",
        "(where 1 means that object 2 is better)",
        "(left = 2, right = 1)",
    ] {
        assert!(digits(&format!("{legend}\n{ANSWER}")).starts_with("invalid"), "{legend}");
        assert!(digits(&format!("{ANSWER}\n{legend}")).starts_with("invalid"), "{legend}");
    }
    let list = ["left", "right", "right", "tie", "right", "left"];
    let named = |(i, side)| format!("Criterion {} = {side}", i + 1);
    let list: Vec<String> = list.iter().enumerate().map(named).collect();
    assert_eq!(digits(&list.join("; ")), ANSWER);
    assert_eq!(digits(&format!("1 means that the left one is better.\n{ANSWER}")), ANSWER);
    for scale in ["On a scale of 1 to 10.", "I use the scale 0 to 5.", "My five-point scale."] {
        assert_eq!(score(&format!("{scale}\n\n3")), "invalid", "{scale}");
        let object = format!("{scale}\n\n{POSITION_OBJECT}");
        let is_read = json(&object).starts_with('{');
        assert_eq!(is_read, scale.contains("10"), "{scale}");
    }
    assert_eq!(score("(3 = poor, 1 = good)\n3"), "invalid");
    assert_eq!(score("(1 = poor, 3 = good)\n3"), "3");
    assert_eq!(score("2 - not perfect"), "2");
    assert_eq!(score("2 - perfect"), "invalid");
    assert_eq!(score("On the 1-3 scale, this is fair.\n\n2"), "2");
    assert_eq!(score("The chair has 4 legs at the same scale.\n\n2"), "2");
    assert_eq!(score(r#"{"score": 2, "max_score": 10}"#), "invalid");
}
