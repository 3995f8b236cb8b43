"""Clicks that a link had at another service, in the row of the link in a file. They count like others."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.clock import utc_day
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.ingest import visitors
from analytics_box.ingest.visitors import Salts
from analytics_box.products.links.clicks.rows import LinkClick
from analytics_box.products.links.redirects.observer import referrer_and_source

Label = Annotated[str, Meta(max_length=100)]
_FIRST: Final = 946_684_800_000  # 2000-01-01
_LARGEST: Final = 1 << 48


class ClickOrigin(Struct, frozen=True, array_like=True):
    """The kind of a click, and what is known of its visitor. `country` is a name; `agent` that of a bot."""

    kind: Literal[1, 2, 3]
    referrer: Annotated[str, Meta(max_length=500)]
    country: Label
    region: Label
    city: Label
    browser: Label
    system: Label
    device: Label
    agent: Label


class PastClick(Struct, frozen=True, array_like=True):
    """A click: its time (UTC ms), the number of its origin in the list, and a number for its visitor on that day."""

    time: Annotated[int, Meta(ge=_FIRST, lt=_LARGEST)]
    origin: Annotated[int, Meta(ge=0)]
    visitor: Annotated[int, Meta(ge=0, lt=_LARGEST)]


class ClickHistory(Struct, frozen=True, forbid_unknown_fields=True):
    """The clicks of a link, each at another time."""

    origins: list[ClickOrigin]
    clicks: list[PastClick]


def history_of(given: Any) -> ClickHistory:
    """The history in a row. Raises BadRequest."""
    try:
        found = msgspec.convert(given, ClickHistory)
    except msgspec.ValidationError as wrong:
        raise BadRequest.about("clickHistory", _("This is not a history of clicks")) from wrong
    if any(one.origin >= len(found.origins) for one in found.clicks):
        raise BadRequest.about("clickHistory", _("This is not a history of clicks"))
    return found


def clicks_of(history: ClickHistory, link: int, salts: Salts) -> list[LinkClick]:
    """The clicks of a link. Visitors get ids with the salt of their day, as those of today do."""
    found = []
    came_from = [referrer_and_source(origin.referrer) for origin in history.origins]
    of_day: dict[int, bytes] = {}
    for one in history.clicks:
        day = utc_day(one.time)
        salt = of_day.get(day) or of_day.setdefault(day, salts.of(day, -link))
        origin = history.origins[one.origin]
        referrer, source = came_from[one.origin]
        found.append(
            LinkClick(
                link=link,
                time=one.time,
                kind=origin.kind,
                visitor=visitors.by_client_id(salt, -link, str(one.visitor)),
                landing=0,
                landing_visitor=0,
                variant="",
                rule="",
                referrer=referrer,
                source=source,
                country=origin.country,
                region=origin.region,
                city=origin.city,
                browser=origin.browser,
                system=origin.system,
                device=origin.device,
                language="",
                agent=origin.agent,
            )
        )
    return found
