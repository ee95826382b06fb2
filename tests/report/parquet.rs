//! `export --format parquet`: what was written is read back with the format's own reader.
#![cfg(feature = "parquet")]

use crate::support::program::meshjudge;
use crate::support::runs::{Plan, fill};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

#[test]
fn every_row_comes_back_with_its_types() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    let export = |args: &[&str]| meshjudge(folder.path(), &[&["export", "."], args].concat());
    let refused = export(&["--format", "parquet"]);
    assert_eq!(refused.code, Some(2));
    export(&["--format", "parquet", "--out", "rows.parquet"]).ok();
    let rows = export(&["--format", "jsonl"]).rows();
    let file = std::fs::File::open(folder.path().join("rows.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let found: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert!(rows.len() > 50 && rows.len() == found.len());
    let text = |field: &Field| match field {
        Field::Str(text) => text.clone().into(),
        Field::Bytes(bytes) => String::from_utf8(bytes.data().to_vec()).unwrap().into(),
        Field::Null => serde_json::Value::Null,
        other => panic!("{other}"),
    };
    for (json, row) in rows.iter().zip(&found) {
        let of = |name: &str| row.get_column_iter().find(|(n, _)| *n == name).unwrap().1;
        let texts =
            "id rubric prompt order judge model_reported outcome reason raw protocol reused_from";
        for name in texts.split(' ') {
            assert_eq!(text(of(name)), json[name], "{name}");
        }
        assert_eq!(text(of("a_method")), json["a"]["method"]);
        assert_eq!(text(of("b_hash")), json["b"]["hash"]);
        let number = |field: &Field| match *field {
            Field::Null => None,
            Field::ULong(n) => Some(n as f64),
            Field::UInt(n) => Some(f64::from(n)),
            Field::Double(n) => Some(n),
            ref other => panic!("{other}"),
        };
        let numbers = "sample attempts input_tokens output_tokens cost_usd seconds view_px";
        for name in numbers.split(' ') {
            // The JSON reader may miss the last bit.
            match (number(of(name)), json[name].as_f64()) {
                (Some(x), Some(y)) => assert!((x - y).abs() <= 1e-12 * y.abs(), "{name}: {x} {y}"),
                (x, y) => assert_eq!(x, y, "{name}"),
            }
        }
        let verdict = text(of("verdict"));
        let verdict = verdict.as_str().map(|t| serde_json::from_str(t).unwrap());
        assert_eq!(verdict.unwrap_or(serde_json::Value::Null), json["verdict"]);
        let Field::ListInternal(list) = of("pictures") else { panic!("no list") };
        assert_eq!(list.elements().len(), json["pictures"].as_array().unwrap().len());
        // Nobody was asked about a pair that a missing asset decided.
        match (of("asked_at"), json["outcome"] == "forfeit") {
            (Field::Null, true) => assert_eq!(json["asked_at"], ""),
            (Field::TimestampMillis(t), false) => assert!(*t > 1_700_000_000_000),
            (other, _) => panic!("{other} of {json}"),
        }
    }
    assert!(rows.iter().any(|row| row["outcome"] == "forfeit"));
    // People are shown no pictures, so there are empty lists as well.
    assert!(rows.iter().any(|row| row["pictures"].as_array().unwrap().is_empty()));
}
