//! Questions to answers: the text and pictures of a rubric, every route and its faults, money,
//! batches, and the judge that measures.

#[path = "../support/mod.rs"]
mod support;

mod batches;
mod custom;
mod faults;
mod lanes;
mod load;
mod money;
mod odd_replies;
mod probe;
mod routes;
mod rubric;
mod servers;
mod sockets;
mod tls;
