"""Events in the bodies of other products' scripts: Plausible's POST /api/event and Umami's POST /api/send.

The domain or website ID in a body is an alias of a website (`Tracking.aliases`); without one, the address names the
website as `client_id`, or the domain is that of a website. Everything else is as on the other event routes.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.ingest import happened, identify, spans
from analytics_box.ingest.delivery import (
    DeliveryAnswer,
    EventDelivery,
    client_id,
    client_website,
    decode,
    limit,
    nothing,
    prepare_delivery,
    success,
)
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.identify import Identification
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.profile_rules import LONGEST_ID
from analytics_box.ingest.spans import OldVitals
from analytics_box.tenants.websites.directory import TrackingTarget

MOST_DOMAINS: Final = 10  # Plausible's script can name several, separated by commas.
_MOST_PROPERTIES, _LONGEST_PROPERTY = 50, 128
_VITALS: Final = ("fcp", "lcp", "cls", "inp", "ttfb")
# Longer and earlier names of fields in Plausible's bodies.
_SHORT_NAMES: Final = {
    "name": "n",
    "url": "u",
    "domain": "d",
    "referrer": "r",
    "props": "p",
    "m": "p",
    "meta": "p",
    "hashMode": "h",
    "revenue": "$",
    "interactive": "i",
}
_WRONG: Final = "INVALID_EVENT_SCHEMA"

Given = Mapping[str, Any]
Add = Callable[[Gathering, EventTarget], None]


class UmamiRequest(Struct, frozen=True):
    """The body of /api/send."""

    type: str
    payload: dict[str, Any]


_PLAUSIBLE = msgspec.json.Decoder(dict[str, Any])
_UMAMI = msgspec.json.Decoder(UmamiRequest)


async def take_plausible(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Store an event of Plausible's script for each website that its domain names. Its answer is 202 without a body."""
    given = decode(_PLAUSIBLE.decode, sent.body, _WRONG)
    event = decode(lambda _: msgspec.convert(plausible_event(given), Incoming), sent.body, _WRONG)
    named = given.get("d") or given.get("domain")
    names = dict.fromkeys(named.split(",", MOST_DOMAINS)[:MOST_DOMAINS] if isinstance(named, str) else ())
    websites = {found.website.id: found for name in names if (found := _find(intake, name)) is not None}
    if not websites and client_id(sent.scope, sent.headers) is None:
        now = intake.clock.now()
        by_domain = (intake.websites.find_domain(name, now) for name in names)
        websites = {found.website.id: found for found in by_domain if found is not None and found.website.active}
    for tracked in list(websites.values()) or [client_website(intake, sent)]:
        outcome = await _store(intake, sent, tracked, lambda gathering, target: gathering.event(event, target))
    return DeliveryAnswer(202, b"", outcome.happened)


def plausible_event(given: Given) -> dict[str, Any]:
    """An event of Plausible's script as the fields of an event of /track."""
    given = {_SHORT_NAMES.get(name, name): value for name, value in given.items() if value is not None}
    name, url = given.get("n"), given.get("u")
    if isinstance(url, str) and given.get("h"):
        page, mark, fragment = url.partition("#")
        url = f"{page}#/{fragment.lstrip('/')}" if mark and not fragment.startswith("!") else url
    properties = given.get("p")
    if isinstance(properties, str):
        try:
            properties = msgspec.json.decode(properties)
        except (msgspec.DecodeError, RecursionError):
            properties = None
    found = _properties(properties, lambda value: value is not None and not isinstance(value, list | dict))
    revenue = given.get("$")
    if isinstance(revenue, dict):
        found |= {
            key: revenue[key] for key in ("amount", "currency") if isinstance(revenue.get(key), str | float | int)
        }
    event = {"name": name, "path": url, "referrer": given.get("r"), "properties": found}
    if name == "engagement":
        engaged = given.get("e")
        seconds = engaged / 1000 if isinstance(engaged, int | float) else None
        return event | {"name": "page_exit", "time_on_page": seconds, "scroll_depth": given.get("sd")}
    if name == "pageview":
        return event | {"name": "screen_view"}
    return event | {"interactive": False if given.get("i") is False else None}


