"""Ends every command at random moments, on one to three threads, until it is complete: by KILL, TERM and INT.

It must then have left what an undisturbed command leaves. A command that is asked to end says so by its exit code, or
is done.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from random import Random
from signal import SIGINT, SIGKILL, SIGTERM, Signals

from commands import COMMANDS, Command, Undisturbed, inputs_of, undisturbed
from common import GIPF, PATIENCE, Tally, difference, leftovers, on_all_cores, part, snapshot

# The most times that a command is ended before it may go on undisturbed.
MOST_KILLS = 12
# The exit codes of commands that were asked to end, or refused because they were complete.
ASKED = {0, 130, 1, -SIGINT, -SIGTERM}
# If asked to end, these keep what they have so far as their result.
KEEP_LESS = ("fit", "play", "tune")


def once(command: Command, inputs: Path, work: Path, random: Random, seconds: float) -> tuple[int, str, int]:
    """Runs a command and ends it at a random moment; returns its exit code, its error output, and the signal."""
    signals = [SIGKILL] if command.name.startswith(KEEP_LESS) else [SIGKILL, SIGTERM, SIGINT]
    words, signal = command.arguments(inputs, random.randint(1, 3)), random.choice(signals)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    program = subprocess.Popen([GIPF, *words], cwd=work, env=os.environ | {"NO_COLOR": "1"}, **pipes)
    try:
        said = program.communicate(command.text.encode(), timeout=random.uniform(0, seconds))[1]
        return program.returncode, said.decode(errors="replace"), 0
    except subprocess.TimeoutExpired:
        program.send_signal(signal)
    try:
        said = program.communicate(timeout=PATIENCE)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        program.kill()
        program.communicate()
        return -SIGKILL, f"it goes on for more than {PATIENCE} s", signal
    return program.returncode, said, signal


def attempt(
    command: Command, peace: Undisturbed, inputs: Path, work: Path, random: Random, seconds: float
) -> str | None:
    """Ends a command again and again, then lets it go on, and returns what went wrong."""
    command.prepare(inputs, work)
    for _ in range(random.randint(1, MOST_KILLS)):
        code, said, signal = once(command, inputs, work, random, seconds)
        refused = code == 1 and " exists" not in said and "error: interrupted" not in said
        if signal and signal != SIGKILL and (code not in ASKED or refused or "panicked" in said):
            return f"after {Signals(signal).name} it ended by {code}: {said[-300:]}"
        if not signal and code != 0 and " exists" not in said:
            return f"it went on, and ended by {code}: {said[-300:]}"
        if code == 0:
            break
    done = command.run(inputs, work)
    if done.code != 0 and " exists" not in done.err:
        return f"refused again: {done.err[-300:]}"
    if "was changed" in done.err or "has lost" in done.err:
        return f"finds its own files changed: {done.err[-300:]}"
    return leftovers(snapshot(work)) or difference(snapshot(work), peace.result)


def kills(tally: Tally) -> None:
    """Ends all commands in turns."""
    options, inputs = tally.options, inputs_of(tally)
    chosen = [command for command in COMMANDS if not command.text and command.name.startswith(options.only)]
    options.random.shuffle(chosen)
    chosen = chosen[: options.tries]
    peace = on_all_cores(
        lambda number: in_peace(chosen[number], inputs, tally.scratch / f"peace-{number}"), len(chosen)
    )
    timed = [(command, *known) for command, known in zip(chosen, peace, strict=True)]

    def kill(number: int) -> None:
        command, peace, seconds = timed[number % len(timed)]
        work, random = tally.scratch / str(number), Random(f"{options.seed}/{number}")
        wrong = attempt(command, peace, inputs, work, random, seconds)
        how = f"seed {options.seed}, try {number}: {GIPF} {shlex.join(command.arguments(inputs))}"
        tally.note(f"kills: {command.name}", wrong, how, work)
        shutil.rmtree(work)

    on_all_cores(kill, options.tries)


def in_peace(command: Command, inputs: Path, folder: Path) -> tuple[Undisturbed, float]:
    """Returns what a command leaves when nothing disturbs it, and the seconds that it takes."""
    start = time.monotonic()
    peace = undisturbed(command, inputs, folder)
    return peace, (time.monotonic() - start) / 2


if __name__ == "__main__":
    part(__doc__, 24, kills)
