"""Ends every command before, after and in the middle of each file operation, or lets that fail; then runs it again.

A library that is loaded before the program's own (shim.c) numbers the operations. These must hold: the same command,
run again without the library, leaves what an undisturbed one leaves; nothing half-written is accepted in between; an
error is one line.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from commands import COMMANDS, Command, Undisturbed, inputs_of, undisturbed
from common import GIPF, HERE, Done, Snapshot, Tally, difference, leftovers, on_all_cores, part, snapshot

KILLS = ("before", "after", "torn")
HARMLESS = ("short", "eintr")
ERRORS = ("enospc", "eio", "enospc-ever", "eio-ever")
# The operations that a full disk refuses.
GROWS = ("open", "write", "mkdir", "rename", "link")


@dataclass(frozen=True)
class Point:
    """A step of a command, from 1, and what happens there."""

    step: int
    what: str
    how: str


@dataclass
class Attack:
    """A command under attack."""

    command: Command
    inputs: Path
    shim: Path
    folder: Path

    def env(self, work: Path, point: Point | None) -> dict[str, str]:
        """Returns the environment of the shim."""
        told = {"LD_PRELOAD": str(self.shim), "SHIM_ROOT": str(work), "SHIM_LOG": str(work) + ".log"}
        return told | ({"SHIM_AT": str(point.step), "SHIM_HOW": point.how} if point else {})

    @cached_property
    def peace(self) -> Undisturbed:
        """What the command leaves when nothing disturbs it."""
        return undisturbed(self.command, self.inputs, self.folder / "peace")

    @cached_property
    def states(self) -> list[Snapshot]:
        """What a command that saves again and again may leave: its result after each line of its input."""
        if not self.command.text:
            return [self.peace.result]
        lines = self.command.text.splitlines(keepends=True)
        states, work = [], self.folder / "states"
        for count in range(len(lines)):
            self.command.prepare(self.inputs, work)
            text = "".join(lines[:count]) + "quit\n"
            replace(self.command, text=text).run(self.inputs, work)
            states.append(snapshot(work))
        return states

    def look(self) -> None:
        """Finds out all that must be known before the first try."""
        _ = self.peace, self.states, self.points

    @cached_property
    def points(self) -> list[Point]:
        """Returns all points at which the command can be attacked."""
        work = self.folder / "count"
        self.command.prepare(self.inputs, work)
        self.command.run(self.inputs, work, self.env(work, None))
        steps = [line.split()[0] for line in Path(f"{work}.log").read_text().splitlines()]
        return [Point(step, what, how) for step, what in enumerate(steps, 1) for how in ways(what)]

    def attempt(self, point: Point, work: Path) -> str | None:
        """Attacks at a point; returns what went wrong."""
        self.command.prepare(self.inputs, work)
        done = self.command.run(self.inputs, work, self.env(work, point))
        Path(f"{work}.log").unlink(missing_ok=True)
        broken = snapshot(work)
        wrong = self.judge_end(point, done, broken) or self.judge_halves(work, broken)
        if wrong or self.command.text:
            return wrong or self.judge_saved(work, broken)
        again = self.command.run(self.inputs, work)
        return self.judge_rerun(again, snapshot(work))

    def judge_end(self, point: Point, done: Done, broken: Snapshot) -> str | None:
        """Checks how the attacked command ended."""
        if point.how in KILLS:
            return None if done.code in (-9, 0) else f"killed, it ended by {done.code}: {done.err[-200:]}"
        if done.code == 0:
            # A file that could not be removed is removed when the command is run again.
            return None if point.what == "unlink" else difference(broken, self.peace.result)
        if point.how in HARMLESS:
            return f"failed without an error: {done.err[-200:]}"
        if self.command.text and "is not kept" in done.out:
            return None
        # If operations fail for good, nothing can be removed either.
        left = None if point.how == "eio-ever" or point.what == "unlink" else leftovers(broken)
        return done.complaint() or left

    def judge_halves(self, work: Path, broken: Snapshot) -> str | None:
        """Checks the files before the command is run again: each is whole or refused."""
        allowed = {*self.peace.result.values(), *self.peace.before.values()}
        for name, found in broken.items():
            is_whole = name.endswith(".safetensors") or (name == self.command.output and not self.command.grows)
            if is_whole and name in self.peace.result and found not in allowed:
                return f"a half has the name of a whole: {name}"
        for said, expected in zip(self.command.read(self.inputs, work), self.peace.read, strict=True):
            if said not in (None, expected):
                return f"a half is accepted: {said[:200]}"
        return None

    def judge_saved(self, work: Path, broken: Snapshot) -> str | None:
        """Checks a file that is saved again and again: it must be a state from which the command can resume."""
        kept = {name: what for name, what in broken.items() if not leftovers([name])}
        if kept and kept not in self.states:
            return f"neither an old nor a new state is there: {broken}"
        done = replace(self.command, text="quit\n").run(self.inputs, work)
        return f"cannot go on: {done.err[-200:]}" if done.code != 0 else leftovers(snapshot(work))

    def judge_rerun(self, again: Done, result: Snapshot) -> str | None:
        """Checks the same command, run again undisturbed."""
        if again.code != 0 and " exists" not in again.err:
            return f"refused again: {again.err[-300:]}"
        if "was changed" in again.err or "has lost" in again.err:
            return f"finds its own files changed: {again.err[-300:]}"
        return leftovers(result) or difference(result, self.peace.result)

    def told(self, point: Point) -> str:
        """Returns how to reproduce a try."""
        env = " ".join(f"{key}={value}" for key, value in self.env(Path("WORK"), point).items())
        line = shlex.join([GIPF, *self.command.arguments(self.inputs)])
        return f"step {point.step} ({point.what}) {point.how}: {env} {line}"


def ways(what: str) -> tuple[str, ...]:
    """Returns what can happen at a step of a kind."""
    if what == "write":
        return KILLS + HARMLESS + ERRORS
    return KILLS[:2] + tuple(way for way in ERRORS if what in GROWS or way.startswith("eio"))


def build_shim(folder: Path) -> Path:
    """Compiles the library that is loaded before the program's own."""
    shim = folder / "shim.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", shim, HERE / "shim.c"], check=True)
    return shim


def crash(tally: Tally) -> None:
    """Attacks every command."""
    options, inputs = tally.options, inputs_of(tally)
    before, shim = snapshot(inputs), build_shim(tally.scratch)
    chosen = [command for command in COMMANDS if command.name.startswith(options.only)]
    attacks = [Attack(command, inputs, shim, tally.scratch / command.name.replace(" ", "-")) for command in chosen]
    on_all_cores(lambda number: attacks[number].look(), len(attacks))
    tried = [(attack, points_of(attack, tally, len(attacks))) for attack in attacks]
    tries = [(attack, point) for attack, points in tried for point in points]

    def attempt(number: int) -> None:
        attack, point = tries[number]
        work = attack.folder / str(number)
        wrong = attack.attempt(point, work)
        tally.note(f"crash: {attack.command.name}", wrong, attack.told(point), work)
        shutil.rmtree(work)

    on_all_cores(attempt, len(tries))
    tally.note("crash: what was read is as it was", difference(snapshot(inputs), before))


def points_of(attack: Attack, tally: Tally, commands: int) -> list[Point]:
    """Returns the command's share of its points."""
    points = attack.points
    assert points and attack.states, attack.command.name
    return tally.options.random.sample(points, min(len(points), max(tally.options.tries // commands, 1)))


if __name__ == "__main__":
    part(__doc__, 240, crash)
