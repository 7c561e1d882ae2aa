//! What only the inside can show: EM and its divergence, lazy rows, the small algebra.

use nalgebra::DMatrix;

use super::block::FactoredBlock;
use super::cholesky::Cholesky;
use super::eigen::Spectrum;
use super::lazy::Transforms;
use super::matrix::Matrix;
use super::sweep::{Fit, RowTarget};
use super::{CompressionMethod, FactoredSettings};
use crate::rule::Step;
use crate::store::Projection;
use crate::{Vector, normal};

/// A small generator: the same numbers on every run.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        normal::quantile(self.uniform())
    }

    fn matrix(&mut self, rows: usize, cols: usize) -> Matrix {
        Matrix::from_rows(cols, (0..rows * cols).map(|_| self.normal()).collect())
    }

    fn sparse(&mut self, d: usize, nonzeros: usize) -> Vector {
        let pairs: Vec<(u32, f64)> =
            (0..nonzeros).map(|_| ((self.uniform() * d as f64) as u32, self.normal())).collect();
        Vector::from_pairs(pairs).unwrap()
    }
}

fn settings(rank: usize, buffer: usize, compression: CompressionMethod, patience: usize) -> FactoredSettings {
    FactoredSettings {
        rank,
        buffer,
        compression,
        sweeps: 3,
        textbook: false,
        prior: 0.8,
        floor: 0.0,
        patience,
    }
}

fn dense(matrix: &Matrix) -> DMatrix<f64> {
    DMatrix::from_row_slice(matrix.rows(), matrix.cols(), matrix.data())
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// A target whose first rows are listed; the others have no entry in B.
struct Dense {
    d: Vec<f64>,
    r: Matrix,
    b: Matrix,
    listed: usize,
}

impl Dense {
    fn rows(&self) -> Vec<RowTarget<'_>> {
        let row = |i: usize| RowTarget { d: self.d[i], r: self.r.row(i), b: self.b.row(i) };
        (0..self.listed).map(row).collect()
    }

    fn new(random: &mut Random, size: usize, rank: usize, buffer: usize, listed: usize) -> Self {
        let d = (0..size).map(|_| 0.5 + random.uniform()).collect();
        let (r, mut b) = (random.matrix(size, rank), random.matrix(size, buffer));
        (listed..size).for_each(|i| b.row_mut(i).fill(0.0));
        Self { d, r, b, listed }
    }

    fn others(&self) -> Matrix {
        let mut others = Matrix::zero(self.r.cols(), self.r.cols());
        (self.listed..self.d.len())
            .for_each(|i| others.add_outer(1.0 / self.d[i], self.r.row(i), self.r.row(i)));
        others
    }

    fn columns(&self) -> usize {
        self.r.cols() + self.b.cols()
    }

    /// P = D + RRᵀ + BBᵀ.
    fn target(&self) -> DMatrix<f64> {
        let (r, b) = (dense(&self.r), dense(&self.b));
        DMatrix::from_diagonal(&self.d.clone().into()) + &r * r.transpose() + &b * b.transpose()
    }

    /// D and R of a fit, the rows that are not listed included.
    fn fitted(&self, fit: &Fit) -> (DMatrix<f64>, DMatrix<f64>) {
        let mut d = self.d.clone();
        d[..self.listed].copy_from_slice(&fit.d);
        let mut r = dense(&self.r) * dense(&fit.t);
        for i in 0..self.listed {
            (0..r.ncols()).for_each(|j| r[(i, j)] = fit.r.row(i)[j]);
        }
        (DMatrix::from_diagonal(&d.into()), r)
    }

    /// The divergence of [FACT] Eq. 7, twice and without its constant.
    fn divergence(&self, fit: &Fit) -> f64 {
        let (d, r) = self.fitted(fit);
        let approximation = d + &r * r.transpose();
        let inverse = approximation.clone().try_inverse().unwrap();
        (inverse * self.target()).trace() + approximation.determinant().ln()
    }
}

#[test]
fn sweeps_never_increase_the_divergence() {
    let mut random = Random(1);
    for (listed, rank) in [(12, 3), (5, 3), (12, 1), (1, 4), (7, 2)] {
        let rows = Dense::new(&mut random, 12, rank, 4, listed);
        let warm = Fit::warm(&rows.rows(), rows.others(), rows.columns(), 0.0);
        let start = rows.divergence(&warm);
        let spectral = Fit::spectral(&rows.rows(), rows.others(), &spectrum(&rows, rank), 0.0);
        assert!(rows.divergence(&spectral) <= start, "the spectral start is worse than no start");
        let (ours, mut again) =
            (dense(&spectral.gram), Fit::spectral(&rows.rows(), rows.others(), &spectrum(&rows, rank), 0.0));
        again.sum_gram();
        assert!((ours - dense(&again.gram)).amax() < 1e-12, "RᵀD⁻¹R by what changed");
        for mut fit in [warm, spectral] {
            let mut before = rows.divergence(&fit);
            for _ in 0..30 {
                assert!(fit.sweep(&rows.rows()));
                let after = rows.divergence(&fit);
                assert!(after <= before + 1e-11 * before.abs(), "{after} after {before}");
                before = after;
            }
            assert!(before < start);
        }
    }
}

