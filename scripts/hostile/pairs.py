"""Starts two commands at once on one output: the same one twice, or two different ones; and forks beside a running
trainer.

One of the two may be refused in one line, or its result may get another name; the files are whole, and of one command.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from commands import COMMANDS, SMOKE, Command, Undisturbed, all_undisturbed, inputs_of
from common import GIPF, PATIENCE, Done, Snapshot, Tally, difference, leftovers, on_all_cores, part, run, snapshot

# The messages of a program that does not get the output, because another one wants the same.
TOLD = (
    " exists",
    " was played with the seed",
    "in use",
    "another program",
    "was made by",
    "settings of its own",
    "of other settings",
    "of other matches",
    "works on",
    "not empty",
    "is using",
)
# The message of a fork if the run had reached its last iteration by then: nothing is left to train.
ENDED = "run has 12 iterations: expected the new run to have more than 12 in all"
# How each command is changed into another one with the same output.
OTHER = {
    "train": "--set run.seed=5",
    "self-play": "--seed 5",
    "merge": "--no-duplicates",
    "split": "--validation 0.6",
    "fit": "--seed 5",
    "tune": "--seed 5",
    "book": "--seed 5",
    "ladder": "--seed 5",
    "eval": "--seed 5",
}


def start(command: Command, inputs: Path, work: Path) -> subprocess.Popen[bytes]:
    """Starts a command."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([GIPF, *command.arguments(inputs)], cwd=work, env=os.environ | {"NO_COLOR": "1"}, **pipes)


def together(commands: list[Command], inputs: Path, work: Path, random: Random) -> list[Done]:
    """Runs commands at once, a moment apart, and returns how they ended."""
    programs = []
    for command in commands:
        programs.append(start(command, inputs, work))
        time.sleep(random.choice((0, 0, 0.003, 0.01, 0.03, 0.1)))
    ended = []
    for command, program in zip(commands, programs, strict=True):
        try:
            out, err = program.communicate(command.text.encode(), timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            # It may wait for the other one, which then ends.
            program.kill()
            out, err = program.communicate()
            err += f"it goes on for more than {PATIENCE} s".encode()
        ended.append(Done(program.returncode, out.decode(errors="replace"), err.decode(errors="replace")))
    return ended


def judge_ends(ended: list[Done]) -> str | None:
    """Checks how two commands ended: at least one well, the other well or refused in one line."""
    if all(done.code != 0 for done in ended):
        return f"both failed: {' / '.join(done.err[-200:] for done in ended)}"
    for done in ended:
        # A game with a person reports this in the dialogue.
        if done.code != 0 and "is not kept" in done.out and any(told in done.out for told in TOLD):
            continue
        if done.code != 0 and not any(told in done.err for told in TOLD):
            return f"no message that there are two: {done.err[-300:]}"
        if done.code != 0 and done.complaint():
            return done.complaint()
    return None


def judge_result(found: Snapshot, expected: list[Snapshot]) -> str | None:
    """Checks the files of two commands: the result of one, and whole files of another name."""
    whole = {what for one in expected for what in one.values()}
    known = {name for one in expected for name in one}
    extra = [name for name in found if name.endswith(".1") and name not in known]
    halves = [name for name in extra if found[name] not in whole]
    rest = {name: what for name, what in found.items() if name not in extra}
    differences = [difference(rest, one) for one in expected]
    if halves:
        return f"a half under another name: {halves}"
    return leftovers(found) or (differences[0] if all(differences) else None)


@dataclass
class Pair:
    """Two commands with one output, and what each leaves when alone."""

    name: str
    commands: list[Command]
    peace: list[Undisturbed]

    def attempt(self, inputs: Path, work: Path, random: Random) -> str | None:
        """Runs both at once; returns what went wrong."""
        first = self.commands[0]
        first.prepare(inputs, work)
        order = random.sample(self.commands, 2)
        wrong = judge_ends(together(order, inputs, work, random))
        results = [one.result for one in self.peace]
        if first.text or wrong:
            return wrong or leftovers(snapshot(work))
        return judge_result(snapshot(work), results)


def other(command: Command) -> Command | None:
    """Returns another command with the same output."""
    words = OTHER.get(command.name.split()[0])
    if words is None or "network" in command.name or "parts" in command.name or command.begins_with:
        return None
    option = words.split()[0]
    line = command.words
    if option in line and option != "--set":
        before, after = line.split(f" {option} ")
        line = f"{before} {after.split(' ', 1)[1]}"
    return replace(command, name=f"{command.name} or another", words=f"{line} {words}")


def fork_beside(tally: Tally, number: int) -> str | None:
    """Forks a run again and again while it is trained; each fork reaches the run's result."""
    work = tally.scratch / f"forks-{number}"
    work.mkdir()
    line = ["train", *SMOKE, "--iterations", "12", "--set", f"run.seed={number}", "--threads", "1", "--run", "run"]
    trainer = subprocess.Popen([GIPF, *line], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    forks = 0
    while not (work / "run/state/manifest.json").exists() and trainer.poll() is None:
        time.sleep(0.01)
    while trainer.poll() is None:
        done = run(["train", "--from", "run", "--run", f"fork-{forks}", "--threads", "1"], work)
        if done.code != 0 and ENDED in done.err and trainer.wait(PATIENCE) == 0:
            break
        if done.code != 0:
            trainer.kill()
            return f"fork {forks} refused: {done.err[-300:]}"
        forks += 1
    if trainer.returncode != 0 or forks == 0:
        return f"the trainer ended with {trainer.returncode}, {forks} forks beside it"
    last = "checkpoints/000012.safetensors"
    wrong = [
        f"fork-{fork}"
        for fork in range(forks)
        if (work / f"fork-{fork}/{last}").read_bytes() != (work / "run" / last).read_bytes()
    ]
    shutil.rmtree(work)
    return f"come to something else: {wrong}" if wrong else None


def all_pairs(tally: Tally, inputs: Path) -> list[Pair]:
    """Returns each command paired with itself, and with another one."""
    firsts = [command for command in COMMANDS if command.name.startswith(tally.options.only)]
    both = [(first, second) for first in firsts if (second := other(first))]
    peace = all_undisturbed([*firsts, *(second for _, second in both)], inputs, tally.scratch)
    found = [Pair("same", [first, first], [peace[first.name]] * 2) for first in firsts]
    return found + [Pair("different", list(two), [peace[command.name] for command in two]) for two in both]


def pairs(tally: Tally) -> None:
    """Starts all pairs in turns, then forks."""
    options, inputs = tally.options, inputs_of(tally)
    found = all_pairs(tally, inputs)
    options.random.shuffle(found)

    def attempt(number: int) -> None:
        pair, work = found[number % len(found)], tally.scratch / str(number)
        wrong = pair.attempt(inputs, work, Random(f"{options.seed}/{number}"))
        lines = " & ".join(shlex.join([GIPF, *command.arguments(inputs)]) for command in pair.commands)
        tally.note(f"pairs: {pair.name} on one output", wrong, f"try {number}: {lines}", work)
        shutil.rmtree(work)

    on_all_cores(attempt, options.tries)
    for number in range(max(options.tries // 30, 1)):
        wrong = fork_beside(tally, number)
        tally.note("pairs: forks beside a trainer", wrong, f"seed {number}")


if __name__ == "__main__":
    part(__doc__, 40, pairs)
