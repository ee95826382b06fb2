//! How long each measure takes a triangle, of the files in MESHJUDGE_COSTS (separated by spaces):
//! `RAYON_NUM_THREADS=1 cargo test --release -p meshjudge-asset --lib costs -- --ignored --nocapture`.

use super::*;
use crate::load::{Options, load};
use std::time::Instant;

#[test]
#[ignore = "prints times and decides nothing"]
fn costs() {
    let files = std::env::var("MESHJUDGE_COSTS").expect("MESHJUDGE_COSTS names files");
    for file in files.split_whitespace() {
        let begin = Instant::now();
        let scene = load(file.as_ref(), &Options::default())
            .expect("a file")
            .scene;
        let count = scene.triangle_count() as f64;
        let print = |name: &str, begin: Instant| {
            let nanos = begin.elapsed().as_nanos() as f64;
            println!(
                "{name:>10} {:>9.0} ns {:>9.3} s",
                nanos / count,
                nanos / 1e9
            );
        };
        println!("{file}: {count} triangles");
        print("load", begin);
        let begin = Instant::now();
        let surface = Surface::of(&scene);
        print("weld", begin);
        let begin = Instant::now();
        let edges = edges::Edges::of(&surface);
        print("edges", begin);
        let measures: [(&str, &dyn Fn()); 11] = [
            ("noise", &|| drop(noise::measure(&scene, &surface, &edges))),
            ("bends", &|| drop(dihedral::measure(&surface, &edges))),
            ("holes", &|| drop(holes::measure(&scene, &surface, &edges))),
            ("parts", &|| drop(parts::measure(&surface))),
            ("shape", &|| drop(shape::measure(&surface, true))),
            ("texture", &|| drop(texturing::measure(&scene, &surface))),
            ("duplicates", &|| _ = weld::duplicates(&surface)),
            ("manifold", &|| drop(manifold::measure(&surface, &edges))),
            ("crossings", &|| drop(crossings::measure(&surface))),
            ("triangles", &|| drop(triangles::measure(&surface))),
            ("uv", &|| drop(uv::measure(&scene, &surface))),
        ];
        for (name, measure) in measures {
            let begin = Instant::now();
            measure();
            print(name, begin);
        }
    }
}
