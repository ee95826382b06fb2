//! The caller's own judge: a model in the same process, or a function that looks at pictures.

use super::question::Question;
use super::reply::Reply;
use super::route::Again;

/// A judge that the caller brings. It is asked like every other: both orders, invalid answers asked
/// again, every reply kept.
pub trait CustomJudge: std::fmt::Debug + Send + Sync {
    /// Its name in rows, as `python:my_judge`; never `probe`, nor a name that begins as a person's
    /// or another program's.
    fn name(&self) -> String;

    /// Whatever else decides what it answers, in one line: part of a question's key.
    fn settings(&self) -> String;

    /// Calls at a time; at most [`AskSettings::concurrency`](crate::ask::AskSettings::concurrency),
    /// which is also the default.
    fn concurrency_max(&self) -> usize {
        usize::MAX
    }

    /// One reply; with `again`, to a question with an unusable last reply. Called on own threads.
    ///
    /// # Errors
    /// Why there is no reply. The question is then left to the next run.
    fn ask(&self, question: &Question, again: Option<&Again>) -> Result<Reply, String>;
}
