"""Compares gipf's engines with ONNX Runtime and PyTorch: the same weights, the same observations, one thread.

The answers of all engines must agree before any time is measured. Each figure is the median of rounds in which the
engines take turns, in evaluations per second of CPU time, so that other programs disturb all engines equally.
"""

import argparse
import json
import logging
import statistics
import sys
import tempfile
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from safetensors import safe_open

import engines
from networks import KINDS

NETWORKS = ["mlp", "line", "line-32", "hex-4x32", "hex-6x64"]
BATCHES = [1, 8, 32, 64]
# As a share of the largest logit.
TOLERANCE = 1e-3


@dataclass
class Subject:
    """A network, the engines that evaluate it batch by batch, and their measurements."""

    name: str
    planes: np.ndarray
    evaluations: dict[tuple[str, int], engines.Evaluate]
    rates: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))

    def batches(self, size: int) -> list[np.ndarray]:
        """Returns the observations in batches."""
        return [self.planes[start : start + size] for start in range(0, len(self.planes) - size + 1, size)]

    def measure(self, gipf: str, sizes: list[int]) -> None:
        """Lets all engines take one turn."""
        for key, rate in (engines.gipf_rates(gipf, self.name, sizes) or {}).items():
            self.rates[key].append(rate)
        for (engine, size), evaluate in self.evaluations.items():
            self.rates[engine, size].append(engines.rate(evaluate, self.batches(size)))

    def medians(self) -> dict[tuple[str, int], float]:
        """Returns the median of each engine and batch."""
        return {key: statistics.median(rates) for key, rates in self.rates.items()}


def tensors(file: Path) -> tuple[dict[str, torch.Tensor], dict]:
    """Returns the tensors of a file, and the content of its header."""
    with safe_open(file, "pt") as opened:
        return {name: opened.get_tensor(name) for name in opened.keys()}, json.loads(opened.metadata()["gipf"])["body"]


def prepare(name: str, folder: Path, sizes: list[int]) -> Subject:
    """Builds all engines of a network from its checkpoint, and checks that they give the same answers as gipf."""
    weights, header = tensors(folder / f"standard-{name}.safetensors")
    answers = tensors(folder / f"standard-{name}.answers.safetensors")[0]
    answers = {part: tensor.numpy() for part, tensor in answers.items()}
    config = header["config"]
    subject = Subject(name, answers["planes"], {})
    for way, kind in KINDS[config["net"]["kind"]].items():
        network = kind(config["layout"], weights).eval()
        for size in sizes:
            file = folder / f"{name}-{way}-{size}.onnx"
            for engine, evaluate in [
                ("PyTorch", engines.with_torch(network)),
                ("ONNX Runtime", engines.with_onnx(network, subject.planes[:size], file)),
            ]:
                engine = f"{engine} {way}".strip()
                check(f"{engine}, {name}, batch {size}", evaluate, subject.batches(size), answers)
                subject.evaluations[engine, size] = evaluate
    return subject


def check(what: str, evaluate: engines.Evaluate, batches: list[np.ndarray], answers: dict[str, np.ndarray]) -> None:
    """Exits unless an engine gives the same answers as gipf."""
    found = [tuple(map(np.copy, evaluate(planes))) for planes in batches]
    for part, rows in zip(["logits", "wdl"], map(np.concatenate, zip(*found, strict=True)), strict=True):
        expected = answers[part][: len(rows)]
        off, most = np.abs(rows - expected).max(), np.abs(expected).max()
        if not off <= TOLERANCE * most:
            raise SystemExit(f"{what}: {part} are off by {off:.2g}, of {most:.2g} at most")


def table(subjects: list[Subject], sizes: list[int]) -> str:
    """Returns the rates in thousands, and the ratios to the fastest other engine, as Markdown."""
    ours = ["f32", "int8"]
    others = list(dict.fromkeys(engine for subject in subjects for engine, _ in subject.evaluations))
    heads = ["network", "batch", *ours, *others, "f32 ÷ best other", "int8 ÷ best other"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for subject in subjects:
        medians = subject.medians()
        for size in sizes:
            rates = [medians.get((engine, size)) for engine in [*ours, *others]]
            best = max(rate for rate in rates[len(ours) :] if rate)
            cells = [f"{rate / 1e3:,.1f} k" if rate else "" for rate in rates]
            cells += [f"{rate / best:.1f}" if rate else "" for rate in rates[: len(ours)]]
            lines.append(f"| {subject.name} | {size} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def records(subjects: list[Subject]) -> list[dict]:
    """Returns the measurements, for programs."""
    return [
        {"network": subject.name, "engine": engine, "batch": size, "per_core": rate}
        for subject in subjects
        for (engine, size), rate in subject.medians().items()
    ]


def main() -> None:
    """Reads the arguments, compares, and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gipf", required=True, help="the program")
    parser.add_argument("--network", action="append", help="may be given often; by default " + ", ".join(NETWORKS))
    parser.add_argument("--batch", type=int, action="append", help="may be given often; by default 1, 8, 32 and 64")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each figure")
    arguments = parser.parse_args()
    sizes = arguments.batch or BATCHES
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        subjects = []
        for name in arguments.network or NETWORKS:
            if engines.write_answers(arguments.gipf, name, Path(folder)):
                subjects.append(prepare(name, Path(folder), sizes))
            else:
                print(f"{name}: skipped, since gipf does not measure it", file=sys.stderr)
        for _ in range(arguments.rounds):
            for subject in subjects:
                subject.measure(arguments.gipf, sizes)
    if arguments.json:
        for record in records(subjects):
            print(json.dumps(record))
    else:
        print(table(subjects, sizes))
        print(
            f"\nEvaluations per second of CPU time, one thread; PyTorch {torch.__version__}, "
            f"ONNX Runtime {onnxruntime.__version__}."
        )


if __name__ == "__main__":
    main()
