//! The asset of a slot, as a case shows it: how it is read, and what reading and drawing it found.

use super::make::Maker;
use super::plan::Plan;
use super::planned_rubrics::PlannedRubric;
use super::slot::SlotIdx;
use crate::ask::{
    AssetFile, Frames, PictureFolder, Side, Source, Studio, Template, distinct, protocol_of,
    with_answers,
};
use crate::judge::Asset;
use crate::render::{FrameProblem, ProtocolRecord};
use crate::scene::ViewScale;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// What reading an asset found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Its hash, or why it cannot be read.
    pub result: Result<String, String>,
    /// In all its files; none for ready pictures.
    pub bytes_read: Option<u64>,
    pub warnings: Vec<String>,
    /// Edges of its box.
    #[serde(default)]
    pub edges: Option<[f32; 3]>,
}

/// The asset of a slot, whose content has that hash. `view_scale` is how large it is shown, if
/// nothing but pictures is asked of it.
pub(super) fn side(
    plan: &Plan,
    slot: SlotIdx,
    path: &Path,
    hash: String,
    view_scale: Option<ViewScale>,
) -> Side {
    let (method, prompt, seed) = plan.slot(slot);
    let source = match method.maker {
        Maker::Pictures(_) => Source::Views(path.to_owned()),
        _ => Source::File(AssetFile {
            path: path.to_owned(),
            options: plan.load,
            turn: method.turn_of(&prompt.id, seed),
            view_scale,
        }),
    };
    let path = path.to_string_lossy().into_owned();
    Side { asset: Asset { path, hash, method: method.name.clone() }, source }
}

/// Reads the asset of a slot; the studio holds it.
pub(super) fn read(
    plan: &Plan,
    slot: SlotIdx,
    path: &Path,
    view_scale: Option<ViewScale>,
    studio: &mut Studio,
) -> Reading {
    let of = |result| Reading { result, bytes_read: None, warnings: Vec::new(), edges: None };
    if let Maker::Pictures(_) = plan.slot(slot).0.maker {
        let hash = PictureFolder::open(path).and_then(|folder| folder.hash(&plan.views()));
        return of(hash.map_err(|e| e.to_string()));
    }
    match plan.read_slot(slot, path, view_scale.as_ref()) {
        Err(_) if path.is_dir() => of(Err(
            "it is a folder; for ready pictures write `pictures` instead of `path`".to_owned(),
        )),
        Err(e) => of(Err(e.to_string())),
        Ok(loaded) => {
            let reading = Reading {
                result: Ok(loaded.hash.clone()),
                bytes_read: Some(loaded.bytes_read),
                warnings: loaded.warnings.iter().map(ToString::to_string).collect(),
                edges: Some(loaded.scene.size().to_array()),
            };
            let side = side(plan, slot, path, loaded.hash, view_scale);
            studio.hold(&side.asset, loaded.scene);
            reading
        }
    }
}

/// A warning if some views show nothing.
///
/// # Errors
/// None shows anything.
pub(super) fn check_blank(frames: &Frames) -> Result<Option<String>, String> {
    let (mut total, mut blank) = (0, 0);
    for frame in distinct(frames) {
        total += 1;
        blank += usize::from(frame.problems.contains(&FrameProblem::Blank));
    }
    if total > 0 && blank == total {
        return Err("every view is blank".to_owned());
    }
    Ok((blank > 0).then(|| format!("{blank} of {total} views are blank")))
}

/// What the cases of each rubric have in common.
pub(super) fn templates(plan: &Plan) -> Vec<Arc<Template>> {
    let template = |planned: &PlannedRubric| {
        Arc::new(Template {
            rubric: Arc::clone(&planned.rubric),
            examples: planned.examples.clone(),
            drawings: planned.drawings.clone(),
            protocol: Some(protocol(plan, planned)),
        })
    };
    plan.rubrics.iter().map(template).collect()
}

/// The record of how pictures are drawn and answers are read. Ready pictures were drawn by others:
/// theirs says which views of them are shown.
fn protocol(plan: &Plan, planned: &PlannedRubric) -> Arc<ProtocolRecord> {
    if !plan.has_ready_pictures() {
        return protocol_of(&planned.rubric, &planned.drawings, &plan.load);
    }
    let views: Vec<usize> =
        planned.drawings.iter().flatten().map(|drawing| drawing.rig.views.len()).collect();
    with_answers(&planned.rubric, json!({"pictures": "drawn elsewhere", "views": views}))
}
