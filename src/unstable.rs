//! Every program stage, for the Python package, the tests and programs that need single steps.
//!
//! **Unstable:** a name in here can change or go with any version. The items at the root of the
//! crate do not, within a major version.
//!
//! Each module is a stage, and imports only stages above it in this list. A test enforces this.
//!
//! | module | takes → gives |
//! | --- | --- |
//! | [`scene`] | the vocabulary: [`Scene`](scene::Scene), [`Mesh`](scene::Mesh), [`Material`](scene::Material), [`Texture`](scene::Texture) |
//! | [`load`](mod@load), [`save`] | bytes ↔ [`Scene`](scene::Scene) |
//! | [`measure`] | a scene → facts: holes, pieces, noise, texel density |
//! | [`objects`], [`damage`] | clean built-in objects; the same asset, worse in one known way |
//! | [`rig`], [`render`](mod@render) | a scene and cameras → [`Frame`](render::Frame)s with any [`Channel`](render::Channel) |
//! | [`sheet`] | frames, or a photo with its mask → the pictures that a rubric shows |
//! | [`metrics`] | two surfaces, or two pictures → numbers with their definitions |
//! | [`check`] | an asset and a profile of limits → what it breaks, and where |
//! | [`rate`](mod@rate) | games as plain numbers → ratings with intervals, agreement, position bias |
//! | [`rubric`] | a file in `prompts/` → the question, and the reader of its answers |
//! | [`options`] | a flag, a key of a file or a keyword of Python → an option that is given |
//! | [`judge`] | a [`Question`](judge::Question) → a [`Reply`](judge::Reply) |
//! | [`store`] | the run folder: a [`Request`](store::Request) is a question × a judge × a sample, an [`Attempt`](store::Attempt) one try with its reply, a [`Record`](store::Record) the run's entry for it |
//! | [`ask`] | questions + judges + store → records: one [`Session`](ask::Session), the only loop that asks |
//! | [`features`] | pictures, points and texts → vectors of the user's model → scores and distances of sets |
//! | [`results`] | the records of runs → boards, agreement, spending |
//! | [`exchange`] | votes, ratings, other programs' tournaments and published scores |
//! | [`front`] | the calls above, and their single steps, with all options |
//! | [`bench`](mod@bench) | a benchmark file → assets, pictures and questions |
//! | [`audit`] | pairs whose right answer is known → the reliability of a judge |
//! | [`report`] | results and pictures → page, tables, files; the local page for voting |

pub use meshjudge_damage::{damage, objects};
pub use meshjudge_load as load;
pub use meshjudge_measure as measure;
pub use meshjudge_metrics::{check, metrics};
pub use meshjudge_rate as rate;
pub use meshjudge_render::{render, rig, sheet};
pub use meshjudge_save as save;
pub use meshjudge_scene as scene;
pub use meshjudge_splat as splat;

#[path = "ask/mod.rs"]
pub mod ask;
#[path = "audit/mod.rs"]
pub mod audit;
#[path = "bench/mod.rs"]
pub mod bench;
#[path = "exchange/mod.rs"]
pub mod exchange;
#[path = "features/mod.rs"]
pub mod features;
#[path = "front/mod.rs"]
pub mod front;
#[path = "judge/mod.rs"]
pub mod judge;
#[path = "options/mod.rs"]
pub mod options;
#[path = "report/mod.rs"]
pub mod report;
#[path = "results/mod.rs"]
pub mod results;
#[path = "rubric/mod.rs"]
pub mod rubric;
#[path = "store/mod.rs"]
pub mod store;
