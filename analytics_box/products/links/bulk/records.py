"""A row of an import as the message that would make its link, or what is wrong with it."""

import re
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.base.wrong_values import wrong_value
from analytics_box.products.links.bulk import cells
from analytics_box.products.links.bulk.cells import slug_and_domain
from analytics_box.products.links.bulk.click_history import ClickHistory, history_of
from analytics_box.products.links.bulk.exports import BESIDE, UTM
from analytics_box.products.links.bulk.files import LinkRecord
from analytics_box.products.links.bulk.services import fields_of
from analytics_box.products.links.editing.calls import NewLink

Status = Literal["created", "updated", "unchanged", "failed"]

_LONGEST_NAME: Final = 255
_SURE: Final = 10**15  # above it a spreadsheet has rounded a number
_INTEGER = re.compile(r"\s*([0-9]{1,15})(?:\.0+)?\s*\Z")
_DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?\Z", re.ASCII | re.IGNORECASE
)
_NUMBERS: Final = ("maxClicks", "redirectStatus")
_NO_TEXTS: Final = frozenset((*_NUMBERS, "tags", "rules", "variants", "utm", "expiresAt"))
_TRUE: Final = frozenset(("true", "yes", "1"))

_NEEDED: Final = {  # values of these fields, for users of a sheet
    "expiresAt": "A date, or a date and a time, like 2027-01-31 or 2027-01-31T18:00:00+01:00; without a zone it is UTC",
    "maxClicks": "A whole number from 1 to 1,000,000,000",
    "redirectStatus": "One of 301, 302, 307 and 308",
    "queryForwarding": "One of none, keep and override",
}


class LinkRowOutcome(Struct, frozen=True, omit_defaults=True):
    """The outcome of a row, or its outcome in a dry run. Rows are numbered from 1, below the heading.

    A dry run has no `id` of a link that does not exist yet, and no generated slug.
    """

    row: int
    status: Status
    id: str = ""
    slug: str = ""
    field: str = ""
    error: str = ""


class ParsedLinkRow(Struct, frozen=True):
    """A row that can be understood: the message that would make its link, and what else it says.

    A row that does not name its link (`is_named`) only names a new one, by its slug or target. `was_protected` is a
    row of an export whose link had a password, which an export leaves out. What cannot be understood has only `wrong`.
    """

    number: int
    given: NewLink | None = None
    is_named: bool = True
    is_of_service: bool = False
    folder: str = ""
    was_protected: bool = False
    history: ClickHistory | None = None
    wrong: LinkRowOutcome | None = None


def parse(record: LinkRecord) -> list[ParsedLinkRow]:
    """The links of a row: one, or several if it is of a service whose links may have several addresses."""
    keep_going()
    if record.wrong:
        return [ParsedLinkRow(record.number, wrong=LinkRowOutcome(record.number, "failed", error=record.wrong))]
    try:
        links = [_own(record.fields)] if record.service is None else fields_of(record.service, record.fields)
    except BoxError as wrong:
        return [ParsedLinkRow(record.number, wrong=refused_row(record.number, wrong))]
    is_of_service = record.service is not None
    return [replace(_one(record.number, fields), is_of_service=is_of_service) for fields in links]


def with_retention(row: ParsedLinkRow, now: int, days: int) -> ParsedLinkRow:
    """The row with its clicks until now, of the last `days` whole UTC days; 0 keeps all earlier ones."""
    if row.history is None:
        return row
    first = (utc_day(now) - days) * DAY if days else 0
    clicks = [one for one in row.history.clicks if first <= one.time <= now]
    return replace(row, history=replace(row.history, clicks=clicks))


def _own(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a row in the words of this box. A short URL only matters if there is no slug."""
    slug = fields.get("slug")
    return fields | slug_and_domain(slug, fields.get("domain"), None if slug else fields.get("shortUrl"))


def _one(number: int, fields: dict[str, Any]) -> ParsedLinkRow:
    """The link of these fields; empty ones are left out."""
    try:
        return _parse_record(number, fields)
    except msgspec.ValidationError as wrong:
        found = wrong_value(wrong, NewLink)
        text = _NEEDED.get(found.path, found.message)
        return ParsedLinkRow(number, wrong=LinkRowOutcome(number, "failed", field=found.path[:100], error=text))
    except BadRequest as refused:
        return ParsedLinkRow(number, wrong=refused_row(number, refused))


def refused_row(number: int, wrong: BoxError) -> LinkRowOutcome:
    """A row that cannot be a link."""
    field = wrong.details[0].field if wrong.details else ""
    return LinkRowOutcome(number, "failed", field=field, error=wrong.message)


def _parse_record(number: int, given: dict[str, Any]) -> ParsedLinkRow:
    fields = {name: value for name, value in given.items() if value not in (None, "", [], {})}
    protected = str(fields.get("protected", "")).strip().lower() in _TRUE
    found = {name: _text(name, value) for name, value in fields.items() if name not in BESIDE}
    folder, history = found.pop("folder", ""), found.pop("clickHistory", None)
    if not isinstance(folder, str):
        raise BadRequest.about("folder", _("Must be text"))
    if "organizationId" in found:
        raise BadRequest.about("organizationId", _("This is not a known field"))
    utm = {UTM[name]: found.pop(name) for name in UTM if name in found}
    if utm:
        found["utm"] = found.get("utm", {}) | utm if isinstance(found.get("utm", {}), dict) else found["utm"]
    if isinstance(found.get("tags"), str):
        found["tags"] = cells.split(found["tags"])
    for name in ("rules", "variants"):
        if isinstance(found.get(name), str):
            found[name] = _inner(found[name], name)
    for name in _NUMBERS:
        found |= {name: _number(found[name])} if name in found else {}
    if isinstance(found.get("expiresAt"), str):
        found["expiresAt"] = _date(found["expiresAt"])
    name = str(found.get("slug") or found.get("targetUrl") or "-")[:_LONGEST_NAME]
    return ParsedLinkRow(
        number,
        msgspec.convert({"name": name} | found, NewLink),
        is_named="name" in found,
        folder=folder.strip(),
        was_protected=protected,
        history=None if history is None else history_of(history),
    )


def _text(field: str, value: Any) -> Any:
    """A number where a text is wanted is its digits."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _SURE
    return str(value) if is_number and field not in _NO_TEXTS else value


def _number(value: Any) -> Any:
    if isinstance(value, str) and (found := _INTEGER.match(value)):
        return int(found[1])
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _SURE else value


def _date(text: str) -> str:
    """A date as ISO 8601 writes it whole; one without a time is its midnight."""
    found = _DATE.match(text.strip())
    if found is None:
        return text
    day, time, seconds, zone = found.groups()
    zone = f"{zone[:3]}:{zone[-2:]}" if zone and zone not in "Zz" else zone
    return f"{day}T{time or '00:00'}{seconds or ':00'}{zone or 'Z'}"


def _inner(text: str, field: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError) as broken:
        raise BadRequest.about(field, _("Must be JSON, as in an export")) from broken
