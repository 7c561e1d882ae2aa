//! Eigenvectors of a small symmetric matrix by Jacobi rotations: short, and accurate for every eigenvalue.

use super::matrix::Matrix;

/// Rotations go round at most this often; 6 to 8 times is usual.
const MOST_ROUNDS: usize = 40;

/// The eigenvectors of the `count` largest eigenvalues of a symmetric matrix, largest first, as columns.
pub(super) fn top_eigenvectors(mut a: Matrix, count: usize) -> Matrix {
    let n = a.cols();
    let mut vectors = Matrix::identity(n); // row i is the i-th eigenvector
    for _ in 0..MOST_ROUNDS {
        let mut quiet = true;
        for p in 0..n {
            for q in p + 1..n {
                quiet &= !annihilate(&mut a, &mut vectors, p, q);
            }
        }
        if quiet {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a.row(j)[j].total_cmp(&a.row(i)[i]));
    let mut top = Matrix::zero(n, count);
    for (place, &i) in order.iter().take(count).enumerate() {
        (0..n).for_each(|j| top.row_mut(j)[place] = vectors.row(i)[j]);
    }
    top
}

/// Rotates a_pq to zero; false if it is already negligible beside its diagonal.
fn annihilate(a: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) -> bool {
    let (app, aqq, apq) = (a.row(p)[p], a.row(q)[q], a.row(p)[q]);
    if apq.abs() <= f64::EPSILON * (app * aqq).abs().sqrt() || !apq.is_finite() {
        return false;
    }
    let theta = (aqq - app) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    rotate_rows(a, p, q, c, s);
    for i in 0..a.cols() {
        let row = a.row_mut(i);
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    rotate_rows(vectors, p, q, c, s);
    true
}

fn rotate_rows(a: &mut Matrix, p: usize, q: usize, c: f64, s: f64) {
    for j in 0..a.cols() {
        let (x, y) = (a.row(p)[j], a.row(q)[j]);
        a.row_mut(p)[j] = c * x - s * y;
        a.row_mut(q)[j] = s * x + c * y;
    }
}
