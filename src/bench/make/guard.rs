//! Ends what generators started, however this program ends.
//!
//! Programs are started with a mark in their environment, which everything that they start
//! inherits, in whatever process group or session it runs. A shell waits at the other end of a pipe
//! that only this process holds open. When the pipe closes (the run is over, or this process died
//! of any signal, also KILL), the shell ends every process with the mark, and every process group
//! of a program that was still running; without `/proc`, only the latter is possible.

#[cfg(unix)]
use std::io::Write;
#[cfg(unix)]
use std::process::{Child, ChildStdin, Stdio};
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

/// The name of the mark in the environment of a generator.
#[cfg(unix)]
pub(super) const MARK_NAME: &str = "MESHJUDGE_GENERATION";

/// The shell's script. `$1` is the mark; lines `+ 12` and `- 12` add and remove a process group.
///
/// Processes have a second to end. Meanwhile, processes that start others are searched again.
#[cfg(unix)]
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
  esac
done
marked() { grep -laF -e "$1" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'; }
end() {
  for group in $groups; do kill "-$1" -- "-$group" 2>/dev/null; done
  for process in $2; do kill "-$1" "$process" 2>/dev/null; done
}
found=$(marked "$1")
[ -z "$found${groups# }" ] && exit
end TERM "$found"
for wait in 0.1 0.2 0.3 0.4; do
  sleep "$wait"
  found=$(marked "$1")
  [ -z "$found${groups# }" ] && exit
done
for again in 1 2 3 4 5; do
  end KILL "$found"
  found=$(marked "$1")
  [ -z "$found" ] && exit
done
"#;

/// Ends marked processes when it is dropped, or when this process dies. Does nothing but exist on
/// systems that are not Unix.
///
/// The default is none: it ends nothing.
#[derive(Debug, Default)]
pub struct Guard {
    #[cfg(unix)]
    mark: String,
    /// None where no shell can be started: then only the processes of each program's own group are
    /// ended, by this process.
    #[cfg(unix)]
    shell: Mutex<Option<(Child, ChildStdin)>>,
}

#[cfg(unix)]
impl Guard {
    pub(super) fn start() -> Self {
        use std::os::unix::process::CommandExt;
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        let mark = format!("{}-{}", std::process::id(), since.as_nanos());
        let shell = std::process::Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(format!("{MARK_NAME}={mark}"))
            .process_group(0)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let shell = shell.ok().and_then(|mut child| {
            let stdin = child.stdin.take()?;
            Some((child, stdin))
        });
        Self { mark, shell: Mutex::new(shell) }
    }

    /// Marks a program that is about to be started.
    pub(super) fn mark(&self, command: &mut std::process::Command) {
        command.env(MARK_NAME, &self.mark);
    }

    /// A program runs in this process group.
    pub(super) fn enter(&self, group: u32) {
        self.write(&format!("+ {group}\n"));
    }

    /// The program has ended, and its number may be given to another.
    pub(super) fn leave(&self, group: u32) {
        self.write(&format!("- {group}\n"));
    }

    fn write(&self, line: &str) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stdin)) = shell.as_mut()
            && stdin.write_all(line.as_bytes()).is_err()
        {
            *shell = None;
        }
    }
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        let shell = self.shell.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some((mut child, stdin)) = shell.take() {
            drop(stdin);
            // It ends by itself within two seconds.
            let _ = child.wait();
        }
    }
}

#[cfg(not(unix))]
impl Guard {
    pub(super) fn start() -> Self {
        Self {}
    }
    pub(super) fn mark(&self, _: &mut std::process::Command) {}
    pub(super) fn enter(&self, _: u32) {}
    pub(super) fn leave(&self, _: u32) {}
}
