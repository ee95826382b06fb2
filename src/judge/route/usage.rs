//! The tokens and the cost that a reply states, in the fields of any provider → [`Usage`] and US
//! dollars.
//!
//! Providers use the same routes with different fields and sums, so no field is read by provider.
//! Of two counts of the same thing the larger one is right, and a part that is larger than its
//! whole was counted next to it.

use super::call;
use crate::judge::Usage;
use serde_json::Value;

/// Places of the usage: of most providers, Gemini, Moonshot's streams, Groq's streams.
const PLACES: [&str; 4] = ["/usage", "/usageMetadata", "/choices/0/usage", "/x_groq/usage"];

const INPUT: [&str; 3] = ["/prompt_tokens", "/input_tokens", "/promptTokenCount"];
const OUTPUT: [&str; 3] = ["/completion_tokens", "/output_tokens", "/candidatesTokenCount"];
const TOTAL: [&str; 2] = ["/total_tokens", "/totalTokenCount"];
const CACHED: [&str; 6] = [
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/cache_read_input_tokens",
    "/cachedContentTokenCount",
    // DeepSeek's.
    "/prompt_cache_hit_tokens",
    // Moonshot's.
    "/cached_tokens",
];
const REASONING: [&str; 4] = [
    "/completion_tokens_details/reasoning_tokens",
    "/output_tokens_details/reasoning_tokens",
    "/thoughtsTokenCount",
    "/reasoning_tokens",
];
const WRITTEN: [&str; 4] = [
    "/cache_creation_input_tokens",
    // Routers' and DashScope's.
    "/prompt_tokens_details/cache_write_tokens",
    "/prompt_tokens_details/cache_creation_tokens",
    "/prompt_tokens_details/cache_creation_input_tokens",
];
const WRITTEN_5_MINUTES: [&str; 1] = ["/cache_creation/ephemeral_5m_input_tokens"];
const WRITTEN_HOUR: [&str; 1] = ["/cache_creation/ephemeral_1h_input_tokens"];
const COST: [&str; 3] = ["/cost", "/cost/total_cost", "/estimated_cost"];
/// What the provider behind a router charges; without a key of one's own it is part of the cost.
const COST_UPSTREAM: [&str; 2] = ["/cost_details/upstream_inference_cost", "/market_cost"];

/// xAI's unit of money.
const TICKS_PER_USD: f64 = 1e10;

fn stated(reply: &Value) -> Option<&Value> {
    PLACES.iter().find_map(|place| reply.pointer(place).filter(|usage| usage.is_object()))
}

/// The largest of these counts.
fn most(usage: &Value, paths: &[&str]) -> Option<u64> {
    paths.iter().filter_map(|path| usage.pointer(path).and_then(call::count)).max()
}

/// The tokens of a reply. Every question has input, so an input of 0 is no count.
pub(super) fn usage(reply: &Value) -> Usage {
    let Some(usage) = stated(reply) else {
        return Usage::default();
    };
    let count = |paths: &[&str]| most(usage, paths);
    let (cached, reasoning) = (count(&CACHED), count(&REASONING));
    let outside = if usage.get("input_tokens").is_some() && usage.get("prompt_tokens").is_none() {
        // Anthropic counts what it read from a cache or wrote to it next to the input.
        count(&["/cache_read_input_tokens"]).unwrap_or(0) + written(usage).0
    } else {
        count(&["/toolUsePromptTokenCount"]).unwrap_or(0)
    };
    let total = count(&TOTAL);
    let input = count(&INPUT).map(|input| with_part(input + outside, cached));
    let output = count(&OUTPUT).map(|output| output + count(&["/thoughtsTokenCount"]).unwrap_or(0));
    // A truncated thought has no output.
    let output = output.or(reasoning).map(|output| with_part(output, reasoning));
    let rest = |part: Option<u64>| total?.checked_sub(part?);
    Usage {
        input_tokens: input.or(rest(output)).filter(|input| *input > 0),
        cached_tokens: cached,
        output_tokens: output.max(rest(input)),
        reasoning_tokens: reasoning,
    }
}

/// The whole, with a part that was counted next to it.
fn with_part(whole: u64, part: Option<u64>) -> u64 {
    whole + part.filter(|part| *part > whole).unwrap_or(0)
}

