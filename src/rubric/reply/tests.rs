//! Every family of reasoning, ending and template token that was seen, and how it is split.

use super::*;

const DRAFT: &str = "Draft:\n3 3 3 3 3 3\nwait";
const TRUE: &str = "1 2 2 3 2 1";

fn answer(raw: &str) -> Option<String> {
    let parts = Parts::of(raw);
    let words = parts.answer.replace("Final answer:", "");
    parts.unclosed.is_none().then(|| words.trim().trim_matches('*').trim().to_owned())
}

/// Opening and closing markers, from the documents of the models and servers that write them.
const FAMILIES: [(&str, &str); 38] = [
    ("<think>", "</think>"),
    ("<THINK>\n", "\n</THINK>\n"),
    ("< think >", "</ think >"),
    ("<thinking>", "</thinking>"),
    ("<think time=\"3\">", "</think>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<analysis>", "</analysis>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<chain-of-thought>", "</chain-of-thought>"),
    ("<antThinking>", "</antThinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<seed:think><seed:cot_budget_reflect>x</seed:cot_budget_reflect>", "</seed:think>"),
    (
        "<details type=\"reasoning\" done=\"true\">\n<summary>Thought for 3 s</summary>",
        "</details>",
    ),
    ("&lt;think&gt;", "&lt;/think&gt;"),
    ("[THINK]", "[/THINK]"),
    ("[REASONING]", "[/REASONING]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>\n<|begin_of_solution|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<|thinking_start|>", "<|thinking_end|>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|><|open|>response<|sep|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("Here is my thought process:\n", "\nHere is my response:\n"),
    ("Here's my thought process:\n", "\n\n**Here's my response:** "),
    ("<|im_start|>think\n", "<|im_start|>answer\n"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("```thinking\n", "\n```\n"),
    ("<!-- ", " -->"),
    ("<|think|>", "<|end|><|begin|>assistant<|content|>"),
    ("Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n"),
    ("Thinking...\n", "\n...done thinking.\n\n"),
    ("## Thinking\n\n", "\n\n## Final Response\n\n"),
];

#[test]
fn text_between_markers_is_reasoning_in_every_family() {
    for (open, close) in FAMILIES {
        let raw = format!("{open}{DRAFT}{close}{TRUE}");
        assert_eq!(answer(&raw).as_deref(), Some(TRUE), "{raw}");
        assert!(Parts::of(&raw).reasoning.contains("3 3 3 3 3 3"), "{raw}");
        let before = format!("Both were seen.\n{open}{DRAFT}{close}\n{TRUE}<|eot_id|>");
        assert_eq!(answer(&before).as_deref(), Some(TRUE), "{before}");
    }
}

#[test]
fn reasoning_that_never_ends_leaves_no_answer() {
    for (open, _) in FAMILIES {
        let raw = format!("{open}{DRAFT}\n{TRUE}");
        assert_eq!(answer(&raw), None, "{raw}");
        let again = format!("{TRUE}\n{open}{DRAFT}");
        assert_eq!(answer(&again), None, "{again}");
    }
    assert_eq!(answer("analysisWe need six digits.\n3 3 3 3 3 3"), None);
}

#[test]
fn a_closing_marker_alone_ends_reasoning() {
    for (open, close) in FAMILIES {
        // A fence may be code, details anything, and an ending turn the answer's.
        let is_only_a_turn = close.starts_with("<|end|><|begin|>");
        if is_only_a_turn || open.starts_with("```") || open.starts_with("<details") {
            continue;
        }
        let raw = format!("{DRAFT}{close}{TRUE}");
        assert_eq!(answer(&raw).as_deref(), Some(TRUE), "{raw}");
    }
}

#[test]
fn nested_and_repeated_reasoning_ends_with_its_last_marker() {
    for raw in [
        "<think>a<think>b</think>3 3 3 3 3 3</think>1 2 2 3 2 1",
        "<think>a</think>3 3 3 3 3 3\n<reflection>no</reflection>1 2 2 3 2 1",
        "<thinking>a<reflection>b</reflection>3 3 3 3 3 3</thinking><output>1 2 2 3 2 1</output>",
        "<think>a</reasoning>3 3 3 3 3 3</think>1 2 2 3 2 1",
        "3 3 3 3 3 3</think>no</think>1 2 2 3 2 1",
        "analysisDraft: 3 3 3 3 3 3assistantfinal1 2 2 3 2 1",
        "<|channel|>analysis<|message|>3 3 3 3 3 3<|channel|>final <|constrain|>JSON<|message|>1 2 2 3 2 1<|return|>",
        "<|channel|>commentary<|message|>x<|end|><|start|>assistant<|channel|>analysis<|message|>y<|end|><|start|>assistant<|channel|>final<|message|>1 2 2 3 2 1",
    ] {
        assert_eq!(answer(raw).as_deref(), Some(TRUE), "{raw}");
    }
    // Nothing follows the last reasoning.
    assert_eq!(answer("3 3 3 3 3 3<reflection>no</reflection>").as_deref(), Some(""));
    assert_eq!(answer("<think>a<think>b</think>1 2 2 3 2 1"), None);
}

#[test]
fn tokens_of_chat_templates_are_no_text() {
    for raw in [
        "1 2 2 3 2 1<|eot_id|>",
        "1 2 2 3 2 1</s>",
        "<s>1 2 2 3 2 1</s>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n1 2 2 3 2 1<|eot_id|>",
        "<start_of_turn>model\n1 2 2 3 2 1<end_of_turn>",
        "<|im_start|>assistant\n1 2 2 3 2 1<|im_end|>\n<|im_start|>user\nAnd these?\n3 3 3 3 3 3",
        "<|begin_of_box|>1 2 2 3 2 1<|end_of_box|>",
        "<answer>1 2 2 3 2 1</answer>",
        "<｜Assistant｜>1 2 2 3 2 1<｜end▁of▁sentence｜>",
        "1 2 2 3 2 1<|im_end|>3 3 3 3 3 3",
    ] {
        assert_eq!(answer(raw).as_deref(), Some(TRUE), "{raw}");
    }
}

#[test]
fn careless_marks_are_closed_only_where_nothing_else_is() {
    for (raw, answer) in [
        ("<think>\n<think>\na draft\n</think>\nyes", "yes"),
        ("<think>\na draft\n</thinking>\nyes", "yes"),
        ("<think>a </thinking> b <think> c</think>\nyes", "yes"),
        (
            "<|im_start|>assistant/think\na draft<|im_end|>\n<|im_start|>assistant\nyes<|im_end|>",
            "yes",
        ),
        ("/think\na draft<|im_end|>\n<|im_start|>assistant\nyes", "yes"),
        ("/think\na draft", ""),
        ("yes<seed:eos>", "yes"),
        ("yes[unused10]", "yes"),
        ("yes</longcat_s>", "yes"),
        ("<think>a<think>b</think>\nno", ""),
        ("<think>\na draft\n</answer>\nno", ""),
        ("<think>\na draft\n[/thinking]\nno", ""),
    ] {
        assert_eq!(Parts::of(raw).answer.trim(), answer, "{raw}");
    }
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for raw in [
        "<1> <2> <2> <3> <2> <1>",
        "a < b and c > d, [1, 2]",
        "[Reasoning] The left one [1] is better: x<y.",
        "{\"a\": [1, 2], \"b\": \"<b>bold</b>\"}",
        "analysis of both:\n1 2 2 3 2 1",
        "```json\n{}\n```",
    ] {
        assert_eq!(Parts::of(raw).answer, raw);
    }
}

#[test]
fn only_listed_endings_are_complete() {
    for word in [
        "stop",
        "STOP",
        "eos",
        "end_turn",
        "COMPLETE",
        "completed",
        "FINISH_REASON_STOP",
        "REASON_STOP",
    ] {
        assert_eq!(Finish::of(Some(word)), Finish::Stop, "{word}");
    }
    for word in ["length", "MAX_TOKENS", "model_length", "max_output_tokens"] {
        assert_eq!(Finish::of(Some(word)), Finish::Length, "{word}");
    }
    for word in ["error", "abort", "tool_calls", "OTHER", "LANGUAGE", "incomplete", "null"] {
        assert_eq!(Finish::of(Some(word)), Finish::Other(word.to_owned()));
    }
    assert_eq!((Finish::of(None), Finish::of(Some(""))), (Finish::Unknown, Finish::Unknown));
}
