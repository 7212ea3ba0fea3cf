"""Attacks the readers of networks with files whose checksum is right, but whose content is hostile.

Each must be refused in one short printable line that names the file, in seconds and with little memory.
"""

import json
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from common import Tally
from tensors import Tensor, TensorFile
from trial import Answer, answer

Change = Callable[[TensorFile], object]
NAME = "net.safetensors"
# The limits of a refusal.
MOST_SECONDS, MOST_BYTES = 2.0, 300 << 20
READERS = (
    f"eval {NAME} --against random --games 2 --threads 1",
    f"average {NAME} {NAME} --out mean.safetensors",
    f"export {NAME} --to onnx --out net.onnx",
    f"self-play --checkpoint {NAME} --games 1 --simulations 2 --out games --threads 1",
    f"train --from {NAME} --preset smoke --run run --threads 1",
)
# Control characters, line ends, and a long text.
RUDE = "\x1b[31m\r\n\0\x7f\x85" + "x" * 5000
HUGE = (0, 2**31, 2**40, 2**63, 2**64 - 1, 2**64, -1, 1.5, "16", None)


def numbers() -> Iterator[tuple[str, Change]]:
    """Weights that no network has, or that cannot be computed with."""
    for word, value in (("nan", float("nan")), ("infinite", float("inf")), ("-infinite", float("-inf"))):
        yield f"{word} weights", lambda file, value=value: file.fill("", value)
        yield f"one {word} weight", lambda file, value=value: file.fill("value.1.bias", value)
    for value in (3.4e38, -3.4e38, 1e30):
        yield f"weights of {value}", lambda file, value=value: file.fill("", value)


def tensors() -> Iterator[tuple[str, Change]]:
    """Tensors that are too many, too large, misplaced, or missing."""
    bias = "value.1.bias"
    for shape in ([2**32] * 3, [2**62, 4], [2**64 - 1], [2**64], [-1], [0], [0, 2**40], [], [3, 1], [1] * 5000):
        yield f"shape {str(shape)[:40]}", lambda file, shape=shape: setattr(file.tensors[bias], "shape", shape)
    for offsets in ([0, 2**64 - 1], [2**63, 2**63 + 12], [12, 0], [0, 0], [-4, 8], [0, 12], [0, 2**70]):
        yield f"offsets {offsets}", lambda file, offsets=offsets: setattr(file.tensors[bias], "offsets", offsets)
    for kind in ("F64", "I8", "BOOL", RUDE):
        yield f"type {kind[:9]!r}", lambda file, kind=kind: setattr(file.tensors[bias], "kind", kind)
    for name in (RUDE, "", "value.9.bias", "__metadata__", "../../x", "y" * (1 << 19)):
        yield f"tensor {name[:9]!r}", lambda file, name=name: file.tensors.update({name: Tensor([0], b"")})
    yield "no tensors", lambda file: file.tensors.clear()
    yield "a tensor less", lambda file: file.tensors.pop(bias)
    for count in (1025, 10_000):
        yield f"{count} tensors", lambda file, count=count: add_tensors(file, count)


def add_tensors(file: TensorFile, count: int) -> None:
    """Adds many tensors without a number; that there are too many is found before the checksum is checked."""
    file.tensors.update({f"t{number}": Tensor([0], b"") for number in range(count)})
    file.checksum = "0" * 64


def settings() -> Iterator[tuple[str, Change]]:
    """Wrong sizes and games."""
    for value in (*HUGE, 1, 64, 107, 371):
        yield f"num_actions {value}", lambda file, value=value: file.body["config"].update(num_actions=value)
    for name in ("features", "hidden", "value_hidden", "mixing", "global_pooling", "kind", RUDE):
        for value in (*HUGE, [0], [2**40], [8] * 100_000):
            change = lambda file, name=name, value=value: file.body["config"]["net"].update({name: value})  # noqa: E731
            # Some of these leave no network at all; resetting a setting gives the default.
            if (name, value) != ("mixing", [8]):
                yield f"{name[:9]!r} {str(value)[:20]}", change
    for net in ({"kind": "hex", "blocks": 2**60}, {"kind": "hex", "channels": 256, "blocks": 64}, {"kind": "mlp"}):
        yield f"net {net}", lambda file, net=net: file.body["config"].update(net=net)
    for hidden in ([1024] * 8, [2**40], [], [0], [1] * 100_000):
        net = {"kind": "mlp", "hidden": hidden}
        yield f"mlp {str(hidden)[:20]}", lambda file, net=net: file.body["config"].update(net=net)
    for name in ("rows", "columns", "pieces", "marks", "scalars", "cells"):
        for value in (*HUGE, [], [2**63], list(range(100_000)), [0] * 37):
            change = lambda file, n=name, v=value: file.body["config"]["layout"].update({n: v})  # noqa: E731
            yield f"{name} {str(value)[:20]}", change


