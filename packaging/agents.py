"""Turn ua-parser's patterns of browsers and systems into the data file that the box loads.

    python packaging/agents.py > analytics_box/web/recognition/data/agents.json

Reads PyPI `ua-parser-builtins`, which has uap-core's list (Apache-2.0). Each pattern gets its `needs`: pieces of text,
in lower case, of which a User-Agent has one if the pattern fits, so that the box compiles a pattern when there is one.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from re import _constants, _parser  # type: ignore[attr-defined]  the standard library's own reader of patterns
from typing import Any

from ua_parser.loaders import load_lazy_builtins

FIELDS = ("regex", "family", "major", "minor", "patch", "patch_minor")
Needs = tuple[str, ...]
# What most people's browsers say, in lower case: pieces of it tell little.
COMMON = (
    "mozilla/5.0 (windows nt 10.0; win64; x64; rv:1.0) gecko/20100101 firefox/1.0",
    "mozilla/5.0 (linux; android 1; k) applewebkit/5.0 (khtml, like gecko) version/4.0 chrome/1.0 mobile safari/5.0",
    "mozilla/5.0 (iphone; cpu iphone os 1_0 like mac os x) applewebkit/6.0 (khtml, like gecko) version/1.0 mobile/1"
    " safari/6.0",
)


def main() -> None:
    """Print {version, browsers, systems}; rows are [the six fields of a pattern, its needs]."""
    browsers, systems, _ = load_lazy_builtins()
    found = {
        "version": version("ua-parser-builtins"),
        "browsers": [row(matcher) for matcher in browsers],
        "systems": [row(matcher) for matcher in systems],
    }
    json.dump(found, sys.stdout, ensure_ascii=False, indent=0)
    sys.stdout.write("\n")


def row(matcher: object) -> list[object]:
    """A line of the file."""
    fields = [getattr(matcher, name) or None for name in FIELDS]
    return [*fields, sorted(set(needs(_parser.parse(str(fields[0])), exact=True)))]


def needs(pattern: Iterable[Any], *, exact: bool) -> Needs:
    """The best of what a parsed pattern cannot do without; nothing where no text is sure. Letters that fit in either
    case as a flag says are not `exact`, because they may be more than two."""
    found: list[Needs] = []
    run = ""
    for operation, value in [*pattern, (None, None)]:
        letters = sure(operation, value, exact=exact)
        if letters:
            run += letters
            continue
        found.append((run,) if run else ())
        run = ""
        if operation is _constants.SUBPATTERN:
            _, flags, _, inside = value
            found.append(needs(inside, exact=exact and not flags & re.IGNORECASE))
        elif operation is _constants.BRANCH:
            branches = [needs(branch, exact=exact) for branch in value[1]]
            found.append(tuple(need for branch in branches for need in branch) if all(branches) else ())
        elif operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT) and value[0]:
            found.append(needs(value[2], exact=exact))
    return max(found, key=worth)


def sure(operation: object, value: Any, *, exact: bool) -> str:
    """What text one part of a pattern stands for, in lower case, where it is one."""
    if not exact:
        return ""
    if operation is _constants.LITERAL:
        return lower((value,))
    if operation is _constants.IN and all(kind is _constants.LITERAL for kind, _ in value):
        return lower([code for _, code in value])
    if operation is _constants.SUBPATTERN and not value[1]:
        letters = [sure(*part, exact=True) for part in value[3]]
        return "".join(letters) if all(letters) else ""
    return ""


def lower(codes: Sequence[int]) -> str:
    """The one letter that all of these are in lower case; empty where they are several."""
    letters = {chr(code).lower() for code in codes}
    return letters.pop() if len(letters) == 1 and max(codes) < 0x80 else ""


def worth(some: Needs) -> tuple[bool, bool, int, int]:
    """More is better: pieces that few browsers say, long ones, and few of them."""
    if not some:
        return (False, False, 0, 0)
    rare = not any(piece in header for piece in some for header in COMMON)
    return (True, rare, min(map(len, some)), -len(some))


if __name__ == "__main__":
    main()
