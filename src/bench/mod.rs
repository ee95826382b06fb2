//! Whole benchmarks: a benchmark file → assets, pictures and questions.
//!
//! A file ([`BenchFile`]) is looked up and checked ([`Plan`]) and run ([`run()`]): generators make
//! assets, [`schedule`] chooses pairs, and `tasks` makes their cases, which `ask` draws, composes
//! and asks. Prints nothing and writes no page.

mod asset_cache;
mod cluster;
mod error_maps;
mod estimate;
mod extent;
mod feature_inputs;
mod features;
mod file;
mod file_scores;
mod fronts;
mod infer;
mod judges;
mod make;
mod metrics;
mod names;
mod node;
mod observer;
mod photo_checks;
mod photos;
mod plan;
mod plan_checks;
mod planned_check;
mod planned_features;
mod planned_methods;
mod planned_metrics;
mod planned_pairs;
mod planned_prompts;
mod planned_rubrics;
mod prompt;
mod prompt_features;
mod prompt_order;
mod reading;
mod reference_path;
mod remaining;
mod remote;
mod run;
mod run_folder;
pub mod schedule;
mod settled_text;
mod shard;
mod slot;
mod tasks;
mod threads;

pub use cluster::{Cluster, DrawTask, Job, JobDone, Look, NodeSetup, OpenCluster};
pub use estimate::estimates;
pub use extent::{Extent, PaidAssets, extent};
pub use file::{
    BenchFile, Engine, JudgeEntry, JudgeTable, MissingAssets, PairSchedule, RubricEntry, SCHEMA,
    SCHEMA_FILE, SERVICE_HELPER, SERVICES, TEMPLATE,
};
pub use file_scores::score_files;
pub use fronts::CommonFronts;
pub use infer::{Inferred, InferredGenerator, InferredPrompt, LeftOut};
pub use judges::open_judges;
pub use make::{AssetTurn, MADE_FOLDER, Method};
pub use node::Node;
pub use observer::Observer;
pub use photo_checks::check_photos;
pub use plan::{LongPrompt, Plan};
pub use planned_check::PlannedCheck;
pub use planned_metrics::{PlannedMetrics, PlannedReference};
pub use planned_rubrics::PlannedRubric;
pub use prompt::Prompt;
pub use reading::Reading;
pub use remaining::{Remaining, remaining};
pub use run::run;
pub use run_folder::{open_run, run_folder};
pub use shard::{Shard, ShardChoice};
pub use slot::{PlaceIdx, SlotIdx};
pub use threads::{in_threads, threads_max};