/// Tokens written to a cache, and those of them that were written for an hour.
fn written(usage: &Value) -> (u64, u64) {
    let hour = most(usage, &WRITTEN_HOUR).unwrap_or(0);
    let minutes = most(usage, &WRITTEN_5_MINUTES).unwrap_or(0);
    (most(usage, &WRITTEN).unwrap_or(0).max(hour + minutes), hour)
}

/// What writing to a cache costs in addition to reading, in tokens of input: a quarter, and for an
/// hour as much again (Anthropic's price list, November 2026).
pub(in crate::unstable::judge) fn surcharge_tokens(reply: &Value) -> f64 {
    let (all, hour) = stated(reply).map_or((0, 0), written);
    all.saturating_sub(hour) as f64 * CACHE_WRITE_SHARE + hour as f64 * CACHE_WRITE_HOUR_SHARE
}

/// Writing to Anthropic's cache costs so much more than reading, as a share of the price of input.
pub(in crate::unstable::judge) const CACHE_WRITE_SHARE: f64 = 0.25;

/// The same of the part that is kept for an hour.
pub(in crate::unstable::judge) const CACHE_WRITE_HOUR_SHARE: f64 = 1.0;

/// The cost that a server states, in US dollars. With a key of one's own, a router states its fee,
/// and next to it what the provider charges to that key.
pub(super) fn cost_usd(reply: &Value) -> Option<f64> {
    let usage = stated(reply)?;
    let largest = |paths: &[&str]| {
        let amounts = paths.iter().filter_map(|path| call::dollars(usage.pointer(path)?));
        amounts.reduce(f64::max)
    };
    let ticks = usage.get("cost_in_usd_ticks").and_then(Value::as_f64);
    let ticks_usd = ticks.and_then(|ticks| call::dollars(&(ticks / TICKS_PER_USD).into()));
    let own = largest(&COST).into_iter().chain(ticks_usd).reduce(f64::max);
    let upstream = largest(&COST_UPSTREAM);
    if usage.get("is_byok") == Some(&Value::Bool(true)) {
        let sum = own.unwrap_or(0.0) + upstream.unwrap_or(0.0);
        return Some(sum).filter(|sum| *sum > 0.0);
    }
    own.into_iter().chain(upstream).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Input, of it cached; output, of it reasoning; tokens of the surcharge of a cache.
    type Counts = (u64, u64, u64, u64, f64);

    /// A usage as a provider writes it, and the tokens that are charged.
    fn cases() -> Vec<(&'static str, Value, Counts)> {
        let of = |usage: Value| json!({ "usage": usage });
        vec![
            (
                "OpenAI",
                of(json!({"prompt_tokens": 800, "completion_tokens": 300, "total_tokens": 1100,
                    "prompt_tokens_details": {"cached_tokens": 500},
                    "completion_tokens_details": {"reasoning_tokens": 200}})),
                (800, 500, 300, 200, 0.0),
            ),
            (
                "OpenAI, responses",
                of(json!({"input_tokens": 800, "output_tokens": 300, "total_tokens": 1100,
                    "input_tokens_details": {"cached_tokens": 500},
                    "output_tokens_details": {"reasoning_tokens": 200}})),
                (800, 500, 300, 200, 0.0),
            ),
            (
                "xAI, reasoning next to the completion",
                of(json!({"prompt_tokens": 800, "completion_tokens": 300, "total_tokens": 1300,
                    "completion_tokens_details": {"reasoning_tokens": 200}})),
                (800, 0, 500, 200, 0.0),
            ),
            (
                "the same without a total",
                of(json!({"prompt_tokens": 800, "completion_tokens": 300,
                    "completion_tokens_details": {"reasoning_tokens": 900}})),
                (800, 0, 1200, 900, 0.0),
            ),
            (
                "Gemini's chat route, which hides its thoughts",
                of(json!({"prompt_tokens": 800, "completion_tokens": 300, "total_tokens": 1300})),
                (800, 0, 500, 0, 0.0),
            ),
            (
                "Gemini",
                json!({"usageMetadata": {"promptTokenCount": 800, "candidatesTokenCount": 300,
                    "thoughtsTokenCount": 200, "totalTokenCount": 1300, "cachedContentTokenCount": 500}}),
                (800, 500, 500, 200, 0.0),
            ),
            (
                "Gemini, cut while it thought",
                json!({"usageMetadata": {"promptTokenCount": 800, "thoughtsTokenCount": 200, "totalTokenCount": 1000}}),
                (800, 0, 200, 200, 0.0),
            ),
            (
                "Anthropic, with both of its caches",
                of(json!({"input_tokens": 100, "cache_read_input_tokens": 500,
                    "cache_creation_input_tokens": 200, "output_tokens": 300,
                    "cache_creation": {"ephemeral_5m_input_tokens": 120, "ephemeral_1h_input_tokens": 80}})),
                (800, 500, 300, 0, 110.0),
            ),
            (
                "DeepSeek",
                of(json!({"prompt_tokens": 800, "completion_tokens": 300, "total_tokens": 1100,
                    "prompt_cache_hit_tokens": 500, "prompt_cache_miss_tokens": 300})),
                (800, 500, 300, 0, 0.0),
            ),
            (
                "Moonshot, in the choice of a stream",
                json!({"choices": [{"usage": {"prompt_tokens": 800, "completion_tokens": 300,
                    "total_tokens": 1100, "cached_tokens": 500}}]}),
                (800, 500, 300, 0, 0.0),
            ),
            (
                "Groq, in a stream",
                json!({"choices": [{}], "usage": null, "x_groq": {"usage":
                    {"prompt_tokens": 800, "completion_tokens": 300, "total_tokens": 1100}}}),
                (800, 0, 300, 0, 0.0),
            ),
            (
                "a proxy that counts the cache next to the prompt",
                of(json!({"prompt_tokens": 300, "completion_tokens": 300, "total_tokens": 1100,
                    "prompt_tokens_details": {"cached_tokens": 500}})),
                (800, 500, 300, 0, 0.0),
            ),
            (
                "a router in front of Anthropic",
                of(json!({"prompt_tokens": 800, "completion_tokens": 300, "total_tokens": 1100,
                    "prompt_tokens_details": {"cached_tokens": 500, "cache_write_tokens": 200}})),
                (800, 500, 300, 0, 50.0),
            ),
            (
                "a total and one of its parts",
                of(json!({"prompt_tokens": 800, "total_tokens": 1100})),
                (800, 0, 300, 0, 0.0),
            ),
        ]
    }

    #[test]
    fn the_same_tokens_are_counted_in_every_providers_fields() {
        for (name, reply, (input, cached, output, reasoning, surcharge)) in cases() {
            let found = usage(&reply);
            assert_eq!(found.input_tokens, Some(input), "{name}");
            assert_eq!(found.output_tokens, Some(output), "{name}");
            assert_eq!(found.cached_tokens.unwrap_or(0), cached, "{name}");
            assert_eq!(found.reasoning_tokens.unwrap_or(0), reasoning, "{name}");
            assert_eq!(surcharge_tokens(&reply), surcharge, "{name}");
        }
    }

    #[test]
    fn counts_that_cannot_be_are_none() {
        for usage_json in [
            json!(null),
            json!({}),
            json!({"total_tokens": 1100}),
            json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}),
        ] {
            let found = usage(&json!({ "usage": usage_json }));
            assert_eq!(found.input_tokens, None, "{usage_json}");
        }
        // A total below its parts says nothing.
        let low = json!({"prompt_tokens": 800, "completion_tokens": 300, "total_tokens": 3});
        assert_eq!(usage(&json!({ "usage": low })).output_tokens, Some(300));
    }

    #[test]
    fn a_stated_cost_has_what_the_provider_charges_to_ones_own_key() {
        let details = |usd: f64| json!({ "upstream_inference_cost": usd });
        for (usage, usd) in [
            (json!({"cost": 0.5}), Some(0.5)),
            (json!({"cost": 0, "is_byok": true, "cost_details": details(0.25)}), Some(0.25)),
            (json!({"cost": 0.5, "is_byok": true, "cost_details": details(0.25)}), Some(0.75)),
            (json!({"cost": 0.25, "is_byok": false, "cost_details": details(0.25)}), Some(0.25)),
            (json!({"cost": 0, "cost_details": details(0.25)}), Some(0.25)),
            (json!({"cost": 0, "is_byok": true}), None),
            (json!({"cost": 0}), Some(0.0)),
            (json!({"cost": {"total_cost": 0.5, "input_tokens_cost": 0.25}}), Some(0.5)),
            (json!({"estimated_cost": "0.5"}), Some(0.5)),
            (json!({"cost_in_usd_ticks": 2_500_000_000_u64}), Some(0.25)),
            (json!({"cost": 1e308}), None),
        ] {
            assert_eq!(cost_usd(&json!({ "usage": usage })), usd, "{usage}");
        }
    }
}
