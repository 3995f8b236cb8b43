"""Texts in SQL: what matches the values of a condition. Values are always bound."""

import json

from analytics_box.query.filters import FilterCondition

Values = dict[str, int | float | str]
# More values than this come as one list: an expression may be 1,000 deep, a statement have 32,766 parameters. Patterns,
# of which a request has few, never do: an engine would compile each of them again for each text.
_MOST_SPELLED_OUT = 4


def string_matches(column: str, condition: FilterCondition, values: Values) -> str:
    """A column of string numbers that matches any of the condition's values."""
    if condition.match == "set":
        return f"({column} <> 0)"
    return f"({column} in (select id from strings where {text('value', condition, values)}))"


def text(column: str, condition: FilterCondition, values: Values) -> str:
    """A column of texts that matches any of the condition's values."""
    if condition.match == "is":
        return f"{column} in (select value from texts_in({bind(json.dumps(condition.values), values)}))"
    if len(condition.values) > _MOST_SPELLED_OUT and condition.match != "regex":
        listed = f"(select value as wanted from texts_in({bind(json.dumps(condition.values), values)}))"
        return f"exists (select 1 from {listed} where {_fits(column, 'wanted', condition)})"
    parts = [_fits(column, bind(value, values), condition) for value in condition.values]
    return "(" + (" or ".join(parts) or "0") + ")"


def _fits(column: str, wanted: str, condition: FilterCondition) -> str:
    match condition.match:
        case "contains":
            return f"instr({column}, {wanted}) > 0"
        case "starts_with":
            return f"instr({column}, {wanted}) = 1"
        case "ends_with":
            return f"({wanted} = '' or substr({column}, -length({wanted})) = {wanted})"
        case _:
            return f"matches({wanted}, {column})"


def bind(value: int | float | str, values: Values) -> str:
    """The name of a parameter that has this value."""
    name = f"f{len(values)}"
    values[name] = value
    return f":{name}"