/// The top of the spectrum of WᵀD⁻¹W.
fn spectrum(rows: &Dense, rank: usize) -> Spectrum {
    let n = rows.columns();
    let mut gram = Matrix::zero(n, n);
    for i in 0..rows.d.len() {
        let w: Vec<f64> = rows.r.row(i).iter().chain(rows.b.row(i)).copied().collect();
        gram.add_outer(1.0 / rows.d[i], &w, &w);
    }
    Spectrum::top(gram, rank)
}

#[test]
fn a_sweep_is_the_textbook_sweep() {
    let mut random = Random(2);
    let rows = Dense::new(&mut random, 9, 3, 5, 9);
    let mut fit = Fit::warm(&rows.rows(), rows.others(), rows.columns(), 0.0);
    let p = rows.target();
    let (mut d, mut r) = rows.fitted(&fit);
    for _ in 0..10 {
        assert!(fit.sweep(&rows.rows()));
        let inverse = d.clone().try_inverse().unwrap();
        let phi = (DMatrix::identity(3, 3) + r.transpose() * &inverse * &r).try_inverse().unwrap();
        let upsilon = &phi * r.transpose() * inverse;
        r = &p * upsilon.transpose() * (&phi + &upsilon * &p * upsilon.transpose()).try_inverse().unwrap();
        d = DMatrix::from_diagonal(&(&p - &r * upsilon * &p).diagonal());
        let (ours_d, ours_r) = rows.fitted(&fit);
        assert!((ours_d - &d).amax() < 1e-11 && (ours_r - &r).amax() < 1e-11);
    }
}

#[test]
fn the_spectral_start_is_a_fixed_point_of_r() {
    let mut random = Random(3);
    let rows = Dense::new(&mut random, 8, 2, 3, 8);
    let mut fit = Fit::spectral(&rows.rows(), rows.others(), &spectrum(&rows, 2), 0.0);
    let before = fit.r.clone();
    fit.d.copy_from_slice(&rows.d);
    fit.sum_gram();
    assert!(fit.sweep(&rows.rows()));
    assert!((dense(&fit.r) - dense(&before)).amax() < 1e-12);
}

#[test]
fn lazy_rows_equal_eager_rows() {
    let mut random = Random(4);
    let mut eager = FactoredBlock::new(settings(4, 3, CompressionMethod::Rows, 0));
    let mut lazy = FactoredBlock::new(settings(4, 3, CompressionMethod::Rows, 1_000));
    let (mut p, mut q) = (Projection::default(), Projection::default());
    for round in 0..1500 {
        let x = random.sparse(300, 6);
        eager.project(x.features(), &mut p);
        lazy.project(x.features(), &mut q);
        assert!(close(p.mean, q.mean, 1e-9) && close(p.variance, q.variance, 1e-9), "round {round}");
        let step = Step { alpha: random.normal(), gain: if round % 5 == 0 { 0.0 } else { random.uniform() } };
        eager.absorb(x.features(), &mut p, step).unwrap();
        lazy.absorb(x.features(), &mut q, step).unwrap();
    }
    assert_eq!(eager.lazy.now(), 0);
    assert!(lazy.lazy.now() > 300, "only {} transforms waited", lazy.lazy.now());
}

