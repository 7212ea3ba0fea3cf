"""The commands that write something, as small as possible, with their inputs and the readers of their results."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from common import GIPF, PATIENCE, Done, Snapshot, Tally, difference, on_all_cores, run, snapshot

SETTINGS = ["--set", "run.games=2", "--set", "evaluation.games=2", "--set", "evaluation.final_games=2"]
SMOKE = ["--preset", "smoke", *SETTINGS]
GATING = ["--set", "evaluation.gating.games=4", "--set", "evaluation.gating.elo1=400"]
BENCH = "bench training {smoke} --seeds 1 --core-seconds 60 --games 4 --simulations 2 --milliseconds 0"
OPEN = "self-play --agent alpha-beta:nodes=2000 --games 16 --out all"
MOVES = "e1-e4\nb1-b2\nh1-h2\nquit\n"


@dataclass(frozen=True)
class Command:
    """A command that writes `output` into the current folder.

    In its words, {in} stands for the folder of its inputs, {smoke} and {gating} for settings.
    """

    name: str
    words: str
    output: str
    # The words of commands that show the result, or refuse it.
    readers: tuple[str, ...] = ()
    # A file that exists before, copied from the folder of inputs.
    begins_with: str = ""
    text: str = ""
    # Whether the output, a file, is written again and again, with more in it each time.
    grows: bool = False

    def arguments(self, inputs: Path, threads: int = 1) -> list[str]:
        """Returns the words of the command line."""
        several = {"{smoke}": SMOKE, "{gating}": GATING}
        words = [one for word in self.words.split() for one in several.get(word, [word.replace("{in}", str(inputs))])]
        is_plain = words[0] in ("average", "export", "man", "play", "report")
        return words if is_plain else [*words, "--threads", str(threads)]

    def prepare(self, inputs: Path, folder: Path) -> None:
        """Creates a folder to run in."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if self.begins_with:
            source = inputs / self.begins_with
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, folder / self.output)

    def run(self, inputs: Path, folder: Path, env: dict[str, str] | None = None, threads: int = 1) -> Done:
        """Runs the command."""
        return run(self.arguments(inputs, threads), folder, self.text, env)

    def read(self, inputs: Path, folder: Path) -> list[str | None]:
        """Returns the output of each reader of the results; none where it refuses them."""
        done = [run([word.replace("{in}", str(inputs)) for word in reader.split()], folder) for reader in self.readers]
        return [f"{one.out}" if one.code == 0 else None for one in done]


def file(name: str, words: str, output: str, *readers: str) -> Command:
    """Returns a command that writes one file."""
    return Command(name, f"{words} --out {output}", output, readers)


DATASET = ("data info all", "data validate all")
COMMANDS = [
    Command("train", "train {smoke} --iterations 2 --run run", "run"),
    Command("train on", "train --run run --iterations 3", "run", begins_with="run"),
    Command("train from run", "train --from {in}/run --iterations 3 --run fork", "fork"),
    Command("train from network", "train --from {in}/1.safetensors {smoke} --iterations 1 --run run", "run"),
    Command("train from data", "train --from-data {in}/games {smoke} --iterations 1 --run run", "run"),
    Command("train gating", "train {smoke} --iterations 3 {gating} --run run", "run"),
    Command("self-play", "self-play --agent random --games 12 --out all", "all", DATASET),
    Command(
        "self-play network",
        "self-play --checkpoint {in}/1.safetensors --simulations 4 --games 4 --out all",
        "all",
        DATASET,
    ),
    Command("self-play parts", "self-play --agent random --games 2600 --out all", "all", ("data info all",)),
    Command("self-play open", OPEN, "all", DATASET, "open"),
    Command("merge", "data merge --out all {in}/games {in}/more", "all", DATASET),
    Command("merge parts", "data merge --out all {in}/large {in}/large2", "all", ("data info all",)),
    Command(
        "split",
        "data split --out parted --validation 0.4 {in}/games",
        "parted",
        ("data info parted/train parted/validation",),
    ),
    Command(
        "split open",
        "data split --out parted --validation 0.4 {in}/large",
        "parted",
        ("data info parted/train parted/validation",),
    ),
    Command("bench training", f"{BENCH} --prices {{in}}/bench/result.json --out bench", "bench"),
    file("export", "data export {in}/games", "arrays.npz"),
    file("report", "report {in}/run --games 1", "report.html"),
    file("fit", "fit --data {in}/games --steps 3", "net.safetensors"),
    file("average", "average {in}/1.safetensors {in}/2.safetensors", "net.safetensors"),
    file("export onnx", "export {in}/1.safetensors --to onnx", "net.onnx"),
    Command("export folder", "export {in}/1.safetensors --to safetensors --out folder", "folder"),
    Command(
        "export folder force",
        "export {in}/1.safetensors --to safetensors --force --out folder",
        "folder",
        begins_with="folder",
    ),
    file("tune", "tune --games 4 --generations 2 --rounds 1 --agent alpha-beta:nodes=20,eval=terms", "weights.bin"),
    file("book", "book --positions 4 --nodes 50 --bound 1000", "book.txt"),
    file("convert", "record convert {in}/games.pgn --to lines", "lines.txt", "record check lines.txt"),
    file(
        "analyse",
        "record analyse {in}/games.pgn --sims 4 --agent alpha-beta:1 --comments",
        "noted.txt",
        "record analyse noted.txt --kept",
    ),
    file("puzzles", "record puzzles {in}/games.pgn --gain 0.1 --sims 20 --agent alpha-beta:1", "puzzles.txt"),
    file("convert to dataset", "record convert {in}/games.pgn --to dataset", "all", *DATASET),
    Command(
        "force",
        "average {in}/1.safetensors {in}/2.safetensors --force --out net.safetensors",
        "net.safetensors",
        begins_with="1.safetensors",
    ),
    Command(
        "eval",
        "eval random --against greedy --against random --games 8 --records games.pgn",
        "games.pgn",
        ("record check games.pgn",),
    ),
    Command("ladder", "ladder random greedy alpha-beta:1 --games 4 --store store.jsonl", "store.jsonl", grows=True),
    Command(
        "ladder shipped",
        "ladder random greedy --variant basic --games 100 --margin 100 --store store.jsonl",
        "store.jsonl",
        grows=True,
    ),
    Command("man", "man --out pages", "pages"),
    Command("play", "play random --seed 1 --game game.txt", "game.txt", text=MOVES, grows=True),
]


