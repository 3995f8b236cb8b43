"""Errors of a query at the fields of its form. Pure."""

import re

from analytics_box.base.errors import BoxError
from analytics_box.base.texts import QueryTexts
from analytics_box.figures.explorer.view import TypedQuery

_FIELDS = {
    "parameters": "type",
    "preset": "range",
    "startDate": "from",
    "endDate": "to",
    "granularity": "granularity",
    "timeZone": "zone",
    "sortBy": "sort",
    "sortOrder": "order",
    "limit": "limit",
    "page": "page",
    "comparison": "comparison",
}
_IN_A_FILTER = re.compile(r"filters\[(\d+)\](?:\.any\[(\d+)\])?(?:\.(field|op|value))?")


def at_fields(error: BoxError) -> dict[str, str]:
    """The errors by the form's field; empty if the refusal is about none of them."""
    found: dict[str, str] = {}
    for detail in error.details:
        name = _field(detail.field.removeprefix("body."))
        if name:
            own = QueryTexts.wrong.get(name.rstrip("0123456789"))
            found[name] = own if own is not None and detail.message == "Invalid value" else detail.whole
    return found


def _field(name: str) -> str:
    matched = _IN_A_FILTER.match(name)
    if matched is not None:
        number = int(matched[2] if matched[2] is not None else matched[1]) + 1
        return f"{matched[3] or 'value'}{number}"
    return _FIELDS.get(re.split(r"[.\[]", name, maxsplit=1)[0], "")


def typed_wrong(tried: TypedQuery, *, zone_known: bool, operators: tuple[str, ...]) -> dict[str, str]:
    """Errors that a form explains better than the API: a filter without a field, an unknown operator or zone."""
    filters = list(enumerate(tried.filters, start=1))
    wrong = {f"field{at}": QueryTexts.wrong["field"] for at, item in filters if not item.field}
    wrong |= {f"op{at}": QueryTexts.wrong["op"] for at, item in filters if item.op not in operators}
    if not zone_known:
        wrong["zone"] = QueryTexts.unknown_zone
    return wrong
