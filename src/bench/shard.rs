//! A part of a benchmark: one of several machines that share it.

use crate::error::Error;
use std::str::FromStr;

/// One of several machines that share a benchmark: which, from 1, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// At most `count`.
    pub number: usize,
    /// At least 1.
    pub count: usize,
}

/// How the part is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardChoice {
    /// `2/4`.
    Given(Shard),
    /// `auto`: from the scheduler's environment variables.
    Auto,
    /// `auto/64`, `auto/1-64`: the scheduler says which, of the ids from `first` to `last`.
    AutoOf { first: usize, last: usize },
}

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = match text.strip_prefix("auto") {
            Some("") => Some(Self::Auto),
            Some(ids) => ids.strip_prefix('/').and_then(ids_of),
            None => text.split_once('/').and_then(|(number, count)| {
                let (number, count) = (number.parse().ok()?, count.parse().ok()?);
                let is_part = (1..=count).contains(&number);
                is_part.then_some(Self::Given(Shard { number, count }))
            }),
        };
        parsed.ok_or_else(|| {
            "give the shard and the number of shards, such as 2/4; or auto, auto/64 (task ids 0 to 63) or auto/1-64 on a cluster".to_owned()
        })
    }
}

fn ids_of(text: &str) -> Option<ShardChoice> {
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
        None => (0, text.parse::<usize>().ok()?.checked_sub(1)?),
    };
    (first <= last).then_some(ShardChoice::AutoOf { first, last })
}

/// The variable with a scheduler's index: of Slurm's arrays, which may have gaps and start after 0.
const SLURM_ARRAY: &str = "SLURM_ARRAY_TASK_ID";

/// The variables with index and count of Slurm's arrays and steps, torchrun, Open MPI, MPICH, AWS
/// Batch, Cloud Run, Kubernetes' indexed jobs, PBS, SGE.
const SCHEDULERS: [(&str, Option<&str>); 10] = [
    (SLURM_ARRAY, Some("SLURM_ARRAY_TASK_COUNT")),
    ("SLURM_PROCID", Some("SLURM_NTASKS")),
    ("RANK", Some("WORLD_SIZE")),
    ("OMPI_COMM_WORLD_RANK", Some("OMPI_COMM_WORLD_SIZE")),
    ("PMI_RANK", Some("PMI_SIZE")),
    ("AWS_BATCH_JOB_ARRAY_INDEX", Some("AWS_BATCH_JOB_ARRAY_SIZE")),
    ("CLOUD_RUN_TASK_INDEX", Some("CLOUD_RUN_TASK_COUNT")),
    ("JOB_COMPLETION_INDEX", None),
    ("PBS_ARRAY_INDEX", None),
    ("SGE_TASK_ID", None),
];

