//! Orderings: reverse Cuthill-McKee for a narrow band, approximate minimum degree for little fill.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::matrix::SparseSymmetric;
use crate::error::{Error, Result, check_len};

/// Both halves of the pattern without the diagonal: the graph whose edges are the nonzeros.
struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn new(a: &SparseSymmetric) -> Graph {
        let n = a.n();
        let off_diagonal = |j: usize| {
            let rows = a.column(j).0;
            &rows[..rows.len() - 1]
        };
        let mut starts = vec![0; n + 1];
        for j in 0..n {
            for &i in off_diagonal(j) {
                starts[i as usize + 1] += 1;
                starts[j + 1] += 1;
            }
        }
        for j in 0..n {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[n]];
        for j in 0..n {
            for &i in off_diagonal(j) {
                for (at, other) in [(i as usize, j as u32), (j, i)] {
                    neighbours[next[at]] = other;
                    next[at] += 1;
                }
            }
        }
        Graph { starts, neighbours }
    }

    fn degree(&self, v: u32) -> usize {
        self.starts[v as usize + 1] - self.starts[v as usize]
    }

    fn of(&self, v: u32) -> &[u32] {
        &self.neighbours[self.starts[v as usize]..self.starts[v as usize + 1]]
    }
}

/// The reverse Cuthill-McKee order (George and Liu 1981, chapter 4).
///
/// Breadth first from a vertex at the rim, neighbours by rising degree, then reversed. Every component
/// of the graph is covered. Entry `k` of the answer is the old number of the new row `k`.
pub fn reverse_cuthill_mckee(a: &SparseSymmetric) -> Vec<u32> {
    let graph = Graph::new(a);
    let n = a.n();
    let mut seen = vec![false; n];
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let mut search = Search { stamp: vec![0; n], round: 0, levels: Vec::new(), visited: Vec::new() };
    let mut waiting = Vec::new();
    for seed in 0..n as u32 {
        if seen[seed as usize] {
            continue;
        }
        let root = search.rim_vertex(&graph, seed);
        seen[root as usize] = true;
        let mut head = order.len();
        order.push(root);
        while head < order.len() {
            waiting.clear();
            for &w in graph.of(order[head]) {
                if !std::mem::replace(&mut seen[w as usize], true) {
                    waiting.push(w);
                }
            }
            waiting.sort_unstable_by_key(|&w| (graph.degree(w), w));
            order.extend_from_slice(&waiting);
            head += 1;
        }
    }
    order.reverse();
    order
}

/// Breadth-first searches that share their memory.
struct Search {
    stamp: Vec<u32>,
    round: u32,
    levels: Vec<usize>,
    visited: Vec<u32>,
}

impl Search {
    /// A vertex of nearly greatest eccentricity in the component of `start`.
    fn rim_vertex(&mut self, graph: &Graph, start: u32) -> u32 {
        let mut root = start;
        let mut depth = self.levels_from(graph, root);
        loop {
            let last = &self.visited[self.levels[self.levels.len() - 1]..];
            let Some(&candidate) = last.iter().min_by_key(|&&v| (graph.degree(v), v)) else { return root };
            let deeper = self.levels_from(graph, candidate);
            if deeper <= depth {
                return root;
            }
            (root, depth) = (candidate, deeper);
        }
    }

    /// Level structure rooted at `root`; returns the number of levels.
    fn levels_from(&mut self, graph: &Graph, root: u32) -> usize {
        self.round += 1;
        self.visited.clear();
        self.levels.clear();
        self.visited.push(root);
        self.stamp[root as usize] = self.round;
        let mut from = 0;
        while from < self.visited.len() {
            self.levels.push(from);
            let to = self.visited.len();
            for at in from..to {
                for &w in graph.of(self.visited[at]) {
                    if self.stamp[w as usize] != self.round {
                        self.stamp[w as usize] = self.round;
                        self.visited.push(w);
                    }
                }
            }
            from = to;
        }
        self.levels.len()
    }
}

/// The approximate minimum degree order (Amestoy, Davis, Duff 1996), computed by faer.
pub fn minimum_degree(a: &SparseSymmetric) -> Result<Vec<u32>> {
    let n = a.n();
    let (mut order, mut place) = (vec![0_u32; n], vec![0_u32; n]);
    let pattern = pattern(a)?;
    let mut memory = MemBuffer::try_new(amd::order_scratch::<u32>(n, a.stored()))
        .map_err(|_| Error::TooLarge { what: "minimum degree ordering", needed: 12 * a.stored() as u64 })?;
    amd::order(&mut order, &mut place, pattern, amd::Control::default(), MemStack::new(&mut memory))
        .map_err(|_| Error::TooLarge { what: "minimum degree ordering", needed: 12 * a.stored() as u64 })?;
    Ok(order)
}

/// The upper half's pattern as faer sees it.
pub(crate) fn pattern(a: &SparseSymmetric) -> Result<SymbolicSparseColMatRef<'_, u32>> {
    let starts = a
        .short_starts()
        .ok_or(Error::TooLarge { what: "entries of a matrix to factor", needed: a.stored() as u64 })?;
    Ok(SymbolicSparseColMatRef::new_checked(a.n(), a.n(), starts, None, a.rows()))
}

/// The inverse permutation; fails unless `order` holds every number below `n` once.
pub(crate) fn inverse(order: &[u32], n: usize) -> Result<Vec<u32>> {
    check_len("numbers in an ordering", n, order.len())?;
    let mut place = vec![u32::MAX; n];
    for (k, &v) in order.iter().enumerate() {
        match place.get_mut(v as usize) {
            Some(p) if *p == u32::MAX => *p = k as u32,
            _ => return Err(Error::Structure { column: k }),
        }
    }
    Ok(place)
}
