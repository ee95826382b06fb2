//! A picture → the lines of text in it, by two networks of the user's: one that detects text (DB)
//! and one that recognises a line (CTC).

use super::array::Array;
use super::error::{bad_file, bad_model, bad_network};
use super::instruction::is_instruction;
use super::onnx::Network;
use super::wire::values;
use crate::error::Error;
use crate::render::Image;
use meshjudge_features::{
    Planes, Rgb8, TextBox, decoded, detector_input, recognizer_input, text_boxes, text_line,
    upside_down,
};
use std::path::{Path, PathBuf};

/// Lines that are read with less confidence are none.
const CONFIDENCE_MIN: f64 = 0.5;
/// A shorter line is mostly a screw, a wheel or an edge that looks like a letter.
const CHARACTERS_MIN: usize = 2;
/// Below that, the line is read upside down as well, and the reading with more confidence counts.
const UPRIGHT_CONFIDENCE: f64 = 0.9;
/// The characters' key in a file's metadata: a `StringStringEntryProto` up to the value's tag.
const CHARACTERS_KEY: &[u8] = b"\x0a\x09character\x12";

/// A line of text in a picture.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PaintedLine {
    pub text: String,
    /// Mean probability of its characters, 0 to 1.
    pub confidence: f64,
    /// In pixels of the picture, clockwise from the top left.
    pub corners: TextBox,
    pub reads_like_instruction: bool,
}

/// Both networks.
#[derive(Debug)]
pub struct TextReader {
    detector: Network,
    recognizer: Network,
    characters: Vec<String>,
    recognizer_path: PathBuf,
}

impl TextReader {
    /// Opens the `.onnx` files of a folder with `det` and `rec` in their names.
    ///
    /// # Errors
    /// A folder without them, an unreadable network, or a line network without characters.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let [detector, recognizer_path] = network_files(folder)?;
        let detector = Network::open(&detector, None)?;
        let recognizer = Network::open(&recognizer_path, None)?;
        let bytes = std::fs::read(&recognizer_path).map_err(|e| bad_file(&recognizer_path, e))?;
        let characters = values(&bytes, CHARACTERS_KEY).next().ok_or_else(|| {
            bad_network(&recognizer_path, "has no characters in its metadata, under the key `character`; take one that RapidOCR publishes")
        })?;
        // One in each line.
        let characters = characters.lines().map(str::to_owned).collect();
        Ok(Self { detector, recognizer, characters, recognizer_path })
    }

    /// The lines of text in a picture, in the order of reading.
    ///
    /// # Errors
    /// A network that cannot be run or gives another array than its kind does.
    pub fn lines(&self, picture: &Image) -> Result<Vec<PaintedLine>, Error> {
        let picture = picture.to_rgb8();
        let [width, height] = [picture.width_px, picture.height_px].map(|px| px as usize);
        let picture = Rgb8::new(width, height, picture.pixels.clone())?;
        let (shape, map) = self.detector.array(vec![array(detector_input(&picture)?)])?;
        let &[1, 1, rows, columns] = &shape[..] else {
            return Err(bad_model(format!(
                "for detecting text gives an array of shape {shape:?}, not [1, 1, height, width]"
            )));
        };
        let mut lines = Vec::new();
        for corners in text_boxes(&map, [columns, rows], [width, height])? {
            let line = text_line(&picture, &corners)?;
            let mut read = self.read(&line)?;
            if read.1 < UPRIGHT_CONFIDENCE {
                let turned = self.read(&upside_down(&line))?;
                read = if turned.1 > read.1 { turned } else { read };
            }
            let (text, confidence) = read;
            let num_characters = text.chars().filter(|it| it.is_alphanumeric()).count();
            if confidence >= CONFIDENCE_MIN && num_characters >= CHARACTERS_MIN {
                let reads_like_instruction = is_instruction(&text);
                lines.push(PaintedLine { text, confidence, corners, reads_like_instruction });
            }
        }
        Ok(lines)
    }

    fn read(&self, line: &Rgb8) -> Result<(String, f64), Error> {
        let (shape, values) = self.recognizer.array(vec![array(recognizer_input(line)?)])?;
        match &shape[..] {
            &[1, _, classes] if classes > 0 => {
                let found = decoded(&values, classes, &self.characters);
                found.map_err(|e| bad_file(&self.recognizer_path, e))
            }
            _ => Err(bad_model(format!(
                "for lines of text gives an array of shape {shape:?}, not [1, places, characters]"
            ))),
        }
    }
}

fn array(planes: Planes) -> Array {
    let Planes { width, height, values } = planes;
    Array { name: "x", shape: vec![1, 3, height, width], values }
}

/// The one file with `det` and the one with `rec` in its name.
fn network_files(folder: &Path) -> Result<[PathBuf; 2], Error> {
    let mut found = [Vec::new(), Vec::new()];
    for entry in std::fs::read_dir(folder).map_err(|e| bad_file(folder, e))? {
        let path = entry.map_err(|e| bad_file(folder, e))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        for (part, paths) in ["det", "rec"].into_iter().zip(&mut found) {
            if name.contains(part) && name.ends_with(".onnx") {
                paths.push(path.clone());
            }
        }
    }
    match found.each_ref().map(Vec::as_slice) {
        [[detector], [recognizer]] => Ok([detector.clone(), recognizer.clone()]),
        [detectors, recognizers] => Err(bad_file(
            folder,
            format!(
                "needs one .onnx file with det in its name, which detects text, and one with rec, which reads it; the folder has {} and {}",
                detectors.len(),
                recognizers.len()
            ),
        )),
    }
}
