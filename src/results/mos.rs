//! People's scores of single assets → method means, correlations with judges, metrics, each other.

use super::boards::CriterionBoard;
use super::collect::{Collected, Scored};
use super::read::Gathered;
use super::settings::RateSettings;
use super::voice::Voice;
use crate::rate::{Correlations, Mean, Sampling, Score, correlations, mean};
use crate::store::Opinion;
use std::collections::{BTreeMap, BTreeSet};

/// People's scores on one criterion.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct MosBoard {
    pub criterion: String,
    pub num_raters: usize,
    /// Assets that have a score.
    pub num_assets: usize,
    /// Method and its mean, best first.
    pub means: Vec<(String, Mean)>,
    /// Each rater against the mean of the others; the mean over raters. None with one rater.
    pub among: Option<Correlations>,
    pub against: Vec<MosAgainst>,
}

/// People's scores against another figure.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct MosAgainst {
    /// The judge, or the metric.
    pub with: String,
    /// Its criterion; nothing for a metric.
    pub on: String,
    /// Unit of comparison: `assets`, by mean scores, or `methods`, by means and ratings.
    pub of: &'static str,
    pub found: Correlations,
}

/// Method and name of the prompt.
type Asset<'a> = (&'a str, &'a str);

/// One for each criterion that has scores.
pub(super) fn mos_boards(
    settings: &RateSettings,
    gathered: &Gathered,
    collected: &Collected,
    boards: &[CriterionBoard],
) -> Vec<MosBoard> {
    let names = &collected.prompts_by_id;
    let mut by_criterion: BTreeMap<&str, Vec<Opinion>> = BTreeMap::new();
    // Answers to the items of a checklist have a board of their own.
    let items =
        collected.scores.keys().filter(|key| gathered.checklists.contains_key(&key.on.rubric));
    let items: BTreeSet<&str> = items.map(|key| key.on.criterion.as_str()).collect();
    for said in gathered.opinions.iter().filter(|it| !items.contains(it.criterion.as_str())) {
        let here = by_criterion.entry(&said.criterion).or_default();
        here.push(Opinion {
            prompt: names.get(&said.prompt).unwrap_or(&said.prompt).clone(),
            ..said.clone()
        });
    }
    let others = Others { sampling: settings.sampling(), gathered, collected, boards };
    by_criterion.into_iter().map(|(criterion, said)| others.board(criterion, &said)).collect()
}

/// What scores are held against.
struct Others<'a> {
    sampling: Sampling,
    gathered: &'a Gathered,
    collected: &'a Collected,
    boards: &'a [CriterionBoard],
}

impl Others<'_> {
    fn board(&self, criterion: &str, said: &[Opinion]) -> MosBoard {
        let prompts: BTreeSet<&str> = said.iter().map(|s| s.prompt.as_str()).collect();
        let prompts: Vec<&str> = prompts.into_iter().collect();
        let place = |prompt: &str| prompts.binary_search(&prompt).unwrap_or_default();
        let mut by_method: BTreeMap<&str, Vec<Score>> = BTreeMap::new();
        let mut by_rater: BTreeMap<Option<&str>, Vec<(Asset<'_>, f64)>> = BTreeMap::new();
        for s in said {
            by_method
                .entry(&s.method)
                .or_default()
                .push(Score { prompt: place(&s.prompt), value: s.score });
            let asset = (s.method.as_str(), s.prompt.as_str());
            by_rater.entry(s.rater.as_deref()).or_default().push((asset, s.score));
        }
        let mut means: Vec<(String, Mean)> = by_method
            .iter()
            .filter_map(|(method, scores)| Some(((*method).to_owned(), mean(scores)?)))
            .collect();
        means.sort_by(|(_, x), (_, y)| y.mean.total_cmp(&x.mean));
        let assets = averaged(by_rater.values().flatten().copied());
        let paired = |ours: &BTreeMap<Asset<'_>, f64>, others: &BTreeMap<Asset<'_>, f64>| {
            let both = ours
                .iter()
                .filter_map(|(asset, score)| Some((place(asset.1), *score, *others.get(asset)?)));
            both.collect::<Vec<_>>()
        };
        let mut against = Vec::new();
        let mut add = |with: String, on: String, of, lists: &[Vec<_>], sampling| {
            let found = correlations(lists, sampling);
            if found.spearman.is_some() {
                against.push(MosAgainst { with, on, of, found });
            }
        };
        for (key, scores) in &self.collected.scores {
            let list = paired(&assets, &averaged(scores.iter().map(|s| self.scored(s))));
            let (voice, on) = (key.voice.to_string(), key.on.criterion.clone());
            add(voice, on, "assets", &[list], self.sampling);
        }
        let mut metrics: BTreeMap<&str, Vec<(Asset<'_>, f64)>> = BTreeMap::new();
        for row in &self.gathered.metrics.rows {
            if let Some(value) = row.value {
                let names = &self.collected.prompts_by_id;
                let prompt = names.get(&row.prompt_id).unwrap_or(&row.prompt);
                let asset = (row.method.as_str(), prompt.as_str());
                metrics.entry(&row.metric).or_default().push((asset, value));
            }
        }
        for (metric, values) in metrics {
            let list = paired(&assets, &averaged(values.into_iter()));
            let (metric, on) = (metric.to_owned(), String::new());
            add(metric, on, "assets", &[list], self.sampling);
        }
        for on in self.boards.iter().filter(|on| on.key.voice != Voice::People) {
            let rated = on.board.lines.iter().filter_map(|line| {
                let name = &on.methods[line.method];
                let (_, mean) = means.iter().find(|(method, _)| method == name)?;
                Some((line.method, mean.mean, line.rating))
            });
            // Methods are no sample: an interval over them would mean nothing.
            let sampling = Sampling { replicates: 0, ..self.sampling };
            let (voice, criterion) = (on.key.voice.to_string(), on.key.criterion().to_owned());
            add(voice, criterion, "methods", &[rated.collect()], sampling);
        }
        let lists: Vec<Vec<(usize, f64, f64)>> = by_rater
            .keys()
            .map(|rater| {
                let own = averaged(by_rater[rater].iter().copied());
                let rest = by_rater.iter().filter(|(other, _)| *other != rater);
                paired(&own, &averaged(rest.flat_map(|(_, said)| said.iter().copied())))
            })
            .collect();
        MosBoard {
            criterion: criterion.to_owned(),
            num_raters: by_rater.len(),
            num_assets: assets.len(),
            means,
            among: (lists.len() > 1).then(|| correlations(&lists, self.sampling)),
            against,
        }
    }

    fn scored(&self, scored: &Scored) -> (Asset<'_>, f64) {
        let method = self.collected.methods.names[scored.method].as_str();
        let prompt = self.collected.prompts.names[scored.score.prompt].as_str();
        ((method, prompt), scored.score.value)
    }
}

/// The mean of each asset's scores.
fn averaged<'a>(scores: impl Iterator<Item = (Asset<'a>, f64)>) -> BTreeMap<Asset<'a>, f64> {
    let mut sums: BTreeMap<Asset<'a>, (f64, f64)> = BTreeMap::new();
    for (asset, score) in scores {
        let (sum, count) = sums.entry(asset).or_default();
        *sum += score;
        *count += 1.0;
    }
    let mean = |(asset, (sum, count))| (asset, sum / count);
    sums.into_iter().map(mean).collect()
}
