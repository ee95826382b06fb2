//! Choices of a pair: lines, lists, tables and objects.

use super::{EXAMPLE_LINE, digits, read};

#[test]
fn the_last_line_of_six_digits_is_the_answer_in_every_dress() {
    let texts = [
        "Analysis.\n1 2 2 3 2 1",
        "Final answer:\n1 2 2 3 2 1\n\"",
        "Final answer:\n1 2 2 3 2 1\"",
        "\"\nFinal answer:\n1 2 2 3 2 1\n\"\n",
        "Final answer: 1 2 2 3 2 1",
        "**Final answer:** 1 2 2 3 2 1",
        "**Final Answer: 1 2 2 3 2 1**",
        "### Final decision\n\n`1 2 2 3 2 1`",
        "```\n1 2 2 3 2 1\n```",
        "1, 2, 2, 3, 2, 1",
        "1,2,2,3,2,1.",
        "1  2  2  3  2  1",
        "1\t2 2\u{a0}3 2 1\r\n",
        "(1 2 2 3 2 1)",
        "[1, 2, 2, 3, 2, 1]",
        "<1> <2> <2> <3> <2> <1>",
        "**1** **2** **2** **3** **2** **1**",
        "$\\boxed{1 2 2 3 2 1}$",
        "- 1 2 2 3 2 1",
        "> 1 2 2 3 2 1",
        "So my final answer is 1 2 2 3 2 1.",
        "Final answer：1 2 2 3 2 1",
        "<think>maybe 3 3 3 3 3 3</think>\n1 2 2 3 2 1",
        "reasoning 3 3 3 3 3 3\n</think>1 2 2 3 2 1",
    ];
    for text in texts {
        assert_eq!(digits(text), "1 2 2 3 2 1", "{text:?}");
    }
}

#[test]
fn of_several_answer_lines_the_last_one_counts() {
    assert_eq!(
        digits("e.g. the form is\n3 3 3 2 1 3\n\nFinal answer:\n1 2 2 3 2 1"),
        "1 2 2 3 2 1"
    );
    assert_eq!(digits(&format!("Final answer:\n{EXAMPLE_LINE}\n\n1 2 2 3 2 1")), "1 2 2 3 2 1");
    assert_eq!(digits("1 1 1 1 1 1\nOn reflection:\nFinal answer: 1 2 2 3 2 1"), "1 2 2 3 2 1");
    // An answer that calls itself final wins over what only looks like one.
    for later in ["Ratings: 1 3 2 2 3 1", "3 3 3 3 3 3", "1. 3\n2. 3\n3. 3\n4. 3\n5. 3\n6. 3"] {
        let text = format!("Final answer: 1 2 2 3 2 1\n\n{later}");
        assert_eq!(digits(&text), "1 2 2 3 2 1", "{text}");
    }
}

#[test]
fn scores_of_each_side_are_no_choices() {
    for (left, right) in [
        ("Left scores", "Right scores"),
        ("Object 1:", "Object 2:"),
        ("### Asset A", "### Asset B"),
        ("Scores of the first object", "Scores of the second object"),
    ] {
        for digits_right in ["2 3 2 2 2 3", "3 2 2 2 3 2"] {
            let list = |digits: &str| {
                let lines = digits.split(' ').enumerate();
                lines.map(|(i, d)| format!("Criterion {}: {d}\n", i + 1)).collect::<String>()
            };
            let text = format!("{left}\n{}{right}\n{}", list("3 2 2 2 3 2"), list(digits_right));
            assert!(digits(&text).starts_with("invalid"), "{text}");
        }
    }
}

