//! Names of generators and ids of prompts, which become names of files.

/// Longer names make file names that some systems refuse.
const NAME_BYTES_MAX: usize = 120;

/// # Errors
/// In words, what the name may hold; `what` is what it names.
pub(super) fn checked_name(what: &str, name: &str) -> Result<(), String> {
    let is_bad = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    if name.is_empty()
        || name.len() > NAME_BYTES_MAX
        || name.contains(is_bad)
        || name.starts_with('.')
    {
        return Err(format!(
            "the {what} {name:?} cannot name a file; use 1 to {NAME_BYTES_MAX} bytes without / \\ : * ? \" < > | and no leading dot"
        ));
    }
    Ok(())
}