def inputs_of(tally: Tally) -> Path:
    """Returns the folder with the inputs of the commands: the one that GIPF_INPUTS names, which the campaign creates
    once for all its parts, or a new one.
    """
    inputs = Path(os.environ.get("GIPF_INPUTS", tally.scratch / "in"))
    if not inputs.exists():
        making = inputs.with_name("making")
        shutil.rmtree(making, ignore_errors=True)
        make_inputs(making)
        making.rename(inputs)
    return inputs


def make_inputs(inputs: Path) -> None:
    """Creates the inputs of the commands."""
    inputs.mkdir()
    made = [
        ["train", *SMOKE, "--iterations", "2", "--run", "run"],
        ["self-play", "--agent", "random", "--games", "6", "--out", "games"],
        ["self-play", "--agent", "greedy", "--games", "3", "--seed", "9", "--out", "more"],
        ["self-play", "--agent", "random", "--games", "1400", "--seed", "3", "--out", "large"],
        ["self-play", "--agent", "random", "--games", "1400", "--seed", "4", "--out", "large2"],
        ["eval", "random", "--against", "greedy", "--games", "4", "--records", "games.pgn"],
        [*BENCH.replace("{smoke}", " ".join(SMOKE)).split(), "--out", "bench"],
    ]
    for words in made:
        done = run([*words, "--threads", "2"], inputs)
        assert done.code == 0, (words, done.err)
    make_open(inputs)
    for number in (1, 2):
        shutil.copy(inputs / f"run/checkpoints/{number:06}.safetensors", inputs / f"{number}.safetensors")
    done = run(["export", "2.safetensors", "--to", "safetensors", "--out", "folder"], inputs)
    assert done.code == 0, done.err


def make_open(inputs: Path) -> None:
    """Creates a dataset that was stopped early, with a file that was closed early."""
    open_part = re.compile(r'"open": *\{')
    for tenth in range(1, 20):
        shutil.rmtree(inputs / "open", ignore_errors=True)
        words = [GIPF, *OPEN.replace("all", "open").split(), "--threads", "1"]
        playing = subprocess.Popen(words, cwd=inputs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(tenth / 10)
        playing.send_signal(signal.SIGINT)
        playing.wait(PATIENCE)
        manifest = inputs / "open/_manifest.json"
        if manifest.exists() and open_part.search(manifest.read_text()):
            return
    raise AssertionError("no dataset could be stopped early")


@dataclass(frozen=True)
class Undisturbed:
    """What a command finds and leaves when nothing disturbs it, and what its readers say."""

    before: Snapshot
    result: Snapshot
    read: list[str | None]


def undisturbed(command: Command, inputs: Path, folder: Path) -> Undisturbed:
    """Runs a command undisturbed, twice; both times it must leave the same."""
    results = []
    for _ in range(2):
        command.prepare(inputs, folder)
        before = snapshot(folder)
        done = command.run(inputs, folder)
        assert done.code == 0, (command.name, done.err)
        results.append(snapshot(folder))
    changed = difference(*results)
    assert changed is None, (command.name, changed)
    return Undisturbed(before, results[0], command.read(inputs, folder))


def all_undisturbed(commands: Iterable[Command], inputs: Path, scratch: Path) -> dict[str, Undisturbed]:
    """Runs commands undisturbed on all cores, each in a folder of its own; returns the results by name."""
    all_of = list({command.name: command for command in commands}.values())
    found = on_all_cores(lambda number: undisturbed(all_of[number], inputs, scratch / f"peace-{number}"), len(all_of))
    return {command.name: one for command, one in zip(all_of, found, strict=True)}
