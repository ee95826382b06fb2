//! `doctor`, as a user without a desktop runs it.

use crate::support::program::{Run, command};
use std::path::Path;

fn doctor(more: &[&str]) -> Run {
    let mut command = command(Path::new("."), [&["doctor"], more].concat());
    command.env_remove("XDG_RUNTIME_DIR").env("OPENAI_API_KEY", "sk-not-to-be-shown");
    Run::of(&mut command)
}

#[test]
fn it_says_what_can_be_done_here_and_drivers_say_nothing() {
    let out = doctor(&[]);
    let text = &out.stdout;
    assert_eq!(out.code, Some(0));
    for part in ["renderer ", "needs no driver", "glb, gltf, obj", "probe: ready"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("openai: key found in OPENAI_API_KEY"));
    assert!(text.contains("anthropic: no key in ANTHROPIC_API_KEY"));
    assert_eq!(out.stderr, "");
}

#[test]
fn as_json_it_is_one_row_and_no_key_is_shown() {
    let out = doctor(&["--json"]);
    let text = &out.stdout;
    assert!(!text.contains("sk-not-to-be-shown"));
    let row: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!(row["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(row["keys_found"]["openai"], true);
    assert_eq!(row["keys_found"]["anthropic"], false);
    assert!(row["threads"].as_u64().unwrap() > 0);
}
