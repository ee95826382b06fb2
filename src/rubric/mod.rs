//! rubric
