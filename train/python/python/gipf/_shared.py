"""The common part of the environments for several libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Any

import numpy as np

import gipf

MOST_PLIES = 2**16 - 1
# In pixels, as in `State.render`.
SIDES = (16, 4096)


def described(value: Any) -> str:
    """Returns the representation of a value in one line, or its type if it has none."""
    try:
        return " ".join(repr(value).split())
    except Exception:
        return f"of type {type(value).__name__}"


def one_line(error: BaseException) -> str:
    """Returns an exception's message in one line without colours: of a long one, which may be a trace, both ends."""
    text = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
    return f"{type(error).__name__}: {text if len(text) <= 400 else f'{text[:200]} … {text[-200:]}'}"


@contextmanager
def naming(option: str, value: Any, expected: str, *faults: type[Exception]) -> Iterator[None]:
    """Lets what other libraries raise about an option, `faults` too, be an error of one line that names it."""
    raised: tuple[type[Exception], ...] = (ImportError, ValueError, OSError, RuntimeError, *faults)
    try:
        yield
    except gipf.GipfError:
        raise
    except raised as error:
        raise gipf.GipfError(f"{option} {described(value)}: expected {expected} ({one_line(error)})") from error


def whole(name: str, number: Any, low: int, high: int) -> int:
    """Returns an integer, or raises an error that says what was expected."""
    if not low <= index(number) <= high:
        raise gipf.GipfError(f"{name} {described(number)}: expected {low} to {high}")
    return index(number)


def plain(value: Any) -> Any:
    """Returns an integer of any library as one of Python, and everything else, a truth value too, as it is."""
    try:
        return value if isinstance(value, bool) else index(value)
    except TypeError:
        return value


def one_of(name: str, value: Any, *allowed: Any) -> Any:
    """Returns one of these values, or raises an error that lists them."""
    given = plain(value)
    for each in allowed:
        if type(given) is type(each) and given == each:
            return each
    words = ", ".join(map(repr, allowed[:-1]))
    raise gipf.GipfError(f"{name} {described(value)}: expected {words} or {allowed[-1]!r}")


def opened(start: gipf.State, plies: int, random: np.random.Generator) -> gipf.State:
    """Returns a copy of a start after `plies` random decisions; a decision that would end the game is not played."""
    state = start.copy()
    for _ in range(plies):
        child = state.child(int(random.choice(state.legal_actions())))
        if child.is_over:
            break
        state = child
    return state


def rendered(state: gipf.State, mode: str | None, size: int) -> str | np.ndarray | None:
    """Returns what `render` returns in a mode; for `human` the board is printed."""
    if mode == "human":
        print(state.render("ansi"))
        return None
    if mode == "rgb_array":
        return state.render("rgb_array", size=size)
    return state.render("text") if mode == "ansi" else None
