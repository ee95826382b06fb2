//! What a judge says after its answer: what takes it back in whole or in part, what replaces it,
//! and what leaves it as it is.

use super::{POSITION, POSITION_OBJECT, digits, json, score};

const ANSWER: &str = "1 2 2 3 2 1";

#[test]
fn a_remark_that_reopens_a_part_of_the_answer_leaves_none() {
    for remark in [
        "Although... for criterion 6 I could also see it the other way round. Please treat that digit as open.",
        "Still, I am torn on the fourth criterion; it could well be a 1.",
        "That said, criterion 3 might as well be a 3.",
        "One caveat: with better lighting I might choose 1 for plausibility.",
        "Digit four is a coin flip.",
        "Edit: swap the second and the third.",
        "I would not insist on the fifth.",
        "Hope this helps. I am less sure of the texture detail than of the others.",
        "Let me know if you want the rest; the overall digit is only a stopgap.",
        "If the sphere is the head, criterion 1 goes to the right.",
        "Die letzte Ziffer gilt nur unter Vorbehalt.",
        "Toutefois, le chiffre du critère 2 reste à confirmer.",
        "Sin embargo, en el criterio 5 dudo; dejen ese dígito abierto.",
        "Tuttavia per il criterio 2 potrebbe essere anche il contrario.",
        "Впрочем, по критерию 3 можно решить и наоборот.",
        "不过第4项也可以反过来看，请把这一位视为未定。",
        "ただし基準3は逆の見方もできます。この数字は保留にしてください。",
        "다만 3번 기준은 반대로 볼 수도 있습니다. 그 숫자는 보류해 주세요.",
    ] {
        let text = format!("The left one is solid.\n\n{ANSWER}\n\n{remark}");
        assert!(digits(&text).starts_with("invalid"), "{text}");
        let text = format!("The base is open.\n\nFinal score: 2\n\n{remark}");
        assert_eq!(score(&text), "invalid", "{text}");
        let text = format!("```json\n{POSITION_OBJECT}\n```\n\n{remark}");
        assert!(json(&text).starts_with("invalid"), "{text}");
    }
    for remark in ["(tentative)", "?", "– not final", "(or 3)"] {
        assert!(
            digits(&format!("Final answer: {ANSWER} {remark}")).starts_with("invalid"),
            "{remark}"
        );
        assert_eq!(score(&format!("Final score: 2 {remark}")), "invalid", "{remark}");
    }
}

#[test]
fn a_closing_reasons_and_words_on_the_objects_leave_the_answer_as_it_is() {
    for remark in [
        "I hope this evaluation is useful!",
        "Let me know if you'd like me to adjust any of the scores.",
        "Should you need more detail, just ask.",
        "**Overall:** the picture answers its prompt poorly.",
        "Overall, the right object shows cleaner geometry, but the left one fits the prompt.",
        "Zusammenfassend überzeugt das linke Objekt.",
        "En résumé, l'objet de gauche l'emporte.",
        "总的来说，左侧物体更好。",
        "左の物体の方が優れています。",
        "В целом левый объект лучше.",
    ] {
        assert_eq!(digits(&format!("{ANSWER}\n\n{remark}")), ANSWER, "{remark}");
        assert_eq!(score(&format!("Score: 2\n\n{remark}")), "2", "{remark}");
        assert_eq!(json(&format!("{POSITION_OBJECT}\n\n{remark}")), POSITION, "{remark}");
    }
    let reasons = "1. 左侧更符合提示。\n2. 右侧更合理。\n3. 右侧。\n4. 无法判断。\n5. 右侧。\n6. 左侧。\n\n综合以上，最终评分如下。";
    assert_eq!(digits(&format!("**{ANSWER}**\n\n{reasons}")), ANSWER);
    assert_eq!(score(&format!("**Score: 2**\n\n{reasons}")), "2");
}