#[test]
fn a_pairwise_answer_as_json_is_read_in_every_form_seen() {
    let object = r#"{"text_asset_alignment": 1, "plausibility": 2, "geometry_texture_alignment": 2, "texture_details": 3, "geometry_details": 2, "overall": 1}"#;
    for text in [
        object.to_owned(),
        format!("Sure!\n```json\n{object}\n```\nI hope this helps."),
        object.replace(": ", ": \"").replace(", ", "\", ").replace('}', "\"}"),
        object.replace(": 1", ": 1.0"),
        object.replace("1,", "1, // the left one\n").replace('}', ",}"),
        object.replace('"', "'"),
        object.replace('_', "\\_"),
        object.replace("\":", "\u{201d}:").replace('"', "\u{201c}"),
        format!("{{\"answer\": {object}}}"),
        r#"{"Text-Asset Alignment": "1 (left)", "3D Plausibility": 2, "Geometry-Texture Alignment": 2, "Texture Details": 3, "geometryDetails": 2, "Overall": 1}"#.to_owned(),
        r#"{"analysis": "3 3 3 3 3 3", "final_answer": "1 2 2 3 2 1"}"#.to_owned(),
        r#"{"analysis": "x", "final_answer": [1, 2, 2, 3, 2, 1]}"#.to_owned(),
        r#"{"choices": [1, 2, 2, 3, 2, 1], "confidence": NaN}"#.to_owned(),
        r#"[{"criterion": "text_asset_alignment", "choice": 1}, {"criterion": "plausibility", "choice": 2}, {"criterion": "geometry_texture_alignment", "choice": "2"}, {"criterion": "texture_details", "choice": 3}, {"criterion": "geometry_details", "choice": 2}, {"criterion": "overall", "choice": 1}]"#.to_owned(),
        "1.0 2.0 2.0 3.0 2.0 1.0".to_owned(),
        "<think>3 3 3 3 3 3</think>1 2 2 3 2 1<|eot_id|>".to_owned(),
        "\\boxed{\\text{1 2 2 3 2 1}}".to_owned(),
    ] {
        assert_eq!(digits(&text), "1 2 2 3 2 1", "{text}");
    }
    for text in [
        object.replace(", \"overall\": 1", ""),
        object.replace("\"overall\": 1", "\"overall\": 4"),
        object.replace("\"overall\": 1", "\"overall\": 1.5"),
        object.replace("\"overall\": 1", "\"overall\": \"the taller one\""),
        object.replace("\"overall\": 1", "\"overall\": 1, \"Overall\": 2"),
        object.replace('}', ", \"final_answer\": \"3 3 3 3 3 3\", \"answer\": \"1 1 1 1 1 1\""),
        object[..object.len() - 1].to_owned(),
    ] {
        assert!(digits(&text).starts_with("invalid"), "{text}: {}", digits(&text));
    }
}

#[test]
fn the_echoed_example_line_is_no_answer() {
    assert_eq!(
        digits(&format!("Final answer:\n{EXAMPLE_LINE}\n\"")),
        "invalid: no line of 6 digits was found"
    );
    assert_eq!(digits(&format!("1 2 2 3 2 1\n\nFinal answer:\n{EXAMPLE_LINE}\n\"")), "1 2 2 3 2 1");
    assert!(digits("e.g., 1 2 2 3 2 1").starts_with("invalid"));
    assert!(digits("Example answer: 1 2 2 3 2 1").starts_with("invalid"));
    assert!(
        digits("1 2 2 3 2 1 / 3 3 3 2 1 3 / 3 2 2 1 1 1")
            .starts_with("invalid: the answer holds 18")
    );
    assert!(digits("x x x x x x").starts_with("invalid"));
}

#[test]
fn prose_after_the_digits_does_not_hide_them() {
    assert_eq!(
        digits("1 2 2 3 2 1\n\nI hope this helps! Object 1 is better overall."),
        "1 2 2 3 2 1"
    );
    assert_eq!(digits("1 2 2 3 2 1\nIn summary, object 1 wins 2 criteria."), "1 2 2 3 2 1");
    assert_eq!(digits("Final answer: 1 2 2 3 2 1. Object 1 has more detail."), "1 2 2 3 2 1");
    assert_eq!(digits("1 2 2 3 2 1 (left is better overall)"), "1 2 2 3 2 1");
    assert_eq!(digits("1 2 2 3 2 1\nConfidence: 1 1 2 1 1 2"), "1 2 2 3 2 1");
    assert_eq!(digits("1 2 2 3 2 1\nRendered in 2026."), "1 2 2 3 2 1");
}

