//! What generators cost: booked in a file of the run before a job is submitted, and against the
//! limit that judges spend from too.

use crate::judge::{Limit, Purse};
use crate::store::{Booking, bookings_path};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Why nothing was booked.
#[derive(Debug)]
pub(crate) enum NotBooked {
    Limit(Limit),
    /// In words: money that cannot be recorded or limited is not spent.
    Unsafe(String),
}

/// Books for all jobs of a run.
#[derive(Debug)]
pub struct Till {
    purse: Arc<Purse>,
    file: Mutex<Option<File>>,
    path: std::path::PathBuf,
}

impl Till {
    pub(crate) fn new(run: &Path, purse: Arc<Purse>) -> Self {
        Self { purse, file: Mutex::default(), path: bookings_path(run) }
    }

    /// On the disk when this returns.
    ///
    /// # Errors
    /// [`NotBooked`]; nothing is spent then.
    pub(super) fn book(&self, booking: &Booking, is_known: bool) -> Result<(), NotBooked> {
        if !is_known && self.purse.is_limited() {
            return Err(NotBooked::Unsafe(
                "the budget limits dollars, but the cost of an asset is unknown; give `cost_usd`"
                    .to_owned(),
            ));
        }
        if booking.usd == 0.0 {
            return Ok(());
        }
        self.purse.take(booking.usd).map_err(NotBooked::Limit)?;
        self.write(booking).map_err(|e| {
            self.purse.give_back(booking.usd);
            NotBooked::Unsafe(format!("cannot record its cost ({e}): {:?}", self.path))
        })
    }

    /// Releases the booking of a job that was not accepted.
    pub(super) fn give_back(&self, booking: &Booking) {
        let back = Booking { usd: -booking.usd, ..booking.clone() };
        // Where the disk is full it stays booked, which is safe.
        if booking.usd != 0.0 && self.write(&back).is_ok() {
            self.purse.give_back(booking.usd);
        }
    }

    fn write(&self, booking: &Booking) -> std::io::Result<()> {
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *open {
            Some(file) => file,
            none => {
                let file = File::options().create(true).append(true).open(&self.path)?;
                none.insert(file)
            }
        };
        // A torn line of an earlier call ends here.
        file.write_all(format!("\n{}\n", serde_json::to_string(booking)?).as_bytes())?;
        file.sync_all()
    }
}
