//! The supernodes of a factor: runs of columns with the same rows below them, and the tree they form.
//!
//! A supernode's columns can be eliminated once its children's are. Disjoint subtrees do not touch each
//! other, so they are what threads share; the few large supernodes at the top come one after the other and
//! are cut into tiles instead. Which is which follows from the structure alone.

use faer::sparse::linalg::cholesky::SymbolicCholeskyRaw;

/// A subtree with at most this share of all work is one task.
const TASK_SHARE: f64 = 1.0 / 64.0;

/// No parent: a root of the forest.
const NONE: u32 = u32::MAX;

/// A factor's columns in groups, their rows, and who waits for whom.
#[derive(Debug)]
pub(super) struct Supernodes {
    /// First column of every supernode, and the number of columns.
    begins: Vec<usize>,
    /// Where each one's rows below its own columns begin in `rows`, and their number.
    row_starts: Vec<usize>,
    /// Ascending within a supernode.
    rows: Vec<u32>,
    /// Where each one's numbers begin, `height x width` column-major, and their number.
    value_starts: Vec<usize>,
    child_starts: Vec<usize>,
    children: Vec<u32>,
    /// Supernodes of the independent subtrees, ascending.
    pub(super) subtrees: Vec<Vec<u32>>,
    /// The others, ascending.
    pub(super) top: Vec<u32>,
}

impl Supernodes {
    pub(super) fn new(symbolic: &SymbolicCholeskyRaw<u32>) -> Supernodes {
        let wide = |v: &[u32]| v.iter().map(|&x| x as usize).collect::<Vec<_>>();
        let mut nodes = Supernodes {
            begins: Vec::new(),
            row_starts: vec![0],
            rows: Vec::new(),
            value_starts: Vec::new(),
            child_starts: Vec::new(),
            children: Vec::new(),
            subtrees: Vec::new(),
            top: Vec::new(),
        };
        match symbolic {
            SymbolicCholeskyRaw::Supernodal(structure) => {
                nodes.begins = wide(structure.supernode_begin());
                nodes.begins.push(structure.nrows());
                nodes.value_starts = wide(structure.col_ptr_for_val());
                (0..structure.n_supernodes()).for_each(|s| nodes.push_rows(structure.supernode(s).pattern()));
            }
            // A diagonal matrix, which faer never groups: every column for itself.
            SymbolicCholeskyRaw::Simplicial(structure) => {
                nodes.begins = (0..=structure.nrows()).collect();
                nodes.value_starts = wide(structure.col_ptr());
                let column =
                    |j: usize| &structure.row_idx()[nodes.value_starts[j] + 1..nodes.value_starts[j + 1]];
                let columns: Vec<&[u32]> = (0..structure.nrows()).map(column).collect();
                columns.into_iter().for_each(|rows| nodes.push_rows(rows));
            }
        }
        let parents = nodes.parents();
        nodes.list_children(&parents);
        nodes.share_out(&parents);
        nodes
    }

    fn push_rows(&mut self, rows: &[u32]) {
        self.rows.extend_from_slice(rows);
        self.row_starts.push(self.rows.len());
    }

    pub(super) fn len(&self) -> usize {
        self.begins.len() - 1
    }

    /// The first of its columns.
    pub(super) fn begin(&self, s: usize) -> usize {
        self.begins[s]
    }

    /// Number of its columns.
    pub(super) fn width(&self, s: usize) -> usize {
        self.begins[s + 1] - self.begins[s]
    }

    /// The rows below its columns.
    pub(super) fn below(&self, s: usize) -> &[u32] {
        &self.rows[self.row_starts[s]..self.row_starts[s + 1]]
    }

    pub(super) fn children(&self, s: usize) -> &[u32] {
        &self.children[self.child_starts[s]..self.child_starts[s + 1]]
    }

    /// Numbers in the factor.
    pub(super) fn fill(&self) -> usize {
        self.value_starts[self.len()]
    }

