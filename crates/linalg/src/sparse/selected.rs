//! The diagonal of the inverse from a sparse factor, without the rest of it.
//!
//! The entries of `Z = A^-1` on the pattern of the factor follow from each other, last columns first
//! (Takahashi, Fagan and Chin 1973). For a supernode with diagonal block `L1` and `L2` below it,
//! `Y = L2 L1^-1`, and with the entries `Z22` that its parent knows,
//!
//! ```text
//! Z21 = -Z22 Y        Z11 = L1^-T L1^-1 - Y' Z21
//! ```
//!
//! About twice the work of the factorisation, where `n` solves would take `n` times the fill.

use std::collections::BTreeMap;

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatRef, Par};
use rayon::prelude::*;

use super::supernodes::Supernodes;
use crate::dense::cholesky::for_row_strips;
use crate::dense::product::{Write, product_faer};

/// Per supernode, the entries of the inverse among its rows below.
type Known = BTreeMap<u32, Mat<f64>>;

/// The diagonal of the inverse, in elimination order.
pub(super) fn inverse_diagonal(nodes: &Supernodes, values: &[f64], n: usize) -> Vec<f64> {
    let mut diagonal = vec![0.0; n];
    let mut columns = nodes.columns(&mut diagonal);
    let mut known = Known::new();
    for &s in nodes.top.iter().rev() {
        if let Some(out) = columns[s as usize].take() {
            descend(nodes, values, s, &mut known, out);
        }
    }
    let mut tasks = Vec::with_capacity(nodes.subtrees.len());
    for list in &nodes.subtrees {
        let outs: Vec<&mut [f64]> = list.iter().filter_map(|&s| columns[s as usize].take()).collect();
        let mine: Known = list.iter().filter_map(|s| known.remove_entry(s)).collect();
        tasks.push((list, outs, mine));
    }
    tasks.into_par_iter().with_max_len(1).for_each(|(list, outs, mut known)| {
        for (&s, out) in list.iter().zip(outs).rev() {
            descend(nodes, values, s, &mut known, out);
        }
    });
    diagonal
}

/// Works out one supernode's entries and leaves each child those it needs.
fn descend(nodes: &Supernodes, values: &[f64], supernode: u32, known: &mut Known, out: &mut [f64]) {
    let s = supernode as usize;
    let (width, below) = (nodes.width(s), nodes.below(s));
    let block = MatRef::from_column_major_slice(nodes.block(values, s), width + below.len(), width);
    let (l1, l2) = block.split_at_row(width);
    let mut z11 = Mat::identity(width, width);
    solve_lower_triangular_in_place(l1, z11.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(l1.transpose(), z11.as_mut(), Par::Seq);
    let z22 = known.remove(&supernode).unwrap_or_else(Mat::new);
    let mut z21 = Mat::zeros(below.len(), width);
    if !below.is_empty() {
        let mut y = l2.to_owned();
        for_row_strips(y.as_mut(), |strip| {
            solve_upper_triangular_in_place(l1.transpose(), strip.transpose_mut(), Par::Seq);
        });
        product_faer(-1.0, z22.rb(), y.rb(), Write::Replace, z21.as_mut());
        product_faer(-1.0, y.rb().transpose(), z21.rb(), Write::Add, z11.rb_mut());
    }
    out.iter_mut().enumerate().for_each(|(j, out)| *out = z11[(j, j)]);
    let begin = nodes.begin(s);
    for &child in nodes.children(s) {
        let places = places(nodes.below(child as usize), begin, width, below);
        known.insert(child, among(&places, width, &z11, &z21, &z22));
    }
}

/// Where rows stand in a supernode; both lists ascend.
fn places(rows: &[u32], begin: usize, width: usize, below: &[u32]) -> Vec<usize> {
    let mut at = 0;
    let place = |&row: &u32| {
        if (row as usize) < begin + width {
            return row as usize - begin;
        }
        while at < below.len() && below[at] < row {
            at += 1;
        }
        width + at
    };
    rows.iter().map(place).collect()
}

/// The entries among the given places, both halves.
fn among(places: &[usize], width: usize, z11: &Mat<f64>, z21: &Mat<f64>, z22: &Mat<f64>) -> Mat<f64> {
    let mut z = Mat::zeros(places.len(), places.len());
    for (j, &q) in places.iter().enumerate() {
        for (i, &p) in places.iter().enumerate().skip(j) {
            z[(i, j)] = match (p < width, q < width) {
                (true, true) => z11[(p, q)],
                (false, true) => z21[(p - width, q)],
                _ => z22[(p - width, q - width)],
            };
        }
    }
    for j in 0..places.len() {
        for i in 0..j {
            z[(i, j)] = z[(j, i)];
        }
    }
    z
}
