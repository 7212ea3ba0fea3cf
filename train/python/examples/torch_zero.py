"""AlphaZero in PyTorch: a residual network learns GIPF from scratch by playing against itself.

    python torch_zero.py [--variant standard] [--iterations 30] [--device cuda] [--save network.pt]

One page to change: the network is yours; the games, the search and the samples come from the library. Ends with a match
against alpha-beta:1.
"""

import argparse
from collections import deque

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import gipf


class Block(nn.Module):
    """Two convolutions with a skip connection around them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(channels, channels, 3, padding=1)
        self.two = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, cells: torch.Tensor) -> torch.Tensor:
        return functional.relu(cells + self.two(functional.relu(self.one(cells))))


class Network(nn.Module):
    """From observations to logits and values. The board is a hexagon sheared into 7 x 7 cells, so square convolutions
    will do.
    """

    def __init__(self, variant: str, channels: int, blocks: int) -> None:
        super().__init__()
        planes = gipf.observation_shape(variant)[0]
        first = nn.Sequential(nn.Conv2d(planes, channels, 3, padding=1), nn.ReLU())
        self.trunk = nn.Sequential(first, *(Block(channels) for _ in range(blocks)))
        self.policy = nn.Sequential(
            nn.Conv2d(channels, 16, 1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 49, gipf.action_space(variant))
        )
        self.value = nn.Sequential(
            nn.Conv2d(channels, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 49, 64), nn.ReLU(), nn.Linear(64, 1)
        )

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        cells = self.trunk(observations)
        return self.policy(cells), torch.tanh(self.value(cells)).squeeze(1)


class Evaluator:
    """The evaluator of the search: logits and values of a batch, for the players to move."""

    def __init__(self, network: Network, device: str) -> None:
        self.network, self.device = network, device

    @torch.inference_mode()
    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits, values = self.network.eval()(torch.from_numpy(observations).to(self.device))
        return logits.float().cpu().numpy(), values.float().cpu().numpy()


def losses(network: Network, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the losses of policy (nats) and value (squared error)."""
    logits, values = network(batch["observations"])
    # The mask comes before the softmax; -inf times a target of 0 would not be a number.
    logits = logits.masked_fill(~batch["masks"], -1e9)
    policy = -(batch["policies"] * functional.log_softmax(logits, dim=1)).sum(dim=1).mean()
    return policy, (batch["weights"] * (values - batch["values"]) ** 2).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="standard", choices=gipf.VARIANTS)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--games", type=int, default=400, help="of each iteration")
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--reuse", type=int, default=8, help="how often each sample is seen")
    parser.add_argument("--window", type=int, default=20, help="iterations whose games are learned from")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="FILE", help="write the weights here")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    network = Network(options.variant, options.channels, options.blocks).to(options.device)
    evaluator = Evaluator(network, options.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.iterations, eta_min=options.rate / 10)
    window: deque[dict[str, torch.Tensor]] = deque(maxlen=options.window)

    for iteration in range(options.iterations):
        # All games of an iteration at once: the larger the batches, the better for a GPU.
        games = gipf.self_play(
            evaluator, options.games, variant=options.variant, parallel=options.games, seed=iteration
        )
        # Each game under its own symmetry: the network has to find out that the board looks the same from 12 sides.
        found = [game.samples(int(rng.integers(12)), value_mix=0.3) for game in games]
        window.append({name: torch.from_numpy(np.concatenate([part[name] for part in found])) for name in found[0]})
        samples = {name: torch.cat([part[name] for part in window]) for name in window[0]}
        fresh, told = len(window[-1]["values"]), []
        network.train()
        for _ in range(options.reuse * fresh // options.batch):
            rows = torch.randint(len(samples["values"]), (options.batch,))
            policy, value = losses(network, {name: part[rows].to(options.device) for name, part in samples.items()})
            optimizer.zero_grad()
            (policy + value).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            told.append((policy.item(), value.item()))
        schedule.step()
        policy, value = np.mean(told, axis=0)
        print(f"iteration {iteration + 1:3}: {fresh} samples, losses {policy:.3f} and {value:.3f}", flush=True)

    if options.save:
        torch.save(network.state_dict(), options.save)
    player = gipf.Player.from_evaluator(evaluator, 64, variant=options.variant, name="torch_zero")
    print(gipf.play_match(player, "alpha-beta:1", 40, book=True))


if __name__ == "__main__":
    main()
