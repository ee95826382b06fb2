//! Rotations that axes are found by.

use glam::{DMat3, DVec3};

/// The 24 turns that take axes to axes and keep right hands right.
pub fn right_angles() -> impl Iterator<Item = DMat3> {
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    orders.into_iter().enumerate().flat_map(|(k, order)| {
        let odd = if k < 3 { 1.0 } else { -1.0 };
        [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)].map(|(x, y)| {
            let mut columns = [DVec3::ZERO; 3];
            for (column, (row, sign)) in
                columns.iter_mut().zip(order.into_iter().zip([x, y, x * y * odd]))
            {
                column[row] = sign;
            }
            DMat3::from_cols(columns[0], columns[1], columns[2])
        })
    })
}

/// One sweep of Jacobi's rotations over a symmetric matrix (Golub & Van Loan, section 8.5), which
/// squares the entries off its diagonal; six are the rule. Its rows of `vectors`, at first the
/// identity, become the unit eigenvectors.
pub fn jacobi_sweep(matrix: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3]) {
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        if matrix[p][q] == 0.0 {
            continue;
        }
        let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        // Columns p and q, then rows p and q.
        for row in matrix.iter_mut() {
            (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
        }
        for rows in [&mut *matrix, &mut *vectors] {
            let (x, y) = (rows[p], rows[q]);
            rows[p] = std::array::from_fn(|k| c * x[k] - s * y[k]);
            rows[q] = std::array::from_fn(|k| s * x[k] + c * y[k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_24_turns_differ_and_keep_right_hands() {
        let turns: Vec<DMat3> = right_angles().collect();
        assert_eq!(turns.len(), 24);
        for (i, turn) in turns.iter().enumerate() {
            assert_eq!(turn.determinant(), 1.0, "{i}");
            assert!(!turns[..i].contains(turn), "{i}");
        }
    }
}