#[test]
fn an_answer_that_is_announced_as_the_corrected_one_replaces_the_one_before_it() {
    for line in [
        "*Edit:* I mistyped criterion 4. The corrected final answer is:",
        "Correction – I meant something else. The final answer is:",
        "On reflection, weighing completeness as asked, my final answer is:",
        "Wait, I was too strict. Here is my corrected final answer:",
        "Revised final answer:",
        "Korrektur: Da habe ich mich verlesen. Die endgültige Antwort lautet:",
        "Correction : je me suis trompé. Réponse finale corrigée :",
        "Corrección: me equivoqué. Respuesta final corregida:",
        "更正：第3项看错了。最终答案：",
        "訂正：見誤りました。最終回答：",
        "정정: 잘못 보았습니다. 최종 답변:",
    ] {
        for first in ["3 3 3 3 3 3", "Final answer: 3 3 3 3 3 3"] {
            let text = format!("{first}\n\n{line}\n\n{ANSWER}");
            assert_eq!(digits(&text), ANSWER, "{text}");
        }
        let earlier = POSITION_OBJECT.replace(": 8", ": 1");
        let text = format!("```json\n{earlier}\n```\n\n{line}\n\n```json\n{POSITION_OBJECT}\n```");
        assert_eq!(json(&text), POSITION, "{text}");
        for first in ["3", "Score: 3", "{\"score\": 3}"] {
            for last in ["2", "{\"score\": 2}"] {
                let text = format!("{first}\n\n{line}\n{last}");
                assert_eq!(score(&text), "2", "{text}");
            }
        }
    }
    let inline = format!("Final answer: 3 3 3 3 3 3\n\nSorry. Corrected final answer: {ANSWER}");
    assert_eq!(digits(&inline), ANSWER);
    assert_eq!(score("Final score: 3\n\nCorrection: a handle is missing. Final score: 2"), "2");
    for line in [
        "Another judge's corrected answer:",
        "If geometry counts most, the corrected final answer:",
        "Under the assumption that the sphere is the head, the final answer is:",
        "From the point of view of a texture artist:",
        "On reflection:",
    ] {
        let text = format!("3 3 3 3 3 3\n\n{line}\n{ANSWER}");
        assert!(digits(&text).starts_with("invalid"), "{text}");
        assert_eq!(score(&format!("Score: 3\n\n{line}\nScore: 2")), "invalid", "{line}");
    }
}

#[test]
fn a_judge_that_says_it_has_no_pictures_gives_no_verdict() {
    for text in [
        "I'm unable to view the images, but in the requested form:",
        "No images were attached, so I answer by the prompt alone.",
        "抱歉，我看不到图片。",
    ] {
        assert!(digits(&format!("{text}\n{ANSWER}")).starts_with("invalid"), "{text}");
        assert_eq!(score(&format!("{text}\nFinal score: 2")), "invalid", "{text}");
    }
    for text in [
        "The right object's backrest isn't visible in the normal map.",
        "The texture of the right one failed to render, or is black.",
        "The left chair is not comfortable, but whole.",
        "The left one is drawn at a scale of 2 to the right one.",
    ] {
        assert_eq!(digits(&format!("{text}\n\n{ANSWER}")), ANSWER, "{text}");
        assert_eq!(score(&format!("{text}\n\n2")), "2", "{text}");
    }
}

