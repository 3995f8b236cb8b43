"""Sessions in which something happened, as SQL (query/happened.py).

Statements speak of the rows of events and of outgoing links by names of their own here: dialects know them without the
attributes, of which nothing is asked.
"""

import json

from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import DID, SITES
from analytics_box.query.engines.sql.texts import Values, bind, string_matches, text
from analytics_box.query.filters import FilterCondition
from analytics_box.query.plan import SESSION_AFTER, SESSION_BEFORE, SOON

# All of the sessions of which the range has anything: no event lies further from another one of its session.
_FAR = SESSION_BEFORE + SESSION_AFTER
NEAR = f"{SITES} and time >= :start - {_FAR} and time < :end + {_FAR} and session <> 0"


def select_facts(condition: FilterCondition, values: Values, dialect: Dialect) -> str:
    """The facts of the sessions that this condition selects, without its negation."""
    return f"(session in ({find_facts(condition, values, dialect)}))"


def find_facts(condition: FilterCondition, values: Values, dialect: Dialect, columns: str = "session") -> str:
    """A subquery for the facts that meet this condition, without its negation: these columns of them."""
    match condition.column:
        case "session_event":
            return _event(condition, values, dialect, columns)
        case "session_property":
            either = f"(kind = 1 or {DID})"
            return _with_properties(either, condition.also or (condition,), values, dialect, columns)
        case "session_page":
            return of_events(columns, f"kind = 1 and {string_matches('path', condition, values)}")
        case "session_exit":
            return _exit(condition, values, dialect, columns)
        case "session_scroll":
            return of_events(columns, f"kind = 3 and scroll >= {_least(condition, values)}")
        case "session_engaged":
            return _engaged(condition, values, columns)
        case "session_error":
            return (
                f"select {columns} from what_went_wrong as fact where {NEAR}"
                f" and ({string_matches('message', condition, values)}"
                f" or {string_matches('fingerprint', condition, values)})"
            )
        case "session_link":
            return _link(condition, values, columns)
        case "session_goal":  # of goals that are not there
            return of_events(columns, "1 = 0")
        case "session_dropoff":
            from analytics_box.query.engines.sql import relations  # noqa: PLC0415  funnels consist of conditions

            dropped = condition.dropoff
            return of_events(
                columns, "1 = 0" if dropped is None else relations.dropoff_condition(dropped, values, dialect)
            )
        case _:
            column = "href" if condition.column == "session_link_out" else "domain"
            return (
                f"select {columns} from what_was_left_by as fact where {NEAR}"
                f" and {string_matches(column, condition, values)}"
            )


def of_events(columns: str, own: str = "session <> 0") -> str:
    """The sessions of events that are so. What is true of few comes first: SQLite looks at one after the other."""
    return f"select {columns} from what_happened as fact where {own} and {NEAR} and bot = 0"


def _event(condition: FilterCondition, values: Values, dialect: Dialect, columns: str) -> str:
    """A subquery for one custom event that matches all of this. Without a name it is any event except the page's flag
    exposures.
    """
    own = DID if condition.match == "set" else f"kind = 2 and {string_matches('name', condition, values)}"
    if not condition.also:
        return of_events(columns, own)
    return _with_properties(own, condition.also, values, dialect, columns)


def _with_properties(
    own: str, properties: tuple[FilterCondition, ...], values: Values, dialect: Dialect, columns: str
) -> str:
    """A subquery for events or page views of which one has all of these properties."""
    first, *others = (
        f"from what_happened as fact, {dialect.properties} and {NEAR} and bot = 0 and {own}"
        f" and {_property(item, dialect, values)}"
        for item in properties
    )
    return f"select {columns} {first}" + "".join(f" and fact.id in (select fact.id {other})" for other in others)


def _property(condition: FilterCondition, dialect: Dialect, values: Values) -> str:
    """A property by its key, or by key=value; other matches than `is` look at both together."""
    if condition.match == "set":
        return "key <> ''"
    pair = text(f"(key || '=' || {dialect.value})", condition, values)
    return f"({text('key', condition, values)} or {pair})" if condition.match == "is" else f"({pair})"


def _engaged(condition: FilterCondition, values: Values, columns: str) -> str:
    """The facts with which a session has reached a number of engaged seconds."""
    least = _least(condition, values)
    if columns == "session":
        return f"{of_events(columns)} group by session having sum(engaged) >= {least}"
    reached = "sum(engaged) over (partition by session order by time, id)"
    return f"select {columns} from ({of_events(f'{columns}, {reached} as reached')}) as fact where reached >= {least}"


def _exit(condition: FilterCondition, values: Values, dialect: Dialect, columns: str) -> str:
    """The path of the last page view."""
    if columns != "session":
        newest = "row_number() over (partition by session order by time desc, id desc)"
        views = of_events(f"{columns}, path, {newest} as newest", "kind = 1")
        return (
            f"select {columns} from ({views}) as fact where newest = 1 and {string_matches('path', condition, values)}"
        )
    best = ", ".join((f"{dialect.best('path', 'max')} as path", *dialect.beside("max")))
    last = f"select session, {best} from what_happened where {NEAR} and bot = 0 and kind = 1 group by session"
    return f"select session from ({last}) where {string_matches('path', condition, values)}"


def _least(condition: FilterCondition, values: Values) -> str:
    """The number that must be reached: the least of several; without any the least there is."""
    return bind(min((int(value) for value in condition.values), default=1), values)


def _link(condition: FilterCondition, values: Values, columns: str) -> str:
    """Sessions that followed a click on a short link: the same visitor viewed a page soon after the click."""
    values["soon"] = SOON
    clicked = ""
    if condition.match != "set":
        numbers = bind(json.dumps([int(value) for value in condition.values]), values)
        clicked = f" and click.link in (select value from numbers_in({numbers}))"
    return (
        f"select {columns} from link_clicks as click join what_happened as fact"
        " on fact.site = click.landing and fact.visitor = click.landing_visitor"
        " and fact.time >= click.time and fact.time < click.time + :soon"
        " and fact.kind = 1 and fact.bot = 0 and fact.session <> 0"
        f" where click.kind = 1 and click.landing in (select value from numbers_in(:sites)){clicked}"
        f" and click.time >= :start - {_FAR} - :soon and click.time < :end + {_FAR}"
    )
