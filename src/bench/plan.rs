//! A benchmark file, resolved and checked: prompts with ids, generators, rubrics with texts and
//! examples, judges, drawings.

use super::file::{
    BenchFile, FeaturesEntry, GeneratorEntry, GeneratorSource, MissingAssets, PairsEntry,
    PromptTable, ScoresEntry,
};
use super::make::{Maker, Method, escaped};
use super::photos::Photos;
use super::plan_checks::{checked_controls, checked_criterion, checked_paths, checked_photos};
use super::planned_check::PlannedCheck;
use super::planned_features::{PlannedFeature, PlannedScore, planned};
use super::planned_methods::methods;
use super::planned_metrics::PlannedMetrics;
use super::planned_pairs::checked_pairs;
use super::planned_prompts::checked_prompts;
use super::planned_rubrics::{PlannedRubric, check_rubrics, planned_rubric, rubrics_of};
use super::prompt::Prompt;
use super::shard::Shard;
use super::slot::{PlaceIdx, SlotIdx};
use crate::ask::{Drawing, Photo, load_options};
use crate::error::{Error, Kind};
use crate::features::{CustomModel, Source};
use crate::load::{Choices, LoadError, Loaded, Options, load_asset};
use crate::render::Renderer;
use crate::rubric::PROMPT_CHARS_MAX;
use crate::scene::{Asset, ViewScale};
use crate::sheet::PhotoStyle;
use crate::store::Made;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Generators × prompts × seeds: more are refused, so a slip in a file cannot fill memory.
const ASSETS_MAX: usize = 1_000_000;

/// A benchmark, ready to be run.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The title of the report.
    pub name: String,
    /// In the order of the file, without those that are too long to be asked about.
    pub prompts: Vec<Prompt>,
    pub long_prompts: Vec<LongPrompt>,
    /// Each prompt is generated once for each.
    pub seeds: Vec<u32>,
    /// In the order of the file.
    pub methods: Vec<Method>,
    /// In the order of the file.
    pub rubrics: Vec<PlannedRubric>,
    /// Which pairs are asked.
    pub pairs: PairsEntry,
    /// Whether the probe counts in addition to models.
    pub with_probe: bool,
    /// The rule on missing assets.
    pub missing_assets: MissingAssets,
    pub metrics: Vec<PlannedMetrics>,
    pub check: Option<PlannedCheck>,
    pub features: Vec<PlannedFeature>,
    pub scores: Vec<PlannedScore>,
    /// How assets are loaded.
    pub load: Options,
    /// Longest side of a pair's sheet.
    pub fit_px: Option<u32>,
    /// Commands and requests at a time.
    pub workers: usize,
    pub gpus: Vec<String>,
    pub(super) photos: Arc<Photos>,
    /// Why a function of the caller's made no asset, by method and prompt id.
    pub failures: BTreeMap<String, BTreeMap<String, String>>,
    /// Whether other machines do the rest of its prompts.
    is_part: bool,
}

/// A prompt that is left out, because it is too long for a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the prompt {id:?} is left out: it has {chars} characters; the limit is {PROMPT_CHARS_MAX}"
)]
pub struct LongPrompt {
    pub id: String,
    pub chars: usize,
}

