//! The program as a process: its arguments, streams and signals.

use std::ffi::OsString;
use std::io::{BufReader, IsTerminal};
use std::process::ExitCode;

use gipf_play::Stop;
use gipf_play::ugi::end_engines;

use super::{Console, Exit, run};

/// Runs the program with the arguments, streams and signals of this process.
#[expect(clippy::disallowed_methods, reason = "this is the program")]
pub fn main() -> ExitCode {
    let stop = Stop::default();
    leave_on_interrupt(stop.clone());
    let plain = is_plain(&|name| std::env::var_os(name));
    let terminal = std::io::stdout().is_terminal();
    let (input, out, err) = (&mut BufReader::new(std::io::stdin()), &mut std::io::stdout(), &mut std::io::stderr());
    let mut console = Console::new(input, out, err).stopped_by(stop).shown(terminal, terminal && !plain);
    run(std::env::args_os(), &mut console).into()
}

/// Returns whether the environment asks for plain text, or the terminal knows no colours.
fn is_plain(variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let named = |name| variable(name).filter(|value| !value.is_empty());
    // Terminals of Windows have no TERM.
    named("NO_COLOR").is_some() || cfg!(unix) && named("TERM").is_none_or(|terminal| terminal == "dumb")
}

/// Ctrl-C and SIGTERM ask the work in progress to save and end; the second time, or if there is nothing to save, the
/// program ends at once. Without a handler they still end it, without a last save. The engines that it has started end
/// with it.
#[expect(clippy::exit, reason = "a second request ends the wait")]
fn leave_on_interrupt(stop: Stop) {
    let leave = move || {
        if !stop.request() {
            end_engines(|| std::process::exit(i32::from(Exit::Interrupted.code())));
        }
    };
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(leave);
    #[cfg(unix)]
    {
        use std::sync::Arc;
        use std::sync::atomic::AtomicBool;

        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
        use signal_hook::iterator::Signals;
        use signal_hook::low_level::emulate_default_handler;

        // A file that reaches its size limit is reported like a full disk, and does not end the program.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup)) {
            std::thread::spawn(move || {
                for signal in signals.forever() {
                    if signal != SIGHUP {
                        leave();
                        continue;
                    }
                    // Closing a terminal is meant to end the programs in it, and at once.
                    end_engines(|| {
                        let _ = emulate_default_handler(signal);
                    });
                }
            });
        }
    }
}

/// Returns whether a signal was ignored when the program began, as `nohup` arranges for SIGHUP: then it stays ignored.
#[cfg(unix)]
#[expect(unsafe_code, reason = "neither the standard library nor signal-hook tells")]
fn is_ignored(number: i32) -> bool {
    const IGNORED: usize = 1;
    unsafe extern "C" {
        fn signal(number: std::ffi::c_int, handler: usize) -> usize;
    }
    // SAFETY: every C library has this function. It takes a number and a handler: here "ignore", or the one from before.
    let before = unsafe { signal(number, IGNORED) };
    if before != IGNORED {
        // SAFETY: as above.
        unsafe { signal(number, before) };
    }
    before == IGNORED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_colours_gets_none() {
        let plain = |no_color: Option<&str>, terminal: Option<&str>| {
            is_plain(&|name| if name == "TERM" { terminal } else { no_color }.map(Into::into))
        };
        assert!(!plain(None, Some("xterm")) && !plain(Some(""), Some("xterm")));
        assert!(plain(Some("1"), Some("xterm")));
        for terminal in [None, Some(""), Some("dumb")] {
            assert_eq!(plain(None, terminal), cfg!(unix), "{terminal:?}");
        }
    }
}
