"""What flags gave visitors, and what these did afterwards (semantics: flags)."""

from fractions import Fraction
from math import sqrt
from statistics import NormalDist

from tests.query.brute.facts import CUSTOM, Answer, Facts, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.measures import first, half_up, last, people, share
from tests.query.brute.tables import Table, answers

_Z = NormalDist().inv_cdf(0.975)


def _result(facts: Facts, asked: Question) -> list[Row]:
    """The first exposure of each visitor decides; who was given several variants is in no rate."""
    (key,) = next(values for name, _, values in asked.filters if name == "flag")
    goals = next((values for name, _, values in asked.filters if name == "conversion"), None)
    others = [item for item in asked.filters if item[0] not in {"flag", "conversion"}]
    exposures: dict[int, list[Row]] = {}
    for row in facts["flag_exposures"]:
        if row["flag"] == key and row["visitor"] and asked.has(row["time"]) and passes(row, others):
            exposures.setdefault(row["visitor"], []).append(row)
    groups: dict[str, list[tuple[bool, bool]]] = {}
    for visitor, rows in exposures.items():
        earliest = min(rows, key=lambda row: (row["time"], row["id"]))
        did = any(
            row["visitor"] == visitor
            and row["kind"] == CUSTOM
            and not row["bot"]
            and row["name"] in (goals or ())
            and asked.has(row["time"])
            and row["time"] >= earliest["time"]
            for row in facts["events"]
        )
        groups.setdefault(earliest["variant"], []).append((len({row["variant"] for row in rows}) > 1, did))
    counts = {name: [did for mixed, did in own if not mixed] for name, own in groups.items()}
    control = min(groups, key=lambda name: (name != "control", name != "false", name), default="")
    ordered = sorted(groups, key=lambda name: (name != control, -len(counts[name]), name))
    whole = sum(map(len, groups.values()))
    rows = []
    for name in ordered:
        number, won = len(counts[name]), sum(counts[name])
        base_number, base_won = len(counts[control]), sum(counts[control])
        rate = _wilson(won, number) if goals and number else None
        compared = goals and name != control and number and base_number
        apart = _newcombe(won, number, base_won, base_number) if compared else None
        rows.append(
            {
                "variant": name,
                "is_given": True,
                "is_control": name == control,
                "visitors": number,
                "mixed_visitors": len(groups[name]) - number,
                "share": share(len(groups[name]), whole),
                "expected_share": None,  # a box without flags
                "expected_share_unknown": "unknown_flag",
                "sample_ratio_p_value": None,
                "conversions": won if goals else None,
                "conversion_rate": share(won, number) if goals and number else None,
                "conversion_rate_low": _percent(rate and rate[0]),
                "conversion_rate_high": _percent(rate and rate[1]),
                "difference": half_up(100 * (Fraction(won, number) - Fraction(base_won, base_number)))
                if compared
                else None,
                "difference_low": _percent(apart and apart[0]),
                "difference_high": _percent(apart and apart[1]),
                "p_value": _chance(won, number, base_won, base_number) if compared else None,
            }
        )
    return rows


def _percent(end: float | None) -> float | None:
    return None if end is None else half_up(Fraction(100 * end))


def _wilson(part: int, whole: int) -> tuple[float, float]:
    """The rates p for which the part lies within z deviations of p: the roots of (p̂ - p)² = z² p (1 - p) ÷ n."""
    square = _Z**2 / whole
    a, b, c = 1 + square, -(2 * part / whole + square), (part / whole) ** 2
    root = sqrt(max(b * b - 4 * a * c, 0))
    low, high = (-b - root) / (2 * a), (-b + root) / (2 * a)
    return (low if part else 0.0), (high if part < whole else 1.0)


def _newcombe(part: int, whole: int, other_part: int, other_whole: int) -> tuple[float, float]:
    (low, high), (other_low, other_high) = _wilson(part, whole), _wilson(other_part, other_whole)
    rate, other = part / whole, other_part / other_whole
    below = sqrt((rate - low) ** 2 + (other_high - other) ** 2)
    return rate - other - below, rate - other + sqrt((high - rate) ** 2 + (other - other_low) ** 2)


def _chance(part: int, whole: int, other_part: int, other_whole: int) -> float | None:
    both = (part + other_part) / (whole + other_whole)
    variance = both * (1 - both) * (1 / whole + 1 / other_whole)
    if not variance:
        return None
    normal = NormalDist(0, sqrt(variance))
    return half_up(Fraction(2 * normal.cdf(-abs(part / whole - other_part / other_whole))), 4)


ANSWERS: dict[str, Answer] = answers(
    {
        "flag_variants": Table(
            "flag_exposures",
            ("flag", "variant"),
            lambda key, rows, _whole: {
                "name": f"{key[0]}={key[1]}",
                "flag": key[0],
                "variant": key[1],
                "visitors": people(rows),
                "exposures": len(rows),
                "first_seen": first(rows),
                "last_seen": last(rows),
            },
            order=lambda _key, rows: people(rows),
        )
    }
) | {"flag_exposures": _result}
