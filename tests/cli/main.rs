//! The real program, command by command, in temporary folders.

#[path = "../support/mod.rs"]
mod support;

mod audit;
mod axes;
mod bench;
mod check;
mod checklists;
mod cluster;
mod compare;
mod completions;
mod config;
mod demo_bench;
mod doctor;
mod environment;
mod features;
mod formats;
mod generators;
mod help;
mod import;
mod init;
mod judges;
mod man;
mod measure;
mod photo;
mod rate;
mod render;
mod sample;
mod services;
mod sheet;
mod signals;
mod splats;
mod text;

/// The assertion that the tests of every command share can fail.
#[test]
#[should_panic(expected = "no \"absent\" in:")]
fn a_text_without_one_of_the_parts_is_noticed() {
    support::program::Text::must_have("present", ["present", "absent"]);
}
