//! Asks the offline judge which of two assets is better:
//! `cargo run --example compare -- a.glb b.glb "a wooden chair"`.

use meshjudge::Judge;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = |default: &str| args.next().unwrap_or(default.to_owned());
    let a = meshjudge::load(next("assets/demo/chair_clean.glb"))?;
    let b = meshjudge::load(next("assets/demo/chair_damaged.glb"))?;
    let prompt = next("a wooden chair");

    let comparison = meshjudge::compare(&a, &b, &prompt, &Judge::Probe)?;

    for findings in &comparison.findings {
        println!("{}", findings.judge);
        for criterion in &findings.criteria {
            println!("  {:28} {}", criterion.criterion, criterion.as_str());
        }
    }
    match comparison.winner("overall") {
        Some(winner) => println!("overall: {}", winner.as_str()),
        None => println!("overall: the two orders do not agree"),
    }
    Ok(())
}
