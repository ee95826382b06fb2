//! A question as plain data: the assets it shows, what they were made from, and how it is asked.
//! Nothing here is read, drawn or sent, so a list of cases is small however large its assets.

use super::drawing::{Drawing, protocol_of};
use super::photo::Photo;
use crate::damage::DamageKind;
use crate::judge::{Asset, Picture, Specimen};
use crate::load::{Options, Turn};
use crate::objects::assembled::Assembled;
use crate::objects::{LibraryObject, scenes};
use crate::render::{Image, ProtocolRecord};
use crate::rubric::{Example, Order, Rubric};
use crate::scene::{self, ViewScale};
use std::path::PathBuf;
use std::sync::Arc;

/// What all cases of one rubric and layout have in common.
#[derive(Debug, Clone)]
pub struct Template {
    pub rubric: Arc<Rubric>,
    /// Worked examples, shown before the question.
    pub examples: Vec<Example>,
    /// For each picture of the rubric, how it is drawn.
    pub drawings: Vec<Option<Drawing>>,
    /// The record of that.
    pub protocol: Option<Arc<ProtocolRecord>>,
}

impl Template {
    /// Without examples; `load` are the options that assets are loaded with.
    pub fn new(rubric: Arc<Rubric>, drawings: Vec<Option<Drawing>>, load: &Options) -> Self {
        let protocol = Some(protocol_of(&rubric, &drawings, load));
        Self { rubric, examples: Vec::new(), drawings, protocol }
    }
}

/// One question about an asset, or about a pair in both orders.
#[derive(Debug, Clone)]
pub struct Case {
    pub template: Arc<Template>,
    /// For the category rubric.
    pub category: Option<String>,
    /// The text that the assets were made from.
    pub prompt: Option<String>,
    /// The photo that they were made from, for a rubric that shows it.
    pub photo: Option<Arc<Photo>>,
    /// One asset, or two as listed.
    pub sides: Vec<Side>,
    /// Names the question in messages.
    pub what: String,
}

impl Case {
    /// The orders in which it is asked: both of a pair, one of a single asset.
    pub fn orders(&self) -> &'static [Order] {
        &Order::BOTH[..self.sides.len().min(Order::BOTH.len())]
    }
}

/// An asset of a case.
#[derive(Debug, Clone)]
pub struct Side {
    /// As records name it.
    pub asset: Asset,
    pub source: Source,
}

/// Where the surface of an asset comes from, or its pictures.
#[derive(Debug, Clone)]
pub enum Source {
    /// No asset: the question is about the prompt.
    Prompt,
    /// In memory already.
    Held(Arc<Specimen>),
    /// A ready picture, shown as it is; also decoded, for the probe.
    Picture(Picture, Arc<Image>),
    /// A folder of ready views.
    Views(PathBuf),
    File(AssetFile),
    /// In memory, and not yet measured.
    Asset(scene::Asset),
    Library(&'static LibraryObject),
    Assembled(Assembled),
    /// A scene that its prompt describes.
    Scene(&'static scenes::Case),
    /// Another asset, made worse, or a scene whose prompt is no longer true.
    Damaged {
        of: Arc<Side>,
        kind: &'static DamageKind,
        level: f32,
        seed: u64,
    },
}

/// A file, and how it is loaded.
#[derive(Debug, Clone)]
pub struct AssetFile {
    pub path: PathBuf,
    pub options: Options,
    /// Its own axes, if they differ from those of the options.
    pub turn: Option<Turn>,
    /// How large it is shown, if nothing but pictures is asked of it.
    pub view_scale: Option<ViewScale>,
}
