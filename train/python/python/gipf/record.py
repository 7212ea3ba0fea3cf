"""Recorded games: what every turn was worth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gipf._gipf import _analyse_record

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["AnalysedTurn", "GameAnalysis", "LookedAt", "PlayerSummary", "TurningPoint", "analyse_record"]


@dataclass(frozen=True)
class LookedAt:
    """A turn that was analysed."""

    turn: str
    """The turn in complete official notation."""
    value: float
    """The result expected for White if it is played, -1 to 1."""
    share: float | None
    """The share of a tree search's simulations that went through its first decision, 0 to 1; None for other searches.
    """
    line: list[str]
    """The turns expected to follow."""


@dataclass(frozen=True)
class AnalysedTurn:
    """A turn that was played, and what it was worth. Values are for White, -1 to 1."""

    number: int
    """Its number, from 1."""
    player: int
    """Whose turn it was: 0 (White) or 1."""
    position: str
    """The position text of its start."""
    played: str
    """The turn in complete official notation."""
    actions: list[int]
    """The numbers of its actions."""
    forced: bool
    """Whether the player had no choice."""
    value: float
    """The value before it, if the best turn is played."""
    after: float
    """The value after it."""
    loss: float
    """The drop of the player's expected result, 0 to 2."""
    severity: str | None
    """"inaccuracy" (a loss of 0.1 or more), "mistake" (0.2), "blunder" (0.3) or None."""
    accuracy: float | None
    """How well it was played, 0 to 100; None if there was no choice."""
    known: str | None
    """The result before it, if it is certain: "white", "black" or "draw"; otherwise None."""
    candidates: list[LookedAt]
    """The best candidates by the search, the best first; empty if there was no choice."""
    nodes: int
    """The positions visited, or the simulations of a tree search."""


@dataclass(frozen=True)
class PlayerSummary:
    """The statistics of one player."""

    accuracy: float | None
    """The mean accuracy of the turns with a choice, 0 to 100; None if there are no such turns."""
    choices: int
    """The number of turns with a choice."""
    mean_loss: float | None
    """The mean loss of these turns, 0 to 2."""
    inaccuracies: int
    """The number of inaccuracies."""
    mistakes: int
    """The number of mistakes that are not blunders."""
    blunders: int
    """The number of blunders."""


@dataclass(frozen=True)
class TurningPoint:
    """A turn after which a player leads, by 0.2 or more, who was not the last to lead."""

    turn: int
    """The number of the turn, from 1."""
    leader: int
    """Who leads after it: 0 (White) or 1."""


@dataclass(frozen=True)
class GameAnalysis:
    """A game with what every turn was worth. Values are for White, -1 to 1."""

    analyst: str
    """The agent that analysed it, and its effort."""
    variant: str
    """The rule set."""
    start: str
    """The position text of the start."""
    winner: int | None
    """The winner according to the record, 0 or 1; None if there is none."""
    turns: list[AnalysedTurn]
    """All turns in order."""
    value: float
    """The value of the position after the last turn."""
    players: tuple[PlayerSummary, PlayerSummary]
    """The statistics of White and Black."""
    mistakes: list[int]
    """The numbers of the turns with mistakes of any size, the largest loss first."""
    turning_points: list[TurningPoint]
    """The turns at which the lead changed hands."""
    left_book: int | None
    """The first turn after which the position is not in the book of the rule set; None if the game never left it."""
    text: str | None
    """The game with the analysis in comments, which `gipf record show` reads; None for push-off."""


_PLAYERS = {"white": 0, "black": 1}


def analyse_record(
    text: str,
    *,
    agent: str | PathLike[str] | None = None,
    variant: str | None = None,
    simulations: int | None = None,
    time: float | None = None,
    threads: int | None = None,
    multipv: int = 3,
) -> GameAnalysis:
    """Analyses the first game of a text: values, mistakes, accuracy, turning points. docs/analysis.md explains them.

    * `text`: a game in either published notation, with or without tags.
    * `agent`: the analysing agent, as for `Player`; by default the network shipped with the package, or the baseline AI
      if there is none.
    * `variant`: the rule set, if the text does not name it.
    * `simulations` (for alpha-beta: positions) and `time` (seconds) for each turn; one second if neither is given.
    * `threads`: the number of positions analysed at once; by default all cores. It changes no result unless a time
      limits the search.
    * `multipv`: the number of turns reported for each position, 1 to 50.

    Warns, by `UserWarning`, of what does not keep the text from being read: a result that contradicts the turns, a
    checksum that differs, an unfinished last turn, tags that are not understood.

    Raises `PositionError` if the text is not a game or names another rule set, `AgentError` if there is no such agent
    or it has no values, `GipfError` if a number is out of range.
    """
    if simulations is None and time is None:
        time = 1.0
    found, noted = _analyse_record(text, agent, variant, (simulations, time), threads, multipv)
    return _analysis(json.loads(found), noted)


def _analysis(found: dict[str, Any], noted: str | None) -> GameAnalysis:
    def looked_at(one: dict[str, Any]) -> LookedAt:
        return LookedAt(**one)

    def turn(one: dict[str, Any]) -> AnalysedTurn:
        candidates = [looked_at(candidate) for candidate in one["candidates"]]
        return AnalysedTurn(**{**one, "player": _PLAYERS[one["player"]], "candidates": candidates})

    white, black = (PlayerSummary(**player) for player in found["players"])
    return GameAnalysis(
        analyst=found["analyst"],
        variant=found["variant"],
        start=found["start"],
        winner=_PLAYERS.get(found["winner"]),
        turns=[turn(one) for one in found["turns"]],
        value=found["end"]["value"],
        players=(white, black),
        mistakes=found["mistakes"],
        turning_points=[TurningPoint(one["turn"], _PLAYERS[one["leader"]]) for one in found["turning_points"]],
        left_book=found["left_book"],
        text=noted,
    )