impl Plan {
    /// Resolves everything; paths are relative to the folder of `path`.
    ///
    /// # Errors
    /// Whatever is wrong, before anything is made or asked.
    pub fn new(file: &BenchFile, path: &Path) -> Result<Self, Error> {
        let folder = folder_of(path);
        let wrong = |reason: String| Error::bench(reason).at(path);
        let (prompts, entries) = with_gpteval3d(file, &folder)?;
        let mut prompts = checked_prompts(prompts).map_err(wrong)?;
        check_seeds(&file.seeds, prompts.len() * entries.len()).map_err(wrong)?;
        let rubrics = rubrics_of(file, &prompts)
            .iter()
            .map(|entry| planned_rubric(&entry.table(), file, &folder, &prompts, &wrong))
            .collect::<Result<Vec<_>, Error>>()?;
        // With the axes that the file names, else with those that the rig's protocol expects.
        let drawings = rubrics.iter().flat_map(|rubric| &rubric.drawings);
        let load = load_options(drawings.flatten(), &file.pictures.load);
        let methods = methods(&entries, &folder, &load, &prompts, &file.seeds).map_err(wrong)?;
        check_rubrics(&rubrics, methods.len()).map_err(wrong)?;
        let long_prompts = leave_out_long(&mut prompts, &rubrics).map_err(wrong)?;
        checked_paths(&file.seeds, &entries).map_err(wrong)?;
        let pairs = checked_pairs(&file.pairs, methods.len()).map_err(wrong)?;
        let texts = rubrics.iter().map(|planned| planned.rubric.as_ref());
        checked_criterion(pairs.criterion.as_deref(), texts).map_err(wrong)?;
        let metrics = file
            .metrics
            .iter()
            .map(|entry| PlannedMetrics::new(entry, &folder))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|reason| wrong(format!("`metrics`: {reason}")))?;
        let check = file.check.as_ref().map(|entry| PlannedCheck::new(entry, &folder));
        let check = check.transpose().map_err(|reason| wrong(format!("`check`: {reason}")))?;
        let photos = Arc::new(Photos::new(file.pictures.photo));
        let planned = planned(&file.features, &file.scores, &folder, &load, &photos);
        let (features, scores) = planned.map_err(wrong)?;
        checked_photos(&features, &prompts).map_err(wrong)?;
        checked_controls(&file.rating.controls, &metrics, &scores).map_err(wrong)?;
        let gpus = file.generation.gpus.clone().unwrap_or_else(|| vec!["0".to_owned()]);
        if let Some(anchor) = &file.rating.anchor
            && !methods.iter().any(|method| method.name == *anchor)
        {
            return Err(wrong(format!(
                "`rating.anchor` is {anchor:?}, which is not one of the generators"
            )));
        }
        Ok(Self {
            name: file.name.clone(),
            prompts,
            long_prompts,
            seeds: file.seeds.clone(),
            methods,
            rubrics,
            pairs,
            with_probe: file.rating.with_probe,
            missing_assets: file.missing_assets,
            metrics,
            check,
            features,
            scores,
            load,
            fit_px: file.pictures.pair.fit_px,
            photos,
            workers: file.generation.workers.unwrap_or(1).max(1),
            gpus,
            failures: BTreeMap::new(),
            is_part: false,
        })
    }

    /// Of assets that are there: features and scores only. Nothing is made or asked.
    ///
    /// # Errors
    /// No features, or some that cannot be computed; scores of sets of assets.
    pub(super) fn of_features(
        (features, scores): (&[FeaturesEntry], &[ScoresEntry]),
        style: PhotoStyle,
        prompts: Vec<Prompt>,
        load: &Options,
        path: &Path,
    ) -> Result<Self, Error> {
        let wrong = |reason: String| Error::bench(reason).at(path);
        if features.is_empty() {
            return Err(wrong("the file has no [[features]]".to_owned()));
        }
        let photos = Arc::new(Photos::new(style));
        let planned = planned(features, scores, &folder_of(path), load, &photos);
        let (features, scores) = planned.map_err(wrong)?;
        if let Some(score) = scores.iter().find(|it| it.settings.formula.is_of_set()) {
            let reason = format!(
                "the score {} compares sets of assets; compute it by a benchmark",
                score.name
            );
            return Err(wrong(reason));
        }
        if prompts.iter().all(|it| it.images.is_empty())
            && features.iter().any(|it| it.origin.shows_photo())
        {
            return Err(Error::bench(
                "a feature needs the photo from which the assets were made; give one",
            )
            .at(path)
            .option("image"));
        }
        let (seeds, load) = (vec![0], *load);
        Ok(Self { prompts, seeds, workers: 1, features, scores, load, photos, ..Self::default() })
    }

    /// Keeps what was made of photos in the run's folder, which exists now.
    pub fn keep_photos(&self) {
        self.photos.keep();
    }

    /// A prompt's photo in a rubric: the object alone in pairs, whole in reconstruction.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn photo(
        &self,
        rubric: usize,
        prompt: &Prompt,
    ) -> Result<Option<Arc<Photo>>, Error> {
        let rubric = &self.rubrics[rubric].rubric;
        match (rubric.needs_photo(), rubric.shows_photo()) {
            (true, _) => self.photos.whole(prompt),
            (false, true) => self.photos.cut_out(prompt),
            (false, false) => Ok(None),
        }
    }

    /// Whether an asset belongs to the benchmark, as far as this shard can decide.
    pub(super) fn lists(&self) -> impl Fn(&Made) -> bool {
        let ids = self.prompts.iter().map(|prompt| prompt.id.as_str());
        let ids: HashSet<&str> = ids.collect();
        move |made| {
            self.methods.iter().any(|method| method.name == made.method)
                && self.seeds.contains(&made.seed)
                && (self.is_part || ids.contains(made.prompt_id.as_str()))
        }
    }

    /// BLAKE3 of everything that selects a slot's asset and its drawing.
    pub(super) fn fingerprint(&self) -> String {
        let names: Vec<&String> = self.methods.iter().map(|method| &method.name).collect();
        let rubrics: Vec<_> = self.rubrics.iter().map(|r| (r.rubric.hash(), &r.drawings)).collect();
        let mut all = format!("{:?}", (&self.prompts, &self.seeds, names, rubrics, self.load));
        let turns = self.methods.iter().map(|method| (method.turn, &method.turns));
        if (turns.clone()).any(|(turn, of_assets)| turn.is_some() || !of_assets.is_empty()) {
            all += &format!("{:?}", turns.collect::<Vec<_>>());
        }
        blake3::hash(all.as_bytes()).to_hex().to_string()
    }

    /// Assets: prompts × seeds × generators. Slots of one prompt and seed, a *place*, are adjacent.
    pub fn num_slots(&self) -> usize {
        self.num_places() * self.methods.len()
    }

    /// Prompts × seeds.
    pub fn num_places(&self) -> usize {
        self.prompts.len() * self.seeds.len()
    }

    /// Every slot, place by place.
    pub fn slots(&self) -> impl Iterator<Item = SlotIdx> + use<> {
        (0..self.num_slots()).map(SlotIdx)
    }

    /// Every place, prompt by prompt.
    pub fn places(&self) -> impl Iterator<Item = PlaceIdx> + use<> {
        (0..self.num_places()).map(PlaceIdx)
    }

    /// Reads an asset that was made, for measurements of its surfaces.
    ///
    /// # Errors
    /// In words: a file that cannot be loaded.
    pub(super) fn read_made(&self, made: &Made) -> Result<Loaded, String> {
        self.read_shown(made)?.into_mesh().map_err(|e| e.to_string())
    }

    /// Reads an asset that was made, for pictures of it.
    ///
    /// # Errors
    /// In words: a file that cannot be loaded.
    pub(super) fn read_shown(&self, made: &Made) -> Result<Loaded<Asset>, String> {
        let path = Path::new(made.path.as_deref().unwrap_or_default());
        let loaded = match self.methods.iter().find(|m| m.name == made.method) {
            Some(method) => method.read((&made.prompt_id, made.seed), path, &self.load, None),
            None => load_asset(path, &self.load, Choices::default()),
        };
        loaded.map_err(|e| e.to_string())
    }

    /// Reads the asset of a slot at `path`.
    ///
    /// # Errors
    /// As [`load_asset`].
    pub(super) fn read_slot(
        &self,
        slot: SlotIdx,
        path: &Path,
        view_scale: Option<&ViewScale>,
    ) -> Result<Loaded<Asset>, LoadError> {
        let (method, prompt, seed) = self.slot(slot);
        method.read((&prompt.id, seed), path, &self.load, view_scale)
    }

    /// Whose asset a slot is, of which prompt, with which seed.
    pub fn slot(&self, slot: SlotIdx) -> (&Method, &Prompt, u32) {
        let (place, method) = slot.parts(self.methods.len());
        let (prompt, seed) = self.place(place);
        (&self.methods[method], prompt, seed)
    }

    /// The slot of a method at a place.
    pub fn slot_at(&self, place: PlaceIdx, method: usize) -> SlotIdx {
        SlotIdx(place.0 * self.methods.len() + method)
    }

    /// Where the asset of a slot is, or would be; `run` is the run's folder.
    pub(super) fn path(&self, run: &Path, slot: SlotIdx) -> PathBuf {
        let (method, prompt, seed) = self.slot(slot);
        method.place(run, prompt, seed)
    }

    /// The prompt of that id.
    pub(super) fn prompt(&self, id: &str) -> Option<&Prompt> {
        self.prompts.iter().find(|prompt| prompt.id == id)
    }

    /// The prompt and seed of a place.
    pub fn place(&self, place: PlaceIdx) -> (&Prompt, u32) {
        let (prompt, seed) = (place.0 / self.seeds.len(), place.0 % self.seeds.len());
        (&self.prompts[prompt], self.seeds[seed])
    }

    /// Pairs of one rubric, at most.
    pub fn num_pairs(&self) -> usize {
        let methods = self.methods.len();
        let all = self.num_places() * methods * methods.saturating_sub(1) / 2;
        self.pairs.count.map_or(all, |count| count.min(all))
    }

    /// Questions of one rubric, at most: both orders of every pair, or every asset.
    pub(super) fn num_questions(&self, rubric: &PlannedRubric) -> u64 {
        let questions = match rubric.rubric.is_of_pairs() {
            true => 2 * self.num_pairs(),
            false => self.num_slots(),
        };
        questions as u64
    }

    /// Whether any generator gives ready pictures.
    pub fn has_ready_pictures(&self) -> bool {
        self.methods.iter().any(|method| matches!(method.maker, Maker::Pictures(_)))
    }

    /// Numbers of views of all drawn pictures.
    pub fn views(&self) -> Vec<usize> {
        let drawings = self.rubrics.iter().flat_map(|rubric| &rubric.drawings);
        drawings.flatten().map(|d| d.rig.views.len()).collect()
    }

    /// How large its pictures show an asset; `None` where that is unknown.
    pub fn view_scale(&self) -> Option<ViewScale> {
        let drawings = self.rubrics.iter().flat_map(|rubric| &rubric.drawings);
        let mut each = drawings.flatten().map(Drawing::view_scale);
        let first = each.next()??;
        each.try_fold(first, |sum, view_scale| Some(sum.or(&view_scale?)))
    }

    /// Pictures drawn by this renderer instead of the CPU's.
    #[must_use]
    pub fn drawn_by(mut self, renderer: &Renderer) -> Self {
        let drawings = self.rubrics.iter_mut().flat_map(|r| &mut r.drawings);
        for drawing in drawings.flatten() {
            drawing.settings.renderer = renderer.clone();
        }
        self
    }

    /// With the caller's models, by the name of their feature.
    ///
    /// # Errors
    /// Names that are no features with the source `python`.
    pub fn with_models(
        mut self,
        mut models: BTreeMap<String, Arc<dyn CustomModel>>,
    ) -> Result<Self, Vec<String>> {
        for PlannedFeature { feature, .. } in &mut self.features {
            if let Source::Custom(model) = &mut feature.source {
                *model = models.remove(&feature.name);
            }
        }
        if models.is_empty() { Ok(self) } else { Err(models.into_keys().collect()) }
    }

    /// Only every `count`th prompt, none where there are more machines than prompts. A bounded
    /// number of pairs is divided.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Self {
        let Shard { number, count } = shard;
        let prompts = std::mem::take(&mut self.prompts);
        self.prompts = prompts
            .into_iter()
            .enumerate()
            .filter(|(i, _)| i % count == number - 1)
            .map(|(_, prompt)| prompt)
            .collect();
        self.pairs.count = self.pairs.count.map(|n| n.div_ceil(count));
        self.is_part = true;
        self
    }
}

