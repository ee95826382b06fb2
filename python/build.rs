//! Cuts the docstrings out of the stub, each into a file named `Class.member` or `function`, which
//! `doc!` includes: `help()` and editors show the same text.

use std::path::PathBuf;
use std::{env, fs};

const STUB: &str = "meshjudge/_native.pyi";
const QUOTES: &str = "\"\"\"";

fn main() {
    println!("cargo:rerun-if-changed={STUB}");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let stub = fs::read_to_string(STUB).expect("the stub is readable");
    let (mut class, mut name) = ("", String::new());
    let mut lines = stub.lines();
    while let Some(line) = lines.next() {
        let (indent, words) = (line.len() - line.trim_start().len(), line.trim_start());
        let named = |keyword: &str| words.strip_prefix(keyword)?.split(['(', ':']).next();
        if let Some(found) = named("class ") {
            (class, name) = (found, found.to_owned());
        } else if let Some(found) = named("def ") {
            name = if indent == 0 { found.to_owned() } else { format!("{class}.{found}") };
        } else if let Some(first) = words.strip_prefix(QUOTES) {
            let mut text = first.to_owned();
            while !text.ends_with(QUOTES) {
                let line = lines.next().expect("a docstring ends");
                text = format!("{text}\n{}", line.get(indent..).unwrap_or_default());
            }
            let text = text.trim_end_matches(QUOTES).trim_end();
            fs::write(folder.join(&name), text).expect("OUT_DIR is writable");
        }
    }
}
