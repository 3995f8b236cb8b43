"""The drawing of journeys: columns of nodes, with a band for those who go from one to the next. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from analytics_box.query.catalog.types import Record

WIDTH, HEIGHT = 1000, 420
NODE_WIDTH: Final = 10
GAP: Final = 8
# A node is at least this high, so that it can be seen.
LEAST: Final = 3

# The step, the type and the name of a node.
Key = tuple[int, str, str]


class FlowNode(Struct, frozen=True):
    """A node with its sessions, and how many of them leave there or are lost from sight. `x`, `y` and `height` are in
    the drawing."""

    step: int
    type: str
    name: str
    sessions: int
    ended: int
    x: float
    y: float
    height: float


class FlowBand(Struct, frozen=True):
    """Sessions that go from one node to the next: a path in the drawing (SVG)."""

    start: Key
    end: Key
    sessions: int
    path: str


class FlowDrawing(Struct, frozen=True):
    """The nodes by column, and the bands between them."""

    columns: tuple[tuple[FlowNode, ...], ...]
    bands: tuple[FlowBand, ...]


def draw(rows: Sequence[Record], *, backwards: bool) -> FlowDrawing:
    """The drawing of the rows of the type journeys; backwards it ends at the right with their first step."""
    sizes, ended = node_sizes(rows)
    steps = max((step for step, _, _ in sizes), default=0)
    whole = max((sum(size for key, size in sizes.items() if key[0] == step) for step in range(1, steps + 1)), default=0)
    most = max((sum(key[0] == step for key in sizes) for step in range(1, steps + 1)), default=0)
    scale = (HEIGHT - GAP * most - LEAST * most) / whole if whole else 0
    columns, places = [], {}
    for step in range(1, steps + 1):
        y = 0.0
        column = []
        place = steps - step if backwards else step - 1
        x = place * (WIDTH - NODE_WIDTH) / max(1, steps - 1)
        for key in sorted(
            (key for key in sizes if key[0] == step), key=lambda key: (key[1] == "other", -sizes[key], key)
        ):
            height = LEAST + sizes[key] * scale
            node = FlowNode(
                step, key[1], key[2], sizes[key], ended.get(key, 0), round(x, 1), round(y, 1), round(height, 1)
            )
            column.append(node)
            places[key] = node
            y += height + GAP
        columns.append(tuple(column))
    return FlowDrawing(tuple(columns[::-1] if backwards else columns), tuple(_bands(rows, places, scale, backwards)))


def node_sizes(rows: Sequence[Record]) -> tuple[dict[Key, int], dict[Key, int]]:
    """The sessions at each node, and those of them that end there."""
    sizes: dict[Key, int] = {}
    ended: dict[Key, int] = {}
    last = max((row["step"] for row in rows), default=0)
    for row in rows:
        key = (row["step"], row["node_type"], row["node"])
        sizes[key] = sizes.get(key, 0) + row["sessions"]
        if row["next_type"] == "end":
            ended[key] = row["sessions"]
        elif row["step"] == last:
            following = (last + 1, row["next_type"], row["next"])
            sizes[following] = sizes.get(following, 0) + row["sessions"]
    return sizes, ended


def _bands(rows: Sequence[Record], places: dict[Key, FlowNode], scale: float, backwards: bool) -> list[FlowBand]:
    """The bands, each below those that were drawn before it at both of its nodes."""
    found = []
    left: dict[Key, float] = {}
    right: dict[Key, float] = {}
    for row in rows:
        start, end = (row["step"], row["node_type"], row["node"]), (row["step"] + 1, row["next_type"], row["next"])
        if row["next_type"] == "end" or end not in places:
            continue
        one, other = (places[end], places[start]) if backwards else (places[start], places[end])
        keys = (end, start) if backwards else (start, end)
        thick = max(1.0, row["sessions"] * scale)
        y1, y2 = one.y + left.get(keys[0], 0.0), other.y + right.get(keys[1], 0.0)
        left[keys[0]], right[keys[1]] = left.get(keys[0], 0.0) + thick, right.get(keys[1], 0.0) + thick
        x1, x2 = one.x + NODE_WIDTH, other.x
        middle = (x1 + x2) / 2
        path = (
            f"M{x1:.1f} {y1:.1f}C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
            f"V{y2 + thick:.1f}C{middle:.1f} {y2 + thick:.1f} {middle:.1f} {y1 + thick:.1f} {x1:.1f} {y1 + thick:.1f}Z"
        )
        found.append(FlowBand(start, end, row["sessions"], path))
    return found
