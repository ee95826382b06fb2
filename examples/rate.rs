//! Rates methods from a table of games on standard input, one `prompt,a,b,winner` a line:
//! `cargo run --example rate < games.csv`.

use meshjudge::unstable::rate::BoardSettings;
use meshjudge::{NamedGame, Winner};
use std::io::BufRead;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut games = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let [prompt, a, b, winner] = line.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("not prompt,a,b,winner: {line:?}").into());
        };
        games.push(NamedGame {
            a: a.to_owned(),
            b: b.to_owned(),
            prompt: prompt.to_owned(),
            winner: match winner {
                "a" => Winner::A,
                "b" => Winner::B,
                "tie" => Winner::Tie,
                _ => return Err(format!("{winner:?} is not a, b or tie").into()),
            },
        });
    }
    let (methods, board) = meshjudge::rate(&games, &BoardSettings::default())?;
    for line in &board.lines {
        let interval =
            line.interval.map_or(String::new(), |i| format!("{:.0} to {:.0}", i.low, i.high));
        println!("{:20} {:5.0}  {interval}", methods[line.method], line.rating);
    }
    Ok(())
}