impl Shard {
    /// The part that the scheduler names in the environment, and the variable with it; `read` gives
    /// a variable's value. A scheduler with a single task gives no shard if another has several.
    ///
    /// # Errors
    /// [`Error`].
    pub fn of_scheduler(
        ids: Option<(usize, usize)>,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<(Self, &'static str), Error> {
        let number = |name: &str| read(name)?.trim().parse::<usize>().ok();
        let mut found: Option<(Self, &'static str)> = None;
        for (index, count) in SCHEDULERS {
            let Some(id) = number(index) else {
                continue;
            };
            let count = count.and_then(number);
            let of = |first: usize, last: usize| {
                if (first..=last).contains(&id) {
                    Ok(Self { number: id - first + 1, count: last - first + 1 })
                } else {
                    Err(Error::bench(format!(
                        "{index} is {id}, which is not between {first} and {last}; give all ids, such as auto/1-64"
                    )))
                }
            };
            let shard = match (ids, count) {
                // A job of one task inside an array, or a plain job.
                (_, Some(1)) if found.is_some() || ids.is_some() => continue,
                (Some((first, last)), _) => of(first, last)?,
                (None, None) => {
                    return Err(Error::bench(format!(
                        "{index} gives the shard, but no variable gives the number of shards; add it, such as auto/64 for ids 0 to 63"
                    )));
                }
                (None, Some(count)) => {
                    let of_array = |name| number(name).filter(|_| index == SLURM_ARRAY);
                    let first = of_array("SLURM_ARRAY_TASK_MIN").unwrap_or(0);
                    let last = of_array("SLURM_ARRAY_TASK_MAX");
                    if last.is_some_and(|last| last + 1 - first.min(last) != count) {
                        let last = last.unwrap_or(first);
                        return Err(Error::bench(format!(
                            "the tasks of this array have gaps between {first} and {last}, so the number of shards is unknown; give all ids, such as auto/{first}-{last}"
                        )));
                    }
                    of(first, (first + count).saturating_sub(1))?
                }
            };
            match found {
                Some((earlier, one)) if earlier.count > 1 && earlier != shard => {
                    return Err(Error::bench(format!(
                        "{one} and {index} give different shards; give the shard as 2/4"
                    )));
                }
                Some((earlier, _)) if earlier.count > 1 => {}
                _ => found = Some((shard, index)),
            }
        }
        found.ok_or_else(|| {
            Error::bench(format!(
                "no scheduler variable found (looked for {}); give the shard as 2/4",
                SCHEDULERS.map(|(index, _)| index).join(", ")
            ))
        })
    }

    /// This part's share of a whole number; the shares of all parts add up to it.
    pub fn share(self, whole: u64) -> u64 {
        let (count, number) = (self.count as u64, self.number as u64);
        whole / count + u64::from(number <= whole % count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(
        ids: Option<(usize, usize)>,
        environment: &[(&str, &str)],
    ) -> Result<(usize, usize), String> {
        let read = |name: &str| {
            let found = environment.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let found = Shard::of_scheduler(ids, read).map_err(|e| e.to_string());
        found.map(|(shard, _)| (shard.number, shard.count))
    }

    fn array<'a>(
        id: &'a str,
        count: &'a str,
        min: &'a str,
        max: &'a str,
    ) -> [(&'a str, &'a str); 4] {
        [
            ("SLURM_ARRAY_TASK_ID", id),
            ("SLURM_ARRAY_TASK_COUNT", count),
            ("SLURM_ARRAY_TASK_MIN", min),
            ("SLURM_ARRAY_TASK_MAX", max),
        ]
    }

    #[test]
    fn each_scheduler_names_its_part() {
        assert_eq!(auto(None, &array("1", "4", "1", "4")), Ok((1, 4)));
        assert_eq!(auto(None, &array("3", "4", "0", "3")), Ok((4, 4)));
        let pairs = [
            ("SLURM_PROCID", "SLURM_NTASKS"),
            ("RANK", "WORLD_SIZE"),
            ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
            ("PMI_RANK", "PMI_SIZE"),
            ("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"),
            ("CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT"),
        ];
        for (index, count) in pairs {
            assert_eq!(auto(None, &[(index, "2"), (count, "8")]), Ok((3, 8)), "{index}");
        }
        for index in ["JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX", "SGE_TASK_ID"] {
            assert!(auto(None, &[(index, "2")]).unwrap_err().starts_with(index));
            assert_eq!(auto(Some((0, 7)), &[(index, "2")]), Ok((3, 8)));
        }
    }

    #[test]
    fn a_job_of_one_task_inside_an_array_is_the_array_s() {
        let mut environment = array("2", "4", "1", "4").to_vec();
        environment.extend([("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1")]);
        assert_eq!(auto(None, &environment), Ok((2, 4)));
        assert_eq!(auto(Some((1, 64)), &environment), Ok((2, 64)));
        // A plain job of one task, under torchrun.
        let plain =
            [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1"), ("RANK", "1"), ("WORLD_SIZE", "2")];
        assert_eq!(auto(None, &plain), Ok((2, 2)));
        assert_eq!(auto(None, &plain[..2]), Ok((1, 1)));
    }

    #[test]
    fn what_is_not_certain_is_asked() {
        let sent_again = array("7", "2", "3", "7");
        let gaps = auto(None, &sent_again).unwrap_err();
        assert!(gaps.contains("gaps between 3 and 7"), "{gaps}");
        assert_eq!(auto(Some((0, 63)), &sent_again), Ok((8, 64)));
        assert_eq!(auto(Some((1, 64)), &sent_again), Ok((7, 64)));
        let outside = auto(Some((0, 3)), &sent_again).unwrap_err();
        assert!(outside.starts_with("SLURM_ARRAY_TASK_ID is 7, which is not between 0 and 3"));
        let two = [("RANK", "0"), ("WORLD_SIZE", "2"), ("PMI_RANK", "1"), ("PMI_SIZE", "2")];
        assert!(auto(None, &two).unwrap_err().starts_with("RANK and PMI_RANK give different"));
        let undefined = auto(None, &[("SGE_TASK_ID", "undefined")]).unwrap_err();
        assert!(undefined.starts_with("no scheduler variable found"), "{undefined}");
    }

    #[test]
    fn shares_add_up() {
        for (whole, count) in [(10, 4), (3, 4), (0, 2), (1000, 7)] {
            let shares = (1..=count).map(|number| Shard { number, count }.share(whole));
            assert_eq!(shares.sum::<u64>(), whole);
        }
    }

    #[test]
    fn choices_are_read_as_they_are_written() {
        let given = Shard { number: 2, count: 4 };
        for (text, choice) in [
            ("2/4", ShardChoice::Given(given)),
            ("auto", ShardChoice::Auto),
            ("auto/64", ShardChoice::AutoOf { first: 0, last: 63 }),
            ("auto/1-64", ShardChoice::AutoOf { first: 1, last: 64 }),
        ] {
            assert_eq!(text.parse(), Ok(choice), "{text}");
        }
        for text in ["0/4", "5/4", "4", "auto/", "auto/0", "auto/4-1", "automatic", "1/4/2"] {
            assert!(text.parse::<ShardChoice>().is_err(), "{text}");
        }
    }
}
