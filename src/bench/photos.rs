//! Photos of prompts: checked before assets are made or judged, kept while questions are composed.

use super::prompt::Prompt;
use crate::ask::Photo;
use crate::error::Error;
use crate::judge::PhotoKey;
use crate::sheet::PhotoStyle;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Cut-outs in memory at a time: 0.1 to 0.4 MB each.
const CUT_OUT_MAX: usize = 1024;

/// Photos that a reconstruction shows whole, in memory at a time: 60 MB for one of 12 megapixels.
/// Questions of one prompt come together.
const WHOLE_MAX: usize = 4;

/// In a run's folder: what was made of photos, so that the next call decodes none of them.
const KEPT_FOLDER: &str = "photos";

/// By prompt id, the newest last.
type Kept = Mutex<VecDeque<(String, Arc<Photo>)>>;

/// Photos in one style.
#[derive(Debug, Default)]
pub(super) struct Photos {
    pub style: PhotoStyle,
    cut_out: Kept,
    whole: Kept,
    /// By prompt id.
    keys: Mutex<HashMap<String, Option<PhotoKey>>>,
    /// The run's folder, once it is known.
    run: OnceLock<PathBuf>,
}

impl Photos {
    pub(super) fn new(style: PhotoStyle) -> Self {
        Self { style, ..Self::default() }
    }

    /// The photo of a prompt, for questions that show the object alone; none where it has no image.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn cut_out(&self, prompt: &Prompt) -> Result<Option<Arc<Photo>>, Error> {
        self.kept(&self.cut_out, CUT_OUT_MAX, prompt)
    }

    /// The same for questions that show it whole.
    ///
    /// # Errors
    /// As [`cut_out`](Self::cut_out).
    pub(super) fn whole(&self, prompt: &Prompt) -> Result<Option<Arc<Photo>>, Error> {
        self.kept(&self.whole, WHOLE_MAX, prompt)
    }

    fn kept(&self, kept: &Kept, max: usize, prompt: &Prompt) -> Result<Option<Arc<Photo>>, Error> {
        let kept = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, photo)) = kept().iter().find(|(id, _)| *id == prompt.id) {
            return Ok(Some(Arc::clone(photo)));
        }
        if prompt.images.is_empty() {
            return Ok(None);
        }
        let images = prompt.images.iter();
        let sides = images.map(|(side, image, mask)| (&**side, &**image, mask.as_deref()));
        let mut photo = Photo::open_sides(sides)?.with_style(self.style);
        if let Some(run) = self.run.get() {
            photo = photo.kept_in(run.join(KEPT_FOLDER));
        }
        let photo = Arc::new(photo);
        let mut kept = kept();
        if kept.len() == max {
            kept.pop_front();
        }
        kept.push_back((prompt.id.clone(), Arc::clone(&photo)));
        Ok(Some(photo))
    }

    /// Identifies the photos of a prompt as they are now; none without readable photos.
    pub(super) fn key(&self, prompt: &Prompt) -> Option<PhotoKey> {
        prompt.image()?;
        let keys = || self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = keys().get(&prompt.id) {
            return key.clone();
        }
        let photo = self.cut_out(prompt).ok().flatten();
        let key = photo.map(|photo| photo.key());
        keys().insert(prompt.id.clone(), key.clone());
        key
    }

    /// Keeps what was made of photos before their run had a folder.
    pub(super) fn keep(&self) {
        let photos = self.cut_out.lock().unwrap_or_else(PoisonError::into_inner);
        photos.iter().for_each(|(_, photo)| photo.keep());
    }

    /// Decodes once every photo not kept in the folder of `run`; returns warnings, by kind.
    ///
    /// # Errors
    /// Every photo that cannot be used, in one text.
    pub(super) fn check(&self, prompts: &[Prompt], run: &Path) -> Result<Vec<String>, String> {
        self.run.get_or_init(|| run.to_owned());
        let looked = parallel::map(prompts, |prompt| {
            prompt.image()?;
            let note = self.cut_out(prompt).and_then(|photo| match photo {
                Some(photo) => photo.cut_out(),
                None => Ok(None),
            });
            let failed = |e: Error| format!("prompt {:?}: {e}", prompt.id);
            Some((prompt.id.as_str(), note.map_err(failed)))
        });
        let looked: Vec<(&str, Result<Option<String>, String>)> =
            looked.into_iter().flatten().collect();
        let failed: Vec<&str> =
            looked.iter().filter_map(|(_, note)| note.as_ref().err().map(String::as_str)).collect();
        if !failed.is_empty() {
            return Err(failed.join("\n"));
        }
        let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
        for (id, note) in looked {
            let Ok(Some(note)) = note else { continue };
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, ids)) => ids.push(id),
                None => notes.push((note, vec![id])),
            }
        }
        Ok(notes.iter().map(|(note, ids)| said(note, ids)).collect())
    }
}

fn said(note: &str, ids: &[&str]) -> String {
    const IDS_MAX: usize = 5;
    let named = ids[..ids.len().min(IDS_MAX)].join(", ");
    match ids.len() {
        1 => format!("the photo of {named}: {note}"),
        count if count <= IDS_MAX => format!("the photos of {named}: {note}"),
        count => format!("{count} photos ({named}, …): {note}"),
    }
}
