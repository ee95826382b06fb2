//! The caller's own judge: a model in the same process, or a function that looks at pictures.

use super::question::Question;
use super::reply::Reply;

/// A judge that the caller brings. It is asked like every other: both orders, every reply kept. A
/// reply in another form than [`Rubric::read`](crate::rubric::Rubric::read) reads is an error of
/// the caller's; it is never asked to restate one.
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

    /// The remedy for an answer that cannot be read; it ends the reason in the record.
    fn remedy(&self) -> &'static str {
        "answer in the form that the question asks for"
    }

    /// One reply. Called on own threads.
    ///
    /// # Errors
    /// Why there is no reply. The question is then left to the next run.
    fn ask(&self, question: &Question) -> Result<Reply, String>;
}