#[test]
fn a_factor_keeps_to_its_rows() {
    let mut random = Random(9);
    let mut block = FactoredBlock::new(settings(4, 4, CompressionMethod::Rows, 1));
    let mut p = Projection::default();
    for _ in 0..4_000 {
        let x = random.sparse(200, 8);
        block.project(x.features(), &mut p);
        let step = Step { alpha: random.normal(), gain: 5.0 * random.uniform() };
        block.absorb(x.features(), &mut p, step).unwrap();
    }
    let columns = block.columns();
    let mut square = DMatrix::identity(columns, columns);
    let mut row = Vec::new();
    for place in 0..block.table.len() {
        let unit = |j: usize| (0..columns).map(move |i| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        let w: Vec<f64> = (0..columns).map(|j| block.w_dot(place, &unit(j), &mut row)).collect();
        let w = nalgebra::DVector::from_vec(w);
        square += &w * w.transpose() / block.table.row(place).0;
    }
    let ours = dense(&block.factor.square(columns));
    assert!((&ours - &square).amax() < 1e-9 * square.amax(), "{}", (&ours - &square).amax());
}

#[test]
fn transforms_by_powers_are_transforms_one_by_one() {
    let mut random = Random(5);
    let mut transforms = Transforms::new(3);
    let mut single = Vec::new();
    for now in 0..140 {
        for epoch in [0, 1, 7, 8, 9, 63, 64, 65, now / 2, now] {
            let start: Vec<f64> = (0..4).map(|i| f64::from(i) - 1.5).collect();
            let (mut ours, mut theirs) = (start.clone(), start);
            if epoch > now {
                continue;
            }
            transforms.catch_up(&mut ours, epoch);
            for step in &single[epoch..] {
                let step: &Matrix = step;
                let mut next = vec![theirs[0], 0.0, 0.0, 0.0];
                step.combine(&theirs[1..], &mut next);
                theirs = next;
            }
            assert!(ours.iter().zip(&theirs).all(|(a, b)| close(*a, *b, 1e-10)), "{epoch} to {now}");
        }
        let mut step = random.matrix(3, 4);
        (0..3).for_each(|i| step.row_mut(i).iter_mut().for_each(|t| *t *= 0.5));
        transforms.push(step.data());
        single.push(step);
    }
}

#[test]
fn a_factor_grows_shrinks_and_solves() {
    let mut random = Random(6);
    let w = random.matrix(9, 5);
    let mut square = dense(&w.transposed_times(&w));
    square += DMatrix::identity(5, 5);
    let matrix = Matrix::from_rows(5, square.transpose().as_slice().to_vec());
    let mut factor = Cholesky::of(&matrix).unwrap();
    assert!((dense(&factor.square(5)) - &square).amax() < 1e-12);
    let mut solved = vec![1.0, -2.0, 3.0, 0.0, 0.5];
    let right = nalgebra::DVector::from_vec(solved.clone());
    factor.forward(&mut solved);
    factor.backward(&mut solved);
    assert!((&square * nalgebra::DVector::from_vec(solved) - right).amax() < 1e-12);
    factor.drop_first();
    assert!((dense(&factor.square(4)) - square.remove_row(0).remove_column(0)).amax() < 1e-12);
    assert!(Cholesky::of(&Matrix::from_rows(2, vec![1.0, 2.0, 2.0, 1.0])).is_none());
}

#[test]
fn eigenvectors_come_largest_first() {
    let mut random = Random(7);
    let w = random.matrix(10, 6);
    let square = w.transposed_times(&w);
    let spectrum = Spectrum::top(square.clone(), 3);
    let ours = dense(&spectrum.vectors);
    let mut theirs: Vec<f64> = dense(&square).symmetric_eigenvalues().as_slice().to_vec();
    theirs.sort_by(|a, b| b.total_cmp(a));
    let quotients = ours.transpose() * dense(&square) * &ours;
    let expected = DMatrix::from_diagonal(&nalgebra::DVector::from_row_slice(&theirs[..3]));
    assert!((quotients - expected).amax() < 1e-10);
    assert!(spectrum.values.iter().zip(&theirs).all(|(a, b)| close(*a, *b, 1e-12)));
}

#[test]
fn dropping_keeps_the_mean_and_the_newest_columns() {
    let mut random = Random(8);
    let mut block = FactoredBlock::new(settings(0, 3, CompressionMethod::Drop, 1));
    let (mut p, mut columns) = (Projection::default(), Vec::new());
    let mut mean = nalgebra::DVector::zeros(20);
    for _ in 0..30 {
        let x = random.sparse(20, 5);
        let mut dense_x = nalgebra::DVector::zeros(20);
        x.features().iter().for_each(|(i, value)| dense_x[i] = value);
        let newest = columns.iter().rev().take(3);
        let precision = newest.fold(DMatrix::identity(20, 20) / 0.8, |sum, (c, gain)| {
            let c: &nalgebra::DVector<f64> = c;
            sum + c * c.transpose() * *gain
        });
        let image = precision.try_inverse().unwrap() * &dense_x;
        block.project(x.features(), &mut p);
        assert!(close(p.mean, mean.dot(&dense_x), 1e-10) && close(p.variance, image.dot(&dense_x), 1e-10));
        let step = Step { alpha: random.normal(), gain: random.uniform() };
        block.absorb(x.features(), &mut p, step).unwrap();
        mean += &image * step.alpha;
        columns.push((dense_x, step.gain));
    }
}
