//! The program `gipf`: parses the command line and calls the library.

use std::io::IsTerminal;
use std::process::ExitCode;

use gipf_train::Stop;
use gipf_train::cli::{self, Console, Exit};

/// Memory that is freed stays with the program: training allocates the same tensors again and again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let stop = Stop::default();
    leave_on_interrupt(stop.clone());
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = std::io::stdout().is_terminal();
    let mut console = Console {
        input: &mut std::io::stdin().lock(),
        out: &mut std::io::stdout(),
        err: &mut std::io::stderr(),
        terminal,
        colours: terminal && !plain,
        stop,
    };
    cli::run(std::env::args_os(), &mut console).into()
}

/// Ctrl-C asks the work in progress to save and end; the second time, or where nothing is to be saved, it ends at once.
fn leave_on_interrupt(stop: Stop) {
    let handler = move || {
        if !stop.request() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    };
    // Without a handler Ctrl-C still ends the program, only less politely.
    let _ = ctrlc::set_handler(handler);
}
