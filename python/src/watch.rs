//! Long work that can be watched and interrupted.
//!
//! The work runs on the pool. The calling thread waits for it, wakes up now and then to let Python handle
//! signals (only the main thread can), and hands progress on to the callback. So the callback is never called
//! from a foreign thread, and Ctrl-C ends a fit at its next check.

use crate::errors::raise;
use crate::threads::pool;
use groat::Result;
use groat::batch::{Progress, Watch};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long an interrupt may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// What the work tells the waiting thread.
enum News<T> {
    Progress { stage: String, done: usize, total: Option<usize>, detail: String },
    Finished(Result<T>),
}

/// The work's end of the wire.
struct Wire<'a, T> {
    stop: &'a AtomicBool,
    news: Sender<News<T>>,
    /// Whether anybody wants to hear of progress.
    wanted: bool,
}

impl<T: Send> Watch for Wire<'_, T> {
    fn progress(&self, progress: &Progress<'_>) {
        if self.wanted {
            // The receiver outlives the work; should it not, nobody needs to hear.
            let _ = self.news.send(News::Progress {
                stage: progress.stage.to_owned(),
                done: progress.done,
                total: progress.total,
                detail: progress.detail.clone(),
            });
        }
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Runs `work` on the pool, with the interpreter free meanwhile.
///
/// `callback(stage, done, total, detail)` hears of progress; if it returns False, the work is asked to stop and
/// its result is what there is so far. If it raises, or a signal handler does, the work is ended and the
/// exception goes to the caller.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Watch) -> Result<T> + Send,
) -> PyResult<T> {
    let pool = pool()?;
    let stop = AtomicBool::new(false);
    let (news, mut inbox) = channel();
    let wire = Wire { stop: &stop, news, wanted: callback.is_some() };
    let (mut raised, mut result) = (None, None);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let finished = work(&wire);
            let _ = wire.news.send(News::Finished(finished));
        });
        loop {
            // Only a unique reference may be used while detached: a receiver is not for sharing.
            let inbox = &mut inbox;
            let heard = py.detach(move || inbox.recv_timeout(PATIENCE));
            let checked = match heard {
                Ok(News::Finished(finished)) => {
                    result = Some(finished);
                    return;
                }
                // The work panicked; leaving the scope passes that on.
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(News::Progress { stage, done, total, detail }) if raised.is_none() => {
                    tell(callback, (stage, done, total, detail), &stop)
                }
                Ok(News::Progress { .. }) | Err(RecvTimeoutError::Timeout) => Ok(()),
            };
            if let Err(error) = checked.and_then(|()| py.check_signals()) {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        }
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Some(finished)) => finished.map_err(raise),
        (None, None) => unreachable!("the scope is left with a result, or by a panic"),
    }
}

fn tell(
    callback: Option<&Bound<'_, PyAny>>,
    news: (String, usize, Option<usize>, String),
    stop: &AtomicBool,
) -> PyResult<()> {
    if let Some(callback) = callback {
        let answer = callback.call1(news)?;
        if answer.extract::<bool>().is_ok_and(|go_on| !go_on) {
            stop.store(true, Ordering::Relaxed);
        }
    }
    Ok(())
}
