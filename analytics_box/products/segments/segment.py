"""A segment: filters of a website under a name, and their validation. Pure."""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec

from analytics_box.base.errors import BadRequest, InvalidQuery
from analytics_box.base.translation import _
from analytics_box.figures.narrowing_question import narrowing_of, question_filters
from analytics_box.query.filters import OF_WEBSITES, Filter, FilterGroup
from analytics_box.query.request import QueryFilterInput, check_filters
from analytics_box.tenants.saved.kept import SavedItem, SavedKind

MOST_BYTES: Final = 20_000  # of the filters as JSON: pages read those of all segments
# What all pages of a website can be filtered by.
FIELDS: Final = frozenset(OF_WEBSITES) - {"query_string", "timezone"}

Filters: TypeAlias = tuple[QueryFilterInput, ...]
Segment: TypeAlias = SavedItem[Filters]


def filters_as_json(filters: Filters) -> list[dict[str, Any]]:
    """Filters as JSON, without what they do not say."""
    return [_filter_as_json(one) for one in filters]


def _filter_as_json(given: QueryFilterInput) -> dict[str, Any]:
    inner = {
        name: [_filter_as_json(one) for one in items] for name in ("any", "all") if (items := getattr(given, name))
    }
    own = {name: value for name in ("field", "op", "value") if (value := getattr(given, name)) is not None}
    return {**own, **inner}


def _stored_filter(filters: Filters) -> str:
    return msgspec.json.encode(filters_as_json(filters)).decode()


SEGMENTS: Final[SavedKind[Filters]] = SavedKind("segment", "segments", "filters", Filters, _stored_filter)


def filters(given: list[QueryFilterInput]) -> Filters:
    """The filters, in the one spelling that they have. Raises BadRequest for what no page can show."""
    if not given:
        raise BadRequest.about("filters", _("Add a filter"))
    try:
        checked = check_filters(given, "")
    except InvalidQuery as wrong:
        raise BadRequest.about(wrong.details[0].field, wrong.message) from wrong
    for field in _fields(checked):
        if field not in FIELDS:
            raise BadRequest.about(
                "filters", _("A segment cannot be filtered by {field}").format(field=field[:50] or "nothing")
            )
    narrowing = narrowing_of(given)
    if narrowing is None:
        raise BadRequest.about(
            "filters",
            _("Use filters and groups with any, or one group with any of filters and groups with all"),
        )
    found = tuple(question_filters(narrowing))
    if not found:
        raise BadRequest.about("filters", _("Add a filter"))
    if len(msgspec.json.encode(found)) > MOST_BYTES:
        raise BadRequest.about("filters", _("A segment can have up to {most:,} bytes").format(most=MOST_BYTES))
    return found


def _fields(items: Iterable[Filter | FilterGroup]) -> Iterable[str]:
    for item in items:
        if isinstance(item, FilterGroup):
            yield from _fields(item.items)
        else:
            yield item.field
