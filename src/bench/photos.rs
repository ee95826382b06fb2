//! Photos of prompts: checked before anything is made or asked, and kept while their questions are composed.

use super::prompt::Prompt;
use crate::ask::{Photo, QuestionError};
use crate::sheet::PhotoStyle;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Photos in memory at a time: a cut-out has 0.8 MB, and questions of one prompt come together.
const KEPT_MAX: usize = 64;

/// Photos in one style.
#[derive(Debug, Default)]
pub(super) struct Photos {
    style: PhotoStyle,
    /// By prompt id, the newest last.
    kept: Mutex<VecDeque<(String, Arc<Photo>)>>,
}

impl Photos {
    pub(super) fn new(style: PhotoStyle) -> Self {
        Self {
            style,
            ..Self::default()
        }
    }

    /// The photo of a prompt; none where it has no image.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn of(&self, prompt: &Prompt) -> Result<Option<Arc<Photo>>, QuestionError> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, photo)) = kept().iter().find(|(id, _)| *id == prompt.id) {
            return Ok(Some(Arc::clone(photo)));
        }
        let Some(image) = &prompt.image else {
            return Ok(None);
        };
        let photo = Photo::open(image, prompt.mask.as_deref())?.with_style(self.style);
        let photo = Arc::new(photo);
        let mut kept = kept();
        if kept.len() == KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back((prompt.id.clone(), Arc::clone(&photo)));
        Ok(Some(photo))
    }

    /// Decodes every photo once; returns warnings about them, by kind.
    ///
    /// # Errors
    /// Every photo that cannot be used, in one text.
    pub(super) fn check(&self, prompts: &[Prompt]) -> Result<Vec<String>, String> {
        let looked: Vec<(&str, Result<Option<String>, String>)> = (prompts.par_iter())
            .filter_map(|prompt| {
                let image = prompt.image.as_ref()?;
                let photo = Photo::open(image, prompt.mask.as_deref());
                let note = photo.and_then(|photo| photo.with_style(self.style).cut_out());
                let failed = |e: QuestionError| format!("prompt {:?}, {image:?}: {e}", prompt.id);
                Some((prompt.id.as_str(), note.map_err(failed)))
            })
            .collect();
        let failed: Vec<&str> = (looked.iter())
            .filter_map(|(_, note)| note.as_ref().err().map(String::as_str))
            .collect();
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
