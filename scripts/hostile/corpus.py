"""Valid files of every kind that the program reads, made by the program itself."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from common import GIPF, HERE
from trial import answer

# Matches of the fastest players, long enough to be interrupted in the middle.
MATCH = "eval random --against greedy --games 400 --placement-limit 100 --records g.pgn --threads 1 --json".split()


def make(folder: Path, seed: int) -> None:
    """Fills a folder with one folder for each kind of file; other seeds make other files."""
    folder.mkdir(parents=True)
    make_run(folder, seed)
    make_first(folder, seed)
    make_dataset(folder, seed)
    make_partial(folder, seed)
    make_texts(folder, seed)


def done(words: str, folder: Path, given: bytes = b"") -> bytes:
    """Runs a command that has to succeed, and returns its output."""
    found = answer(words.split(), folder, given)
    if found.code != 0:
        raise SystemExit(f"{words}: {found.err.decode(errors='replace')}")
    return found.out


def make_run(folder: Path, seed: int) -> None:
    """Trains a little, and stores a checkpoint separately."""
    less = "--set evaluation.games=2 --set evaluation.final_games=2 --set run.games=8"
    done(f"train --preset smoke --run run --set run.seed={seed} {less} --threads 1", folder)
    (folder / "checkpoint").mkdir()
    shutil.copy(folder / "run/checkpoints/000002.safetensors", folder / "checkpoint/net.safetensors")


def make_first(folder: Path, seed: int) -> None:
    """Begins a run with a network, and ends it in its first iteration."""
    command = f"train --preset smoke --from checkpoint/net.safetensors --run first --set run.seed={seed} --threads 1"
    manifest = folder / "first/state/manifest.json"

    def stands() -> bool:
        return json.loads(manifest.read_text())["manifest"]["iterations"] == 0

    break_off(command.split(), folder, manifest.exists, stands)


def make_dataset(folder: Path, seed: int) -> None:
    """Plays a small dataset."""
    command = f"self-play --checkpoint run --games 6 --simulations 4 --out dataset --seed {seed} --threads 1"
    done(command, folder)


def make_partial(folder: Path, seed: int) -> None:
    """Breaks off a match whose games are recorded."""
    (folder / "partial").mkdir()
    partial = folder / "partial/g.pgn.partial"
    begun = lambda: partial.exists() and partial.stat().st_size > 6000  # noqa: E731
    break_off([*MATCH, "--seed", str(seed % 2)], folder / "partial", begun, partial.exists)


def break_off(command: list[str], folder: Path, begun: Callable[[], bool], stands: Callable[[], bool]) -> None:
    """Kills a command soon after it has begun, again and again, until what it left is at the right stage."""
    before = set(os.listdir(folder))
    for _ in range(50):
        with subprocess.Popen([GIPF, *command], cwd=folder, stdout=subprocess.DEVNULL) as process:
            while not begun() and process.poll() is None:
                time.sleep(0.0005)
            process.send_signal(signal.SIGKILL)
        if begun() and stands():
            return
        for name in set(os.listdir(folder)) - before:
            path = folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    raise SystemExit(f"{' '.join(command)}: cannot be interrupted in time")


def make_texts(folder: Path, seed: int) -> None:
    """Writes books, ladders, records and games, each into its own folder."""
    kinds = ["ladder", "book", "match", "official", "julio", "tuned", "saved", "conformance"]
    for kind in kinds:
        (folder / kind).mkdir()
    players = "random greedy alpha-beta:1" if seed % 2 else "random greedy"
    done(f"book --positions 8 --nodes 100 --bound 300 --out book/b.txt --seed {seed}", folder)
    done(f"ladder {players} --book book/b.txt --games 8 --seed {seed} --store ladder/s.jsonl", folder)
    done(f"eval random --against greedy --games 6 --seed {seed} --records match/g.pgn", folder)
    done(f"play random --seed {seed} --game saved/game.txt", folder, b"1\n" * 20)
    done("record convert match/g.pgn --game 1 --to complete --out official/game.txt", folder)
    done("record convert match/g.pgn --game 1 --to julio --out julio/game.txt", folder)
    tuning = "--agent alpha-beta:nodes=20,eval=terms --generations 1 --games 10 --rounds 1"
    done(f"tune --variant standard {tuning} --seed {seed} --out tuned/eval.bin --threads 1", folder)
    name = "games" if seed % 2 else "positions"
    shutil.copy(HERE.parent.parent / f"tests/data/{name}.ndjson.gz", folder / "conformance/games.ndjson.gz")
