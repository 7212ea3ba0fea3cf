"""Many positions at once, several actions for each, and recorded games."""

import random
from pathlib import Path

import pytest

import gipf

EXAMPLE = "1.Ge2/Gd1-f2 2.Gd2/Ge8 3.Gd1-g2/Gg1-e3 4.c1-f3/Ge1-e4 1-0"


def positions(count: int, variant: str = "standard") -> list[gipf.State]:
    rng, states = random.Random(3), []
    while len(states) < count:
        state = gipf.State(variant)
        for _ in range(rng.randrange(30)):
            if not state.is_over:
                state.apply(rng.choice(state.legal_actions()))
        if not state.is_over:
            states.append(state)
    return states


@pytest.mark.parametrize("name", ["alpha-beta:2", "pretrained:sims=20", "greedy"])
def test_a_list_is_analysed_as_each_of_it_on_any_number_of_threads(name):
    states, player = positions(12), gipf.Player(name, seed=4)
    found = player.analyse(states, multipv=3)
    assert isinstance(found, list) and len(found) == 12
    for state, analysis in zip(states, found, strict=True):
        player.new_game(4)
        alone = player.analyse(state, multipv=3)
        assert (alone.action, alone.value, alone.line) == (analysis.action, analysis.value, analysis.line)
        assert alone.alternatives == analysis.alternatives
        action, value, _, line = analysis.alternatives[0]
        assert action == analysis.action and line[0] == action and (value is None) == (name == "greedy")
        assert 1 <= len(analysis.alternatives) <= 3
    again = player.analyse(states, multipv=3, threads=3)
    assert [one.alternatives for one in again] == [one.alternatives for one in found]
    assert player.analyse([]) == []


def test_what_cannot_be_analysed_is_refused():
    player = gipf.Player("alpha-beta:1")
    with pytest.raises(gipf.AgentError, match="basic"):
        player.analyse([gipf.State(), gipf.State("basic")])
    for arguments in [{"threads": 0}, {"multipv": 0}, {"multipv": 401}, {"threads": 10**30}]:
        with pytest.raises(gipf.GipfError):
            player.analyse([gipf.State()], **arguments)
    with pytest.raises(TypeError):
        player.analyse(["a state"])


def test_an_evaluator_of_python_analyses_lists():
    import numpy as np

    def evaluate(observations):
        return np.zeros((len(observations), gipf.action_space("standard")), np.float32), np.zeros(
            len(observations), np.float32
        )

    player = gipf.Player.from_evaluator(evaluate, 8)
    assert [one.nodes for one in player.analyse(positions(3), multipv=2)] == [8, 8, 8]


def test_alpha_beta_says_what_it_has_proven_and_the_line_of_its_choice():
    state = gipf.State(gpn="basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0")
    found = gipf.Player("alpha-beta:8", variant="basic").analyse(state, multipv=4)
    assert (found.value, found.proven) == (1.0, 1)
    for state in positions(4):
        found = gipf.Player("alpha-beta:4").analyse(state, multipv=4)
        assert found.proven == found.alternatives[0][2]
        assert tuple(found.line) == tuple(found.alternatives[0][3]) and found.line[0] == found.action


def test_a_record_is_analysed():
    found = gipf.analyse_record(EXAMPLE, agent="alpha-beta:8", simulations=300, threads=2)
    assert (found.variant, found.winner, len(found.turns)) == ("tournament", 0, 8)
    assert found == gipf.analyse_record(EXAMPLE, agent="alpha-beta:8", simulations=300)
    for turn in found.turns:
        assert -1 <= turn.value <= 1 and 0 <= turn.loss <= 2 and 1 <= len(turn.candidates) <= 3
        assert turn.severity == ("blunder" if turn.loss >= 0.3 else turn.severity)
    assert found.turns[1].player == 1 and found.turns[0].played == "Ge2"
    assert all(0 <= player.accuracy <= 100 for player in found.players)
    assert found.text.startswith(EXAMPLE) and "\n% Turn 1, White Ge2: " in found.text
    # Comments do no harm, and are replaced.
    assert gipf.analyse_record(found.text, agent="alpha-beta:8", simulations=300) == found


# A game of basic, but the turns alone do not show that.
TURNS = "1.b4 b1-b3 2.a4-c6 b6-d6"


def test_the_rule_set_asked_for_is_that_of_a_text_that_does_not_tell():
    def start(text, **options):
        found = gipf.analyse_record(text, agent="alpha-beta:1", simulations=5, **options)
        return found.variant, found.start

    started = gipf.State("basic").gpn()
    assert start(TURNS, variant="basic") == ("basic", started)
    after = gipf.State("basic")
    for text in TURNS[2:].split()[:2]:
        after.apply(after.string_to_action(text))
    later = f'[Start "{after.gpn()}"]\n\n1.a4-c6 b6-d6'
    assert start(later, variant="basic") == start(later) == ("basic", after.gpn())
    for text in (f'[Variant "basic"]\n\n{TURNS}', later):
        with pytest.raises(gipf.PositionError, match="variant standard: expected basic, as the text says"):
            start(text, variant="standard")
    # The limit in the tags applies as well.
    assert start(f'[Variant "basic"]\n[PlacementLimit "9"]\n\n{TURNS}') == ("basic", started)
    with pytest.raises(gipf.PositionError, match="the game is over"):
        start(f'[Variant "basic"]\n[PlacementLimit "2"]\n\n{TURNS}')


def test_what_is_odd_in_a_text_is_warned_of():
    sealed = f'[Checksum "0123456789abcdef"]\n\n{TURNS}\n'
    row = '[Start "standard g2G/5/6/GSS4/6/5/g2G w 10 12 - 0 0"]\n[Decisions "20"]\n\n*\n'
    odd = {
        f'[Result "1-0"]\n\n{TURNS}\n*\n': "the tag Result says 1-0, but by the turns nobody has won",
        sealed: "not as it was written: its checksum differs",
        row: "the last turn is not finished",
    }
    for text, told in odd.items():
        with pytest.warns(UserWarning, match=told) as caught:
            gipf.analyse_record(text, agent="alpha-beta:1", simulations=5)
        assert [warning.filename for warning in caught] == [__file__]


def test_texts_that_are_no_games_are_refused():
    for text in ["", "1.e2/e2", "% a comment", '[Start "nonsense"]\n1.e2', '[Variant "chess"]\n1.e2']:
        with pytest.raises(gipf.PositionError):
            gipf.analyse_record(text, simulations=1)
    with pytest.raises(gipf.AgentError, match="greedy has no values"):
        gipf.analyse_record(EXAMPLE, agent="greedy")
    with pytest.raises(gipf.GipfError, match="multipv 51: expected 1 to 50"):
        gipf.analyse_record(EXAMPLE, multipv=51)


def test_the_documentation_names_it():
    root = Path(__file__).parents[1]
    assert "analyse_record" in (root / "README.md").read_text()
