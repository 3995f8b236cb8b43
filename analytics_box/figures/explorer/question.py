"""A saved question: what the address of the API explorer says, and the query that asks the same. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.view import TypedFilter, TypedQuery
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.request import GivenQuery, QueryFilterInput, check
from analytics_box.tenants.saved.kept import SavedItem, SavedKind

Content: TypeAlias = Mapping[str, str]
Question: TypeAlias = SavedItem[Content]

NO_FORM: Final = "The API explorer does not support this query: "
_GRANULARITY: Final = {None: "daily", "day": "daily", "daily": "daily", "hour": "hourly", "hourly": "hourly"}


def query_of(content: Content) -> dict[str, Any]:
    """The body of POST /v1/query that asks a question; its zone only where that was chosen."""
    return view.body(view.read_query("", content), "")


def content_of(given: GivenQuery, now: int) -> Content:
    """The saved form of a query, without the page of its rows. Raises BadRequest or WrongTypes for a query that the API
    would
    refuse, and BadRequest for one that the explorer could not show.
    """
    check(given, zone_name=None, now=now, where="query.")
    (name,) = given.names if len(given.names) == 1 else ("",)
    if given.parameters != [name]:
        raise _no_form("parameters", "one type, by its name")
    if TYPES[name].subject != "website":
        raise BadRequest.about("query.parameters", _("{name} is not a query type of websites").format(name=name))
    granularity = _GRANULARITY.get(given.granularity)
    if granularity is None:
        raise _no_form("granularity", "rows by hour or day")
    match, filters = _filters(given.filters or ())
    dates = {"range": given.preset} if given.preset else {"range": view.CUSTOM}
    if not given.preset:
        dates |= {"first": given.startDate or "", "last": given.endDate or ""}
    tried = TypedQuery(
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
    return view.parameters(view.read_query("", view.parameters(tried)).kept())


def _filters(given: Sequence[QueryFilterInput]) -> tuple[str, tuple[TypedFilter, ...]]:
    """The combination of the filters (all or any), and the filters as people type them."""
    match, items = "all", given
    if len(given) == 1 and (group := given[0].any or given[0].all):
        match, items = ("any" if given[0].any else "all"), group
    if len(items) > view.MOST_FILTERS or any(one.any or one.all for one in items):
        raise _no_form("filters", f"at most {view.MOST_FILTERS} filters, all or any of them")
    return match, tuple(_filter_of(one) for one in items)


def _filter_of(given: QueryFilterInput) -> TypedFilter:
    op = given.op or "eq"
    values = given.value if isinstance(given.value, list) else [] if given.value is None else [given.value]
    texts = [str(value) for value in values]
    typed = ", ".join(texts)
    back = [part.strip() for part in typed.split(",")] if op in view.LISTS else [typed.strip()]
    if op not in view.WITHOUT_VALUE and (texts != back or "" in back or len(typed) > view.LONGEST):
        raise _no_form("filters", "one value, and several without commas for in and not_in")
    return TypedFilter((given.field or "").strip(), op, typed if op not in view.WITHOUT_VALUE else "")


def _no_form(field: str, form: str) -> BadRequest:
    return BadRequest.about(f"query.{field}", _("{no_form}it has {form}").format(no_form=NO_FORM, form=form))


def _filter_text(content: Content) -> str:
    return json.dumps(dict(content), ensure_ascii=False)


QUESTIONS: Final[SavedKind[Content]] = SavedKind("question", "saved_questions", "question", Content, _filter_text)
