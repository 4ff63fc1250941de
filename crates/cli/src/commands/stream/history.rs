//! The course of a run, in bounded memory, for the report.

use groat::online::{Answer, Forecast};
use std::collections::VecDeque;

/// Most points of a history.
const POINTS: usize = 600;
/// Most samples kept for the picture of the function.
const SAMPLES: usize = 1000;
/// Least points over which errors are smoothed.
const FEWEST: usize = 5;
/// Newest samples that are kept all.
const NEWEST: usize = 200;

/// One moment: step, target, prediction, interval.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub step: f64,
    pub target: Option<f64>,
    pub prediction: f64,
    pub interval: Option<(f64, f64)>,
    /// Beyond the last row.
    pub forecast: bool,
}

/// The course of a run: blocks of steps, merged in pairs whenever there are too many.
pub struct History {
    blocks: Vec<Block>,
    /// Steps in a block.
    length: u64,
    /// Every so many samples one is kept.
    stride: u64,
    first_step: u64,
    seen: u64,
    /// Samples and targets for the picture of the function.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// Moments over the whole run, thinned.
    pub whole: Vec<Moment>,
    whole_stride: u64,
    /// The newest moments, and those beyond the last row.
    pub newest: VecDeque<Moment>,
}

#[derive(Clone, Copy)]
struct Block {
    steps: u64,
    /// Squared errors of the learner and of the baselines.
    squares: [f64; 4],
    size: usize,
}

/// A block as it is drawn: last step, mean squared errors of the learner and of the baselines, size.
pub struct Point {
    pub step: f64,
    pub errors: [f64; 4],
    pub size: f64,
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
            whole: Vec::new(),
            whole_stride: 1,
            newest: VecDeque::new(),
        }
    }

    /// Takes in an answer.
    pub fn add(&mut self, answer: &Answer<'_>) {
        self.seen += 1;
        let moment = Moment {
            step: (self.first_step + self.seen) as f64,
            target: answer.y,
            prediction: answer.prediction.value,
            interval: answer.prediction.interval,
            forecast: false,
        };
        self.keep_moment(moment);
        let (Some(y), Some(step)) = (answer.y, answer.step) else { return };
        let mut squares = [step.error * step.error, 0.0, 0.0, 0.0];
        for (square, said) in squares[1..].iter_mut().zip(answer.prediction.baselines) {
            let error = y - said.unwrap_or(0.0);
            *square = error * error;
        }
        match self.blocks.last_mut() {
            Some(block) if block.steps < self.length => block.add(squares, step.size),
            _ => self.blocks.push(Block { steps: 1, squares, size: step.size }),
        }
        if self.blocks.len() > POINTS {
            self.halve();
        }
        if answer.x.len() <= 2 && self.seen.is_multiple_of(self.stride) {
            self.keep(answer.x, y);
        }
    }

    fn keep_moment(&mut self, moment: Moment) {
        if self.newest.len() >= NEWEST {
            self.newest.pop_front();
        }
        self.newest.push_back(moment);
        if self.seen.is_multiple_of(self.whole_stride) {
            self.whole.push(moment);
        }
        if self.whole.len() > 2 * POINTS {
            self.whole = self.whole.iter().skip(1).step_by(2).copied().collect();
            self.whole_stride *= 2;
        }
    }

    /// Takes in predictions beyond the last row.
    pub fn forecast(&mut self, forecasts: &[Forecast]) {
        let last = (self.first_step + self.seen) as f64;
        self.newest.extend(forecasts.iter().take(POINTS).map(|forecast| Moment {
            step: last + forecast.ahead as f64,
            target: None,
            prediction: forecast.value,
            interval: None,
            forecast: true,
        }));
    }

    fn halve(&mut self) {
        let merge = |pair: &[Block]| {
            let mut merged = pair[0];
            for other in &pair[1..] {
                merged.steps += other.steps;
                merged.squares.iter_mut().zip(other.squares).for_each(|(sum, more)| *sum += more);
                merged.size = other.size;
            }
            merged
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

    /// The blocks, their errors smoothed: each is the mean over a window of about a thirtieth of the run that ends there, but
    /// of a few samples at least.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let window = (self.blocks.len() / 30).max(FEWEST);
        let mut step = self.first_step;
        self.blocks.iter().enumerate().map(move |(i, block)| {
            step += block.steps;
            let recent = &self.blocks[(i + 1).saturating_sub(window)..=i];
            let steps: u64 = recent.iter().map(|block| block.steps).sum();
            let mean = |k: usize| recent.iter().map(|block| block.squares[k]).sum::<f64>() / steps as f64;
            Point { step: step as f64, errors: [0, 1, 2, 3].map(mean), size: block.size as f64 }
        })
    }
}

impl Block {
    fn add(&mut self, squares: [f64; 4], size: usize) {
        self.steps += 1;
        self.squares.iter_mut().zip(squares).for_each(|(sum, square)| *sum += square);
        self.size = size;
    }
}
