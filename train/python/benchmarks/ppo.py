"""MaskablePPO of sb3-contrib learns to beat the random player; run by scripts/check-agents.

    python benchmarks/ppo.py [--variant standard] [--steps 120000] [--opponent random] [--rate]

`--rate` says where it stands on the ladder that comes with the package, as docs/benchmark.md reports it. Ends with
exit code 1 if the mean reward over 200 games is not above 0.8.
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
from stable_baselines3.common.env_util import make_vec_env

import gipf.gymnasium

WANTED = 0.8


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="standard")
    parser.add_argument("--steps", type=int, default=120_000)
    parser.add_argument("--opponent", default="random", help="whom it learns against")
    parser.add_argument("--rate", action="store_true", help="rate it on the ladder that comes with the package")
    options = parser.parse_args()
    torch.set_num_threads(1)

    def make(opponent: str = options.opponent) -> gymnasium.Env:
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
    began = time.time()
    model.learn(options.steps)
    learned = time.time() - began
    rewards, _ = evaluate_policy(
        model, make_vec_env(lambda: make("random"), 1, seed=1), 200, return_episode_rewards=True
    )
    print(
        f"{options.variant}: {np.mean(rewards):+.3f} mean reward against random over {len(rewards)} games, after "
        f"{options.steps} steps in {learned:.0f} s"
    )
    if options.rate:

        def ppo(state: gipf.State) -> int:
            observation, mask = state.observation().ravel(), state.action_mask().astype(bool)
            return int(model.predict(observation, deterministic=True, action_masks=mask)[0])

        print(gipf.rate(ppo, variant=options.variant))
    return 0 if np.mean(rewards) > WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
