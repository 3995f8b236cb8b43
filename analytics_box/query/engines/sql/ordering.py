"""The sort order of rows, as SQL: the order of the shown values, with unknown values last (semantics 22).

Texts are in the order of their code points on every engine. Ratios are sorted by the exact numbers, before they are
rounded.
"""

import json
from collections.abc import Callable

from analytics_box.base.money import CURRENCIES, MOST_PLACES, USUAL_PLACES
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.plan import Key, PlanOrder, Way


def _steps_of_currency() -> str:
    """The factor of an amount, with which amounts of all currencies have the same number of decimal places."""
    by_places: dict[int, list[str]] = {}
    for code, places in CURRENCIES.items():
        if places != USUAL_PLACES:
            by_places.setdefault(places, []).append(code)
    cases = " ".join(
        f"when {{1}} in ('{quoted}') then {10 ** (MOST_PLACES - places)}"
        for places, codes in by_places.items()
        for quoted in ("', '".join(codes),)
    )
    return f"case {cases} else {10 ** (MOST_PLACES - USUAL_PLACES)} end"


_STEPS_OF_CURRENCY = _steps_of_currency()
_WAYS: dict[Way, str] = {
    "text": "{0}",
    "digits": "cast({0} as varchar)",
    "id": "nullif({0}, 0)",
    "session": "coalesce(nullif({0}, ''), case when {1} = 0 then '' else printf('%016x', {1}) end)",
    "session_end": "{0} & 16777215",
    "device": "coalesce(nullif({0}, ''), 'desktop')",
    "ratio": "coalesce(cast({0} as double)/nullif({1}, 0), 0)",
    "mean": "cast({0} as double)/nullif({1}, 0)",
    "version": "rtrim(coalesce(nullif({0}, ''), 'Unknown') || ' ' || {1})",
    "place": "concat_ws(', ', {names})",
    "step": "{0} || ' → ' || {1}",
    "variant": "{0} || '=' || {1}",
    "coded": "code",
    "money": f"cast({{0}} as double) * {_STEPS_OF_CURRENCY}",
    "attributed": "case when {1} = 0 then 'Unattributed' else {0} end",
    "domain": "coalesce(code, case when instr({0}, '.') > 0 and instr({0}, ' ') = 0 then {0} end)",
}
_NUMBERS: frozenset[Way] = frozenset(("id", "session_end", "ratio", "mean", "money"))


def order_terms(order: tuple[PlanOrder, ...], sql_of: Callable[[str], str]) -> list[str]:
    """The terms of an order; `sql_of` is a name of the plan in SQL. What is not known comes last both ways."""
    return [f"{_key(item.key, sql_of)} {'desc' if item.descending else 'asc'} nulls last" for item in order]


def codes(order: tuple[PlanOrder, ...], sql_of: Callable[[str], str], values: Values) -> tuple[str, str]:
    """A table of codes, and the join that brings the `code` of what is sorted by it.

    It is made once, for SQLite would read the whole list again for each row.
    """
    for item in order:
        if not isinstance(item.key, str) and item.key.codes is not None:
            values["codes"] = json.dumps(item.key.codes())
            known = "with known as materialized (select key as coded, value as code from pairs_in(:codes))\n"
            return known, f"\nleft join known on coded = cast({sql_of(item.key.of[0])} as varchar)"
    return "", ""


def _key(key: Key, sql_of: Callable[[str], str]) -> str:
    if isinstance(key, str):
        return sql_of(key)
    parts = [sql_of(name) for name in key.of]
    made = _WAYS[key.way].format(*parts, names=", ".join(f"nullif({part}, '')" for part in parts))
    return made if key.way in _NUMBERS else f"nullif(nullif(nullif({made}, ''), 'Unknown'), 'unknown')"
