"""Conditions as SQL. Columns come from the filters' table, never from a request; values are always bound."""

import json

from analytics_box.query.catalog.values import id_number
from analytics_box.query.engines.sql.names import SITES, WHO
from analytics_box.query.filters import Condition, Group, Where

Values = dict[str, int | float | str]
# More values than this come as one list: an expression may be 1,000 deep, a statement have 32,766 parameters.
_MOST_SPELLED_OUT = 4


def render(where: Where, values: Values) -> str:
    """A condition or a group of them; its values are added to `values`."""
    if isinstance(where, Group):
        return "(" + (" or " if where.any else " and ").join(render(item, values) for item in where.items) + ")"
    found = _TRANSLATED.get(where.column, _interned)(where, values)
    return f"not {found}" if where.negated else found


def _interned(condition: Condition, values: Values) -> str:
    """A column of string numbers: the wanted strings are looked up once."""
    return named(condition.column, condition, values)


def named(column: str, condition: Condition, values: Values) -> str:
    """A column of string numbers that matches any of the condition's values."""
    if condition.match == "set":
        return f"({column} <> 0)"
    return f"({column} in (select id from strings where {_text('value', condition, values)}))"


def _text(column: str, condition: Condition, values: Values) -> str:
    """A column of texts that matches any of the condition's values."""
    if condition.match == "is":
        return f"{column} in (select value from texts_in({bind(json.dumps(condition.values), values)}))"
    if len(condition.values) > _MOST_SPELLED_OUT:
        listed = f"(select value as wanted from texts_in({bind(json.dumps(condition.values), values)}))"
        return f"exists (select 1 from {listed} where {_fits(column, 'wanted', condition)})"
    parts = [_fits(column, bind(value, values), condition) for value in condition.values]
    return "(" + (" or ".join(parts) or "0") + ")"


def _fits(column: str, wanted: str, condition: Condition) -> str:
    match condition.match:
        case "contains":
            return f"instr({column}, {wanted}) > 0"
        case "starts_with":
            return f"instr({column}, {wanted}) = 1"
        case "ends_with":
            return f"({wanted} = '' or substr({column}, -length({wanted})) = {wanted})"
        case _:
            return f"matches({wanted}, {column})"


def _session(condition: Condition, values: Values) -> str:
    """A session's id: as its client sent it, or its number."""
    if condition.match == "set":
        return "(session <> 0)"
    numbers = bind(json.dumps(_numbers(condition)), values)
    sent = named("client_session", condition, values)
    return f"({sent} or (session in (select value from numbers_in({numbers}))))"


def _visitor(condition: Condition, values: Values) -> str:
    """A visitor's id, or who the site says it was (wire 1.11)."""
    if condition.match == "set":
        return "(visitor <> 0)"
    numbers = bind(json.dumps(_numbers(condition)), values)
    return f"(visitor in (select value from numbers_in({numbers})) or {_person(condition, values)})"


def _person(condition: Condition, values: Values) -> str:
    """Who the site says it was: said by the fact itself, or known of its visitor at that time."""
    if condition.match == "set":
        return f"({WHO} <> 0)"
    wanted = f"(select id from strings where {_text('value', condition, values)})"
    known = f"select visitor from visitor_profiles where {SITES} and profile in {wanted}"
    nobody = f"0 in {wanted} and {WHO} = 0"
    later = f"visitor in ({known}) and {WHO} in {wanted}"
    return f"((profile <> 0 and profile in {wanted}) or (profile = 0 and (({later}) or ({nobody}))))"


def _flag(condition: Condition, values: Values) -> str:
    """What a flag gave the visitor in the range, or a little before it (Plan.given_before): its key, or key=variant.

    Dialects know the exposures by a name of their own here: of a view many conditions would nest too deep.
    """
    within = f"{SITES} and time >= :given_since and time < :end and visitor <> 0"
    if condition.match == "set":
        return f"(visitor in (select visitor from given_by_flags where {within}))"
    wanted = _text("(shown_flag.value || '=' || shown_variant.value)", condition, values)
    if condition.match == "is":  # other flags are left out before they are looked at
        wanted = f"({_text('shown_flag.value', condition, values)} or {wanted})"
        keys = bind(json.dumps([key for value in condition.values for key in _keys(value)]), values)
        within += f" and flag in (select id from strings where value in (select value from texts_in({keys})))"
    return (
        "(visitor in (select visitor from given_by_flags join strings as shown_flag on shown_flag.id = flag"
        f" join strings as shown_variant on shown_variant.id = variant where {within} and {wanted}))"
    )


def _keys(value: str) -> list[str]:
    """The keys that a value may speak of: all of it, or what stands before an equals sign."""
    return [value, *(value[:place] for place, letter in enumerate(value) if letter == "=")]


def _site(condition: Condition, values: Values) -> str:
    """A website, by its number."""
    return f"(site in (select value from numbers_in({bind(json.dumps([int(v) for v in condition.values]), values)})))"


def _key(condition: Condition, values: Values) -> str:
    """The key of a property, which is a text of its own."""
    return "(key <> '')" if condition.match == "set" else f"({_text('key', condition, values)})"


def _number(condition: Condition, values: Values) -> str:
    """A column of numbers, compared as they are written; 0 is none."""
    if condition.match == "set":
        return f"({condition.column} <> 0)"
    return f"({_text(f'cast({condition.column} as varchar)', condition, values)})"


_TRANSLATED = {
    "session": _session,
    "visitor": _visitor,
    "person": _person,
    "site": _site,
    "key": _key,
    "http_code": _number,
    "status": _number,
    "flag": _flag,
}


def _numbers(condition: Condition) -> list[int]:
    return [number for value in condition.values if (number := id_number(value)) is not None]


def bind(value: int | float | str, values: Values) -> str:
    """The name of a parameter that has this value."""
    name = f"f{len(values)}"
    values[name] = value
    return f":{name}"