def bodies() -> Iterator[tuple[str, Change]]:
    """Bodies that are invalid, or belong to another file."""
    deep = ("[" * 100_000, '{"a":' * 100_000, '"' + "x" * 200_000 + '"')
    for text in ("{}", "[]", "null", '{"format":1}', "", "nan", *deep):
        yield f"body {text[:9]}", lambda file, text=text: setattr(file, "body", text)
    for value in (0, 2, 2**32, 2**64, -1, "1", None, 1.0, [1]):
        yield f"format {value}", lambda file, value=value: file.body.update(format=value)
    for value in (RUDE, "", "chess", "basic", "tournament", None, 1, "x" * 900_000):
        yield f"game {str(value)[:9]!r}", lambda file, value=value: file.body["metadata"].update(game=value)
    for name in ("step", "seed"):
        for value in (2**64, -1, 1.5, "1", None):
            yield f"{name} {value}", lambda file, n=name, v=value: file.body["metadata"].update({n: v})
    for name in ("config", "metadata"):
        yield f"no {name}", lambda file, name=name: file.body.pop(name)
    yield "a rude field", lambda file: file.body.update({RUDE: 1})
    yield "fields twice", lambda file: setattr(file, "body", json.dumps(file.body).replace("{", '{"format":1,', 1))


def raw() -> Iterator[tuple[str, bytes]]:
    """Files that are not tensors at all."""
    for length in (0, 1, 1 << 20, (1 << 20) + 1, 1 << 40, 2**63, 2**64 - 1):
        yield f"header of {length} bytes", struct.pack("<Q", length) + b"{}"
    for text in (b"{}", b"[]", b"{" * 500_000, b'{"__metadata__":{}}', b'{"__metadata__":{"gipf":1}}', b"\xff" * 99):
        yield f"header {text[:20]!r}", struct.pack("<Q", len(text)) + text
    tensor = '"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    text = "{" + ",".join(tensor % number for number in range(1_000_000)) + "}"
    yield "a million tensors", struct.pack("<Q", len(text)) + text.encode()


def complaint(found: Answer) -> str | None:
    """Returns what is wrong with the answer to a hostile file."""
    told = found.err[-300:].decode(errors="replace")
    if found.is_mistake() or found.late:
        return f"a bug, exit {found.code}: {told}"
    if found.code == 0:
        return f"accepted: {found.out[-200:].decode(errors='replace')}"
    if not found.is_clear_refusal((NAME,)):
        return f"unclear, exit {found.code}: {told}"
    if found.work > MOST_SECONDS or found.memory > MOST_BYTES:
        return f"refused after {found.work:.1f} s with {found.memory >> 20} MB: {told}"
    return None


def hostile(sound: TensorFile) -> Iterator[tuple[str, str, Callable[[], bytes]]]:
    """Iterates over all hostile files: attack, name, and a function that returns the content."""
    for attack, changes in (("numbers", numbers), ("tensors", tensors), ("settings", settings), ("bodies", bodies)):
        for name, change in changes():
            file = sound.copy()
            change(file)
            yield f"sealed: {attack}", name, file.bytes
    for name, content in raw():
        yield "sealed: no tensors", name, lambda content=content: content


@dataclass(frozen=True)
class Share:
    """The tries of one process: every `of`-th hostile file from number `first` on."""

    first: int
    of: int
    sound: Path
    room: Path
    # Whether each file is given to all readers, instead of one, in turns.
    to_all: bool

    def tries(self) -> list[tuple[str, str | None, str, Path]]:
        """Gives the files to readers; returns for each try its attack, what is wrong, how it was done, and its folder,
        which is kept if something is wrong.
        """
        found = []
        for number, (kind, name, content) in enumerate(hostile(TensorFile.read(self.sound))):
            if number % self.of != self.first:
                continue
            # An average may be of networks for any game.
            readers = [reader for reader in READERS if "game" not in name or "average" not in reader]
            for place, reader in enumerate(readers if self.to_all else [readers[number % len(readers)]]):
                folder = self.room / f"{number}-{place}"
                folder.mkdir(parents=True)
                (folder / NAME).write_bytes(content())
                wrong = complaint(answer(reader.split(), folder))
                if wrong is None:
                    shutil.rmtree(folder)
                found.append((kind, wrong, f"{name}: gipf {reader}", folder))
        return found


def attack(tally: Tally, sound: Path) -> None:
    """Gives hostile networks to all readers of networks; `sound` is one to begin with."""
    # Processes, since sealing a file in Python takes longer than reading it.
    count = os.cpu_count() or 1
    room, to_all = tally.scratch / "sealed", tally.options.tries > 10_000
    with ProcessPoolExecutor(count) as pool:
        for tries in pool.map(Share.tries, [Share(first, count, sound, room, to_all) for first in range(count)]):
            for attack, wrong, how, folder in tries:
                tally.note(attack, wrong, how, folder)
