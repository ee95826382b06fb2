//! Cholesky factor of a symmetric positive definite matrix, row-major, and solving with it (Golub & Van Loan, 4.2).

/// Lower factor `L` with `L Lᵀ = M`; the upper half is not read again.
#[derive(Debug, Clone, Default)]
pub(super) struct Factor {
    n: usize,
    rows: Vec<f64>,
}

impl Factor {
    /// Factors the `n × n` matrix in `matrix`; `None` where it is not positive definite.
    pub(super) fn new(n: usize, mut matrix: Vec<f64>) -> Option<Self> {
        for i in 0..n {
            let (above, rest) = matrix.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let other = &above[j * n..j * n + n];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let square = row[i] - dot(&row[..i], &row[..i]);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            row[i] = square.sqrt();
        }
        Some(Self { n, rows: matrix })
    }

    pub(super) fn len(&self) -> usize {
        self.n
    }

    /// Solves `M x = b` in place.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.rows[i * n..i * n + n];
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.rows[i * n..i * n + n];
            let x = b[i] / row[i];
            b[i] = x;
            for (value, factor) in b[..i].iter_mut().zip(&row[..i]) {
                *value -= factor * x;
            }
        }
    }
}

/// In four sums, in a fixed order: the same on every machine, and a processor can do them side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4
        .remainder()
        .iter()
        .zip(b4.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_system_is_solved_and_an_indefinite_one_refused() {
        let factor = Factor::new(3, vec![4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0]).unwrap();
        // M · (1, −2, 3)
        let mut b = [1.8, -5.0, 7.6];
        factor.solve(&mut b);
        for (x, want) in b.iter().zip([1.0, -2.0, 3.0]) {
            assert!((x - want).abs() < 1e-12, "{b:?}");
        }
        assert!(Factor::new(2, vec![1.0, 2.0, 2.0, 1.0]).is_none());
    }
}
