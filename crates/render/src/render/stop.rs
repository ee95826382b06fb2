//! Ends a drawing or a measurement before it is done: at its next view, band, strip of rows or
//! point, by a panic that is not reported and that the caller catches.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static SWITCH: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// What the panic of a stopped drawing holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Runs `work`, whose drawings on the CPU and measurements against a reference end with a panic
/// that holds [`Stopped`] once the switch is set. They must begin on this thread.
pub fn stoppable<T>(switch: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    /// Puts the outer switch back, also after a panic.
    struct Outer(Option<Arc<AtomicBool>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            SWITCH.replace(self.0.take());
        }
    }
    let _outer = Outer(SWITCH.replace(Some(switch)));
    work()
}

/// The switch of the work that begins on this thread. All are equal: none decides a result.
#[derive(Debug, Clone)]
pub struct Switch(Option<Arc<AtomicBool>>);

impl PartialEq for Switch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Switch {
    pub fn of_this_thread() -> Self {
        Self(SWITCH.with_borrow(Clone::clone))
    }

    /// Ends the work if the switch is set.
    pub fn check(&self) {
        if let Self(Some(switch)) = self
            && switch.load(Ordering::Relaxed)
        {
            resume_unwind(Box::new(Stopped));
        }
    }
}
