"""An engine under test: what was sent to it, what it answered, and what it used."""

import os
import queue
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import ClassVar

from common import GIPF
from trial import MISTAKES, ends_within, is_printable

# Seconds after which an answer is late, even on a busy machine.
PATIENCE = 20.0
# The program keeps memory that it has freed, so it holds as much as it ever needed, and huge pages of 2 MB also keep
# what is next to it. This setting makes it hold only what it needs.
GIVING_BACK = {"MIMALLOC_PURGE_DELAY": "0", "MIMALLOC_ALLOW_THP": "0"}
# What an engine may say, line by line.
GRAMMAR = re.compile(
    r"id (name|author) .+|option name .+|ugiok|readyok|bestmove \S+( ponder \S+)?|response \S.*"
    r"|info string .+|info depth \d+( multipv \d+)?( score cp -?\d+)? nodes \d+ nps \d+ time \d+( pv( \S+)+)?"
)
# The white space of Rust; Python's has four more control characters.
BLANKS = re.compile("[\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
LONGEST = 1 << 16


def words(line: bytes) -> list[str]:
    """Returns the words of a line as the engine sees them; none if it is too long to be read."""
    if len(line) > LONGEST:
        return []
    text = line.decode(errors="replace")
    return [word for word in BLANKS.split(text) if word]


class Fault(Exception):
    """A fault of the engine."""


class Engine:
    """A process that speaks UGI, with everything that was sent to it."""

    program: ClassVar[str] = GIPF
    patience: ClassVar[float] = PATIENCE

    def __init__(self, folder: Path, environment: dict[str, str] | None = None) -> None:
        """Starts the engine in a folder, with additions to its environment."""
        self.sent: list[bytes] = []
        self.errors = tempfile.TemporaryFile()
        pipe = subprocess.PIPE
        streams = {"stdin": pipe, "stdout": pipe, "stderr": self.errors}
        variables = os.environ | (environment or {})
        self.process = subprocess.Popen([self.program, "engine"], cwd=folder, env=variables, **streams)
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Passes on what the engine says; None at the end."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, *lines: bytes) -> None:
        """Sends lines, whatever they contain."""
        assert self.process.stdin
        self.sent += lines
        try:
            self.process.stdin.write(b"".join(line + b"\n" for line in lines))
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise Fault("it has closed its input") from error

    def next(self, wait: float = PATIENCE) -> str | None:
        """Returns the next line; None if none comes in time."""
        try:
            line = self.lines.get(timeout=wait)
        except queue.Empty:
            return None
        if line is None:
            raise Fault("it has ended")
        if len(line) > LONGEST or not line.endswith(b"\n") or not is_printable(line):
            raise Fault(f"no printable line: {line[:300]!r}")
        if MISTAKES.search(line) or not GRAMMAR.fullmatch(line.decode()[:-1]):
            raise Fault(f"no line of an engine: {line[:300]!r}")
        return line.decode()[:-1]

    def until(self, word: str) -> list[str]:
        """Returns all lines up to the one that begins with this word."""
        said: list[str] = []
        end = time.monotonic() + self.patience
        while True:
            line = self.next(max(0.0, end - time.monotonic()))
            if line is None:
                raise Fault(f"no {word} within {self.patience} s")
            said.append(line)
            if line.split()[0] == word:
                return said

    def ready(self) -> list[str]:
        """Waits until the engine has answered everything that was sent; returns what it said before that."""
        self.send(b"isready")
        return self.until("readyok")[:-1]

    def cost(self) -> tuple[int, int, int]:
        """Returns its memory in kB without its code, and its current open files and threads."""
        place = Path(f"/proc/{self.process.pid}")
        status = (place / "status").read_text()
        memory = re.search(r"RssAnon:\s+(\d+)", status)
        return int(memory[1]) if memory else 0, len(os.listdir(place / "fd")), len(os.listdir(place / "task"))

    def end(self) -> list[str]:
        """Closes the input, and returns what was said until the end; the engine must end normally."""
        assert self.process.stdin
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        in_time = ends_within(self.process.pid, PATIENCE)
        code = self.process.wait()
        rest: list[str] = []
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            rest.append(line.decode(errors="replace").rstrip("\n"))
        self.errors.seek(0)
        told = self.errors.read()
        if not in_time or code != 0 or told:
            raise Fault(f"it ended with {code}{'' if in_time else ' too late'}: {told[-300:]!r}")
        return rest
