"""Supervised learning from a dataset, in PyTorch: a network learns what the search found.

    gipf self-play --checkpoint pretrained --games 5000 --out datasets/quick      (or gipf.self_play with out=)
    python supervised.py datasets/quick [--epochs 3]

Ends with a match of the search with the network against alpha-beta:1.
"""

import argparse
import itertools

import torch
from torch.utils.data import DataLoader
from torch_zero import Evaluator, Network, losses

import gipf
import gipf.data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", help="a directory that gipf self-play has written")
    parser.add_argument("--variant", default="standard", choices=gipf.VARIANTS, help="the rule set of the dataset")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()

    torch.manual_seed(1)
    network = Network(options.variant, channels=32, blocks=3).to(options.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    # Rust decodes on all cores, so workers gain nothing; each epoch has a new order and new symmetries.
    batches = gipf.data.BatchDataset(options.dataset, 256, seed=1, value_mix=0.3)
    for epoch in range(options.epochs):
        batches.set_epoch(epoch)
        for step, batch in zip(itertools.count(1), DataLoader(batches, batch_size=None), strict=False):
            policy, value = losses(network, {name: part.to(options.device) for name, part in batch.items()})
            optimizer.zero_grad()
            (policy + value).backward()
            optimizer.step()
            if step % 100 == 0:
                print(f"epoch {epoch + 1}, step {step}: losses {policy.item():.3f} and {value.item():.3f}", flush=True)

    player = gipf.Player.from_evaluator(Evaluator(network, options.device), 64, variant=options.variant)
    print(gipf.play_match(player, "alpha-beta:1", 40, book=True))


if __name__ == "__main__":
    main()
