"""What the environments of several libraries have in common."""

from __future__ import annotations

import numpy as np

import gipf


def opened(start: gipf.State, plies: int, random: np.random.Generator) -> gipf.State:
    """Returns a copy of a start, so many random decisions on; one that would end the game is not played."""
    state = start.copy()
    for _ in range(plies):
        child = state.child(int(random.choice(state.legal_actions())))
        if child.is_over:
            break
        state = child
    return state


def rendered(state: gipf.State, mode: str | None, size: int) -> str | np.ndarray | None:
    """Returns what `render` returns in a mode; `human` is printed."""
    if mode == "human":
        print(state.render("ansi"))
        return None
    if mode == "rgb_array":
        return state.render("rgb_array", size=size)
    return state.render("text") if mode == "ansi" else None
