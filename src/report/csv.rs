//! Cells → a line of RFC 4180 that a spreadsheet takes for text and numbers, never for a formula.

use serde_json::Value;

/// Spreadsheets run what begins so.
const FORMULA_STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// One line, without its end. A non-numeric cell that begins like a formula gets a leading `'`.
pub fn csv_line(cells: &[String]) -> String {
    cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",")
}

/// A list is space-separated, an object is JSON, null is empty.
pub(super) fn csv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(csv_cell).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

fn quoted(cell: &str) -> String {
    let is_formula = cell.starts_with(FORMULA_STARTS) && cell.parse::<f64>().is_err();
    let cell = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::csv_line;

    #[test]
    fn formulas_are_text_and_numbers_stay_numbers() {
        let cells = [
            "=1+1",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "-5",
            "+5",
            "-1.5e-3",
            "plain",
            "a,b",
            "=\"x\"",
            "",
        ];
        let line = csv_line(&cells.map(str::to_owned));
        assert_eq!(
            line,
            "'=1+1,'+cmd|' /C calc'!A0,'-2+3,'@SUM(A1),'\t=1,\"'\r=1\",-5,+5,-1.5e-3,plain,\"a,b\",\"'=\"\"x\"\"\","
        );
    }
}
