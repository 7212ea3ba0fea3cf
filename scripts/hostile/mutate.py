"""Attacks every kind of file that is read: changed in many ways, it must be refused, reported, or read as before.

A try changes one file that the program wrote and lets the program read it. The outcomes are counted for each kind:

  refused    one line names the file and the fault
  same       all output is the same as for the original file
  told       the result differs, and a remark names the file
  different  the result differs without a remark: a failure, except for texts that people write
  unclear    refused, but not in one printable line that names the file: a failure
  mistake    a panic, a signal, or no end within the time: a failure
"""

import hashlib
import os
import random
import re
import shutil
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import corpus
import sealed
from common import Tally, part
from mutations import changed
from trial import Answer, answer, limit_children


@dataclass(frozen=True)
class Reader:
    """A command that reads the file, and the files whose content shows what it has read."""

    command: str
    outputs: tuple[str, ...] = ()
    given: bytes = b""


@dataclass(frozen=True)
class Kind:
    """A kind of file: its place in the corpus, its readers, and its share of all tries."""

    name: str
    path: str
    readers: tuple[Reader, ...]
    share: int = 10
    # Whether people write such texts, with nothing in them that shows a change.
    edited: bool = False
    # Other names for it in error messages.
    called: tuple[str, ...] = ()


def going_on(folder: str, number: int) -> tuple[Reader, ...]:
    """Returns the readers of a run: the next iteration shows everything that was read."""
    names = [f"checkpoints/{number:06}.safetensors", f"state/samples-{number:06}.bin"]
    names += ["metrics.jsonl"] if folder == "run" else []
    outputs = tuple(f"{folder}/{name}" for name in names)
    return (Reader(f"train --run {folder} --iterations {number} --threads 1", outputs),)


GAMES = "--games 2 --json --threads 1"
NETWORK = (
    Reader("average net.safetensors net.safetensors --out mean.safetensors", ("mean.safetensors",)),
    Reader("export net.safetensors --to onnx --out net.onnx", ("net.onnx",)),
    Reader(f"eval net.safetensors --against random {GAMES}"),
)
DATASET = (
    Reader("data info dataset --json --threads 1"),
    Reader("data validate dataset --threads 1"),
    Reader("data export dataset --out arrays.npz --threads 1", ("arrays.npz",)),
    Reader("fit --data dataset --steps 2 --out net.st --threads 1", ("net.st",)),
)
VALIDATE = (DATASET[1],)
# How long things took, in JSON and in words.
TIMES = re.compile(rb'("ms_per_turn":)[-+.e0-9]+|\d+(?:\.\d+)? (?:s|samples/s)\b')
RECORD = tuple(
    Reader(f"record {words} --threads 1") for words in ("check FILE --json", "convert FILE --to gpn", "show FILE")
)
TUNED = (
    Reader(f"eval alpha-beta:1,eval=eval.bin --against random {GAMES}"),
    Reader("tune --from eval.bin --generations 1 --games 2 --rounds 1 --out new.bin --threads 1", ("new.bin",)),
)


def records(file: str) -> tuple[Reader, ...]:
    """Returns the readers of recorded games."""
    return tuple(Reader(reader.command.replace("FILE", file)) for reader in RECORD)


KINDS = (
    Kind("checkpoint", "checkpoint/net.safetensors", NETWORK),
    Kind("first network", "first/state/first.safetensors", going_on("first", 2), 3),
    Kind("learner state", "run/state/learner-000002.safetensors", going_on("run", 3), 3),
    Kind("samples", "run/state/samples-000002.bin", going_on("run", 3), 3),
    # The state of another run contradicts the files beside it.
    Kind("run manifest", "run/state/manifest.json", going_on("run", 3), 6, called=("state/samples", "state/learner")),
    Kind("settings", "run/config.toml", going_on("run", 3), 6),
    Kind("metrics", "run/metrics.jsonl", going_on("run", 3), 4),
    Kind("dataset games", "dataset/games-00000.parquet", DATASET, 20),
    Kind("dataset manifest", "dataset/_manifest.json", DATASET, called=("the manifest beside it",)),
    Kind("dataset text", "dataset/_text/games-00000.txt", VALIDATE),
    Kind("dataset card", "dataset/_README.md", VALIDATE, 3),
    Kind("ladder", "ladder/s.jsonl", (Reader("ladder --show --store s.jsonl --json"),)),
    Kind("book", "book/b.txt", (Reader("eval random --against greedy --book=b.txt --games 16 --json --threads 1"),)),
    Kind("match under way", "partial/g.pgn.partial", (Reader(" ".join(corpus.MATCH) + " --seed 1", ("g.pgn",)),), 4),
    Kind("match records", "match/g.pgn", records("g.pgn"), 20),
    Kind("official record", "official/game.txt", records("game.txt"), edited=True),
    Kind("julio record", "julio/game.txt", records("game.txt"), edited=True),
    Kind("tuned patterns", "tuned/eval.bin", TUNED, 5),
    Kind("saved game", "saved/game.txt", (Reader("play --game game.txt", given=b"quit\n"),)),
    Kind("recorded decisions", "conformance/games.ndjson.gz", (Reader("check games.ndjson.gz"),), 3, edited=True),
)
BAD = ("different", "unclear", "mistake")


