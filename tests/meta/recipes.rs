//! Every file and every command of docs/RECIPES.md works on the demo assets, with substitutes for
//! models.

use super::documents::{Place, blocks, copy_folder};
use crate::support::assets::demo;
use crate::support::program::ok;

const RECIPES: &str = include_str!("../../docs/RECIPES.md");

#[tokio::test(flavor = "multi_thread")]
async fn every_recipe_runs_as_written() {
    let mut place = Place::new().await;
    copy_folder(&demo(""), place.folder.path());
    for block in blocks(RECIPES).iter().filter(|block| block.kind != "sh") {
        assert!(block.file.is_some(), "no name for {}", block.text);
    }
    let ran = place.follow(RECIPES).len();
    assert!(ran >= if cfg!(feature = "onnx") { 13 } else { 11 }, "{ran}");
    let headings = RECIPES.lines().filter(|line| line.starts_with("## ")).count();
    for part in ["*Unknown:*", "*Different:*"] {
        assert_eq!(RECIPES.matches(part).count(), headings, "{part}");
    }
    // What the recipes are for is on their boards.
    let text = |args: &[&str]| ok(place.folder.path(), args);
    assert!(text(&["rate", "defectbench"]).contains("mean of all items"));
    assert!(text(&["rate", "mate3d"]).contains("mean opinion scores"));
    assert!(text(&["rate", "t3bench"]).contains("quality"));
}
