//! Tests before a run if judges see pictures: one of three digits, and tokens with and without it.
//!
//! Some servers answer as if nothing were wrong although the picture never reaches the model.

use super::settings::{AskSettings, CanaryRule};
use crate::error::Error;
use crate::judge::{BOOKED_MAX, Endpoint, Failure, Judge, Part, Reply};
use crate::render::{Image, PixelFormat};
use crate::rubric::Picture;
use crate::store::{CANARY_BEGUN, Canary, Store};

/// Every known provider counts more tokens than this for a picture.
const TOKENS_MIN: u64 = 16;

/// One odd reply does not keep a judge from a whole run.
const TURNED_AWAY_MAX: u32 = 3;

/// So many requests may be turned away for their form.
const ADAPTED_MAX: u64 = 3;

const WORDS: &str = "This is a test of the connection. If a picture is attached, it shows three digits: answer with these three digits and nothing else. If none is attached, answer with the word none.";

/// Tests every judge that the rule names and that has not passed in this run, and records the
/// results. Returns the judges that failed, with the reason.
///
/// # Errors
/// [`Error`].
pub async fn canaries(
    judges: &[Judge],
    rule: CanaryRule,
    settings: &AskSettings,
    store: &mut Store,
) -> Result<Vec<(String, String)>, Error> {
    let mut blind = Vec::new();
    for judge in judges {
        let Some(endpoint) = judge.endpoint() else {
            continue;
        };
        let is_named = match rule {
            CanaryRule::Off => false,
            CanaryRule::Remote => !endpoint.is_local(),
            CanaryRule::All => true,
        };
        let name = judge.name();
        if !is_named || settings.is_replay || store.has_seen(&name, judge.base_url())? {
            continue;
        }
        let digits = digits(&format!("{}/{name}", settings.seed));
        let [without, with] = parts(&digits);
        let cost = |parts: &[Part]| endpoint.cost_usd_max_of(parts).unwrap_or(0.0);
        let needed = cost(&without) + cost(&with);
        let spent = store.spent()?;
        let needed_in_all = spent.usd + settings.purse.others_usd() + needed;
        let has_money = settings.cost_usd_max.is_none_or(|max| needed_in_all <= max);
        let has_requests = settings.requests_max.is_none_or(|max| spent.requests + 2 <= max);
        if !has_money || !has_requests {
            // The run itself stops for the same reason, and says so.
            continue;
        }
        let mut canary = Canary {
            judge: name.clone(),
            base_url: judge.base_url().map(str::to_owned),
            settings: judge.settings(),
            expected: digits.clone(),
            ..Canary::default()
        };
        // What a killed program leaves counts at its maximum, and is no test passed.
        let id = store.begin_canary(&Canary {
            reason: Some(CANARY_BEGUN.to_owned()),
            requests: 2,
            cost_usd_max: endpoint.facts().price.map(|_| needed),
            ..canary.clone()
        })?;
        canary.cost_usd = Some(0.0);
        let result = test(endpoint, settings, &without, &with, &mut canary).await;
        canary.reason = result.err().map(|e| e.to_string());
        store.end_canary(id, &canary)?;
        blind.extend(canary.reason.map(|reason| (name, reason)));
    }
    Ok(blind)
}

async fn test(
    endpoint: &Endpoint,
    settings: &AskSettings,
    without: &[Part],
    with: &[Part],
    canary: &mut Canary,
) -> Result<(), Error> {
    let blank = ask(endpoint, settings, without, canary).await?;
    let seeing = ask(endpoint, settings, with, canary).await?;
    canary.raw = Some(seeing.text.clone());
    canary.input_tokens_without = blank.usage.input_tokens;
    canary.input_tokens_with = seeing.usage.input_tokens;
    if let (Some(without), Some(with)) = (blank.usage.input_tokens, seeing.usage.input_tokens)
        && with < without + TOKENS_MIN
    {
        return Err(Error::judge(format!(
            "the picture does not reach the model: {without} tokens were read without and {with} with it"
        )));
    }
    let found: String = seeing.text.chars().filter(char::is_ascii_digit).collect();
    if found != canary.expected {
        let reply: String = seeing.text.chars().take(60).collect();
        return Err(Error::judge(format!(
            "it does not see what a picture shows: {} was shown and the reply was {reply:?}",
            canary.expected
        )));
    }
    Ok(())
}

