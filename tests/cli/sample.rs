//! `sample`, by the real program: points in a file, the same on every machine.

use crate::support::assets::tetrahedron;
use crate::support::program::meshjudge;

fn rows(npy: &[u8]) -> Vec<[f64; 9]> {
    let header = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    let numbers = npy[header..].chunks_exact(8);
    let numbers: Vec<f64> =
        numbers.map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
    numbers.chunks_exact(9).map(|row| row.try_into().unwrap()).collect()
}

#[test]
fn points_have_a_frame_a_colour_and_a_definition() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.obj"), tetrahedron(1.0)).unwrap();
    let sample = |args: &[&str]| {
        let args = [&["sample", "a.obj", "--points", "300", "--json"], args].concat();
        let run = meshjudge(place.path(), &args).ok();
        let row = run.rows_of("points").remove(0);
        (row, run.stderr)
    };
    let read = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    let (row, said) = sample(&["--out", "file.npy"]);
    assert!(said.contains("100.0 % of the points are on surfaces without a colour"), "{said}");
    assert_eq!((&row["points"], &row["without_color"]), (&300.into(), &300.into()));
    let (same, _) = sample(&["--out", "again.npy"]);
    assert_eq!(
        (row["definition"].clone(), read("file.npy")),
        (same["definition"].clone(), read("again.npy"))
    );

    let args = [
        "--out",
        "frame.npy",
        "--frame",
        "mean-radius",
        "--network-up",
        "swapped-yz",
        "--no-color",
        "white",
    ];
    let (other, _) = sample(&args);
    assert_ne!(other["definition"], row["definition"]);
    let (file, framed) = (rows(&read("file.npy")), rows(&read("frame.npy")));
    assert!(
        file.iter().all(|row| row[6..] == [0.4; 3])
            && framed.iter().all(|row| row[6..] == [1.0; 3])
    );
    for axis in 0..3 {
        assert!(framed.iter().map(|row| row[axis]).sum::<f64>().abs() < 1e-9);
    }
    let radius = |row: &[f64; 9]| row[..3].iter().map(|v| v * v).sum::<f64>().sqrt();
    assert!((framed.iter().map(radius).fold(0.0, f64::max) - 1.0).abs() < 1e-12);
    // The same points, moved, scaled, and with y and z exchanged.
    let step = |rows: &[[f64; 9]], axis: usize| rows[7][axis] - rows[3][axis];
    let scale = step(&framed, 0) / step(&file, 0);
    assert!((step(&framed, 1) - scale * step(&file, 2)).abs() < 1e-12);
    assert_eq!([framed[7][4], framed[7][5]], [file[7][5], file[7][4]]);

    sample(&["--out", "points.ply", "--seed", "1"]);
    let ply = String::from_utf8_lossy(&read("points.ply")).into_owned();
    assert!(ply.contains("element vertex 300\n") && ply.contains("\"seed\":1"), "{ply:.400}");
    let refused = meshjudge(place.path(), &["sample", "a.obj", "--out", "points.xyz"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains(".ply or .npy"), "{}", refused.stderr);
}
