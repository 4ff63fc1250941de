//! How this run fares: a running error for the progress line, and a history of bounded size for the report.

use groat::online::Step;

/// Samples over which the running error is taken.
const MEMORY: f64 = 1000.0;

/// The mean squared error of about the last thousand samples.
#[derive(Default)]
pub struct Recent {
    mean: f64,
    count: f64,
}

impl Recent {
    /// Takes in a step.
    pub fn add(&mut self, step: &Step) {
        self.count = (self.count + 1.0).min(MEMORY);
        self.mean += (step.error * step.error - self.mean) / self.count;
    }

    /// The mean.
    pub fn mean_squared(&self) -> f64 {
        self.mean
    }
}

/// Most points of a history.
const POINTS: usize = 1000;
/// Most samples kept for the picture of the function.
const SAMPLES: usize = 1000;

/// The course of a run: blocks of steps, merged in pairs whenever there are too many.
pub struct History {
    blocks: Vec<Block>,
    /// Steps in a block.
    length: u64,
    /// Every so many samples one is kept.
    stride: u64,
    first_step: u64,
    seen: u64,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Block {
    steps: u64,
    squares: f64,
    size: usize,
}

impl History {
    /// An empty one for a run that starts after `steps` samples.
    pub fn new(steps: u64) -> Self {
        Self {
            blocks: Vec::new(),
            length: 1,
            stride: 1,
            first_step: steps,
            seen: 0,
            x: Vec::new(),
            y: Vec::new(),
        }
    }

    /// Takes in a sample and its step.
    pub fn add(&mut self, x: &[f64], y: f64, step: &Step) {
        self.seen += 1;
        let square = step.error * step.error;
        match self.blocks.last_mut() {
            Some(block) if block.steps < self.length => {
                block.steps += 1;
                block.squares += square;
                block.size = step.size;
            }
            _ => self.blocks.push(Block { steps: 1, squares: square, size: step.size }),
        }
        if self.blocks.len() > POINTS {
            self.halve();
        }
        if x.len() <= 2 && self.seen.is_multiple_of(self.stride) {
            self.keep(x, y);
        }
    }

    fn halve(&mut self) {
        let merge = |pair: &[Block]| Block {
            steps: pair.iter().map(|b| b.steps).sum(),
            squares: pair.iter().map(|b| b.squares).sum(),
            size: pair[pair.len() - 1].size,
        };
        self.blocks = self.blocks.chunks(2).map(merge).collect();
        self.length *= 2;
    }

    /// Keeps a sample; when there are too many, every second one goes.
    fn keep(&mut self, x: &[f64], y: f64) {
        self.x.extend_from_slice(x);
        self.y.push(y);
        if self.y.len() > SAMPLES {
            let odd = |(i, value): (usize, f64)| (i % 2 == 1).then_some(value);
            let d = x.len();
            self.x = self.x.chunks(d).skip(1).step_by(2).flatten().copied().collect();
            self.y = self.y.drain(..).enumerate().filter_map(odd).collect();
            self.stride *= 2;
        }
    }

    /// For each block its last step, mean squared error and size.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let mut step = self.first_step;
        self.blocks.iter().map(move |block| {
            step += block.steps;
            (step as f64, block.squares / block.steps as f64, block.size as f64)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_stays_small_and_keeps_its_mean() {
        let mut history = History::new(10);
        for i in 0..12_345_u32 {
            let step = Step { error: f64::from(i % 3), size: i as usize, ..Step::default() };
            history.add(&[f64::from(i)], 1.0, &step);
        }
        let points: Vec<_> = history.points().collect();
        assert!(points.len() <= POINTS && points.len() >= POINTS / 4 && history.y.len() <= SAMPLES);
        assert_eq!(history.x.len(), history.y.len());
        assert_eq!(points.last().unwrap().0, 12_355.0);
        let total: f64 = history.blocks.iter().map(|b| b.squares).sum();
        assert_eq!(total, 12_345.0 / 3.0 * 5.0);
    }
}
