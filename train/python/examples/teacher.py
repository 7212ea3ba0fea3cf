"""Distillation on a GPU: a large network learns from a dataset and plays games, from which a small network learns.

    gipf self-play --checkpoint pretrained --games 30000 --out datasets/own
    python teacher.py datasets/own --minutes 4 --games 15000 --out datasets/teacher --save teacher.pt
    gipf fit --data datasets/teacher/0 --data datasets/teacher/1 --from pretrained --seconds 300 --out student

The games are played in two halves, so that one half walks its trees on the CPU while the GPU evaluates the other. If
that is stopped, the same command with `--load teacher.pt` in place of the dataset goes on.
"""

import argparse
import copy
import hashlib
import itertools
import json
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader
from torch_zero import Network, losses

import gipf
import gipf.data

HALVES = 2
# Those with a network that comes along, against which the large one is measured.
JUDGED = [variant for variant in gipf.VARIANTS if variant != "push-off"]


class Replayed:
    """Evaluates batches in half precision, up to a fixed size, as one recorded CUDA graph on its own stream."""

    def __init__(self, network: Network, variant: str, rows: int) -> None:
        self.network = copy.deepcopy(network).eval().half().to(memory_format=torch.channels_last)
        self.stream, self.graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        self.asked = torch.zeros((rows, *gipf.observation_shape(variant)), device="cuda")
        with torch.inference_mode(), torch.cuda.stream(self.stream):
            for _ in range(3):
                self.evaluate()
            self.stream.synchronize()
            with torch.cuda.graph(self.graph, stream=self.stream, capture_error_mode="thread_local"):
                self.answers = self.evaluate()
        self.told = [torch.empty_like(part, device="cpu", pin_memory=True) for part in self.answers]

    def evaluate(self) -> tuple[torch.Tensor, torch.Tensor]:
        logits, values = self.network(self.asked.half().contiguous(memory_format=torch.channels_last))
        return logits, values.float()

    @torch.inference_mode()
    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = len(observations)
        with torch.cuda.stream(self.stream):
            self.asked[:count].copy_(torch.from_numpy(observations), non_blocking=True)
            self.graph.replay()
            for told, answer in zip(self.told, self.answers, strict=True):
                told[:count].copy_(answer[:count], non_blocking=True)
        self.stream.synchronize()
        return tuple(told[:count].numpy() for told in self.told)


def large(variant: str, channels: int, blocks: int) -> Network:
    """Returns a network whose blocks change nothing at first: deep networks without normalisation learn faster that
    way.
    """
    network = Network(variant, channels, blocks)
    for block in network.trunk[1:]:
        nn.init.zeros_(block.two.weight)
        nn.init.zeros_(block.two.bias)
    return network.cuda().to(memory_format=torch.channels_last)


def learn(network: Network, dataset: str, batch: int, rate: float, minutes: float) -> None:
    """Learns for this long, at a rate that rises for 200 steps and falls to 0 along a cosine."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-4, fused=True)
    batches = gipf.data.BatchDataset(dataset, batch, seed=1, value_mix=0.5)
    began, told, steps = time.monotonic(), time.monotonic(), 0
    for epoch in itertools.count():
        batches.set_epoch(epoch)
        for part in DataLoader(batches, batch_size=None, pin_memory=True):
            done = (time.monotonic() - began) / (60 * minutes)
            if done >= 1:
                return
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, steps / 200) * 0.5 * (1 + math.cos(math.pi * done))
            part = {name: values.cuda(non_blocking=True) for name, values in part.items()}
            with torch.autocast("cuda", torch.bfloat16):
                policy, value = losses(network, part)
            optimizer.zero_grad()
            (policy + value).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            steps += 1
            if steps % 8 == 0:
                torch.cuda.synchronize()  # or batches pile up before the GPU
            if time.monotonic() - told > 10:
                told, speed = time.monotonic(), steps * batch / (time.monotonic() - began)
                print(
                    f"epoch {epoch}, {done:4.0%}: losses {policy.item():.3f} and {value.item():.3f}, "
                    f"{speed:,.0f} samples/s",
                    flush=True,
                )


def name_of(network: Network) -> str:
    """Returns a name that no other weights have: games of two networks must not get into one dataset."""
    digest = hashlib.sha256()
    for values in network.state_dict().values():
        digest.update(values.cpu().contiguous().numpy().tobytes())
    return f"teacher-{digest.hexdigest()[:12]}"


def is_complete(dataset: Path) -> bool:
    manifest = dataset / "_manifest.json"
    return manifest.is_file() and json.loads(manifest.read_text(encoding="utf-8"))["complete"]


def play(evaluators: list[Replayed], out: Path, games: int, **settings) -> None:
    """Plays the games into two datasets, half of them with each evaluator; goes on with those that were stopped."""
    stopped = threading.Event()

    def go_on(*_: int) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    def half(number: int) -> dict | None:
        place, share = out / str(number), games // len(evaluators)
        if is_complete(place):
            return None
        return gipf.self_play(evaluators[number], share, seed=number, out=place, progress=go_on, **settings)

    with ThreadPoolExecutor() as pool:
        try:
            print([part.result() for part in [pool.submit(half, number) for number in range(len(evaluators))]])
        finally:
            stopped.set()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    weights = parser.add_mutually_exclusive_group(required=True)
    weights.add_argument("dataset", nargs="?", help="a directory that gipf self-play has written")
    weights.add_argument("--load", metavar="FILE", help="take weights that were saved, and learn nothing")
    parser.add_argument("--variant", default="standard", choices=JUDGED, help="the rule set of the dataset")
    parser.add_argument("--channels", type=int, default=128)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--minutes", type=float, default=4, help="of learning")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--parallel", type=int, default=8192, help="games at once, in both halves together")
    parser.add_argument("--simulations", type=int, default=64, help="of every turn")
    parser.add_argument("--save", metavar="FILE", help="write the weights here")
    parser.add_argument("--out", type=Path, required=True, help="a directory for the games")
    options = parser.parse_args()
    if options.games % HALVES:
        parser.error(f"--games {options.games}: expected an even number, for two halves")

    torch.manual_seed(1)
    network = large(options.variant, options.channels, options.blocks)
    if options.load:
        network.load_state_dict(torch.load(options.load, weights_only=True))
    else:
        learn(network, options.dataset, options.batch, options.rate, options.minutes)
    if options.save:
        torch.save(network.state_dict(), options.save)
    judge = Replayed(network, options.variant, 256)
    player = gipf.Player.from_evaluator(judge, options.simulations, variant=options.variant, name="teacher")
    print(gipf.play_match(player, f"pretrained:sims={options.simulations}", 200, book=True), flush=True)

    rows, began = options.parallel // HALVES, time.monotonic()
    evaluators = [Replayed(network, options.variant, rows) for _ in range(HALVES)]
    settings = {"name": name_of(network), "full_simulations": options.simulations, "full_share": 1.0, "parallel": rows}
    play(evaluators, options.out, options.games, variant=options.variant, **settings)
    seconds = time.monotonic() - began
    print(f"{options.games} games in {seconds:.0f} s, {3600 * options.games / seconds:,.0f} an hour")


if __name__ == "__main__":
    main()