    /// The numbers of one supernode.
    pub(super) fn block<'v>(&self, values: &'v [f64], s: usize) -> &'v [f64] {
        &values[self.value_starts[s]..self.value_starts[s + 1]]
    }

    /// Every supernode's own numbers.
    pub(super) fn blocks<'v>(&self, values: &'v mut [f64]) -> Vec<Option<&'v mut [f64]>> {
        split(values, &self.value_starts)
    }

    /// Every supernode's columns of a vector in elimination order.
    pub(super) fn columns<'v>(&self, vector: &'v mut [f64]) -> Vec<Option<&'v mut [f64]>> {
        split(vector, &self.begins)
    }

    /// Multiplications that eliminating a supernode takes: half the sum of the squared column lengths.
    fn work(&self, s: usize) -> f64 {
        let (width, below) = (self.width(s) as f64, self.below(s).len() as f64);
        width * (below * below + below * width + width * width / 3.0) / 2.0
    }

    /// Multiplications of the factorisation.
    pub(super) fn multiplications(&self) -> f64 {
        (0..self.len()).map(|s| self.work(s)).sum()
    }

    /// Numbers in what supernodes hand to their parents, at most at one time, however many threads.
    pub(super) fn pending(&self) -> usize {
        let update = |s: usize| self.below(s).len().pow(2);
        let mut most = vec![0; self.len()];
        for s in 0..self.len() {
            let children = self.children(s).iter().map(|&c| c as usize);
            let (handed, inside) =
                children.fold((0, 0), |(handed, inside), c| (handed + update(c), inside + most[c]));
            most[s] = inside.max(handed + update(s));
        }
        self.roots().map(|s| most[s]).sum()
    }

    fn roots(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&s| self.below(s).is_empty())
    }

    /// The parent holds the first row below.
    fn parents(&self) -> Vec<u32> {
        let mut owner = vec![0_u32; self.begins[self.len()]];
        for s in 0..self.len() {
            owner[self.begins[s]..self.begins[s + 1]].fill(s as u32);
        }
        (0..self.len()).map(|s| self.below(s).first().map_or(NONE, |&row| owner[row as usize])).collect()
    }

    fn list_children(&mut self, parents: &[u32]) {
        let mut starts = vec![0; self.len() + 1];
        for &p in parents.iter().filter(|p| **p != NONE) {
            starts[p as usize + 1] += 1;
        }
        for s in 0..self.len() {
            starts[s + 1] += starts[s];
        }
        let mut next = starts.clone();
        self.children = vec![0; starts[self.len()]];
        for (s, &p) in parents.iter().enumerate().filter(|(_, p)| **p != NONE) {
            self.children[next[p as usize]] = s as u32;
            next[p as usize] += 1;
        }
        self.child_starts = starts;
    }

    /// Divides the tree into subtrees of little work and the top.
    fn share_out(&mut self, parents: &[u32]) {
        // Parents come after their children.
        let mut work: Vec<f64> = (0..self.len()).map(|s| self.work(s)).collect();
        for (s, &p) in parents.iter().enumerate().filter(|(_, p)| **p != NONE) {
            work[p as usize] += work[s];
        }
        let limit = TASK_SHARE * self.multiplications();
        let mut task = vec![NONE; self.len()];
        let mut tasks = 0;
        for s in (0..self.len()).rev().filter(|&s| work[s] <= limit) {
            let above = if parents[s] == NONE { NONE } else { task[parents[s] as usize] };
            task[s] = if above == NONE { tasks } else { above };
            tasks = tasks.max(task[s] + 1);
        }
        self.subtrees = vec![Vec::new(); tasks as usize];
        for (s, &t) in task.iter().enumerate() {
            let list = if t == NONE { &mut self.top } else { &mut self.subtrees[t as usize] };
            list.push(s as u32);
        }
    }
}

fn split<'v>(mut rest: &'v mut [f64], starts: &[usize]) -> Vec<Option<&'v mut [f64]>> {
    let mut pieces = Vec::with_capacity(starts.len());
    for pair in starts.windows(2) {
        let (piece, tail) = rest.split_at_mut(pair[1] - pair[0]);
        pieces.push(Some(piece));
        rest = tail;
    }
    pieces
}
