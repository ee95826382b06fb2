//! How often the common front of two assets is found:
//! `cargo run -p meshjudge-lab-judging --bin fronts -- ASSET…`
//!
//! Each asset is compared with a damaged copy of itself that is rotated by a known angle, for each
//! kind of damage; then with copies that have several kinds of damage at once, and with every other
//! asset, of which no rotation should be clear.

use meshjudge::unstable::damage::{damage, kinds};
use meshjudge::unstable::load::{Axis, Options, Turn, load_turned};
use meshjudge::unstable::metrics::{AllSides, Yaw};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Default)]
struct Count {
    all: usize,
    near: usize,
    clear: usize,
    clear_near: usize,
    opposite: usize,
}

impl Count {
    fn add(&mut self, yaw: Yaw, truth: i32) {
        let away = (i32::from(yaw.degrees) - truth).rem_euclid(360);
        let away = away.min(360 - away);
        self.all += 1;
        self.near += usize::from(away <= 15);
        self.opposite += usize::from(away > 150);
        self.clear += usize::from(yaw.is_clear());
        self.clear_near += usize::from(yaw.is_clear() && away <= 15);
    }

    fn print(&self, name: &str) {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        println!(
            "| {name} | {} | {:.0} % | {} | {:.0} % | {:.1} % |",
            self.all,
            share(self.near, self.all),
            self.opposite,
            share(self.clear, self.all),
            share(self.clear_near, self.clear)
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let mut fronts = Vec::new();
    let mut by_kind: Vec<(&str, Count)> = Vec::new();
    let (mut total, mut many) = (Count::default(), Count::default());
    let (mut spent, mut drawn) = (Duration::ZERO, 0);
    let mut state = 20_261_126_u64;
    let mut angle = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u16 % 360
    };
    for path in &paths {
        let path = Path::new(path);
        let Ok(loaded) = load_turned(path, &Options::default(), None, None) else { continue };
        let start = Instant::now();
        let Ok(sides) = AllSides::new(&loaded.scene) else { continue };
        (spent, drawn) = (spent + start.elapsed(), drawn + 1);
        for (i, kind) in kinds().iter().enumerate() {
            let yaw_degrees = angle();
            let turn = Turn { up: Axis::PosY, front: Axis::PosZ, yaw_degrees };
            let turned = load_turned(path, &Options::default(), Some(turn), None)?.into_mesh()?;
            let Ok(damaged) = damage(&turned.scene, kind, 0.5, 7) else { continue };
            let Ok(other) = AllSides::new(&damaged.scene) else { continue };
            let truth = (360 - i32::from(yaw_degrees)) % 360;
            let yaw = sides.yaw_of(&other);
            let place = by_kind.iter().position(|(name, _)| *name == kind.name);
            let place = place.unwrap_or_else(|| {
                by_kind.push((kind.name, Count::default()));
                by_kind.len() - 1
            });
            by_kind[place].1.add(yaw, truth);
            total.add(yaw, truth);
            // Two more kinds on top.
            let more =
                [kinds()[(i + 3) % kinds().len()].name, kinds()[(i + 7) % kinds().len()].name];
            let mut scene = damaged.scene;
            for name in more {
                let kind = kinds().iter().find(|it| it.name == name).ok_or("a kind")?;
                if let Ok(worse) = damage(&scene, kind, 0.5, 8) {
                    scene = worse.scene;
                }
            }
            if let Ok(other) = AllSides::new(&scene) {
                many.add(sides.yaw_of(&other), truth);
            }
        }
        fronts.push(sides);
    }
    println!("| copy | pairs | within 15° | over 150° | clear | of those within 15° |");
    println!("| --- | --- | --- | --- | --- | --- |");
    by_kind.iter().for_each(|(name, count)| count.print(name));
    total.print("one kind");
    many.print("three kinds at once");
    let mut others = Count::default();
    for (i, a) in fronts.iter().enumerate() {
        for b in &fronts[i + 1..] {
            others.add(a.yaw_of(b), 0);
        }
    }
    println!("{} pairs of different assets: {} clear", others.all, others.clear);
    println!(
        "{drawn} assets drawn from all sides, {:.2} s each",
        spent.as_secs_f64() / f64::from(drawn)
    );
    Ok(())
}