#[test]
fn wrong_counts_and_wrong_digits_are_invalid_with_the_reason() {
    assert_eq!(digits("1 2 2 3 2"), "invalid: the answer holds 5 numbers where 6 are asked for");
    assert_eq!(
        digits("1 2 2 3 2 1 1"),
        "invalid: the answer holds 7 numbers where 6 are asked for"
    );
    assert_eq!(
        digits("1 2 4 3 2 1"),
        "invalid: the answer holds 4, which is not on the menu 1, 2, 3"
    );
    assert_eq!(
        digits("1 2 0 3 2 1"),
        "invalid: the answer holds 0, which is not on the menu 1, 2, 3"
    );
    assert_eq!(
        digits("1 2 2 3 2 11"),
        "invalid: the answer holds 11, which is not on the menu 1, 2, 3"
    );
    // A wrong last line is not mended by an earlier one: the judge may have changed its mind.
    assert!(digits("1 2 2 3 2 1\nFinal answer: 1 2 2 3 2").starts_with("invalid"));
    assert!(digits("Final answer: 12232").starts_with("invalid"));
    assert!(digits("Final answer: 122324").starts_with("invalid"));
    assert!(digits("Final answer: 1").starts_with("invalid"));
}

#[test]
fn the_digits_are_read_in_every_spelling_seen() {
    let texts = [
        "最终答案：1 2 2 3 2 1",
        "答案：１、２、２、３、２、１",
        "最终评分（按顺序）：1、2、2、3、2、1。",
        "最终答案是：1，2，2，3，2，1",
        "最終回答：1 2 2 3 2 1",
        "1、2、2、3、2、1",
        "122321",
        "Final answer: 122321",
        "**122321**",
        "Final answer: 1-2-2-3-2-1",
        "1-2-2-3-2-1",
        "1 - 2 - 2 - 3 - 2 - 1",
        "1–2–2–3–2–1.",
        "Final answer (in order): 1 2 2 3 2 1",
        "(in order): 1 2 2 3 2 1",
        "In order: 1, 2, 2, 3, 2, 1",
        "My scores: 1 2 2 3 2 1",
        "My scores (in order): 1 2 2 3 2 1",
        "My scores:\n1 2 2 3 2 1",
        "Scores: [1, 2, 2, 3, 2, 1]",
        "Final answer (criteria 1-6): 1 2 2 3 2 1",
        "| 1 | 2 | 3 | 4 | 5 | 6 |\n|---|---|---|---|---|---|\n| 1 | 2 | 2 | 3 | 2 | 1 |",
        "| Final answer | 1 | 2 | 2 | 3 | 2 | 1 |",
    ];
    for text in texts {
        assert_eq!(digits(text), "1 2 2 3 2 1", "{text:?}");
    }
    for text in [
        "20261121",
        "2026-11-21",
        "1-2-2-3-2",
        "Confidence: 1-2-2-3-2-1",
        "最终置信度：1 2 2 3 2 1",
        "例如：1 2 2 3 2 1",
    ] {
        assert!(digits(text).starts_with("invalid"), "{text:?}");
    }
}

#[test]
fn a_list_or_table_of_one_choice_a_line_is_an_answer() {
    let list = "1. 1\n2. 2\n3. 2\n4. 3\n5. 2\n6. 1";
    let named = "1. Text prompt & Asset Alignment: 1\n2. 3D Plausibility: 2\n3. Geometry-Texture Alignment: 2\n4. Low-Level Texture Details: 3\n5. Low-Level Geometry Details: 2\n6. Overall: 1";
    let texts = [
        list,
        named,
        "Final answer:\n1) 1\n2) 2\n3) 2\n4) 3\n5) 2\n6) 1",
        "(1) 1\n(2) 2\n(3) 2\n(4) 3\n(5) 2\n(6) 1",
        "1: 1\n2: 2\n3: 2\n4: 3\n5: 2\n6: 1",
        "1、1\n2、2\n3、2\n4、3\n5、2\n6、1",
        "1．文本一致性：1\n2．合理性：2\n3．几何纹理：2\n4．纹理：3\n5．几何：2\n6．总体：1",
        "Criterion 1: 1\nCriterion 2: 2\nCriterion 3: 2\nCriterion 4: 3\nCriterion 5: 2\nCriterion 6: 1",
        "Final answer:\n1\n2\n2\n3\n2\n1",
        "My scores:\n- 1\n- 2\n- 2\n- 3\n- 2\n- 1\n\nThat is all.",
        "**Text-Asset Alignment**: 1 (left)\n**3D Plausibility**: 2 (right is better)\n\n**Geometry-Texture Alignment**: 2\n**Low-Level Texture Details**: 3 – cannot decide\n**Low-Level Geometry Details**: 2\n**Overall**: 1",
        "| Criterion | Choice |\n|---|---|\n| Text alignment | 1 |\n| Plausibility | 2 |\n| Geometry-texture alignment | 2 |\n| Texture details | 3 |\n| Geometry details | 2 |\n| Overall | 1 |",
        "| # | Criterion | Choice | Why |\n|:-:|---|---|---|\n| 1 | Text alignment | 1 | 4 legs |\n| 2 | Plausibility | 2 | a |\n| 3 | Geometry-texture | 2 | b |\n| 4 | Texture | 3 | c |\n| 5 | Geometry | 2 | d |\n| 6 | Overall | 1 | e |\n\nIn short, the left one.",
    ];
    for text in texts {
        assert_eq!(digits(text), "1 2 2 3 2 1", "{text:?}");
    }
    let last = format!("{list}\n\nFinal answer: 3 3 3 3 3 3");
    assert_eq!(digits(&last), "3 3 3 3 3 3");
}

