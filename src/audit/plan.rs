//! What an audit asks about: objects × kinds × levels and each object against itself, in pairs or
//! one by one; or scenes × kinds × levels.

use crate::ask::Source;
use crate::damage::DamageKind;
use crate::objects::scenes::Case;
use crate::scene::Asset;
use std::path::PathBuf;

/// An object without damage, from which pairs are made.
#[derive(Debug, Clone)]
pub enum CleanObject {
    /// One of ours, loaded when it is needed.
    Own(&'static crate::objects::LibraryObject),
    /// One assembled at random.
    Assembled(crate::objects::assembled::Assembled),
    /// One of the user's.
    File {
        path: PathBuf,
        /// The text prompt of the question.
        prompt: String,
        asset: Asset,
        /// BLAKE3 of its content.
        hash: String,
    },
}

impl CleanObject {
    /// For rows and messages.
    pub fn name(&self) -> String {
        match self {
            Self::Own(object) => object.name.clone(),
            Self::Assembled(object) => object.name(),
            Self::File { path, .. } => path.to_string_lossy().into_owned(),
        }
    }

    /// The text prompt of the question.
    pub fn prompt(&self) -> &str {
        match self {
            Self::Own(object) => &object.prompt,
            Self::Assembled(object) => object.prompt(),
            Self::File { prompt, .. } => prompt,
        }
    }

    /// Whether it has what the kind works on, and so takes it. Our objects have surfaces.
    pub(super) fn takes(&self, kind: &DamageKind) -> bool {
        match self {
            Self::Own(_) | Self::Assembled(_) => kind.is_for_surfaces(),
            Self::File { asset, .. } => kind.is_for(asset),
        }
    }

    /// Where a case takes it from.
    pub(super) fn source(&self) -> Source {
        match self {
            Self::Own(object) => Source::Library(object),
            Self::Assembled(object) => Source::Assembled(*object),
            Self::File { asset, .. } => Source::Asset(asset.clone()),
        }
    }
}

/// What an audit asks about: `objects` in pairs or with their photos, or `cases` one by one, with
/// each kind at each level.
#[derive(Debug, Clone)]
pub struct AuditPlan {
    /// Clean objects, for pairs and photos.
    pub objects: Vec<CleanObject>,
    /// Scenes, for the category rubric; each takes the kinds of its category.
    pub cases: Vec<&'static Case>,
    pub kinds: Vec<&'static DamageKind>,
    /// Each above 0, up to 1.
    pub levels: Vec<f32>,
    /// Decides where the damage is.
    pub seed: u64,
    /// Whether each pair is shown with its clean object's photo, and two objects with either's.
    pub has_photos: bool,
    /// Whether objects are shown and scored singly, each clean one also with another's photo.
    pub is_scored: bool,
}

impl AuditPlan {
    /// Cases with objects. Pairs: every kind that it takes at every level, and the object against
    /// itself, on every object; with photos also against another object, with the photo of either.
    /// Scores: the same objects, without a second one.
    pub fn num_pairs(&self) -> usize {
        let looks = match (self.looks(), self.is_scored) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => LOOKS.len(),
        };
        let trials = |object: &CleanObject| {
            self.kinds.iter().filter(|kind| object.takes(kind)).count() * self.levels.len()
        };
        self.objects.iter().map(|object| trials(object) + 1 + looks).sum()
    }

    /// Whether two objects have photos, so that one photo can replace the other.
    pub(super) fn looks(&self) -> bool {
        self.has_photos && self.objects.len() > 1
    }

    /// Questions to one judge, asked once: both orders of every pair, every score; every scene as
    /// it is, and with each kind of its category.
    pub fn num_questions(&self) -> usize {
        let of_case = |case: &&Case| {
            let is_for = |kind: &&&DamageKind| kind.category() == Some(case.category);
            1 + self.kinds.iter().filter(is_for).count() * self.levels.len()
        };
        let orders = if self.is_scored { 1 } else { 2 };
        orders * self.num_pairs() + self.cases.iter().map(of_case).sum::<usize>()
    }
}

/// The method of the undamaged object.
pub(super) const CLEAN: &str = "clean";

/// The method of the second showing of the undamaged object.
pub(super) const SAME: &str = "same";

/// The method of a damaged object: kind and level, as rows hold them.
pub(super) fn method(kind: &DamageKind, level: f32) -> String {
    format!("{}@{level}", kind.name)
}

/// The methods of another clean object: with the photo of the first, and with its own.
pub(super) const LOOKS: [&str; 2] = ["other", "other-photo"];

/// Kind and level of a method; none for methods that no audit made.
pub(super) fn of_method(method: &str) -> Option<(&'static DamageKind, f32)> {
    let (name, level) = method.split_once('@')?;
    Some((crate::damage::kind(name)?, level.parse().ok()?))
}
