"""The steps of sessions from page to page, told session by session."""

from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatchcase
from fractions import Fraction

from tests.query.brute.facts import CUSTOM, VIEW, Answer, Facts, Question, Row
from tests.query.brute.measures import half_up
from tests.query.brute.sessions import visits

Node = tuple[str, str]  # its type and its name
_KINDS = ("page", "event", "other", "end", "pattern")
_OTHER, _END = ("other", ""), ("end", "")


def journeys(
    facts: Facts,
    asked: Question,
    *,
    begins: Callable[[Row], bool] | None = None,
    backwards: bool = False,
    steps: int = 5,
    nodes: int = 8,
    patterns: tuple[str, ...] = (),
    events: bool = False,
) -> list[Row]:
    """The steps from the first event that `begins` a journey on, or back from the last."""
    ways = []
    for visit in visits(facts, asked):
        rows = [row for row in visit.in_order if row["kind"] == VIEW or _is_deed(row)]
        rows = rows[::-1] if backwards else rows
        rows = [row for row in rows if row["kind"] == VIEW or events or (begins is not None and begins(row))]
        if begins is not None:
            first = next((at for at, row in enumerate(rows) if begins(row)), len(rows))
            rows = rows[first:]
        way = [_node(row, patterns) for row in rows]
        ways.append([node for at, node in enumerate(way) if at == 0 or node != way[at - 1]][:steps])
    shown = [[_OTHER] * 0 for _ in range(steps)]
    for step in range(steps):
        counts = Counter(way[step] for way in ways if len(way) > step)
        place = lambda node: (-counts[node], _place(node, patterns))  # noqa: B023, E731
        shown[step] = sorted(counts, key=place)[:nodes]
    found: Counter[tuple[int, Node, Node]] = Counter()
    for way in ways:
        named = [node if node in shown[step] else _OTHER for step, node in enumerate(way)]
        for step, node in enumerate(named[: steps - 1]):
            found[step, node, named[step + 1] if step + 1 < len(named) else _END] += 1
    taken: Counter[tuple[int, Node]] = Counter()
    for (step, node, _), count in found.items():
        taken[step, node] += count

    def order(item: tuple[int, Node, Node]) -> tuple[object, ...]:
        step, node, following = item
        return (
            step,
            node == _OTHER,
            -taken[step, node],
            _place(node, patterns),
            following == _END,
            following == _OTHER,
            -found[item],
            _place(following, patterns),
        )

    return [
        {
            "step": step + 1,
            "node_type": node[0],
            "node": node[1],
            "next_type": following[0],
            "next": following[1],
            "sessions": found[step, node, following],
            "percentage": half_up(Fraction(100 * found[step, node, following], taken[step, node])),
        }
        for step, node, following in sorted(found, key=order)
    ]


def _place(node: Node, patterns: tuple[str, ...]) -> tuple[int, int, str]:
    """Equal nodes by their kinds, patterns by their places, others by name."""
    is_pattern = node[0] == "pattern"
    return _KINDS.index(node[0]), patterns.index(node[1]) if is_pattern else 0, "" if is_pattern else node[1]


def _node(row: Row, patterns: tuple[str, ...]) -> Node:
    if row["kind"] == CUSTOM:
        return "event", row["name"]
    matched = next((pattern for pattern in patterns if fnmatchcase(row["path"], pattern)), None)
    return ("pattern", matched) if matched is not None else ("page", row["path"])


def _is_deed(row: Row) -> bool:
    return bool(row["kind"] == CUSTOM and row["name"] != "$flag_evaluated")


ANSWERS: dict[str, Answer] = {"journeys": journeys}
