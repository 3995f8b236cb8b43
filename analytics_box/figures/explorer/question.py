"""A saved question: what the address of the API explorer says, and the query that asks the same. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from analytics_box.base.errors import BadRequest
from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.view import Filtered, Tried
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.request import GivenFilter, GivenQuery, check
from analytics_box.tenants.saved.kept import Kept, Kind

Content: TypeAlias = Mapping[str, str]
Question: TypeAlias = Kept[Content]

NO_FORM: Final = "The API explorer has no form for this query: "
_GRANULARITY: Final = {None: "daily", "day": "daily", "daily": "daily", "hour": "hourly", "hourly": "hourly"}


def query_of(content: Content) -> dict[str, Any]:
    """The body of POST /v1/query that asks a question; its zone only where that was chosen."""
    return view.body(view.read("", content), "")


def content_of(given: GivenQuery, now: int) -> Content:
    """What is saved of a query; not which page of its rows. Raises BadRequest or WrongTypes for what the API would
    refuse, and BadRequest for what the explorer could not show."""
    check(given, zone_name=None, now=now, where="query.")
    (name,) = given.names if len(given.names) == 1 else ("",)
    if given.parameters != [name]:
        raise _no_form("parameters", "one type, by its name")
    if TYPES[name].subject != "website":
        raise BadRequest.about("query.parameters", f"{name} is not about websites")
    granularity = _GRANULARITY.get(given.granularity)
    if granularity is None:
        raise _no_form("granularity", "rows by hour or day")
    match, filters = _filters(given.filters or ())
    dates = {"range": given.preset} if given.preset else {"range": view.CUSTOM}
    if not given.preset:
        dates |= {"first": given.startDate or "", "last": given.endDate or ""}
    tried = Tried(
        path="",
        type=name,
        granularity=granularity,
        zone=given.timeZone or "",
        match=match,
        filters=filters,
        sort=given.sortBy or "",
        order=given.sortOrder or "desc",
        limit=str(int(given.limit)) if given.limit is not None else "",
        comparison=given.comparison or "",
        **dates,
    )
    return view.parameters(view.read("", view.parameters(tried)).kept())


def _filters(given: Sequence[GivenFilter]) -> tuple[str, tuple[Filtered, ...]]:
    """How the filters join, and the filters as somebody would type them."""
    match, items = "all", given
    if len(given) == 1 and (group := given[0].any or given[0].all):
        match, items = ("any" if given[0].any else "all"), group
    if len(items) > view.MOST_FILTERS or any(one.any or one.all for one in items):
        raise _no_form("filters", f"at most {view.MOST_FILTERS} filters, all or any of them")
    return match, tuple(_filtered(one) for one in items)


def _filtered(given: GivenFilter) -> Filtered:
    op = given.op or "eq"
    values = given.value if isinstance(given.value, list) else [] if given.value is None else [given.value]
    texts = [str(value) for value in values]
    typed = ", ".join(texts)
    back = [part.strip() for part in typed.split(",")] if op in view.LISTS else [typed.strip()]
    if op not in view.WITHOUT_VALUE and (texts != back or "" in back or len(typed) > view.LONGEST):
        raise _no_form("filters", "one value, and several without commas for in and not_in")
    return Filtered((given.field or "").strip(), op, typed if op not in view.WITHOUT_VALUE else "")


def _no_form(field: str, form: str) -> BadRequest:
    return BadRequest.about(f"query.{field}", f"{NO_FORM}it has {form}")


def _written(content: Content) -> str:
    return json.dumps(dict(content), ensure_ascii=False)


def _read(text: str) -> Content:
    found: dict[str, str] = json.loads(text)
    return found


QUESTIONS: Final[Kind[Content]] = Kind("question", "saved_questions", "question", _written, _read)
