"""exports.*: the parts of a website's export, and their rows."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, iso_day
from analytics_box.base.errors import BadRequest, Forbidden
from analytics_box.base.translation import _
from analytics_box.products.exports import parts
from analytics_box.products.exports.parts import ExportColumn, ExportPart
from analytics_box.query import access
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call

PIECE_BYTES: Final = 4 << 20
_LONGEST_PLACE: Final = 40
# Totals of one answer.
MOST_TOTALS: Final = 2_000
_TOTAL: Final = msgspec.json.Decoder(tuple[str, int, str, str])


class ListExportParts(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of exports.listParts."""

    websiteId: Text


class ExportPartShown(Struct, frozen=True):
    """A part: the facts of a table in a UTC month. It can be empty."""

    table: str
    month: str
    columns: list[ExportColumn]


class ReadExportPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of exports.getRows. `after` is `next` of the previous answer. `people` includes profile IDs."""

    websiteId: Text
    table: Text
    month: Text
    after: Text | None = None
    people: bool = False


class ReadTotals(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of exports.getTotals. `after` is `next` of the previous answer."""

    websiteId: Text
    after: Annotated[str, Meta(max_length=16_384)] | None = None


class ExportRows(Struct, frozen=True):
    """Rows as NDJSON, and where the next rows begin; null after the last row."""

    content: str
    next: str | None


async def list_parts(call: Call, given: ListExportParts) -> list[ExportPartShown]:
    """exports.listParts: list the parts of a website's export, by table and month. Raises NotFound."""
    website = readable(call, given.websiteId)
    found = await parts.parts_of(call.parts[QueryRunner].engines, website)
    return [ExportPartShown(part.table, part.month, parts.columns_of(part.table)) for part in found]


async def get_rows(call: Call, given: ReadExportPart) -> ExportRows:
    """exports.getRows: get rows of a part of a website's export, in the order of time. Raises NotFound or Forbidden.

    Bots are left out.
    """
    website = readable(call, given.websiteId, people=given.people)
    part = ExportPart(given.table, given.month)
    after = place_of(given.after)
    export = parts.fact_export(website, part, "ndjson", people=given.people)
    content, following = await parts.piece(
        call.parts[QueryRunner].engines,
        part,
        replace(export, after=after),
        most_bytes=PIECE_BYTES,
        seconds=call.parts.settings.query_seconds,
    )
    return ExportRows(content, place_text(following))


async def get_totals(call: Call, given: ReadTotals) -> ExportRows:
    """exports.getTotals: get the imported totals of a website, which are no events. Raises NotFound or BadRequest."""
    website = readable(call, given.websiteId)
    try:
        after = _TOTAL.decode(given.after or '["",0,"",""]')
    except msgspec.MsgspecError as wrong:
        raise BadRequest.about("after", _("Send next of the previous answer")) from wrong

    sql = """
        -- exports.get_totals
        select roll, day, value, second, visitors, visits, pageviews, bounces, seconds, events from imported_days
        where site = ? and (roll, day, value, second) > (?, ?, ?, ?) order by roll, day, value, second limit ?
        """
    values = (website.site, *after, MOST_TOTALS)
    rows = await call.parts[QueryRunner].engines.events.read(lambda db: db.execute(sql, values).fetchall())
    names = ("roll", "day", "value", "second", "visitors", "visits", "pageviews", "bounces", "seconds", "events")
    shown = [dict(zip(names, row, strict=True)) | {"day": iso_day(int(str(row[1])) * DAY)} for row in rows]
    following = msgspec.json.encode(rows[-1][:4]).decode() if len(rows) == MOST_TOTALS else None
    return ExportRows("".join(f"{msgspec.json.encode(row).decode()}\n" for row in shown), following)


def place_of(text: str | None) -> tuple[int, int] | None:
    """The time and id of the row that `next` of an answer names. Raises BadRequest."""
    if text is None:
        return None
    time, _sep, number = text.partition("-")
    if not (time.isdecimal() and number.isdecimal() and len(text) < _LONGEST_PLACE):
        raise BadRequest.about("after", _("Send next of the previous answer"))
    return int(time), int(number)


def place_text(place: tuple[int, int] | None) -> str | None:
    """A row as `next` of an answer."""
    return None if place is None else "{}-{}".format(*place)


def readable(call: Call, website_id: str, *, people: bool = False) -> Website:
    """The caller's website, if the caller can export it. Raises NotFound or Forbidden."""
    website = own(call, website_id)
    if people and call.identity.operator is None and not access.may_see_people(call.identity, website):
        raise Forbidden(_("You cannot export the visitors of this website"))
    return website
