"""Lets training, self-play and the engine run side by side for an hour: memory must level off, and handles must not
grow.

`--tries` is the number of seconds. The resources of each process are recorded sixty times; only those after the first
quarter count, when windows, tables and files have become as large as they get. The check is on how much memory the
program holds, which a build of its counts (`tests/src/counted`); the memory that the system has given it goes up and
down by megabytes. `--only planted` leaks 2 MB an hour on purpose, which must be detected.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field, fields
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import ClassVar

from common import HERE, PATIENCE, Tally, part
from dialogue import GIVING_BACK, Engine, Fault
from protocol import AFRESH, STEPS, Dialogue
from speech import Speaker
from trial import answer

NICE = 15
# The number of records of the processes' memory, and of readings per record.
NOTES, LOOKS = 60, 20
# The number of records of which the least counts: games in progress hold more or less.
STRETCH = 9
# Makes the program hold only what it needs, and write to a file how much it holds.
ALLOCATOR = {**GIVING_BACK, "GIPF_HELD": "held"}
# kB that memory may grow by in an hour.
MOST_GROWTH = 1024
# 2 MB an hour, in bytes per second.
LEAK = "583"
# Seconds after which an answer of the engine is late, with everything else running: speed is tested elsewhere.
LATE = 300.0
# The workers if none are named.
WORKERS = "train,self-play,engine"
BUILD = "cargo build --release --quiet -p gipf-tests --features counted --bin gipf-counted".split()
# The number of dialogues that the engine repeats.
DIALOGUES = 20
# Small games and networks. What a run keeps must not vary: the search is always the same, steps are too small to change
# the length of games, and the window holds the last iteration, which is long enough for its metrics not to count.
TRAINING = """run.games=1000 run.iterations=100000 phases=[] replay.window=2000 replay.exponent=0
    learning.learning_rate=1e-9 learning.final_learning_rate=1e-9
    evaluation.opponents=["random"] evaluation.gating.games=4""".split()
TRAIN = ["train", "--preset", "smoke", *[word for setting in TRAINING for word in ("--set", setting)], "--run", "run"]
SELF_PLAY = ["self-play", "--checkpoint", "pretrained", "--simulations", "8", "--games", "100000000", "--out", "all"]


@dataclass(frozen=True)
class Cost:
    """The resources of a process: memory that it holds and that the system gave to it alone, in kB; open handles,
    threads.
    """

    held: int
    memory: int
    handles: int
    threads: int

    @classmethod
    def of(cls, process: int, told: Path) -> Cost:
        """Returns the current resources of a process, and what it reports to hold."""
        place = Path(f"/proc/{process}")
        private = re.findall(r"^Private_\w+:\s+(\d+)", (place / "smaps_rollup").read_text(), re.MULTILINE)
        held = int(told.read_text()) >> 10
        return cls(held, sum(map(int, private)), len(os.listdir(place / "fd")), len(os.listdir(place / "task")))

    @classmethod
    def least(cls, looks: list[Cost]) -> Cost:
        """Returns the resources that were there all the time: temporary ones do not count."""
        return cls(*(min(getattr(look, field.name) for look in looks) for field in fields(cls)))


@dataclass
class Worker:
    """A command that works until it is asked to end."""

    name: str
    arguments: list[str]
    folder: Path
    notes: list[Cost] = field(default_factory=list)
    looks: list[Cost] = field(default_factory=list)
    # The first fault, after which nothing is checked.
    fault: str | None = None
    process: subprocess.Popen[bytes] | None = None
    # The exit code when asked to end, and the input at the start.
    code: ClassVar[int] = 130
    environment: ClassVar[dict[str, str]] = {}

    def start(self) -> None:
        """Begins to work."""
        self.folder.mkdir()
        self.errors = (self.folder / "errors").open("w+b")
        command = [Engine.program, *self.arguments, "--threads", "1"]
        streams = {"stdout": subprocess.DEVNULL, "stderr": self.errors}
        self.process = subprocess.Popen(command, cwd=self.folder, env=os.environ | self.environment, **streams)

    def look(self) -> None:
        """Measures its memory."""
        if self.process.poll() is not None:
            self.fault = self.fault or f"it ended with {self.process.returncode}"
        if self.fault is None:
            # It may be about to write how much it holds.
            with contextlib.suppress(OSError, ValueError):
                self.looks.append(Cost.of(self.process.pid, self.folder / "held"))

    def note(self) -> None:
        """Records the resources since the last record."""
        if self.looks:
            self.notes.append(Cost.least(self.looks))
            self.looks = []
            print(f"  {self.name} {len(self.notes)}: {self.notes[-1]}", flush=True)

    def end(self) -> None:
        """Asks it to end."""
        self.process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.kill()
        code = self.process.wait()
        self.errors.seek(0)
        told = self.errors.read().decode(errors="replace")
        if self.fault is None and (code != self.code or "panicked" in told):
            self.fault = f"asked to end it ended with {code}: {told[-300:]}"

    def kill(self) -> None:
        """Ends it if it still works: nobody else would."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()

    def judge(self, seconds: int) -> str | None:
        """Returns what is wrong with its resources after the first quarter, and prints them."""
        notes = self.notes[NOTES // 4 :]
        if self.fault or len(notes) < NOTES // 2:
            return self.fault or "too few notes"
        slopes = {name: round(growth(notes, name, seconds / 3600)) for name in ("held", "memory")}
        # Memory held during one record on a busy machine is not growth: the least of each half has to be the same.
        halves = [Cost.least(notes[: len(notes) // 2]), Cost.least(notes[len(notes) // 2 :])]
        kept = [(half.handles, half.threads) for half in halves]
        print(f"  {self.name}: least {halves[0]}, then {halves[1]}; kB an hour: {slopes}")
        if kept[0] != kept[1]:
            return f"handles and threads: {kept}"
        return self.judge_growth(slopes["held"])

    def judge_growth(self, slope: float) -> str | None:
        """Returns what is wrong with the growth of held memory per hour, in kB."""
        return f"memory grows by {slope:.0f} kB an hour" if slope > MOST_GROWTH else None


class Leaking(Worker):
    """The same, leaking memory on purpose."""

    environment: ClassVar[dict[str, str]] = {"GIPF_LEAK": LEAK}

    def judge_growth(self, slope: float) -> str | None:
        """Returns an error if the leak is not detected."""
        return None if slope > MOST_GROWTH else f"memory grows by {slope:.0f} kB an hour, and 2048 are lost"


class Steady(Speaker):
    """Asks for thinking that ends: a tree grows as long as it is searched, and its memory is kept."""

    def go(self) -> str:
        """Returns a `go` with a limit of nodes."""
        return f"go nodes {self.rng.randint(1, 40)}"


class Talker(Worker):
    """The engine, with a client that talks to it."""

    def start(self) -> None:
        """Begins to talk."""
        self.folder.mkdir()
        if answer("train --preset smoke --run run --threads 1".split(), self.folder).code != 0:
            raise SystemExit("no network to play with")
        self.engine, self.over = Engine(self.folder), threading.Event()
        self.process = self.engine.process
        self.thread = threading.Thread(target=self.talk)
        self.thread.start()

    def talk(self) -> None:
        """Repeats the same dialogues."""
        try:
            while not self.over.is_set():
                self.engine.sent.clear()
                for number in range(DIALOGUES):
                    self.hold(number)
        except Fault as fault:
            self.fault = str(fault)
            (self.folder / "sent").write_bytes(b"\n".join(self.engine.sent))

    def hold(self, number: int) -> None:
        """Runs a dialogue, from the same options as last time."""
        dialogue = Dialogue(self.engine, Steady(random.Random(number)))
        self.engine.send(*AFRESH)
        for _ in range(STEPS):
            if not self.over.is_set():
                dialogue.step()

    def end(self) -> None:
        """Closes its input."""
        self.over.set()
        self.thread.join()
        try:
            self.engine.end()
        except Fault as fault:
            self.fault = self.fault or str(fault)


def growth(notes: list[Cost], name: str, hours: float) -> float:
    """Returns the growth in kB per hour: the median slope between the least values of any two stretches."""
    step = hours * STRETCH / NOTES
    stretches = [notes[at : at + STRETCH] for at in range(0, len(notes) - STRETCH + 1, STRETCH)]
    least = [getattr(Cost.least(stretch), name) for stretch in stretches]
    return median((least[b] - least[a]) / ((b - a) * step) for a, b in combinations(range(len(least)), 2))


def counted() -> str:
    """Returns the program that counts its memory, built unless it is named."""
    if "GIPF_COUNTED" not in os.environ:
        subprocess.run(BUILD, cwd=HERE.parent.parent, check=True)
    return os.environ.get("GIPF_COUNTED", str(HERE.parent.parent / "target/release/gipf-counted"))


def endurance(tally: Tally) -> None:
    """Lets all workers run for this many seconds."""
    os.setpriority(os.PRIO_PROCESS, 0, NICE)
    os.environ.update(ALLOCATOR)
    Engine.program, Engine.patience = counted(), LATE
    seconds, place = tally.options.tries, tally.scratch
    workers = [
        Worker("train", TRAIN, place / "train"),
        Worker("self-play", SELF_PLAY, place / "self-play"),
        Talker("engine", [], place / "engine"),
        Leaking("planted", SELF_PLAY, place / "planted"),
    ]
    workers = [worker for worker in workers if worker.name in (tally.options.only or WORKERS).split(",")]
    with contextlib.ExitStack() as begun:
        for worker in workers:
            begun.callback(worker.kill)
            worker.start()
        began = time.monotonic()
        for look in range(1, NOTES * LOOKS + 1):
            time.sleep(max(0.0, began + look * seconds / (NOTES * LOOKS) - time.monotonic()))
            for worker in workers:
                worker.look()
                if look % LOOKS == 0:
                    worker.note()
        for worker in workers:
            worker.end()
            tally.note(f"endurance: {worker.name}", worker.judge(seconds), f"{seconds} seconds", worker.folder)


if __name__ == "__main__":
    part(__doc__, 120, endurance)
