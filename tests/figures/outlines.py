"""Where countries are in web/static/vendor/world.svg: `python -m tests.figures.outlines` prints the table of
dashboard/outlines.py."""

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import fill

import analytics_box

FILE = Path(analytics_box.__file__).parents[1] / "web/static/vendor/world.svg"
Point = tuple[int, int]


def outlines() -> dict[str, tuple[int, int, int, int]]:
    """The box around the largest piece of each country, by its code: left, top, right, bottom."""
    drawn = FILE.read_text(encoding="utf-8")
    found = {
        code: _box(max(_pieces(path), key=_area)) for code, path in re.findall(r'<path id="(\w+)" d="([^"]*)"', drawn)
    }
    for code, radius, *centre in re.findall(r'<circle id="(\w+)" r="(\d+)" cx="(\d+)" cy="(\d+)"', drawn):
        (x, y), r = map(int, centre), int(radius)
        found[code] = x - r, y - r, x + r, y + r
    return found


def _pieces(path: str) -> Iterator[list[Point]]:
    """The rings of a path of relative points: each begins where the one before did."""
    x = y = 0
    for ring in re.findall(r"m[^z]*z", path):
        points: list[Point] = []
        for dx, dy in re.findall(r"[ml](-?\d+) ?(-?\d+)", ring):
            x, y = x + int(dx), y + int(dy)
            points.append((x, y))
        yield points
        x, y = points[0]


def _area(points: list[Point]) -> int:
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*points, points[0]])))


def _box(points: list[Point]) -> tuple[int, int, int, int]:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


if __name__ == "__main__":
    sys.stdout.write(fill(", ".join(" ".join((code, *map(str, box))) for code, box in sorted(outlines().items())), 118))
