//! The program as a process: its arguments, streams and signals.

use std::io::{BufReader, IsTerminal};
use std::process::ExitCode;

use gipf_play::Stop;

use super::{Console, Exit, run};

/// Runs the program with the arguments, streams and signals of this process.
#[expect(clippy::disallowed_methods, reason = "this is the program")]
pub fn main() -> ExitCode {
    let stop = Stop::default();
    leave_on_interrupt(stop.clone());
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = std::io::stdout().is_terminal();
    let (input, out, err) = (&mut BufReader::new(std::io::stdin()), &mut std::io::stdout(), &mut std::io::stderr());
    let mut console = Console::new(input, out, err).stopped_by(stop).shown(terminal, terminal && !plain);
    run(std::env::args_os(), &mut console).into()
}

/// Ctrl-C and SIGTERM ask the work in progress to save and end; the second time, or if nothing is to be saved, it ends
/// at once. Without a handler they still end the program, only less politely.
#[expect(clippy::exit, reason = "a second request ends the wait")]
fn leave_on_interrupt(stop: Stop) {
    let leave = move || {
        if !stop.request() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    };
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(leave);
    // SIGHUP is left alone: `nohup` ignores it, and closing a terminal is meant to end what runs in it.
    #[cfg(unix)]
    {
        use std::sync::Arc;
        use std::sync::atomic::AtomicBool;

        use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
        use signal_hook::iterator::Signals;

        // A file that may grow no further is told as a full disk is, and ends nothing.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
            std::thread::spawn(move || signals.forever().for_each(|_| leave()));
        }
    }
}
