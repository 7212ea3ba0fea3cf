"""The hash function BLAKE3, in its plain form, after the paper: Python's standard library lacks it."""

import struct

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
# The words that each of the eight steps of a round mixes: columns, then diagonals.
STEPS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
STEPS += ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
CHUNK, BLOCK, WORD = 1024, 64, 0xFFFFFFFF

Words = tuple[int, ...]
# The input of the last compression of a node: chaining value, block, counter, length of the block, flags.
Node = tuple[Words, Words, int, int, int]


def compress(node: Node) -> Words:
    """Returns the chaining value of a node."""
    chain, block, counter, length, flags = node
    s = [*chain, *IV[:4], counter & WORD, counter >> 32, length, flags]
    for turn in range(7):
        for number, (a, b, c, d) in enumerate(STEPS):
            for word, turns in ((block[2 * number], (16, 12)), (block[2 * number + 1], (8, 7))):
                s[a] = (s[a] + s[b] + word) & WORD
                mixed = s[d] ^ s[a]
                s[d] = (mixed >> turns[0] | mixed << 32 - turns[0]) & WORD
                s[c] = (s[c] + s[d]) & WORD
                mixed = s[b] ^ s[c]
                s[b] = (mixed >> turns[1] | mixed << 32 - turns[1]) & WORD
        block = tuple(block[place] for place in ORDER) if turn < 6 else block
    return tuple(s[place] ^ s[place + 8] for place in range(8))


def chunk(data: bytes, number: int) -> Node:
    """Returns the node of a chunk of at most 1024 bytes."""
    chain, start = IV, CHUNK_START
    blocks = [data[place : place + BLOCK] for place in range(0, len(data), BLOCK)] or [b""]
    for block in blocks[:-1]:
        chain, start = compress((chain, struct.unpack("<16I", block), number, BLOCK, start)), 0
    last = struct.unpack("<16I", blocks[-1].ljust(BLOCK, b"\0"))
    return chain, last, number, len(blocks[-1]), start | CHUNK_END


def tree(data: bytes, number: int) -> Node:
    """Returns the node of any data, whose first chunk has this number."""
    if len(data) <= CHUNK:
        return chunk(data, number)
    left = 1 << ((len(data) - 1) // CHUNK).bit_length() - 1
    nodes = tree(data[: left * CHUNK], number), tree(data[left * CHUNK :], number + left)
    return IV, compress(nodes[0]) + compress(nodes[1]), 0, BLOCK, PARENT


def blake3(data: bytes) -> str:
    """Returns the digest of 32 bytes in hexadecimal digits."""
    chain, block, counter, length, flags = tree(data, 0)
    return struct.pack("<8I", *compress((chain, block, counter, length, flags | ROOT))).hex()
