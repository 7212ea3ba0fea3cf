//! The programs that run beside this one, each with the processes that it started itself, and how they end.

#![expect(clippy::disallowed_types, reason = "the one place that starts other programs")]

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::command_line::CommandLine;

/// A running program. When it is dropped, it is killed with everything that it started, which would otherwise go on
/// alone.
#[derive(Debug)]
pub(super) struct Program {
    child: Child,
}

/// The numbers of the programs that have not been ended; none once all were ended for good. Each leads a group of processes.
static RUNNING: Mutex<Option<Vec<u32>>> = Mutex::new(Some(Vec::new()));

/// The interval between two checks whether a program has ended.
const NAP: Duration = Duration::from_millis(2);

impl Program {
    /// Starts a program, and returns it with its input and output.
    pub fn start(command: &CommandLine) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        // Under the lock, so that `end_engines` misses none.
        let mut list = running();
        let running = list.as_mut().ok_or(io::ErrorKind::Interrupted)?;
        let mut child = process(command).spawn()?;
        running.push(child.id());
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let asked = "the input and the output were asked for";
        Ok((Self { child }, input.expect(asked), output.expect(asked)))
    }

    /// Waits for the end of the program, for this time at most, and returns how it ended. The processes that it left
    /// behind are killed.
    pub fn status_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + time;
        while !self.has_ended() {
            if Instant::now() >= end {
                return None;
            }
            thread::sleep(NAP);
        }
        self.end().ok()
    }

    /// Returns whether the program has ended. Its number, which is also that of its group, stays taken.
    #[cfg(unix)]
    fn has_ended(&self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        // An error says that its status was taken before.
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), look), Ok(None))
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends what is left of the program, and returns how it ended.
    fn end(&mut self) -> io::Result<ExitStatus> {
        let number = self.child.id();
        if let Some(running) = running().as_mut()
            && let Some(place) = running.iter().position(|&other| other == number)
        {
            // Before its status is taken, since then its number may go to another program.
            kill_group(running.swap_remove(place));
        }
        // No error can be handled here: a program that has ended cannot be killed, and has left its status.
        let _ = self.child.kill();
        self.child.wait()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Ends all programs that were started as engines, with everything that they started, lets no other one start, and then
/// leaves: for a caller that ends this process at once, without dropping anything.
pub fn end_engines(leave: impl FnOnce()) {
    let mut list = running();
    for number in list.take().into_iter().flatten() {
        kill_group(number);
    }
    // Still under the lock: another thread that sees its engine end waits for it here, and does not report a fault of the
    // engine while this process ends.
    leave();
}

fn running() -> MutexGuard<'static, Option<Vec<u32>>> {
    // A list stays valid even if a user of it panicked.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills a program whose status was not taken yet, and everything that it started.
#[cfg(unix)]
fn kill_group(number: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(leader) = Pid::from_raw(number as i32) {
        // This fails if all have ended.
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Elsewhere there are no groups, and an interrupt at a terminal also reaches the programs that this one started.
#[cfg(not(unix))]
const fn kill_group(_number: u32) {}

fn process(command: &CommandLine) -> Process {
    let mut process = Process::new(&command.program);
    process.args(&command.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Ctrl-C is for the match, which ends cleanly; the program is then asked to end.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process
}