#[test]
fn a_note_within_an_object_is_a_remark_after_it() {
    let with_note = |note: &str| POSITION_OBJECT.replace('}', &format!(", \"note\": \"{note}\"}}"));
    assert_eq!(json(&with_note("The picture answers its prompt.")), POSITION);
    assert_eq!(json(&with_note("Pleasant colours.")), POSITION);
    assert!(json(&with_note("position_accuracy is a placeholder")).starts_with("invalid"));
    assert_eq!(score(r#"{"score": 2, "note": "The model is whole."}"#), "2");
    assert_eq!(score(r#"{"score": 2, "note": "tentative"}"#), "invalid");
    let doubted = POSITION_OBJECT.replace(": 8", ": \"8?\"");
    assert!(json(&doubted).starts_with("invalid"));
    assert!(json(&format!("{{\"draft\": {POSITION_OBJECT}}}")).starts_with("invalid"));
}

#[test]
fn a_legend_that_contradicts_the_menu_leaves_no_answer() {
    for legend in ["1 = left, 2 = right, 3 = cannot decide", "(1 = left object; 2 = right object)"]
    {
        assert_eq!(digits(&format!("{ANSWER}\n{legend}")), ANSWER, "{legend}");
        assert_eq!(digits(&format!("My decisions {legend}:\n{ANSWER}")), ANSWER, "{legend}");
    }
    for legend in ["1 = right, 2 = left, 3 = tie", "(1 = tie; 2 = left; 3 = right)"] {
        assert!(digits(&format!("{legend}\n{ANSWER}")).starts_with("invalid"), "{legend}");
    }
}

#[test]
fn an_answer_that_replaces_another_one_counts() {
    for between in [
        "I have to amend this. The following replaces the answer above:",
        "Korrektur: Die richtige Antwort lautet:",
        "Erreur de ma part ; la réponse suivante remplace la précédente :",
        "我刚才看错了，以下面的答案为准：",
        "Ik heb me vergist. Gecorrigeerd eindantwoord:",
        "I need to correct myself. Please use this instead:",
        "訂正します。上の答えは誤りで、正しい最終回答は次のとおりです。",
    ] {
        let text = format!("3 3 3 3 3 3\n\n{between}\n{ANSWER}");
        assert_eq!(digits(&text), ANSWER, "{text}");
    }
    for between in ["Somebody else would say:", "A second opinion:", "It would replace nothing:"] {
        let text = format!("3 3 3 3 3 3\n\n{between}\n{ANSWER}");
        assert!(digits(&text).starts_with("invalid"), "{text}");
    }
}

#[test]
fn a_remark_that_confirms_the_answer_leaves_it_and_a_note_may_not() {
    for remark in ["I confirm the above.", "I double-checked the answer above and it stands."] {
        assert_eq!(digits(&format!("{ANSWER}\n{remark}")), ANSWER, "{remark}");
    }
    for remark in [
        "After a second look I cannot confirm the above.",
        "Merci d'ignorer la réponse ci-dessus, elle n'est pas fiable.",
        "Note: the value for the fourth criterion is invalid, I misread the picture there.",
    ] {
        let text = format!("{ANSWER}\n{remark}");
        assert!(digits(&text).starts_with("invalid"), "{text}");
    }
}

#[test]
fn a_remark_that_repeats_the_answer_must_agree_with_it() {
    for remark in [
        "Tally: left wins 2, right wins 3, undecided 1.",
        "That gives two points for the left and three for the right.",
        "合计：左边2项，右边3项，未定1项。",
        "In short: 1 2 2 3 2 1.",
        "Overall, the left object is better.",
        "In total the left object is better, the right one has the better geometry.",
        "I can also list the differences view by view.",
        "If you can share larger pictures, I'm happy to take a second look.",
        "Las decisiones se basan solo en las vistas mostradas.",
        "Se quiser, posso explicar cada critério.",
    ] {
        assert_eq!(digits(&format!("{ANSWER}\n\n{remark}")), ANSWER, "{remark}");
    }
    for remark in [
        "In total: left 5, right 1.",
        "That gives four points for the left and two for the right.",
        "Correcto sería 1 1 1 1 1 1.",
        "Overall, the right object is better.",
        "В целом правый объект всё-таки лучше.",
        "总的来说，还是右边的物体更好。",
        "I may have mixed up the two; I'm happy to start over, but I cannot say which.",
        "Texture detail is more of a hunch.",
    ] {
        assert!(digits(&format!("{ANSWER}\n\n{remark}")).starts_with("invalid"), "{remark}");
    }
}

#[test]
fn a_judge_without_pictures_gives_no_verdict_in_any_form() {
    for said in [
        "I am unable to view the picture.",
        "The picture was not provided.",
        "The image is missing.",
        "The image is not accessible to me.",
        "Cannot be assessed without the image.",
        "I see no picture.",
        "I have no vision capability.",
        "图片缺失，无法判断。",
        "Es wurde kein Bild übermittelt.",
    ] {
        let choice = format!("{{\"reasoning\": \"{said}\", \"choice\": \"1\"}}");
        let keys = ["text_asset_alignment", "plausibility", "geometry_texture_alignment"];
        let keys = keys.iter().chain(&["texture_details", "geometry_details", "overall"]);
        let all: Vec<String> = keys.map(|key| format!("\"{key}\": {choice}")).collect();
        for text in [format!("{{{}}}", all.join(", ")), format!("{said}\n\n1 1 1 1 1 1")] {
            assert!(digits(&text).contains("no pictures"), "{text}: {}", digits(&text));
        }
        assert_eq!(score(&format!("{said}\n\n1")), "invalid", "{said}");
    }
    assert_eq!(
        score("The left leg is missing, and one view shows no image of the seat.\n\n1"),
        "1"
    );
}
