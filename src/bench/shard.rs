//! A part of a benchmark.

/// One of several machines that share a benchmark: which, from 1, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// At most `count`.
    pub number: usize,
    /// At least 1.
    pub count: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;

    /// `2/4`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text
            .split_once('/')
            .and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
        match parsed {
            Some((number, count)) if (1..=count).contains(&number) => Ok(Self { number, count }),
            _ => Err("give the part and how many there are, such as 2/4".to_owned()),
        }
    }
}
