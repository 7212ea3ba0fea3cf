"""The board of GIPF in numbers, after section 1 of the rules: spots, lines, and the parts of a policy logit.

A point has coordinates (q, r): q is the column counted from e, a step north is (0, 1), north-east (1, 1), south-east
(1, 0). A spot lies at most three steps from the centre, a dot four.
"""

DIRECTIONS = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)]
KEEP, TAKE = 63, 64
# Six directions, one for rows, keep, take.
SPOT_OUTPUTS = 9
Point = tuple[int, int]


def radius(point: Point) -> int:
    """Returns the distance from the centre in steps."""
    q, r = point
    return max(abs(q), abs(r), abs(q - r))


def step(point: Point, direction: int) -> Point:
    """Returns the neighbour in a direction."""
    q, r = DIRECTIONS[direction]
    return point[0] + q, point[1] + r


POINTS = [(q, r) for q in range(-4, 5) for r in range(-4, 5)]
SPOTS = [point for point in POINTS if radius(point) <= 3]
DOTS = [point for point in POINTS if radius(point) == 4]
SPOT = {point: number for number, point in enumerate(SPOTS)}
# A push starts at a dot in a direction whose first step is a spot.
ENTRIES = [(dot, direction) for dot in DOTS for direction in range(6) if step(dot, direction) in SPOT]


def ray(dot: Point, direction: int) -> list[int]:
    """Returns the spots that follow a dot in a direction."""
    spots, point = [], step(dot, direction)
    while point in SPOT:
        spots.append(SPOT[point])
        point = step(point, direction)
    return spots


# The lines as seen from their first dot: seven north, seven north-east, seven south-east.
LINES = [ray(dot, axis) for axis in range(3) for dot in DOTS if step(dot, axis) in SPOT]
LENGTHS = [4, 5, 6, 7]
LINES_BY_LENGTH = [[line for line in range(21) if len(LINES[line]) == length] for length in LENGTHS]


def taps(spot: int) -> list[int | None]:
    """Returns a spot and its six neighbours; none beyond the edge of the board."""
    return [spot] + [SPOT.get(step(SPOTS[spot], direction)) for direction in range(6)]


def policy_terms(push_paths: bool = False) -> list[tuple[list[tuple[int, int]], tuple[int, int] | None]]:
    """Returns, for each push and each row, the outputs at spots and the output of a line whose sum is its logit.

    At a spot: six directions, one for rows, keep, take, and with `push_paths` six directions in which a push passes. Of
    a line: pushed at its first end, pushed at its last end, its row.
    """
    terms: list[tuple[list[tuple[int, int]], tuple[int, int] | None]] = []
    for dot, direction in ENTRIES:
        spots = ray(dot, direction)
        line = next(line for line, of_line in enumerate(LINES) if sorted(of_line) == sorted(spots))
        passed = [(spot, SPOT_OUTPUTS + direction) for spot in spots] if push_paths else []
        terms.append(([(spots[0], direction), *passed], (line, direction // 3)))
    terms.extend(([(spot, 6) for spot in spots], (line, 2)) for line, spots in enumerate(LINES))
    return terms
