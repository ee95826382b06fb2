#!/bin/sh
# The kill test in full: 200 kills in runs of 500 questions. From the repository's root.
MESHJUDGE_KILLS="${MESHJUDGE_KILLS:-200}" MESHJUDGE_QUESTIONS="${MESHJUDGE_QUESTIONS:-500}" \
    exec cargo test --test store kill_and_resume -- --nocapture