#[test]
fn choices_can_be_named_by_their_sides() {
    for text in [
        "Summary of decisions: left, right, right, cannot decide, right, left",
        "Final line: left, right, right, tie, right, left.",
        "Left; Right; Right; Tie; Right; Left",
        "Object 1, object 2, object 2, neither, object 2, object 1",
        "左、右、右、无法判断、右、左",
        "1. Match: left\n2. Plausibility: right\n3. Agreement: right\n4. Texture: tie\n5. Geometry: right\n6. Overall: left",
        "| Criterion | Winner |\n|---|---|\n| Match with the text prompt | Left |\n| 3D plausibility | Right |\n| Agreement of geometry and texture | Right |\n| Fine texture detail | Cannot decide |\n| Fine geometry detail | Right |\n| Overall | Left |",
        r#"{"text_asset_alignment": "left", "plausibility": "right", "geometry_texture_alignment": "right", "texture_details": "cannot decide", "geometry_details": "right", "overall": "left"}"#,
        "| Criterion | Decision |\n|---|---|\n| 텍스트와의 일치 | 1 |\n| 3D 타당성 | 2 |\n| 기하와 텍스처의 일치 | 2 |\n| 텍스처 세부 | 3 |\n| 기하 세부 | 2 |\n| 종합 | 1 |",
    ] {
        assert_eq!(digits(text), "1 2 2 3 2 1", "{text}");
    }
    for text in [
        "left, right, right, tie, right",
        "left, right, right, left or right, right, left",
        "Confidence: left, right, right, tie, right, left",
        "left, right, right, tie, right, left\n1 2 2 3 2 2",
        "| Part | Count |\n|---|---|\n| 다리 | 1 |\n| 머리 | 2 |\n| 팔 | 2 |\n| 꼬리 | 3 |\n| 눈 | 2 |\n| 코 | 1 |",
    ] {
        assert!(digits(text).starts_with("invalid"), "{text}");
    }
}

