//! Scores of a reconstruction.

use super::score;

#[test]
fn the_last_line_of_a_reconstruction_holds_only_the_score() {
    for text in [
        "Reasoning with 3 steps.\n2",
        "**2**",
        "Score: 2",
        "**Final Score: 2**",
        "2.",
        "\"2\"",
        "2\n\"",
        "2\n```",
        "Final score:\n2",
        "`2`",
        "[2]",
        "\\boxed{2}",
        "2/3",
        "Score: 2/3",
        "2 out of 3",
        "2.0",
        "Score (1-3): 2",
        "Score = 2",
        "My final score is 2.",
        "# 2",
        "２",
        "Overall score: **2**",
        "<think>3</think>2",
        "最终得分：2",
        "评分：２分",
        "My score (in order): 2",
        "2 (Fair Reconstruction)",
        "Score: 2 (Fair Reconstruction)",
        "Final Score: **2** - Fair",
        "2 - Fair",
        "2 (out of 3)",
        "2/3 (fair)",
        "Overall: fair.\n\n\"2\"",
        "Final score: 2\n\nLet me know if you need more.",
        "Reasons.\n2\n\nI hope this helps!",
        "$\\boxed{2}$\n\nThank you.",
        "Score:\n2\n\n(3 = good, 2 = fair, 1 = poor)",
        "Final score: 2 = fair",
        "> Score: 1\n\nI ignore it.\n\n\"2\"\n\nHappy to elaborate.",
        "Shape: 3\nCompleteness: 1\nFinal score: 2",
        "{\"score\": \"2\"}",
        "```json\n{'shape_fidelity': 3, 'score': 2, // fair\n}\n```",
        "{\"reasoning\": \"a 3\nor 1\", \"final_score\": \"2/3\"}",
        "<|begin_of_box|>2<|end_of_box|>",
        "Shape: good\n\nFinal score: Fair",
        "Höhe: gut.\n**Final score: fair**",
    ] {
        assert_eq!(score(text), "2", "{text:?}");
    }
}

#[test]
fn a_reconstruction_that_ends_otherwise_is_invalid() {
    for text in [
        "Score: 2 because the legs are short",
        "The reconstruction is a 2",
        "4",
        "2 (or 3)",
        "Final score: fair to good",
        "Score: fair",
        "Final score: Fair\n\nFinal score: 3",
        "Final score: 3 (poor)",
        "Final score: 3 poor",
        "3 good\n2 fair\n1 poor",
        "3: good\n2: fair\n1: poor",
        "2 - good",
        "2 - 3",
        "Shape: 3\nCompleteness: 1",
        "{\"shape_fidelity\": 3, \"completeness\": 2}",
        "0",
        "-2",
        "2.5",
        "2/5",
        "2-3",
        "1 or 2",
        "2 3",
        "Shape fidelity: 2",
        "Two",
        "No artifact: 3",
        "Score: x",
        "22",
        "Score: -2",
        "~2",
        "Step 2",
        "1. 2",
        "Score: 1: 2",
    ] {
        assert_eq!(score(text), "invalid", "{text:?}");
    }
}

#[test]
fn a_final_score_may_have_the_name_of_its_grade_behind_it() {
    for (text, number) in [("最终评分：3/3 满分", "3"), ("Final score: 2 Fair", "2")] {
        assert_eq!(score(text), number);
    }
}

#[test]
fn numbers_over_the_criteria_are_no_scores() {
    let text = "### 1\nThe form is there.\n### 2\nToo flat.\n### 3\nComplete.\n### 4\nClean.\nAll in all fair.\n2";
    assert_eq!(score(text), "2");
    assert_eq!(score("3\nThe form is there.\n1\nToo flat.\n2"), "invalid");
}

#[test]
fn a_score_in_a_sentence_about_the_whole_or_in_a_word_counts() {
    for text in [
        "This one gets a 2 from me.\n\n**Shape fidelity:** The form is soft.\n\n**Completeness:** Nothing is missing.",
        "I'd give this reconstruction a 2: it is fair.\n\nShape: soft.\n\nCompleteness: whole.\n\nSurface: clean.",
        "My score is 2. Here is why.\n\nShape: soft.\n\nCompleteness: whole.\n\nSurface: clean.",
        "The legs are short.\n\nThis earns a **2**.",
        "The legs are short.\n\nFinal score: two",
        "The legs are short.\n\nI give it a score of two.",
        "Final score: ★★☆ (2/3)",
        "~~3~~ → corrected score: 2",
        "2\n\n- Shape fidelity: soft.\n- Completeness: one of 4 legs is missing.\n- Surface: clean.",
    ] {
        assert_eq!(score(text), "2", "{text}");
    }
    // Of a single criterion, and of one of several numbers alone in their lines.
    for text in [
        "Completeness gets a 3.",
        "Its shape earns a 2, its surface a 3.",
        "1\nShape: soft.\nIt is long.\n2\nSurface: clean.\nIt is long.",
    ] {
        assert_eq!(score(text), "invalid", "{text}");
    }
}

#[test]
fn the_last_sentence_of_a_paragraph_gives_the_score_of_the_whole() {
    let paragraph =
        "The outline is right. Nothing is missing. I would therefore rate this reconstruction a 2.";
    for text in [paragraph.to_owned(), format!("{paragraph}\n\nFeel free to ask.")] {
        assert_eq!(score(&text), "2", "{text}");
    }
    assert_eq!(score("2 (Fair)\n\nSome flaws.\n\n2 (Fair)"), "2");
    for text in [
        // One for each criterion, one that is taken back, and one of a criterion.
        format!("Shape: fine. So my score is 3.\n\n{paragraph}"),
        format!("{paragraph}\n\nActually, please ignore that."),
        "Shape: fine.\n\nFreedom from artifacts: some debris. Score: 2.".to_owned(),
        // The scale.
        "3 – good: hardly a flaw.\n2 – fair: flawed.\n1 – poor: broken.".to_owned(),
    ] {
        assert!(score(&text).starts_with("invalid"), "{text}: {}", score(&text));
    }
}
