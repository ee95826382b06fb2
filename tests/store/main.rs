//! The run folder: what it keeps, what it refuses, and what survives kills and full disks.

#[path = "../support/mod.rs"]
mod support;

mod folder;
mod front;
mod full_disk;
mod kill_and_resume;
mod recover;
mod resume;
mod safe_reading;
