"""REINFORCE on VecEnv, in PyTorch: a policy learns from its own games without any search.

    python reinforce.py [--variant basic] [--steps 1500]

The policy plays both sides of 256 games; after each batch of steps, the actions of a player in won games become more
likely, and those in lost games less likely. Ends with a match against `random`.
"""

import argparse

import numpy as np
import torch
from torch import nn

import gipf

GAMES, STEPS = 256, 32


def policy_of(variant: str) -> nn.Sequential:
    """Returns a perceptron from observations to a logit for each action, and one more output: the value."""
    inputs, actions = int(np.prod(gipf.observation_shape(variant))), gipf.action_space(variant)
    return nn.Sequential(nn.Flatten(), nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
                         nn.Linear(256, actions + 1))  # fmt: skip


def masked(outputs: torch.Tensor, masks: torch.Tensor) -> torch.distributions.Categorical:
    """Returns the distribution over the legal actions: the mask comes before the softmax."""
    return torch.distributions.Categorical(logits=outputs[:, :-1].masked_fill(~masks, -1e9))


class Returns:
    """Gives the results of finished games back to all actions in them."""

    def __init__(self) -> None:
        # For each game, the rows of its players' actions: (row, player).
        self.open: list[list[tuple[int, int]]] = [[] for _ in range(GAMES)]

    def add(self, rows: np.ndarray, movers: np.ndarray, envs: gipf.VecEnv) -> list[tuple[int, float]]:
        """Takes in a step of all games, and returns the rows of games that ended, with their results."""
        known = []
        for game in range(GAMES):
            self.open[game].append((int(rows[game]), int(movers[game])))
            if envs.terminated[game] or envs.truncated[game]:
                reward, last = float(envs.rewards[game]), movers[game]
                known += [(row, reward if mover == last else -reward) for row, mover in self.open[game]]
                self.open[game] = []
        return known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="basic", choices=gipf.VARIANTS)
    parser.add_argument("--steps", type=int, default=1500, help="gradient steps")
    options = parser.parse_args()

    torch.manual_seed(1)
    policy = policy_of(options.variant)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    envs = gipf.VecEnv(options.variant, GAMES, seed=1, opening_plies=4)
    returns, kept, results, first, taken = Returns(), {}, [], 0, 0
    while taken < options.steps:
        for _ in range(STEPS):
            observations, masks = torch.from_numpy(envs.observations.copy()), torch.from_numpy(envs.action_masks) > 0
            with torch.inference_mode():
                actions = masked(policy(observations), masks).sample().numpy()
            rows, movers = np.arange(first, first + GAMES), envs.to_move.copy()
            kept.update(zip(rows.tolist(), zip(observations, masks, actions, strict=True), strict=True))
            first += GAMES
            envs.step(actions)
            results += returns.add(rows, movers, envs)
        if len(results) < 4096:
            continue
        samples = [(*kept.pop(row), result) for row, result in results]
        observations, masks, actions, wins = zip(*samples, strict=True)
        outputs = policy(torch.stack(observations))
        wins, choices = torch.tensor(wins), masked(outputs, torch.stack(masks))
        values = torch.tanh(outputs[:, -1])
        advantage = wins - values.detach()
        chosen = choices.log_prob(torch.tensor(np.array(actions)))
        loss = -(advantage * chosen).mean() + (values - wins).square().mean() - 0.01 * choices.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        results, taken = [], taken + 1
        if taken % 50 == 0:
            print(f"step {taken}: value error {(values - wins).square().mean().item():.3f}", flush=True)

    @torch.inference_mode()
    def play(state: gipf.State) -> int:
        """Plays the likeliest legal action."""
        outputs = policy(torch.from_numpy(state.observation())[None])[0, :-1]
        return int(outputs.masked_fill(torch.from_numpy(state.action_mask()) == 0, -1e9).argmax())

    print(gipf.play_match(play, "random", 200, variant=options.variant))


if __name__ == "__main__":
    main()
