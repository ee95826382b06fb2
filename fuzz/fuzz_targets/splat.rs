#![no_main]

use libfuzzer_sys::fuzz_target;
use meshjudge_fuzz::case::Target;
use meshjudge_fuzz::{run, start};

fuzz_target!(init: start(), |bytes: &[u8]| run(Target::Splat, bytes));