#[test]
fn what_only_looks_like_a_list_of_choices_is_none() {
    for text in [
        "1. 1\n2. 2\n3. 2\n4. 3\n5. 2",
        "1. 1\n2. 2\n3. 2\n4. 3\n5. 2\n7. 1",
        "1. 4\n2. 2\n3. 2\n4. 3\n5. 2\n6. 1",
        "1\n2\n2\n3\n2",
        "Pages:\n1\n2\n2\n3\n2\n1\nThese were the pages.",
        "1. 2 legs\n2. 1 head\n3. 2 arms\n4. 1 tail\n5. 2 eyes\n6. 1 nose",
        "legs: 2\nheads: 1\narms: 2\ntails: 1\neyes: 2\nnoses: 1",
        "Overall: 1\nText alignment: 2\nPlausibility: 2\nTexture details: 1\nGeometry details: 1\nGeometry-texture: 3",
        "1) 1 2) 2 3) 2 4) 3 5) 2 6) 1",
        "Criterion 1: 1\nCriterion 2: 2\n6. Overall: 1",
        "| 1 | 2 |\n| 2 | 2 |",
        // Numbers in order before names that are not.
        "1. Overall: 2\n2. Match with the text prompt: 1\n3. 3D plausibility: 1\n4. Agreement of geometry and texture: 1\n5. Fine texture detail: 1\n6. Fine geometry detail: 1",
        "1. Overall: Right\n2. Match with the text prompt: Left\n3. 3D plausibility: Left\n4. Agreement of geometry and texture: Left\n5. Fine texture detail: Left\n6. Fine geometry detail: Left",
        "| 1 | Overall | 2 |\n| 2 | Match with the prompt | 1 |\n| 3 | Plausibility | 1 |\n| 4 | Agreement | 1 |\n| 5 | Texture detail | 1 |\n| 6 | Geometry detail | 1 |",
        "| Overall | Match | Plausibility | Agreement | Texture | Geometry |\n|---|---|---|---|---|---|\n| 2 | 1 | 1 | 1 | 1 | 1 |",
        // Headings of something else.
        "| Criterion | Worse object |\n|---|---|\n| text_asset_alignment | 2 |\n| plausibility | 2 |\n| geometry_texture_alignment | 2 |\n| texture_details | 2 |\n| geometry_details | 2 |\n| overall | 2 |",
        "Confidence:\n- text_asset_alignment: 3\n- plausibility: 3\n- geometry_texture_alignment: 3\n- texture_details: 3\n- geometry_details: 3\n- overall: 3",
        "Faults of the objects:\n1. Left\n2. Right\n3. Right\n4. Left\n5. Right\n6. Right",
        "The left one is better.\nWorse object on each criterion:\n2 2 2 1 2 2",
        "Winner: object 1 for everything. Confidence:\n2 2 2 1 2 2",
        "| Criterion | Left | Right |\n|---|---|---|\n| Text | 1 | 2 |\n| Plausibility | 2 | 1 |\n| Geometry | 1 | 2 |\n| Texture | 1 | 1 |\n| Details | 2 | 2 |\n| Overall | 1 | 2 |",
    ] {
        assert!(digits(text).starts_with("invalid"), "{text:?}");
    }
}

#[test]
fn a_remark_about_the_answer_leaves_none_unless_it_is_known() {
    for after in [
        "I hope this helps!",
        "This follows from what I described above.",
        "Let me know if the scores need more detail.",
        "The left object has the wrong number of legs, and the texture of the right one is blurred where the two parts meet. Its back has a second face, and an arm is missing. Nothing else differs between them, as far as I can see in the four views.",
    ] {
        assert_eq!(digits(&format!("1 2 2 3 2 1\n\n{after}")), "1 2 2 3 2 1", "{after}");
    }
    for after in [
        "That line of digits is a dummy.",
        "Treat this verdict as void.",
        "Die Zahlen sind geraten, ich konnte nichts sehen.",
        "这个答案作废。",
    ] {
        assert!(digits(&format!("1 2 2 3 2 1\n\n{after}")).starts_with("invalid"), "{after}");
    }
    // Repeated, it is valid again.
    assert_eq!(digits("1 2 2 3 2 1\n\nMy answer, in a line:\n\n1 2 2 3 2 1"), "1 2 2 3 2 1");
}

/// Replies made to be slow: with a step quadratic in the length, this test takes minutes.
#[test]
fn a_hostile_reply_is_read_in_one_pass() {
    for piece in [
        "<",
        "<|channel|>",
        "</s>",
        "1 2 2 3 2 1\n",
        "!\n",
        "{",
        "[",
        "*",
        "\"",
        "1. 1\n",
        "<think>",
        "```\n",
        "> \n",
        "{\"a\":",
        "2\n",
    ] {
        let text = piece.repeat((1 << 14) / piece.len());
        for rubric in ["pairwise", "reconstruction", "category"] {
            read(rubric, &text);
        }
    }
    assert!(digits(&"1 ".repeat(1 << 20)).contains("longer than any answer"));
}

#[test]
fn digits_with_the_names_of_their_sides_are_an_answer_if_both_agree() {
    let line =
        "Decisions: 1 (left), 2 (right), 2 (Object 2), 3 (cannot decide), 2 (right), 1 (left)";
    assert_eq!(digits(line), "1 2 2 3 2 1");
    let turned = line.replace("1 (left)", "1 (right)");
    assert!(digits(&turned).starts_with("invalid"), "{turned}");
}

