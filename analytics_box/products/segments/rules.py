"""Valid segments. Pure: raises BadRequest."""

from collections.abc import Iterable

import msgspec

from analytics_box.base.errors import BadRequest, InvalidQuery
from analytics_box.base.translation import _
from analytics_box.figures.narrowing_question import narrowing_of, question_filters
from analytics_box.products.segments.segment import FIELDS, MOST_BYTES, Filters
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.request import QueryFilterInput, check_filters


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
