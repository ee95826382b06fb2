//! `sample`, by the real program: points in a file, the same on every machine.

use crate::support::assets::tetrahedra;
use crate::support::program::Text as _;

fn rows(npy: &[u8]) -> Vec<[f64; 9]> {
    let header = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    let numbers = npy[header..].chunks_exact(8);
    let numbers: Vec<f64> =
        numbers.map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
    numbers.chunks_exact(9).map(|row| row.try_into().unwrap()).collect()
}

#[test]
fn points_have_a_frame_a_colour_and_a_definition() {
    let place = tetrahedra(&[("a.obj", 1.0)]);
    let sample = |args: &str| {
        let run = place.ok(&format!("sample a.obj --points 300 --json {args}"));
        let row = run.rows_of("points").remove(0);
        (row, run.stderr)
    };
    let (row, said) = sample("--out file.npy");
    said.must_have("100.0 % of the points are on surfaces without a colour");
    assert_eq!([&row["points"], &row["without_color"]], [300, 300]);
    let (same, _) = sample("--out again.npy");
    assert_eq!(row["definition"], same["definition"]);
    assert_eq!(place.bytes("file.npy"), place.bytes("again.npy"));

    let (other, _) =
        sample("--out frame.npy --frame mean-radius --network-up swapped-yz --no-color white");
    assert_ne!(other["definition"], row["definition"]);
    let (file, framed) = (rows(&place.bytes("file.npy")), rows(&place.bytes("frame.npy")));
    assert!(file.iter().all(|row| row[6..] == [0.4; 3]));
    assert!(framed.iter().all(|row| row[6..] == [1.0; 3]));
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

    sample("--out points.ply --seed 1");
    String::from_utf8_lossy(&place.bytes("points.ply"))
        .must_have(["element vertex 300\n", "\"seed\":1"]);
    place.run("sample a.obj --out points.xyz").refuses(".ply or .npy");
}
