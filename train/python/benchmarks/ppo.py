"""MaskablePPO of sb3-contrib learns to win without a search; run by scripts/check-agents.

    python benchmarks/ppo.py [--variant standard] [--steps 120000] [--opponents random] [--rate]
    python benchmarks/ppo.py --seconds 450 1800 7200 --opponents random greedy itself --rate

It meets the next opponent once it has won four of five games; `itself` is its own policy as of some games ago.
`--seconds` stops after this many core-seconds instead of steps, counting opponents but not ratings. `--rate` then gives
its place on the ladder that is shipped with the package, as docs/benchmark.md reports it. Ends with exit code 1 if the
mean reward over 200 games against random is not above 0.8.
"""

from __future__ import annotations

import argparse
import sys
import time

import gymnasium
import numpy as np
import torch
from gymnasium.wrappers import FlattenObservation
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

import gipf.gymnasium

WANTED = 0.8
# The mean reward of four wins in five games.
MASTERED = 0.6
# The number of rollouts of 4 096 decisions after which `itself` takes the current policy.
RENEWED = 10


class Itself:
    """The policy as of its last renewal. It draws its actions with NumPy, which is faster for single positions."""

    def __init__(self) -> None:
        self.layers: list[tuple[np.ndarray, np.ndarray]] = []
        self.random = np.random.default_rng(0)

    def renew(self, policy: torch.nn.Module) -> None:
        """Takes the weights of the current policy."""
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
        linear = [module for module in modules if isinstance(module, torch.nn.Linear)]
        self.layers = [
            (module.weight.detach().numpy().T.copy(), module.bias.detach().numpy().copy()) for module in linear
        ]

    def choose(self, state: gipf.State) -> int:
        """Draws an action with the probabilities of the policy."""
        values = state.observation().ravel()
        for weight, bias in self.layers[:-1]:
            values = np.tanh(values @ weight + bias)
        weight, bias = self.layers[-1]
        logits = np.where(state.action_mask(), values @ weight + bias, -np.inf)
        return int(np.argmax(logits + self.random.gumbel(size=logits.shape)))


class Opponents:
    """The opponents in order; all environments meet the same one."""

    def __init__(self, names: list[str], variant: str) -> None:
        self.itself = Itself()
        self.players = [self.itself if name == "itself" else gipf.Player(name, variant=variant) for name in names]
        self.number = 0

    def __call__(self, state: gipf.State) -> int:
        """Returns the action of the current opponent."""
        return self.players[self.number].choose(state)


class Course(BaseCallback):
    """Changes the opponent once it is mastered, and ends the training when its core-seconds are used up."""

    def __init__(self, opponents: Opponents, seconds: float) -> None:
        super().__init__()
        self.opponents, self.seconds = opponents, seconds
        self.began = time.process_time()
        self.rollouts = 0

    def _on_step(self) -> bool:
        return time.process_time() - self.began < self.seconds

    def _on_rollout_start(self) -> None:
        if self.rollouts % RENEWED == 0:
            self.opponents.itself.renew(self.model.policy)
        self.rollouts += 1

    def _on_rollout_end(self) -> None:
        games = self.model.ep_info_buffer
        full = len(games) == games.maxlen
        last = self.opponents.number + 1 == len(self.opponents.players)
        if full and not last and np.mean([game["r"] for game in games]) > MASTERED:
            self.opponents.number += 1
            games.clear()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="standard")
    parser.add_argument("--steps", type=int, default=120_000)
    parser.add_argument("--seconds", type=float, nargs="+", help="core-seconds to learn, instead of steps")
    parser.add_argument("--opponents", nargs="+", default=["random"], help="whom it learns against, the weakest first")
    parser.add_argument("--rate", action="store_true", help="rate it on the ladder that comes with the package")
    options = parser.parse_args()
    torch.set_num_threads(1)
    opponents = Opponents(options.opponents, options.variant)

    # A single player is passed by name, so that the environments seed it.
    single = len(options.opponents) == 1 and options.opponents != ["itself"]

    def make(opponent: str | Opponents = options.opponents[0] if single else opponents) -> gymnasium.Env:
        return FlattenObservation(
            gymnasium.make("Gipf-v0", variant=options.variant, opponent=opponent, illegal="raise")
        )

    model = MaskablePPO(
        "MlpPolicy",
        make_vec_env(make, 16, seed=0),
        n_steps=256,
        batch_size=512,
        n_epochs=4,
        gamma=0.99,
        policy_kwargs={"net_arch": [256, 256]},
        seed=0,
        device="cpu",
    )
    # The first positions come before the first rollout.
    opponents.itself.renew(model.policy)

    def ppo(state: gipf.State) -> int:
        observation, mask = state.observation().ravel(), state.action_mask().astype(bool)
        return int(model.predict(observation, deterministic=True, action_masks=mask)[0])

    learned = 0.0
    for seconds in options.seconds or [float("inf")]:
        began = time.process_time()
        steps = sys.maxsize if options.seconds else options.steps
        model.learn(steps, Course(opponents, seconds - learned), reset_num_timesteps=False)
        learned += time.process_time() - began
        rewards, _ = evaluate_policy(
            model, make_vec_env(lambda: make("random"), 1, seed=1), 200, return_episode_rewards=True
        )
        print(
            f"{options.variant}: {np.mean(rewards):+.3f} mean reward against random over {len(rewards)} games, after "
            f"{model.num_timesteps} steps in {learned:.0f} core-seconds, "
            f"the last against {options.opponents[opponents.number]}",
            flush=True,
        )
        if options.rate:
            print(gipf.rate(ppo, variant=options.variant), flush=True)
    return 0 if np.mean(rewards) > WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