async def take_umami(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Store an event of Umami's script, an identification or the measurements of a page."""
    body = decode(_UMAMI.decode, sent.body, _WRONG)
    given, website = body.payload, body.payload.get("website")
    tracked = (_find(intake, website) if isinstance(website, str) else None) or client_website(intake, sent)
    if body.type == "identify":
        return await _identify(intake, sent, tracked, given)
    event = umami_event(body.type, given)
    if body.type == "performance":
        vitals = decode(lambda _: msgspec.convert(event, OldVitals), sent.body, _WRONG)
        return await _store(intake, sent, tracked, lambda gathering, to: spans.add_old_vitals(gathering, vitals, to))
    incoming = decode(lambda _: msgspec.convert(event, Incoming), sent.body, _WRONG)
    return await _store(intake, sent, tracked, lambda gathering, target: gathering.event(incoming, target))


def umami_event(kind: str, given: Given) -> dict[str, Any]:
    """A body of Umami's script as the fields of our events. Raises BadRequest for an unknown kind."""
    seconds = given.get("timestamp")
    event = {
        "path": given.get("url") or "/",
        "profileId": str(given["id"])[:128] if given.get("id") else None,
        "timestamp": round(seconds * 1000) if isinstance(seconds, int | float) and abs(seconds) < 1e12 else None,
    }
    if kind == "performance":
        return event | {name: given.get(name) for name in _VITALS}
    if kind == "engagement":
        engaged = given.get("engagement")
        return event | {
            "name": "page_exit",
            "time_on_page": engaged / 1000 if isinstance(engaged, int | float) else None,
        }
    if kind != "event":
        raise errors.BadRequest(
            _("Unknown event type {type}").format(type=kind[:64]), reason="INGEST_UNKNOWN_EVENT_TYPE"
        )
    properties = _properties(given.get("data"), lambda value: value is not None)
    if isinstance(given.get("tag"), str) and given["tag"]:
        properties.setdefault("tag", given["tag"])
    return event | {
        "name": given["name"] if given.get("name") not in (None, "") else "screen_view",
        "title": given.get("title"),
        "referrer": given.get("referrer"),
        "language": given.get("language"),
        "screen_resolution": given.get("screen"),
        "properties": properties,
    }


async def _identify(intake: Intake, sent: EventDelivery, tracked: TrackingTarget, given: Given) -> DeliveryAnswer:
    """Store who a visitor is. Umami can describe a visitor without an ID, which stores nothing."""
    page = prepare_delivery(intake, sent, _remember(sent, tracked))
    identify.limit_page(intake, sent, page.identity)
    data = given.get("data")
    person = given.get("id") or (data.get("id") if isinstance(data, dict) else None)
    if not isinstance(person, str) or not person:
        return success(sent, happened.NOT_STORED % b"no_profile_id", type="identify")
    traits = _properties(data, lambda value: value is None or isinstance(value, str | int | float))
    traits.pop("id", None)
    said = decode(
        lambda _: msgspec.convert({"profileId": person[:LONGEST_ID], "traits": traits}, Identification),
        sent.body,
        _WRONG,
    )
    return await identify.store(intake, sent, said, page.target, page.sender)


async def _store(intake: Intake, sent: EventDelivery, tracked: TrackingTarget, add: Add) -> DeliveryAnswer:
    """Store what `add` adds for a website. Raises BoxError."""
    page = prepare_delivery(intake, sent, _remember(sent, tracked))
    limit(intake, sent.scope, page.identity)
    gathering = Gathering(intake, page.sender)
    try:
        add(gathering, page.target)
    except InvalidEvent as wrong:
        raise errors.BadRequest(str(wrong), reason=_WRONG, details=(wrong.detail,)) from wrong
    outcome = await gathering.store()
    return nothing(outcome) if page.sender.bot else success(sent, outcome, type="event")


def _find(intake: Intake, name: str) -> TrackingTarget | None:
    """The active website with this alias."""
    found = intake.websites.find_alias(name, intake.clock.now())
    return found if found is not None and found.website.active else None


def _remember(sent: EventDelivery, tracked: TrackingTarget) -> TrackingTarget:
    """Note the website, so that a refusal is counted for it."""
    sent.scope["site"] = tracked.website.site
    return tracked


def _properties(given: object, fits: Callable[[object], bool]) -> dict[str, Any]:
    """The first properties of a body, as many as an event can have; a page view must not be lost over them."""
    if not isinstance(given, dict):
        return {}
    found = {name[:_LONGEST_PROPERTY]: value for name, value in given.items() if value != "" and fits(value)}
    return dict(list(found.items())[:_MOST_PROPERTIES])
