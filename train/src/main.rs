//! The program `gipf`: parses the command line and calls the library.

use std::io::{BufReader, IsTerminal};
use std::process::ExitCode;

use gipf_play::Stop;
use gipf_train::cli::{self, Console, Exit};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of mimalloc's option for how long it keeps memory that was freed, in milliseconds.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

fn main() -> ExitCode {
    // SAFETY: an option is a number behind a lock; the number is mimalloc's.
    unsafe {
        // Freed memory stays with the program: training allocates the same arrays again and again, and giving memory back
        // stops all its threads.
        libmimalloc_sys::mi_option_set_default(PURGE_DELAY, -1);
    }
    let stop = Stop::default();
    leave_on_interrupt(stop.clone());
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = std::io::stdout().is_terminal();
    let mut console = Console {
        input: &mut BufReader::new(std::io::stdin()),
        out: &mut std::io::stdout(),
        err: &mut std::io::stderr(),
        terminal,
        colours: terminal && !plain,
        stop,
    };
    cli::run(std::env::args_os(), &mut console).into()
}

/// Ctrl-C and SIGTERM ask the work in progress to save and end; the second time, or where nothing is to be saved, it ends at
/// once. Without a handler they still end the program, only less politely.
fn leave_on_interrupt(stop: Stop) {
    let leave = move || {
        if !stop.request() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    };
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(leave);
    // SIGHUP is left alone: `nohup` ignores it, and whoever closes a terminal means to end what runs in it.
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;

        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
            std::thread::spawn(move || signals.forever().for_each(|_| leave()));
        }
    }
}
