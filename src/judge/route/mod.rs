//! The routes: how a question is worded on the wire, and how a reply is read. One file each.
//!
//! A route knows nothing of keys' values, of retries, or of prices.

mod anthropic;
mod call;
mod chat;
mod gemini;
mod message;
mod responses;
mod said;
mod usage;

pub(super) use call::Call;
pub(super) use message::{base64, data_uri};
pub(super) use usage::{CACHE_WRITE_HOUR_SHARE, CACHE_WRITE_SHARE, surcharge_tokens};

use super::Reply;
use super::api::Route;
use super::error_body::error_inside;
use super::failure::Failure;
use serde_json::Value;

impl Route {
    pub(super) fn request(self, call: &Call<'_>) -> Value {
        match self {
            Self::Chat => chat::request(call),
            Self::Responses => responses::request(call),
            Self::Anthropic => anthropic::request(call),
            Self::Gemini => gemini::request(call),
        }
    }

    /// The route's reply or the error in it, with the cost where the server states one.
    pub(super) fn read(self, json: &Value, status: u16) -> Result<Reply, Failure> {
        if let Some(failure) = error_inside(json) {
            return Err(failure);
        }
        let reply = match self {
            Self::Chat => chat::read(json),
            Self::Responses => responses::read(json),
            Self::Anthropic => anthropic::read(json),
            Self::Gemini => gemini::read(json),
        }?;
        Ok(Reply {
            http_status: Some(status),
            usage: usage::usage(json),
            cost_usd: usage::cost_usd(json),
            ..reply
        })
    }
}
