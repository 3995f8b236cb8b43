"""Formats of numbers on pages: thousands separators, percent with one decimal, durations as "1 m 12 s"."""

import math
import unicodedata
from decimal import ROUND_HALF_UP, Decimal

NBSP = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
LONGEST_TEXT = 500


def round_half_up(value: float, digits: int = 0) -> Decimal:
    """A number with this many decimals, rounded half up as in the answers of the API."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def whole(value: float) -> int:
    """The nearest whole number, rounded half up."""
    return int(round_half_up(value))


def count(value: float) -> str:
    """A whole number: 31,482."""
    return f"{whole(value):,}".replace("-", MINUS)


def difference(value: float) -> str:
    """A difference with its sign: +3,914, −310."""
    sign = "+" if value > 0 else MINUS
    return f"{sign}{count(abs(value))}"


def tenths(value: float) -> float:
    """A number with one decimal, as percentages are shown."""
    return float(round_half_up(value, 1))


def share(value: float) -> str:
    """A percentage next to a bar: from ten on without a decimal."""
    if 10 <= value < 99.5:
        return f"{whole(value)}{NBSP}%"
    return percent(value)


def percent(value: float) -> str:
    """A percentage with one decimal: 41.3 %. What there is of something is never 0 %, nor most of it all."""
    if 0 < value < 0.05:
        return f"<0.1{NBSP}%"
    if 99.95 <= value < 100:
        return f">99.9{NBSP}%"
    return f"{tenths(value):,.1f}{NBSP}%".replace("-", MINUS)


def uptime(value: float) -> str:
    """A percentage with two decimals that is never rounded up, so that 100 % means all of it: 99.99 %."""
    hundredths = int(value * 100 + 1e-9)
    return f"{hundredths // 100}.{hundredths % 100:02d}{NBSP}%" if hundredths < 10_000 else f"100{NBSP}%"


def milliseconds(value: float) -> str:
    """A response time: <1 ms, 84 ms, 1.24 s, 12.4 s."""
    if 0 < value < 0.5:
        return f"<1{NBSP}ms"
    if value < 999.5:
        return f"{whole(value)}{NBSP}ms"
    return f"{round_half_up(value / 1000, 2 if value < 9_995 else 1)}{NBSP}s"


def duration(seconds: float) -> str:
    """A duration in its two largest units, without those that are zero: 12 s, 1 m 12 s, 45 m, 2 h 5 m."""
    if seconds < 0 and whole(seconds):
        return MINUS + duration(-seconds)
    minutes, rest = divmod(whole(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    units = ((hours, "h"), (minutes_left, "m")) if hours else ((minutes, "m"), (rest, "s"))
    return NBSP.join(f"{count}{NBSP}{unit}" for count, unit in units if count) or f"0{NBSP}s"


def size(number: float) -> str:
    """A number of bytes: 12 KB, 1.5 MB, 2 GB."""
    if number >= 1_000_000_000:
        return f"{number / 1_000_000_000:,.1f}".removesuffix(".0") + " GB"
    if number >= 100_000:
        return f"{number / 1_000_000:,.1f}".removesuffix(".0") + " MB"
    return f"{math.ceil(number / 1_000)} KB"


def visible(text: str) -> str:
    """Text that strangers chose, with what cannot be seen spelled out (\\u202e) and the ends trimmed.

    Escaping keeps it from being markup; this keeps it from reordering or hiding what is read. Joiners stay, because
    scripts and emoji need them.
    """
    kept = text.strip()[:LONGEST_TEXT]
    if kept.isprintable():  # as nearly all are
        return kept
    return "".join(f"\\u{ord(letter):04x}" if _unseen(letter) else letter for letter in kept)


def _unseen(letter: str) -> bool:
    return letter not in JOINERS and unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def bar_width(value: float, largest: float) -> str:
    """The class w0 … w100 that draws a bar of value in a list whose longest bar is `largest`.

    A class, because the content security policy forbids style attributes. What exists is never drawn as nothing.
    """
    if value <= 0 or largest <= 0:
        return "w0"
    return f"w{min(100, max(1, round(value / largest * 100)))}"