#[test]
fn a_choice_under_the_heading_of_each_criterion_is_an_answer() {
    let titles = [
        "Match with the text prompt",
        "3D plausibility",
        "Agreement of geometry and texture",
        "Fine texture detail",
        "Fine geometry detail",
        "Overall",
    ];
    let blocks: Vec<String> = titles
        .iter()
        .zip(["1", "2", "2", "3", "2", "1"])
        .enumerate()
        .map(|(i, (title, digit))| {
            format!("**{}. {title}**\nIts back is whole.\n**Decision: {digit}**", i + 1)
        })
        .collect();
    assert_eq!(digits(&blocks.join("\n")), "1 2 2 3 2 1");
    let named = blocks.join("\n").replace("Decision: 2", "Winner: Object 2 (right)");
    assert_eq!(digits(&named.replace("Decision: 3", "Winner: cannot decide (3)")), "1 2 2 3 2 1");
    let drafted = format!(
        "*Thinking…*\n> 1. 3\n> 2. 3\n> 3. 3\n> 4. 3\n> 5. 3\n> 6. 3\n\n{}",
        blocks.join("\n")
    );
    assert_eq!(digits(&drafted), "1 2 2 3 2 1");
    assert!(digits(&blocks[..5].join("\n")).starts_with("invalid"));
    // Choices that skip a criterion and give another one twice.
    let mut twice = blocks.clone();
    twice[3] = blocks[2].clone();
    assert!(digits(&twice.join("\n")).starts_with("invalid"));
}

#[test]
fn labels_in_two_languages_are_a_list_where_those_known_are_in_their_places() {
    let list = "Match with the text prompt: 1\n3D-Plausibilität: 2\nÜbereinstimmung: 2\nFine texture detail: 3\nGeometriedetails: 2\nOverall: 1";
    assert_eq!(digits(list), "1 2 2 3 2 1");
    let moved = list.replace("Fine texture detail", "Overall impression");
    assert!(digits(&moved).starts_with("invalid"), "{moved}");
}

#[test]
fn a_last_line_with_a_label_in_any_language_is_an_answer_if_nothing_else_is() {
    for line in [
        "Letzte Zeile: 1 2 2 3 2 1",
        "__Linha final__: `1 2 2 3 2 1`",
        "Rad: 122321",
        "الحكم: ١ ٢ ٢ ٣ ٢ ١",
        "परिणाम: १ २ २ ३ २ १",
        "Vastaus: 1, 2, 2, 3, 2, 1.",
        "Result: $\\boxed{\\mathtt{1 2 2 3 2 1}}$",
    ] {
        let text = format!("The left object is whole.\n\n{line}\n");
        assert_eq!(digits(&text), "1 2 2 3 2 1", "{text}");
        // Not where text follows, which may take it back in words that are not known.
        let more = format!("{text}\nXyzzy plugh.");
        assert_ne!(digits(&more), "1 2 2 3 2 1", "{more}");
    }
    for line in [
        "Confidence: 1 2 2 3 2 1",
        "Weights: 1 2 2 3 2 1",
        "Taslak: 1 2 2 3 2 1",
        "مثال: 1 2 2 3 2 1",
        "Left object: 1 2 2 3 2 1",
        "If geometry counts: 1 2 2 3 2 1",
        "View 3: 1 2 2 3 2 1",
        "Strenge Lesart: 1 1 2 3 2 1\nMilde Lesart: 1 2 2 3 2 1",
        "Rad: 1 2 2 3 2",
        "Rad: 1 2 2 3 2 9",
        "What a long line this is before the digits come: 1 2 2 3 2 1",
    ] {
        assert!(digits(&format!("It is whole.\n\n{line}")).starts_with("invalid"), "{line}");
    }
}

#[test]
fn reasons_under_the_criteria_are_no_second_answer() {
    let text = r#"{"analysis": {"text_asset_alignment": "The left one has the mast.", "plausibility": "The right one is whole.",
        "geometry_texture_alignment": "b", "texture_details": "c", "geometry_details": "d", "overall": "e"}, "final": "1 2 2 3 2 1"}"#;
    assert_eq!(digits(text), "1 2 2 3 2 1");
}

