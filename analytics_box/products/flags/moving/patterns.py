"""Regular expressions of other products: those that their SDKs and RE2 read alike, in RE2's words. Pure.

SDKs use the regular expressions of their language: JavaScript, Python, Go, Rust. What only some of them know, or read
differently, is none here: flags in groups, lookaround, backreferences, classes inside classes, codes of characters.
"""

import re
from typing import Final

# JavaScript reads `\s` as these.
SPACES: Final = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
ASCII_SPACES: Final = r"\t\n\v\f\r "
_SHARED: Final = re.compile(
    r"""
    (?P<escape>\\(?:[dDwWsSbBnrtfv]|[^\w\s]))
    |(?P<class>\[\^?(?:\\(?:[dDwWsnrtfv]|[^\w\s])|[^\[\]\\])+\])
    |(?P<open>\((?:\?:)?(?!\?))
    |(?P<close>\))
    |(?P<anchor>[\^$|])
    |(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})\??)
    |(?P<one>[^\\\[\](){}*+?^$|])
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)
# Letters with a lower case whose own upper case is another letter.
_CAPITALS: Final = {"θ": "ϴ", "ß": "ẞ", "ω": "Ω", "k": "\N{KELVIN SIGN}", "å": "\N{ANGSTROM SIGN}"}
# The lower case of these letters depends on their neighbours.
_UNSTEADY: Final = frozenset("σς\N{COMBINING DOT ABOVE}")
# Rust and JavaScript read these as operations on classes.
_SETS: Final = re.compile(r"&&|--|~~|\|\|")


def in_re2(text: str, spaces: str) -> str | None:
    """Return the pattern in RE2's words; None if it is one that SDKs read differently."""
    found, place, repeatable = [], 0, False
    while place < len(text):
        part = _SHARED.match(text, place)
        if part is None:
            return None
        kind, said = part.lastgroup, part.group()
        if kind == "repeat" and not repeatable:
            return None
        if kind == "class" and _SETS.search(said):
            return None
        found.append(_part_in_re2(kind, said, spaces))
        repeatable = kind in {"class", "close", "one"} or (kind == "escape" and said not in {r"\b", r"\B"})
        place = part.end()
    return "".join(found)


def _part_in_re2(kind: str | None, said: str, spaces: str) -> str:
    if kind == "escape" and said in {r"\s", r"\S"}:
        return f"[{spaces}]" if said == r"\s" else f"[^{spaces}]"
    return re.sub(r"\\(.)", lambda one: spaces if one[1] == "s" else one[0], said) if kind == "class" else said


def of_lower_case(text: str, *, goes_on: bool) -> str | None:
    """Return a pattern for texts whose lower case is that of a text; None if that depends on neighbouring letters.

    RE2's own `(?i)` finds more: a long s for an s, a micro sign for a mu. `goes_on` says that other text can follow.
    """
    lower = text.lower()
    if not _UNSTEADY.isdisjoint(lower):
        return None
    found = [_letter(one) for one in lower]
    if goes_on and lower.endswith("i"):
        # The lower case of the dotted capital is an i and a dot, and the dot can follow.
        found[-1] = "[iI\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}]"
    return "".join(found)


def _letter(lower: str) -> str:
    if lower == "s":
        # RE2 also finds a long s for [sS] if there are other alternatives.
        return "(?:s|S)"
    letters = dict.fromkeys((lower, lower.upper(), lower.title(), _CAPITALS.get(lower, "")))
    same = [one for one in letters if len(one) == 1 and one.lower() == lower]
    return f"[{''.join(same)}]" if len(same) > 1 else re.escape(lower)
