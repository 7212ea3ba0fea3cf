"""AlphaZero with NumPy alone: a perceptron learns GIPF from scratch by playing against itself.

    python numpy_zero.py [--variant standard] [--minutes 4] [--save network.npz]

Each iteration plays games with the search, adds their positions to a window, and fits the network to the results of the
search. At the end the network plays 200 games against `greedy`.
"""

import argparse
import sys
import time

import numpy as np

import gipf

GAMES, HIDDEN, WINDOW, BATCH, REUSE = 300, 128, 60_000, 256, 4


class Perceptron:
    """Two hidden layers of rectified units, with a policy and a value on top. Learns with Adam."""

    def __init__(self, variant: str, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        inputs = int(np.prod(gipf.observation_shape(variant)))
        sizes = [(inputs, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, gipf.action_space(variant)), (HIDDEN, 1)]
        self.weights = [rng.normal(0, (2 / size[0]) ** 0.5, size).astype(np.float32) for size in sizes]
        for head in self.weights[2:]:
            head *= 0.1  # knows nothing yet, and says so
        self.weights += [np.zeros(size[1], np.float32) for size in sizes]
        self.moments = [[np.zeros_like(weight) for weight in self.weights] for _ in range(2)]
        self.steps = 0

    def forward(self, observations: np.ndarray) -> tuple[np.ndarray, ...]:
        a, b, policy, value, a0, b0, policy0, value0 = self.weights
        first = np.maximum(observations.reshape(len(observations), -1) @ a + a0, 0)
        second = np.maximum(first @ b + b0, 0)
        return first, second, second @ policy + policy0, np.tanh(second @ value + value0)[:, 0]

    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The evaluator: logits and values for the players to move."""
        return self.forward(observations)[2:]

    def learn(self, batch: dict[str, np.ndarray], rate: float) -> tuple[float, float]:
        """Takes one step; returns the losses of policy (nats) and value (squared error)."""
        observations = batch["observations"].reshape(len(batch["values"]), -1)
        first, second, logits, values = self.forward(observations)
        # The mask comes before the softmax: an illegal action gets no probability and no gradient.
        logits = np.where(batch["masks"], logits, -np.inf)
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        error = values - batch["values"]
        policy_loss = -(batch["policies"] * np.log(chances + 1e-9)).sum(axis=1).mean()

        size = np.float32(len(error))
        to_policy = (chances - batch["policies"]) / size
        to_value = (2 * batch["weights"] * error * (1 - values**2) / size)[:, None]
        to_second = (to_policy @ self.weights[2].T + to_value @ self.weights[3].T) * (second > 0)
        to_first = (to_second @ self.weights[1].T) * (first > 0)
        grads = [observations.T @ to_first, first.T @ to_second, second.T @ to_policy, second.T @ to_value]
        self.adam(grads + [grad.sum(axis=0) for grad in (to_first, to_second, to_policy, to_value)], rate)
        return float(policy_loss), float((batch["weights"] * error**2).mean())

    def adam(self, grads: list[np.ndarray], rate: float) -> None:
        self.steps += 1
        rate *= (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for weight, grad, mean, square in zip(self.weights, grads, *self.moments, strict=True):
            mean += 0.1 * (grad - mean)
            square += 0.001 * (grad * grad - square)
            weight -= np.float32(rate) * mean / (np.sqrt(square) + 1e-7)


def joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Returns the samples of many games as one batch."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="standard", choices=gipf.VARIANTS)
    parser.add_argument("--minutes", type=float, default=4.0, help="CPU minutes of training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="FILE", help="write the weights here")
    parser.add_argument("--wanted", type=float, default=0.0, help="exit with 1 if the score is below this")
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    network, window, iteration, share = Perceptron(options.variant, options.seed), [], 0, 0.0
    while share < 1:
        settings = {"full_simulations": 48, "cheap_simulations": 12, "full_share": 0.3}
        games = gipf.self_play(network, GAMES, variant=options.variant, seed=iteration, **settings)
        # Each game under its own symmetry: the network has to find out that the board looks the same from 12 sides.
        new = [game.samples(int(rng.integers(12)), value_mix=0.3) for game in games]
        window = [*window, joined(new)]
        while sum(len(part["values"]) for part in window[1:]) > WINDOW:
            window.pop(0)
        samples, fresh = joined(window), len(window[-1]["values"])
        losses = []
        for _ in range(REUSE * fresh // BATCH):
            rows = rng.integers(len(samples["values"]), size=BATCH)
            batch = {name: array[rows] for name, array in samples.items()}
            losses.append(network.learn(batch, rate=2e-3 * (1 - share) + 1e-4))
        iteration, share = iteration + 1, time.process_time() / (60 * options.minutes)
        policy, value = np.mean(losses, axis=0)
        told = f"iteration {iteration:3}: {fresh} samples, losses {policy:.3f} and {value:.3f}"
        print(f"{told}, {share:4.0%} of the time", flush=True)

    if options.save:
        np.savez(options.save, *network.weights)
    player = gipf.Player.from_evaluator(network, 64, variant=options.variant, name="numpy_zero")
    report = gipf.play_match(player, "greedy", 200, book=True)
    print(report)
    sys.exit(report.score < options.wanted)


if __name__ == "__main__":
    main()
