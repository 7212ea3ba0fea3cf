"""Lines for an engine: valid ones, broken ones, and bytes that are not a line at all."""

import random

AGENTS = """random greedy alpha-beta:1 alpha-beta:2 alpha-beta:time=3ms alpha-beta:nodes=200,eval=terms level:1 level:4
    pretrained:sims=4 pretrained:time=3ms run mcts:run,sims=8 mcts:run,time=2ms run/checkpoints/000001.safetensors
    alpha-beta:9 level:0 mcts: no-such-file run/metrics.jsonl alpha-beta:time=-1ms mcts:run,sims=0 pretrained:sims=x"""
VARIANTS = "basic standard tournament basic+zertz standard+zertz tournament+zertz push-off Standard chess 4".split()
OPTIONS = "Variant Agent Seed PlacementLimit Potentials plylimit Hash value".split()
STARTS = (
    "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0",
    "basic s2S/5/6/S5s/6/5/s2S w 12 12 - 0 0",
    "basic s2S/5/6/S5s/6/5/s2S b 12 12 - 0 0",
    "basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0",
    "standard 1S2/1S3/sSSS2/SsGgSsS/s5/5/4 b 5 3 - 0 0",
    "standard 4/5/6/7/6/5/4 w 0 0 - 0 0",
    "push-off g2G/5/6/G5g/6/5/g2G w 18 18 - 0 0",
)
MOVES = "e2 e1-e4 a1-b2 Ge2 Gd1-d2 i5-g5 a1-c3 b4 h4 g7-e7 a1-f5;xb2,c3,d4,e5,f5* 0000 e5-e1 xb2".split()
NUMBERS = "0 1 2 5 17 100 -1 -5 1e3 x 99999999999999999999999 0x10 +3 1.5 18446744073709551615".split()
COMMANDS = "ugi isready setoption uginewgame position go ponderhit stop query UGI uci fen name".split()


class Speaker:
    """Chooses what to send."""

    def __init__(self, rng: random.Random) -> None:
        """Draws from this generator."""
        self.rng = rng

    def line(self, position: bytes) -> bytes:
        """Returns a line for an engine at this position, without its line feed."""
        pick = self.rng.random()
        if pick < 0.55:
            return self.sound(position)
        if pick < 0.9:
            return self.broken(self.sound(position))
        return self.garbage()

    def sound(self, position: bytes) -> bytes:
        """Returns a line that is probably valid."""
        rng = self.rng
        kinds = [self.go, self.go, self.option, self.option, self.position, self.question]
        line = rng.choice([*kinds, lambda: position.decode(errors="replace") + " " + rng.choice(MOVES)])()
        return line.encode(errors="replace").replace(b"\n", b" ")

    def go(self) -> str:
        """Returns a `go` with limits of all kinds, most of them small."""
        rng = self.rng
        limits = ["p1time", "p2time", "p1inc", "p2inc", "movetime", "nodes", "depth"]
        said = [f"{rng.choice(limits)} {self.number()}" for _ in range(rng.randrange(4))]
        said += ["infinite"] if rng.random() < 0.25 else []
        said += [rng.choice(["ponder", "mate 3", "searchmoves e2"])] if rng.random() < 0.05 else []
        return " ".join(["go", *said])

    def number(self) -> str:
        """Returns a number, or something that is not one."""
        return self.rng.choice(NUMBERS) if self.rng.random() < 0.2 else str(self.rng.randint(1, 40))

    def option(self) -> str:
        """Returns a `setoption`."""
        name = self.rng.choice(OPTIONS)
        values = {"Agent": AGENTS.split(), "Variant": VARIANTS}.get(name, NUMBERS)
        return f"setoption name {name} value {self.rng.choice(values)}"

    def position(self) -> str:
        """Returns a `position`, with turns that may be legal."""
        rng = self.rng
        start = "startpos" if rng.random() < 0.5 else f"fen {rng.choice(STARTS)}"
        turns = [rng.choice(MOVES) for _ in range(rng.randrange(4))]
        return f"position {start}" + (f" moves {' '.join(turns)}" if turns else "")

    def question(self) -> str:
        """Returns a line without limits or values."""
        asked = ["query p1turn", "query gameover", "query result", "query legal", "query position", "query", "query x"]
        return self.rng.choice(["isready", "ugi", "uginewgame", "stop", *asked])

    def broken(self, line: bytes) -> bytes:
        """Returns a line with a change."""
        rng = self.rng
        said = line.split(b" ")
        place = rng.randrange(len(said))
        match rng.randrange(7):
            case 0:
                said.pop(place)
            case 1:
                said.insert(place, rng.choice(said))
            case 2:
                rng.shuffle(said)
            case 3:
                said[place] = rng.randbytes(rng.randrange(9))
            case 4:
                said[place] = said[place] * rng.choice([2, 100])
            case 5:
                said.append(rng.choice([b"\r", b"\t", b"\0", b"\xff", "\u2028".encode(), b"\x1b[2J"]))
            case _:
                change = bytearray(line)
                change[rng.randrange(len(change))] ^= 1 << rng.randrange(8)
                said = [bytes(change)]
        return b" ".join(said).replace(b"\n", b"")

    def garbage(self) -> bytes:
        """Returns a line of nonsense."""
        rng = self.rng
        word = rng.choice(COMMANDS).encode()
        many = [b"x" * 70_000, word + b" " + b"e2 " * 25_000, b" " * 66_000, word + b" 1" * 10_000, b"\xf0\x9f" * 500]
        noise = rng.randbytes(60).replace(b"\n", b"")
        return rng.choice([b"", b"\0" * 40, word, word + b"\0", noise, rng.choice(many)])
