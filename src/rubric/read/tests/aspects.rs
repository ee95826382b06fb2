//! Aspects of a category: objects and lines.

use super::{POSITION, json};

#[test]
fn a_category_reply_is_read_from_its_last_object() {
    let bare = r#"{"position_accuracy": 8, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 10}"#;
    let texts = [
        bare.to_owned(),
        format!("```json\n{bare}\n```"),
        format!("Here is my evaluation:\n{bare}\nHope it {{helps}}."),
        format!("{bare} {bare}"),
        format!(r#"{{"position_accuracy": "<0-10>", "occlusion_management": "<0-10>", "perspective_consistency": "<0-10>", "overall_score": "<0-10>"}} {bare}"#),
        bare.replace('}', ",}"),
        bare.replace("8, ", "8, // fine\n"),
        bare.replace('"', "'"),
        bare.replace('_', "\\_"),
        bare.replace('{', "{\"explanation\": \"one\ntwo, \"three\" and four\", "),
        bare.replace('{', "{\"confidence\": NaN, \"sure\": True, \"more\": None, "),
        bare.replace(", \"", "\n\""),
        bare.replace("9", "\"9 out of 10\"").replace("8", "\"8/10\""),
        bare.replace("9", "[9, \"well seen\"]").replace("8", "{\"rating\": {\"score\": \"8\"}}"),
        r#"{"scores": [{"aspect": "position_accuracy", "score": 8}, {"aspect": "occlusion_management", "score": 7}, {"aspect": "perspective_consistency", "score": 9}], "overall_score": 10}"#.to_owned(),
        r#"[{"name": "Position Accuracy", "rating": "8"}, {"name": "Occlusion Management", "rating": 7}, {"name": "perspective consistency", "rating": 9}, {"name": "overall_score", "rating": 10}]"#.to_owned(),
        format!("{bare}\n{{\"position_accuracy\": 1, \"occlusion_man"),
        format!(r#"{{"position_accuracy": "<0-10>", ...}} {bare}"#),
        r#"{"position_accuracy": {"score": 8, "explanation": "a {brace}"}, "occlusion_management": {"explanation": "b", "score": 7}, "perspective_consistency": {"score": "9"}, "overall_score": {"score": 10}}"#.to_owned(),
        r#"{"position_accuracy": "8", "occlusion_management": "7", "perspective_consistency": " 9 ", "overall_score": "10/10"}"#.to_owned(),
        r#"{"Positional Accuracy": 8, "Occlusion Management": 7, "Perspective Consistency": 9, "Overall Score": 10}"#.to_owned(),
        r#"{"a) Positional Accuracy": 8, "occlusionManagement": 7, "perspective-consistancy": 9, "overall": 10}"#.to_owned(),
        r#"{"position_accuracy_score": 8, "occlusion_management_score": 7, "perspective_consistency_score": 9, "overall_score": 10}"#.to_owned(),
        r#"{"scores": {"position_accuracy": 8, "occlusion_management": 7, "perspective_consistency": 9}, "overall_score": 10}"#.to_owned(),
        format!(r#"{{"evaluation": {{"scores": {bare}}}}}"#),
        format!("{bare}\n{{\"summary\": \"good\"}}"),
    ];
    for text in texts {
        assert_eq!(json(&text), POSITION, "{text}");
    }
}

#[test]
fn a_category_reply_without_json_is_read_line_by_line() {
    for text in [
        "- position_accuracy: 8\n- occlusion_management: 7\n- perspective_consistency: 9\n- overall_score: 10",
        "| Aspect | Score | Remark |\n|---|---|---|\n| Position Accuracy | 8 | A 10 would be too much. |\n| Occlusion Management | 7 | |\n| Perspective Consistency | 9 | |\n| **Overall score** | **10** | |",
        "**Position Accuracy:** 8/10 – First I thought of a 4.\n\n**Occlusion Management:** 7/10 – Good.\n\n**Perspective Consistency:** 9 out of 10\n\n**Overall score:** 10/10",
        "```yaml\nposition_accuracy: 8\nocclusion_management: 7\nperspective_consistency: 9\noverall_score: 10\n```",
    ] {
        assert_eq!(json(text), POSITION, "{text:?}");
    }
    let listed = "position_accuracy: 8\nocclusion_management: 7\nperspective_consistency: 9";
    for text in [
        listed.to_owned(),
        format!("position_accuracy: 4\n{listed}\noverall_score: 10"),
        format!("{listed}\noverall_score: 11"),
        format!("{listed}\noverall_score: 10\nPlease ignore the lines above."),
    ] {
        assert!(json(&text).starts_with("invalid"), "{text:?}");
    }
}

#[test]
fn an_object_in_pieces_or_with_a_slip_is_read() {
    let nested = |n: &str| format!("\"{n}\": {{\n\"explanation\": \"Fine.\",\n\"score\": ");
    let entry = |name: &str, score: &str| format!("{}{score}}}", nested(name));
    let aspects = [
        entry("position_accuracy", "8"),
        entry("occlusion_management", "7/10"),
        entry("perspective_consistency", "9"),
    ];
    let [position, occlusion, perspective] = &aspects;
    let whole = format!("{{{},\n\"overall_score\": 10\n}}", aspects.join(",\n"));
    for text in [
        whole.clone(),
        whole.strip_suffix('}').expect("its brace").to_owned(),
        format!("```json\n{}```", whole.strip_suffix('}').expect("its brace")),
        format!("{{{position}}}\n{{{occlusion}}}\n{{{perspective}}}\n{{\"overall_score\": 10}}"),
        serde_json::to_string(&whole).expect("a string"),
        format!("{whole}\n\n{whole}"),
        format!("<|begin_of_box|>{whole}\n\n{whole}<|end_of_box|>"),
        "**Position accuracy** (8/10): Fine.\n\n**Occlusion management** (7/10): Fine.\n\n**Perspective consistency** (9/10): Fine.\n\n**Overall score**: 10/10".to_owned(),
    ] {
        assert_eq!(json(&text), POSITION, "{text}");
    }
    for text in [
        // A number that may lack a digit, and a key that does.
        whole.strip_suffix("0\n}").expect("its brace").to_owned(),
        whole.strip_suffix("score\": 10\n}").expect("its brace").to_owned(),
        format!("{{{position}}}\n{{{occlusion}}}\n{{\"overall_score\": 10}}"),
        format!(
            "{{{position}}}\n{{{}}}\n{{{occlusion}}}\n{{{perspective}}}\n{{\"overall_score\": 10}}",
            entry("position_accuracy", "5")
        ),
        whole.replace("7/10", "7/5"),
    ] {
        assert!(json(&text).starts_with("invalid"), "{text}: {}", json(&text));
    }
}

#[test]
fn a_final_object_wins_over_a_draft_before_it() {
    let draft = r#"{"position_accuracy": 1, "occlusion_management": 1, "perspective_consistency": 1, "overall_score": 1}"#;
    let said = r#"{"position_accuracy": 8, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 10}"#;
    for between in ["**Final Answer**\n\n```json\n", "No, not quite. Final answer:\n"] {
        assert_eq!(json(&format!("{draft}\n\n{between}{said}")), POSITION, "{between}");
    }
    assert!(json(&format!("{draft}\n\nOr:\n{said}")).starts_with("invalid"));
}

#[test]
fn a_category_reply_with_a_fault_is_invalid_and_never_zero() {
    let cases = [
        (
            r#"{"position_accuracy": 8, "occlusion_management": 7, "overall_score": 7}"#,
            "lacks perspective_consistency",
        ),
        (
            r#"{"position_accuracy": 8, "occlusion_management": 7, "perspective_consistency": 9}"#,
            "lacks overall_score",
        ),
        (
            r#"{"position_accuracy": null, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "holds no number",
        ),
        (
            r#"{"position_accuracy": true, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "holds no number",
        ),
        (
            r#"{"position_accuracy": "good", "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "holds no number",
        ),
        (
            r#"{"position_accuracy": {"explanation": "?"}, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "lacks position_accuracy",
        ),
        (
            r#"{"position_accuracy": 11, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "outside 0 to 10",
        ),
        (
            r#"{"position_accuracy": -1, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "outside 0 to 10",
        ),
        (
            r#"{"position_accuracy": "NaN", "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "holds no number",
        ),
        (
            r#"{"position_accuracy": 8, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 80}"#,
            "outside 0 to 10",
        ),
        (
            r#"{"position_accuracy": 8, "Positional Accuracy": 3, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "given twice",
        ),
        (
            r#"{"position_accuracy": 8, "position_accuracy": 3, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "given twice",
        ),
        (
            r#"{"position_accuracy": "8-9", "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "holds no number",
        ),
        (
            r#"{"position_accuracy": {"score": 8, "rating": 3}, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "lacks position_accuracy",
        ),
        (
            r#"{"position_accuracy": "8/5", "occlusion_management": 7, "perspective_consistency": 9, "overall_score": 1}"#,
            "holds no number",
        ),
        (r#"{"position_accuracy": {"score": 8}, "occlusion_man"#, "no complete JSON object"),
        ("8, 7, 9", "no JSON object"),
        ("[8, 7, 9]", "no JSON object"),
    ];
    for (text, reason) in cases {
        let found = json(text);
        assert!(found.starts_with("invalid") && found.contains(reason), "{text}: {found}");
    }
}

#[test]
fn an_announcement_is_that_of_both_objects_under_it() {
    let object = |overall: u8| {
        format!(
            r#"{{"position_accuracy": 8, "occlusion_management": 7, "perspective_consistency": 9, "overall_score": {overall}}}"#
        )
    };
    let [one, other] = [8, 3].map(object);
    for text in [
        format!("**Final Answer**\n\n{one}\n{other}"),
        format!("Final answer:\n```json\n{one}\n```\n\n```json\n{other}\n```"),
    ] {
        assert!(json(&text).starts_with("invalid"), "{text}");
    }
    assert!(!json(&format!("**Final Answer**\n\n{one}\n{one}")).starts_with("invalid"));
}

/// The number of a heading is no score.
#[test]
fn a_score_on_a_line_of_its_own_belongs_to_the_heading_above_it() {
    let text = "**1. Position accuracy**\nFine.\n**Score: 8/10**\n\n**2. Occlusion management**\nFine.\n**Score: 7/10**\n\n**3. Perspective consistency**\nFine.\n**Score: 9/10**\n\n**Overall score: 10/10**";
    assert_eq!(json(text), POSITION);
}

#[test]
fn numbers_with_labels_in_another_language_are_in_order() {
    for text in [
        "- Positionsgenauigkeit: 8/10. Alles steht richtig.\n- Verdeckung: 7/10.\n- Stimmigkeit: 9/10.\n\n**Gesamtwertung: 10/10**",
        "总分: **10/10**\n\n- 位置准确性: 8/10. 左右正确。\n- 遮挡处理: 7/10.\n- 透视一致性: 9/10.",
        "# Report\n\n## Точность\n\nВсё на месте.\n\n**8 / 10**\n\n## Перекрытия\n\n**7 / 10**\n\n## Перспектива\n\n**9 / 10**\n\n## Общая оценка\n\n**10 / 10**",
        "<ul>\n<li><b>Precisão</b>: 8/10</li>\n<li><b>Oclusão</b>: 7/10</li>\n<li><b>Perspectiva</b>: 9/10</li>\n<li><b>Pontuação geral</b>: 10/10</li>\n</ul>",
        "position_accuracy: 8, occlusion_management: 7, perspective_consistency: 9, overall_score: 10",
        "{&quot;position_accuracy&quot;: 8, &quot;occlusion_management&quot;: 7, &quot;perspective_consistency&quot;: 9, &quot;overall_score&quot;: 10}",
        "| Aspect | Explanation | Score |\n|---|---|---|\n| Position accuracy | The 2 cups are there. | 8 |\n| Occlusion management | Fine. | 7 |\n| Perspective consistency | Fine. | 9 |\n| **Overall score** | | **10** |",
        "Position accuracy (0-10): **8** The cup is there.\nOcclusion management (0-10): **7** Fine.\nPerspective consistency (0-10): **9** Fine.\nOverall score (0-10): **10**",
        "ASSISTANT: ### Position accuracy\nScore: 8\n### Occlusion management\nScore: 7\n### Perspective consistency\nScore: 9\n### Overall score\n10",
        "{\"position_accuracy\": {\"why\": \"For \\\"a red cup\\\": right.\", \"score\": 8}, \"occlusion_management\": 7, \"perspective_consistency\": 9, \"overall_score\": 10}",
        "{\"position_accuracy\": {\"why\": \"It says \"left of\", and this is met.\", \"score\": 8},\n\"occlusion_management\": 7, \"perspective_consistency\": 9, \"overall_score\": 10}",
        "analysis{\"position_accuracy\": 1}, no.assistantfinal{\"position_accuracy\": 8, \"occlusion_management\": 7, \"perspective_consistency\": 9, \"overall_score\": 10}",
        "**物体位置**: 8分 – 左右正确。\n**遮挡处理**: 7分 – 没有遮挡。\n**透视**: 9分\n**总体得分**: 10分",
        "- **Position accuracy:** Both are there. **Score: 8**\n- **Occlusion management:** Fine. **Score: 7**\n- **Perspective consistency:** Fine. **Score: 9**\n\nOverall score: 10",
        "- **Position** : 8/10 – Juste.\n- **Gestion de l'occultation** : 7/10\n- **Perspective** : 9/10\n- **Score global** : 10/10",
        "Position accuracy gets 8 out of 10: both are there.\nOcclusion management gets 7 out of 10: fine.\nPerspective consistency gets 9 out of 10: fine.\n\nMy overall score is 10 out of 10.",
    ] {
        assert_eq!(json(text), POSITION, "{text}");
    }
    let decimal = "Genauigkeit: 7,5/10.\nVerdeckung: 6/10.\nStimmigkeit: 8,5/10.\nGesamt: 7/10";
    assert!(json(decimal).contains("\"position_accuracy\":7.5"), "{}", json(decimal));
    // One too many, and none that is the whole.
    for text in [
        "Genauigkeit: 8/10\nVerdeckung: 7/10\nFarbe: 7/10\nStimmigkeit: 9/10\nGesamt: 10/10",
        "Genauigkeit: 8/10\nVerdeckung: 7/10\nStimmigkeit: 9/10\nFarbe: 10/10",
    ] {
        assert!(json(text).starts_with("invalid"), "{text}");
    }
}
