//! Puts a question to a judge: [`Question`] → [`Response`] → [`Reply`].
//!
//! One [`Judge::ask`] is one request to a server. The caller records what came back, asks
//! [`Backoff`] whether to try again, and reads the reply with the rubric. Has no access to the
//! store, to ratings, or to earlier questions.

mod address;
mod api;
mod backoff;
mod batch;
mod breaker;
mod budget;
mod custom;
mod embed;
mod endpoint;
mod error_body;
mod failure;
mod form;
mod json;
#[expect(clippy::module_inception, reason = "the room's main type")]
mod judge;
pub mod logprobs;
mod models;
mod pace;
mod photo_key;
mod picture_rule;
pub mod probe;
mod purse;
mod question;
mod quota;
mod reply;
mod route;
mod secret;
mod settings;
mod spec;
mod specimen;
mod stream;
mod transport;
mod trust;
mod tuning;
mod visible;

pub use crate::rubric::{Finish, Part, Picture};
pub use api::Route;
pub use backoff::Backoff;
pub use batch::{BatchEnd, BatchLimits, BatchReply, BatchState, Found, WAIT_CODES};
pub use breaker::{Breaker, BreakerSettings, Gate, Miss};
pub use budget::{BOOKED_MAX, Budget};
pub use custom::CustomJudge;
pub use embed::{EmbedInputs, EmbedSettings, EmbedShape, Embedder};
pub use endpoint::Endpoint;
pub use failure::{BATCH_ENDED, BatchEnded, Failure};
pub use form::Adapted;
pub use judge::Judge;
pub use models::{Catalogue, Facts, Price};
pub use pace::{Landing, Pace, PaceSettings};
pub use photo_key::PhotoKey;
pub use picture_rule::PictureRule;
pub use purse::{Limit, Purse};
pub use question::{Asset, Evidence, Question, Restate};
pub use quota::Quota;
pub(crate) use quota::rfc3339_time;
pub use reply::{Reply, Response, Usage};
pub use secret::Secret;
pub(crate) use secret::{is_credential, is_secret_name};
pub use settings::OpenSettings;
pub use spec::{ModelSpec, Spec};
pub use specimen::Specimen;
pub use transport::Limits;
pub use visible::visible;
