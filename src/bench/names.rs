//! Names of generators and ids of prompts, which become names of files.

use crate::save::{NAME_BYTES_MAX, is_forbidden};

/// # Errors
/// In words, the rule for names; `what` is the named thing.
pub(super) fn checked_name(what: &str, name: &str) -> Result<(), String> {
    if name.is_empty()
        || name.len() > NAME_BYTES_MAX
        || name.contains(is_forbidden)
        || name.starts_with('.')
    {
        return Err(format!(
            "the {what} {name:?} cannot name a file; use 1 to {NAME_BYTES_MAX} bytes without / \\ : * ? \" < > | and no leading dot"
        ));
    }
    Ok(())
}
