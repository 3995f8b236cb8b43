"""Conditions as SQL. Columns come from the filters' table, never from a request; values are always bound."""

import json
from collections.abc import Sequence

from analytics_box.query import happened
from analytics_box.query.catalog.values import id_number
from analytics_box.query.engines.sql import happenings
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import SITES, WHO
from analytics_box.query.engines.sql.texts import Values, bind, string_matches, text
from analytics_box.query.filters import ConditionGroup, FilterCondition, Where


def render(where: Where, values: Values, dialect: Dialect) -> str:
    """A condition or a group of them; its values are added to `values`."""
    if isinstance(where, ConditionGroup):
        return join_group(where, [render(item, values, dialect) for item in where.items])
    if where.column in happened.COLUMNS:
        found = happenings.select_facts(where, values, dialect)
    elif where.column in _TRANSLATED:
        found = _TRANSLATED[where.column](where, values)
    else:
        found = _string_condition(where, values, dialect)
    return f"not {found}" if where.negated else found


def join_group(group: ConditionGroup, parts: Sequence[str]) -> str:
    """A group of conditions, of which these are the parts."""
    text = "(" + (" or " if group.any else " and ").join(parts) + ")"
    return f"not {text}" if group.negated else text


def _string_condition(condition: FilterCondition, values: Values, dialect: Dialect) -> str:
    """A column of string numbers: the wanted strings are looked up once, and so are the combinations that have them.

    To look at 100,000 combinations takes SQLite 3 ms, to look up that of each row 100 ns a row.
    """
    matches = string_matches(condition.column, condition, values)
    combination = dialect.combinations.get(condition.column)
    if combination is None:
        return matches
    return f"({combination.column} in (select id from {combination.table} where {matches}))"


def _session(condition: FilterCondition, values: Values) -> str:
    """A session's id: as its client sent it, or its number."""
    if condition.match == "set":
        return "(session <> 0)"
    numbers = bind(json.dumps(_numbers(condition)), values)
    sent = string_matches("client_session", condition, values)
    return f"({sent} or (session in (select value from numbers_in({numbers}))))"


def _visitor(condition: FilterCondition, values: Values) -> str:
    """A visitor's id, or who the site says it was (wire 1.11)."""
    if condition.match == "set":
        return "(visitor <> 0)"
    numbers = bind(json.dumps(_numbers(condition)), values)
    return f"(visitor in (select value from numbers_in({numbers})) or {_person(condition, values)})"


def _person(condition: FilterCondition, values: Values) -> str:
    """A condition on the identified person of a fact: named by the fact itself, or linked to its
    visitor at that time."""
    if condition.match == "set":
        return f"({WHO} <> 0)"
    wanted = f"(select id from strings where {text('value', condition, values)})"
    known = f"select visitor from visitor_profiles where {SITES} and profile in {wanted}"
    nobody = f"0 in {wanted} and {WHO} = 0"
    later = f"visitor in ({known}) and {WHO} in {wanted}"
    return f"((profile <> 0 and profile in {wanted}) or (profile = 0 and (({later}) or ({nobody}))))"


def _flag(condition: FilterCondition, values: Values) -> str:
    """A condition on a flag's result for the visitor in the range, or a little before it (QueryPlan.given_before): its
    key, or key=variant.

    Dialects have a separate name for the exposures here: with a view, many conditions would nest too deep.
    """
    within = f"{SITES} and time >= :given_since and time < :end and visitor <> 0"
    if condition.match == "set":
        return f"(visitor in (select visitor from given_by_flags where {within}))"
    wanted = text("(shown_flag.value || '=' || shown_variant.value)", condition, values)
    if condition.match == "is":  # other flags are left out before they are looked at
        wanted = f"({text('shown_flag.value', condition, values)} or {wanted})"
        keys = bind(json.dumps([key for value in condition.values for key in _keys(value)]), values)
        within += f" and flag in (select id from strings where value in (select value from texts_in({keys})))"
    return (
        "(visitor in (select visitor from given_by_flags join strings as shown_flag on shown_flag.id = flag"
        f" join strings as shown_variant on shown_variant.id = variant where {within} and {wanted}))"
    )


def _keys(value: str) -> list[str]:
    """The keys that a value may speak of: all of it, or what stands before an equals sign."""
    return [value, *(value[:place] for place, letter in enumerate(value) if letter == "=")]


def _site(condition: FilterCondition, values: Values) -> str:
    """A website, by its number."""
    return f"(site in (select value from numbers_in({bind(json.dumps([int(v) for v in condition.values]), values)})))"


def _key(condition: FilterCondition, values: Values) -> str:
    """The key of a property, which is its own text."""
    return "(key <> '')" if condition.match == "set" else f"({text('key', condition, values)})"


def _number(condition: FilterCondition, values: Values) -> str:
    """A column of numbers, compared as they are written; 0 is none."""
    if condition.match == "set":
        return f"({condition.column} <> 0)"
    return f"({text(f'cast({condition.column} as varchar)', condition, values)})"


def _fingerprint(condition: FilterCondition, values: Values) -> str:
    """A group of errors. SQLite looks one up in an index if it is compared with one number, not with a list. ClickHouse
    may have the row of a text several times, each with the same number: once from each machine that has it."""
    if condition.match != "is" or len(condition.values) != 1:
        return string_matches("fingerprint", condition, values)
    number = f"select max(id) from strings where value = {bind(condition.values[0], values)}"
    return f"(fingerprint = coalesce(({number}), -1))"


_TRANSLATED = {
    "session": _session,
    "visitor": _visitor,
    "person": _person,
    "site": _site,
    "key": _key,
    "http_code": _number,
    "status": _number,
    "verified": _number,
    "fingerprint": _fingerprint,
    "flag": _flag,
}


def _numbers(condition: FilterCondition) -> list[int]:
    return [number for value in condition.values if (number := id_number(value)) is not None]
