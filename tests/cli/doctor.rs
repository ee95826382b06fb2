//! `doctor`, as a user without a desktop runs it.

use crate::support::assets::Folder;
use crate::support::program::Run;

fn doctor(more: &str) -> Run {
    let place = Folder::new();
    let mut command = place.command(&format!("doctor {more}"));
    command.env_remove("XDG_RUNTIME_DIR").env("OPENAI_API_KEY", "sk-not-to-be-shown");
    Run::of(&mut command)
}

#[test]
fn it_says_what_can_be_done_here_and_drivers_say_nothing() {
    let out = doctor("").ok();
    out.shows([
        "renderer ",
        "needs no driver",
        "glb, gltf, obj",
        "probe: ready",
        "openai: key found in OPENAI_API_KEY",
        "anthropic: no key in ANTHROPIC_API_KEY",
    ]);
    assert_eq!(out.stderr, "");
}

#[test]
fn as_json_it_is_one_row_and_no_key_is_shown() {
    let out = doctor("--json");
    assert!(!out.stdout.contains("sk-not-to-be-shown"));
    let row = out.rows().remove(0);
    assert_eq!(row["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(row["keys_found"]["openai"], true);
    assert_eq!(row["keys_found"]["anthropic"], false);
    assert!(row["threads"].as_u64().unwrap() > 0);
}
