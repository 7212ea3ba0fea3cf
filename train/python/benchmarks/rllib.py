"""RLlib steps the PettingZoo environment, with the masks in its observations; run by scripts/check-agents."""

from __future__ import annotations

import numpy as np
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

from gipf import pettingzoo as gipf_v0


def main() -> None:
    env = PettingZooEnv(gipf_v0.env())
    rng, turns, games = np.random.default_rng(0), 0, 0
    observations, _ = env.reset(seed=0)
    while games < 20:
        ((agent, observation),) = observations.items()
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        observations, rewards, terminations, truncations, _ = env.step({agent: action})
        turns += 1
        if terminations["__all__"] or truncations["__all__"]:
            assert sum(rewards.values()) == 0
            games += 1
            observations, _ = env.reset()
    print(f"RLlib: {games} games, {turns} turns")


if __name__ == "__main__":
    main()