#[test]
fn an_answer_in_the_last_clause_of_a_sentence_counts_without_a_condition() {
    assert_eq!(
        digits("Putting it together, my final decisions are **1 2 2 3 2 1**."),
        "1 2 2 3 2 1"
    );
    assert_eq!(digits("Hence my answer for the 6 criteria is: 1 2 2 3 2 1"), "1 2 2 3 2 1");
    let text = "1 1 1 1 1 1\n\nIf geometry counts most, my final decisions are 1 2 2 3 2 1";
    assert_ne!(digits(text), "1 2 2 3 2 1");
}

#[test]
fn a_line_that_reasons_about_a_side_chooses_none() {
    let lines: Vec<String> = (1..=6)
        .map(|i| {
            format!(
                "{i}. **Criterion**: Object 1 (left) suffers from noise, whereas object 2 is whole."
            )
        })
        .collect();
    assert!(digits(&lines.join("\n")).starts_with("invalid"));
    assert_eq!(digits(&format!("{}\n2 2 2 3 2 2", lines.join("\n"))), "2 2 2 3 2 2");
}

#[test]
fn a_sentence_about_an_impression_does_not_make_the_answer_a_draft() {
    let text = "### 6. Overall\nThe right one, for example, gives the stronger overall impression from every side. Option 2 follows.\n\n1 2 2 3 2 1";
    assert_eq!(digits(text), "1 2 2 3 2 1");
    let text =
        "总体: 左边的物体更有说服力，而右边的物体只是一个粗糙的草稿。因此左边更好。\n1 2 2 3 2 1";
    assert_eq!(digits(text), "1 2 2 3 2 1");
    for before in ["My first impression:", "A first attempt:", "For example:"] {
        assert!(digits(&format!("{before}\n1 2 2 3 2 1")).starts_with("invalid"), "{before}");
    }
}

#[test]
fn every_digit_may_have_a_label_or_a_note_of_its_own_in_one_line() {
    for text in [
        "Final answer: 1 (left) 2 (right) 2 (right) 3 (cannot decide) 2 (right) 1 (left)",
        "1(left) 2(right) 2(right) 3(tie) 2(right) 1(left)",
        "Final answer: C1=1, C2=2, C3=2, C4=3, C5=2, C6=1",
        "C1=1; C2=2; C3=2; C4=3; C5=2; C6=1",
        "1) left; 2) right; 3) right; 4) tie; 5) right; 6) left",
        "Reasons.\n\nFinal answer: Q1: 1, Q2: 2, Q3: 2, Q4: 3, Q5: 2, Q6: 1",
        "Final answer:\n#1: 1\n#2: 2\n#3: 2\n#4: 3\n#5: 2\n#6: 1",
    ] {
        assert_eq!(digits(text), "1 2 2 3 2 1", "{text:?}");
    }
    for text in [
        "Final answer: 1 (right) 2 (right) 2 (right) 3 (cannot decide) 2 (right) 1 (left)",
        "Final answer: C1=1, C2=2, C3=2, C4=3, C5=2",
        "Final answer: C2=1, C1=2, C3=2, C4=3, C5=2, C6=1",
        "Final answer: C1=1, C2=2, C3=4, C4=3, C5=2, C6=1",
    ] {
        assert!(!digits(text).starts_with(|c: char| c.is_ascii_digit()), "{text:?}");
    }
}

#[test]
fn a_list_in_another_language_ends_with_the_whole() {
    for text in [
        "Übereinstimmung: Links ist besser.\nPlausibilität: Rechts ist besser.\nEinklang: Rechts ist besser.\nTexturdetails: Unentschieden\nGeometriedetails: Rechts\nGesamt: Links ist besser.",
        "Correspondência com o texto: 1\nPlausibilidade 3D: 2\nAcordo: 2\nDetalhe da textura: 3\nDetalhe da geometria: 2\nGeral: 1\n\nSe quiser, posso detalhar algum critério.",
        "与文本提示的匹配: 左\n三维合理性: 右\n一致性: 右\n纹理细节: 无法判断\n几何细节: 右\n总体: 左\n\n需要我再比较其他模型吗？",
        "| 기준 | 결정 |\n|---|---|\n| 일치 | 1 |\n| 타당성 | 2 |\n| 형상 | 2 |\n| 텍스처 | 3 |\n| 세부 | 2 |\n| 종합 | 1 |",
    ] {
        assert_eq!(digits(text), "1 2 2 3 2 1", "{text}");
    }
    // One of them too few, and one that does not end with the whole.
    for text in [
        "Übereinstimmung: Links\nPlausibilität: Rechts\nEinklang: Rechts\nTexturdetails: Links\nGesamt: Links",
        "Übereinstimmung: 1\nPlausibilität: 2\nEinklang: 2\nTexturdetails: 3\nFarbe: 2\nGröße: 1\nUnd so weiter.",
    ] {
        assert!(digits(text).starts_with("invalid"), "{text}");
    }
}