@dataclass(frozen=True)
class Scene:
    """The place of the tries: two sets of valid files, and room for copies."""

    sound: Path
    other: Path
    room: Path

    def read(self, kind: Kind, reader: Reader, content: bytes | None) -> tuple[Answer, bytes, Path]:
        """Lets the reader read a copy with this content; returns its answer, a digest of everything it shows, and the
        copy.
        """
        top, rest = kind.path.split("/", 1)
        folder = Path(tempfile.mkdtemp(dir=self.room))
        # Runs and datasets are read as folders, everything else as a file.
        whole = top in ("run", "first", "dataset")
        copy = folder / top if whole else folder
        shutil.copytree(self.sound / top, copy, dirs_exist_ok=True)
        if content is not None:
            (copy / rest).write_bytes(content)
        found = answer(reader.command.split(), folder, reader.given)
        shown = [normal(found.out), *(content_of(folder / name) for name in reader.outputs)]
        return found, hashlib.sha256(b"\0".join(shown)).digest(), folder


def content_of(file: Path) -> bytes:
    """Returns the content of a file, without the new line in metrics, which depends on how long things took."""
    if not file.exists():
        return b"none"
    content = file.read_bytes()
    return b"".join(content.splitlines(keepends=True)[:-1]) if file.name == "metrics.jsonl" else content


def normal(text: bytes) -> bytes:
    """Returns a text without the times."""
    return TIMES.sub(rb"\1", text)


@cache
def as_sound(scene: Scene, kind: Kind, reader: Reader) -> bytes:
    """Returns the output that shows what was read from the valid file."""
    found, shown, folder = scene.read(kind, reader, None)
    again = scene.read(kind, reader, None)[1]
    if found.code != 0 or shown != again:
        raise SystemExit(f"{reader.command}: the sound file is not read twice alike: {found}")
    shutil.rmtree(folder)
    return shown


def verdict(kind: Kind, found: Answer, is_same: bool) -> str:
    """Returns the outcome of a try."""
    name = Path(kind.path).name
    if found.is_mistake() or found.late:
        # Edited settings, once reported, may ask for more work than a try has time for.
        return "told" if found.late and name == "config.toml" and name.encode() in found.err else "mistake"
    if found.code != 0:
        is_contradiction = found.out.count(name.encode()) > 0 or b"mismatches" in found.out
        return "refused" if found.is_clear_refusal((name, *kind.called)) or is_contradiction else "unclear"
    if is_same:
        return "same"
    return "told" if name.encode() in found.err + found.out else "different"


@dataclass(frozen=True)
class Try:
    """The outcome of a try: a word, the failure if there was one, and the copy that was read."""

    came: str
    how: str
    folder: Path


def attempt(scene: Scene, kind: Kind, seed: str) -> Try:
    """Changes a file once, and returns the outcome."""
    rng = random.Random(seed)
    reader = rng.choice(kind.readers)
    sound, other = ((place / kind.path).read_bytes() for place in (scene.sound, scene.other))
    how, content = changed(sound, other, rng)
    found, shown, folder = scene.read(kind, reader, content)
    came = verdict(kind, found, shown == as_sound(scene, kind, reader))
    said = (found.err or found.out)[-300:].decode(errors="replace")
    return Try(came, f"{how}, gipf {reader.command} (exit {found.code}, {found.seconds:.1f} s): {said}", folder)


def attack_kind(scene: Scene, kind: Kind, tries: int, tally: Tally) -> None:
    """Tries changes of one kind of file, on all cores."""
    for reader in kind.readers:
        as_sound(scene, kind, reader)
    counts: Counter[str] = Counter()
    seeds = [f"{tally.options.seed} {kind.path} {number}" for number in range(tries)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for one in pool.map(lambda seed: attempt(scene, kind, seed), seeds):
            counts[one.came] += 1
            failed = one.came in BAD and not (one.came == "different" and kind.edited)
            tally.note(kind.name, one.came if failed else None, one.how, one.folder)
            shutil.rmtree(one.folder)
    print(f"  {kind.name}: {', '.join(f'{count} {came}' for came, count in sorted(counts.items()))}", flush=True)


def attack(tally: Tally) -> None:
    """Attacks all kinds of files, or those whose names begin as given."""
    limit_children()
    kinds = [kind for kind in KINDS if kind.name.startswith(tally.options.only)]
    shares = max(1, sum(kind.share for kind in kinds))
    scene = Scene(*(tally.scratch / name for name in ("sound", "other", "room")))
    scene.room.mkdir()
    corpus.make(scene.sound, 1)
    corpus.make(scene.other, 2)
    for kind in kinds:
        attack_kind(scene, kind, max(1, tally.options.tries * kind.share // shares), tally)
    if "sealed".startswith(tally.options.only):
        sealed.attack(tally, scene.sound / "checkpoint/net.safetensors")


if __name__ == "__main__":
    part(__doc__, 2000, attack)
