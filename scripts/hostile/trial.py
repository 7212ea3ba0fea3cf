"""One try: a command run in a scratch folder under limits, and its outcome."""

import os
import re
import resource
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from common import GIPF

# The memory that a command may reserve: enough for every honest one, and too little for a size invented by a file.
ADDRESS_SPACE = 8 << 30
# Marks of an answer that was not intended: a panic, a failed assertion, a failed allocation.
MISTAKES = re.compile(rb"panicked at|RUST_BACKTRACE|a mistake in this program|memory allocation of|has overflowed")


def limit_children() -> None:
    """Limits the memory of this process, and so of all processes that it starts, and keeps crashes from leaving core
    files.
    """
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@dataclass(frozen=True)
class Answer:
    """The output of a command, and what it used."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    # Seconds of CPU time, which other programs on the machine do not lengthen.
    work: float
    memory: int
    late: bool

    def is_mistake(self) -> bool:
        """Returns whether the program ended in an unintended way."""
        return self.code < 0 or self.code == 101 or MISTAKES.search(self.out + self.err) is not None

    def is_clear_refusal(self, names: tuple[str, ...]) -> bool:
        """Returns whether one printable line, possibly after remarks, reports the fault of a file with one of these
        names.
        """
        lines = self.err.split(b"\n")
        errors = [line for line in lines if line.startswith(b"error: ")]
        if self.code not in (1, 2) or len(errors) != 1 or lines[-2:] != [errors[0], b""] or len(errors[0]) > 2500:
            return False
        is_named = any(name.encode() in self.err for name in names)
        return is_named and is_printable(self.err) and is_printable(self.out)


def is_printable(text: bytes) -> bool:
    """Returns whether a text is UTF-8 and has no control characters except line ends."""
    try:
        shown = text.decode()
    except UnicodeDecodeError:
        return False
    return not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown.replace("\n", ""))


def answer(command: list[str], folder: Path, given: bytes = b"", most: float = 30.0) -> Answer:
    """Runs the program in a folder with this input; it is killed when it takes longer than the time limit."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source.write(given)
        source.seek(0)
        began = time.monotonic()
        process = subprocess.Popen([GIPF, *command], cwd=folder, stdin=source, stdout=out, stderr=err)
        late = not ends_within(process.pid, most)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds, work = time.monotonic() - began, usage.ru_utime + usage.ru_stime
        for file in (out, err):
            file.seek(0)
        return Answer(process.returncode, out.read(), err.read(), seconds, work, usage.ru_maxrss << 10, late)


def ends_within(process: int, most: float) -> bool:
    """Waits for a process, and kills it when the time is up; returns whether it ended by itself."""
    handle = os.pidfd_open(process)
    try:
        ended = bool(select.select([handle], [], [], most)[0])
        if not ended:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        return ended
    finally:
        os.close(handle)
