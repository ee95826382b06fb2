//! Every file and every command of docs/RECIPES.md works on the demo assets, with substitutes for
//! models.

use super::documents::{Place, blocks};

const RECIPES: &str = include_str!("../../docs/RECIPES.md");

#[tokio::test(flavor = "multi_thread")]
async fn every_recipe_runs_as_written() {
    let mut place = Place::new().await;
    place.copy_demo("");
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
    place.folder.ok("rate defectbench").shows("mean of all items");
    place.folder.ok("rate mate3d").shows("mean opinion scores");
    place.folder.ok("rate t3bench").shows("quality");
}
