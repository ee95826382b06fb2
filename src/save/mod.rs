//! [`crate::scene::Scene`] → bytes of a file.
