//! `doctor`, as a user without a desktop runs it.

use std::process::{Command, Output};

fn doctor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meshjudge"))
        .arg("doctor")
        .args(arguments)
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("ANTHROPIC_API_KEY")
        .env("OPENAI_API_KEY", "sk-not-to-be-shown")
        .output()
        .unwrap()
}

#[test]
fn it_says_what_can_be_done_here_and_drivers_say_nothing() {
    let out = doctor(&[]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success());
    for part in [
        "renderer ",
        "needs no driver",
        "glb, gltf, obj",
        "probe: ready",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("openai: key found in OPENAI_API_KEY"));
    assert!(text.contains("anthropic: no key in ANTHROPIC_API_KEY"));
    assert_eq!(String::from_utf8(out.stderr).unwrap(), "");
}

#[test]
fn as_json_it_is_one_row_and_no_key_is_shown() {
    let out = doctor(&["--json"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(!text.contains("sk-not-to-be-shown"));
    let row: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!(row["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(row["keys_found"]["openai"], true);
    assert_eq!(row["keys_found"]["anthropic"], false);
    assert!(row["threads"].as_u64().unwrap() > 0);
}
