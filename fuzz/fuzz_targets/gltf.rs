#![no_main]

use libfuzzer_sys::fuzz_target;
use meshjudge::case::Target;
use meshjudge::{run, start};

fuzz_target!(init: start(), |bytes: &[u8]| run(Target::Gltf, bytes));