/// To which the paths in a file are relative.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The seeds of a file, of which each gives that many assets.
fn check_seeds(seeds: &[u32], assets_each: usize) -> Result<(), String> {
    if seeds.is_empty() {
        return Err("`seeds` is empty; give at least one, such as [0]".to_owned());
    }
    if seeds.iter().collect::<BTreeSet<_>>().len() < seeds.len() {
        return Err("a seed occurs twice in `seeds`".to_owned());
    }
    let assets = assets_each * seeds.len();
    if assets > ASSETS_MAX {
        return Err(format!(
            "{assets} assets; the limit of a benchmark is {ASSETS_MAX}, so divide it into several files"
        ));
    }
    Ok(())
}

/// Removes the prompts that are too long for a rubric that quotes them.
fn leave_out_long(
    prompts: &mut Vec<Prompt>,
    rubrics: &[PlannedRubric],
) -> Result<Vec<LongPrompt>, String> {
    if !rubrics.iter().any(|r| r.rubric.quotes_prompt()) {
        return Ok(Vec::new());
    }
    let chars = |prompt: &Prompt| prompt.text.chars().count();
    let long = prompts.extract_if(.., |prompt| chars(prompt) > PROMPT_CHARS_MAX);
    let long_prompts =
        long.map(|prompt| LongPrompt { chars: chars(&prompt), id: prompt.id }).collect();
    if prompts.is_empty() {
        return Err(format!(
            "every prompt has more than {PROMPT_CHARS_MAX} characters; shorten them"
        ));
    }
    Ok(long_prompts)
}

/// The file's own prompts and generators, with those of a GPTEval3D folder.
fn with_gpteval3d(
    file: &BenchFile,
    folder: &Path,
) -> Result<(Vec<PromptTable>, Vec<GeneratorEntry>), Error> {
    let mut prompts = file.prompts.read(folder)?;
    let mut entries = file.generators.clone();
    if let Some(tournament) = &file.gpteval3d {
        let tournament = folder.join(tournament);
        if prompts.is_empty() {
            let all = super::file::Prompts::File(PathBuf::from("prompts.json"));
            prompts = all.read(&tournament)?;
        }
        let methods = tournament.join("methods");
        let mut names: Vec<String> = std::fs::read_dir(&methods)
            .map_err(|e| Error::cannot_read(Kind::Bench, "folder of generators", e, &methods))?
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        for name in names {
            let inside = escaped(&methods.join(&name).to_string_lossy());
            entries.push(GeneratorEntry {
                source: GeneratorSource::Pictures(format!("{inside}/{{prompt_id}}/{{seed}}")),
                name,
                ..GeneratorEntry::default()
            });
        }
    }
    Ok((prompts, entries))
}