#[test]
fn columns_and_bars_set_choices_off() {
    for text in [
        "COMPARISON\n==========\nMatch with the text prompt          1\n3D plausibility                     2\nAgreement of geometry and texture   2\nFine texture detail                 3\nFine geometry detail                2\nOverall                             1\n----------",
        "Match with the text prompt: 1 | 3D plausibility: 2 | Agreement of geometry and texture: 2 | Fine texture detail: 3 | Fine geometry detail: 2 | Overall: 1",
        "1) Match with the text prompt -> 1\n2) 3D plausibility -> 2\n3) Agreement of geometry and texture -> 2\n4) Fine texture detail -> 3\n5) Fine geometry detail -> 2\n6) Overall -> 1",
        "<p>The left one is closer.</p>\n<p><b>1 2 2 3 2 1</b></p>",
        "The left one is closer.\\n\\n1 2 2 3 2 1",
        "**TL;DR:** 1 2 2 3 2 1\n\nThe left one is closer to the prompt.\nIts normals are clean.",
        "## Thinking\nMaybe 3 3 3 3 3 3.\n\n## Answer\n1 2 2 3 2 1",
        "| Criterion | Reason | Choice |\n|---|---|---|\n| Match with the text prompt | Left. | 1 |\n| 3D plausibility | Right. | 2 |\n| Agreement of geometry and texture | Right. | 2 |\n| Fine texture detail | Equal. | 3 |\n| Fine geometry detail | Right. | 2 |\n| Overall | Object 1 (left) would be the one I would keep. | 1 |",
        "The left one has its legs.\n\nThis gives 1 2 2 3 2 1 as the six decisions.",
        "Plausibility: <ref>the rim</ref><box>(64,217),(555,772)</box> Right is better.\n\n1 2 2 3 2 1",
        "1. Match with the text prompt: Object 1 (left) is better.\n2. 3D plausibility: The right object is better.\n3. Agreement: Object 2 (right) wins\n4. Fine texture detail: Cannot decide.\n5. Fine geometry detail: right\n6. Overall: The left one is better",
        "- **Match with the text prompt** - The left one is closer. Verdict: 1\n- **3D plausibility** - The left one has a hole. Choice: 2 (right)\n- **Agreement of geometry and texture** - Fine on the right. Option: 2\n- **Fine texture detail** - Equal. Decision: 3\n- **Fine geometry detail** - Noise. Verdict: 2\n- **Overall** - As a whole. Option: 1",
    ] {
        assert_eq!(digits(text), "1 2 2 3 2 1", "{text}");
    }
    assert_eq!(digits("Final answer (6 digits): 1 2 2 3 2 1"), "1 2 2 3 2 1");
    assert!(digits("Option A: 1 2 2 3 2 1\nOption B: 1 2 2 3 2 2").starts_with("invalid"));
    // Words around the digits that leave them open.
    assert!(digits("Perhaps 1 2 2 3 2 1 would be my decisions.").starts_with("invalid"));
    // A side that its own bracket contradicts.
    let listed = "1. Object 1 (right) is better.\n2. right\n3. right\n4. tie\n5. right\n6. left";
    assert!(digits(listed).starts_with("invalid"));
    // A final line with an error is a wrong answer; the list above it does not take its place.
    let listed = "1. 1\n2. 2\n3. 2\n4. 3\n5. 2\n6. 1";
    assert_eq!(digits(listed), "1 2 2 3 2 1");
    assert!(digits(&format!("{listed}\n\nFinal answer: 1 2 2 3 2.5 1")).starts_with("invalid"));
}