/// One reply, with the same retries as a question gets.
async fn ask(
    endpoint: &Endpoint,
    settings: &AskSettings,
    parts: &[Part],
    canary: &mut Canary,
) -> Result<Reply, Failure> {
    let mut failures = 0;
    loop {
        canary.requests += 1;
        let most = endpoint.cost_usd_max_of(parts);
        let response = endpoint.ask_freely(parts).await;
        let failure = match response.result {
            Ok(reply) => {
                let is_believed = |usd: &f64| most.is_none_or(|most| *usd <= BOOKED_MAX * most);
                pay(canary, reply.cost_usd.filter(is_believed), most);
                return Ok(reply);
            }
            Err(failure) => failure,
        };
        if Failure::may_have_cost(&failure) {
            pay(canary, None, most);
        }
        if response.adapted.is_some() && failures == 0 && canary.requests <= ADAPTED_MAX {
            continue;
        }
        failures += 1;
        let backoff = &settings.backoff;
        let pause = if failure.turns_away() && failures < TURNED_AWAY_MAX {
            Some(backoff.base)
        } else {
            backoff.pause(&failure, failures, &canary.judge, settings.seed)
        };
        match pause {
            Some(pause) => tokio::time::sleep(pause).await,
            None => return Err(failure),
        }
    }
}

/// An unknown cost counts at its maximum.
fn pay(canary: &mut Canary, cost_usd: Option<f64>, most_usd: Option<f64>) {
    let Some(usd) = cost_usd.or(most_usd) else {
        canary.cost_usd = None;
        return;
    };
    canary.cost_usd = canary.cost_usd.map(|sum| sum + usd);
}

fn parts(digits: &str) -> [Vec<Part>; 2] {
    let picture = Picture::from_image(&drawn(digits)).expect("a small picture encodes");
    let words = || Part::Text(WORDS.to_owned());
    [vec![words()], vec![words(), Part::Picture(picture)]]
}

/// Three digits, a hash of the text.
fn digits(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes());
    let digit = |byte: &u8| char::from(b'0' + byte % 10);
    hash.as_bytes()[..3].iter().map(digit).collect()
}

/// Black seven-segment digits on white, 480 × 256 px.
fn drawn(digits: &str) -> Image {
    const WIDTH: usize = 480;
    const HEIGHT: usize = 256;
    /// High bit first: top, upper left, upper right, middle, lower left, lower right, bottom.
    const LIT: [u8; 10] = [
        0b111_0111, 0b001_0010, 0b101_1101, 0b101_1011, 0b011_1010, 0b110_1011, 0b110_1111,
        0b101_0010, 0b111_1111, 0b111_1011,
    ];
    /// x, y, width, height within a digit of 96 × 176 px.
    const SEGMENTS: [[usize; 4]; 7] = [
        [16, 0, 64, 16],
        [0, 8, 16, 80],
        [80, 8, 16, 80],
        [16, 80, 64, 16],
        [0, 88, 16, 80],
        [80, 88, 16, 80],
        [16, 160, 64, 16],
    ];
    let mut image = Image::filled(WIDTH as u32, HEIGHT as u32, PixelFormat::Rgb8, &[255; 3]);
    for (place, digit) in digits.bytes().enumerate() {
        let lit = LIT[usize::from(digit - b'0') % LIT.len()];
        let is_lit = |(segment, _): &(usize, _)| lit & (0b100_0000 >> segment) != 0;
        for (_, [x, y, width, height]) in SEGMENTS.into_iter().enumerate().filter(is_lit) {
            let left = 48 + place * 144 + x;
            for row in 40 + y..40 + y + height {
                let start = (row * WIDTH + left) * 3;
                image.pixels[start..start + width * 3].fill(0);
            }
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_looks_different_and_one_is_its_right_side() {
        let ink = |digits: &str| drawn(digits).pixels;
        let all: std::collections::BTreeSet<Vec<u8>> =
            (0..10).map(|n| ink(&format!("{n}{n}{n}"))).collect();
        assert_eq!(all.len(), 10);
        let dark = |digits: &str| ink(digits).iter().filter(|&&b| b == 0).count() / 3;
        assert_eq!(dark("111"), 3 * 2 * 16 * 80);
        assert_eq!(dark("888"), 3 * (4 * 16 * 80 + 3 * 64 * 16));
    }
}
