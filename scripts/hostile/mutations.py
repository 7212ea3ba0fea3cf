"""Changes to the bytes of a file, of the kinds made by faults, editors and attackers."""

import random
from collections.abc import Callable

Change = Callable[[bytes, bytes, random.Random], bytes]


def span(length: int, rng: random.Random) -> tuple[int, int]:
    """Returns a random piece: mostly short, sometimes of any length."""
    start = rng.randrange(length)
    longest = length if rng.random() < 0.3 else 80
    return start, min(length, start + rng.randint(1, longest))


def flip(sound: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Flips one to three bits."""
    changed = bytearray(sound)
    for _ in range(rng.randint(1, 3)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def scribble(sound: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Writes random bytes over a piece."""
    start, end = span(len(sound), rng)
    return sound[:start] + rng.randbytes(end - start) + sound[end:]


def retype(sound: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Replaces a byte by another that can be typed."""
    place = rng.randrange(len(sound))
    return sound[:place] + bytes([rng.randint(32, 126)]) + sound[place + 1 :]


def truncate(sound: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Cuts off the end, or the beginning."""
    place = rng.randrange(len(sound))
    return sound[:place] if rng.random() < 0.8 else sound[place:]


def splice(sound: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Copies a piece over another place."""
    start, end = span(len(sound), rng)
    place = rng.randrange(len(sound))
    return sound[:place] + sound[start:end] + sound[place + end - start :]


def cross(sound: bytes, other: bytes, rng: random.Random) -> bytes:
    """Continues like another valid file from some point on."""
    place = rng.randint(1, max(1, min(len(sound), len(other)) - 1))
    return sound[:place] + other[place:] if rng.random() < 0.5 else other[:place] + sound[place:]


def insert(sound: bytes, other: bytes, rng: random.Random) -> bytes:
    """Inserts random bytes, or a piece of this or another file."""
    start, end = span(len(sound), rng)
    piece = rng.choice([rng.randbytes(end - start), sound[start:end], other[start:end]])
    place = rng.randint(0, len(sound))
    return sound[:place] + piece + sound[place:]


def delete(sound: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Removes a piece."""
    start, end = span(len(sound), rng)
    return sound[:start] + sound[end:]


def lines(sound: bytes, other: bytes, rng: random.Random) -> bytes:
    """Doubles, drops or moves a line, or takes one from another file."""
    own, foreign = sound.splitlines(keepends=True), other.splitlines(keepends=True)
    one, two = rng.randrange(len(own)), rng.randrange(len(own))
    match rng.randrange(4):
        case 0:
            own.insert(two, own[one])
        case 1:
            own.pop(one)
        case 2:
            own[one], own[two] = own[two], own[one]
        case _:
            own[one] = rng.choice(foreign)
    return b"".join(own)


def number(sound: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Replaces a digit by another one, or a number by one that is hard to handle."""
    digits = [place for place, byte in enumerate(sound) if 48 <= byte < 58]
    if not digits:
        return flip(sound, _other, rng)
    place = rng.choice(digits)
    hard = [b"-1", b"0", b"1e400", b"nan", b"18446744073709551616", b"9" * 40, b"4294967296"]
    new = rng.choice(hard) if rng.random() < 0.5 else str(rng.randrange(10)).encode()
    return sound[:place] + new + sound[place + 1 :]


CHANGES: tuple[Change, ...] = (flip, scribble, retype, truncate, splice, cross, insert, delete, lines, number)


def changed(sound: bytes, other: bytes, rng: random.Random) -> tuple[str, bytes]:
    """Returns the name of a random change and the changed file, which is never the file itself, nor the other one."""
    while True:
        change = rng.choice(CHANGES)
        made = change(sound, other, rng)
        if made not in (sound, other):
            return change.__name__, made
