"""Measurements on pages that a bot visits, quarantined with its events (semantics 19).

A span becomes a row of events that is named after its table, and whose properties are what that has of its own. Such
rows are counted, removed and exported with the bot's events; counting these makes spans of them again (unflag.py).
Timings of a page event are part of its own row, so that it is one event as before: its properties are then a list of
what was sent as such, which is an object or nothing, and the timings by name.
"""

from collections.abc import Iterable

import msgspec

from analytics_box.base.facts.event import MEASURED, TIMINGS, Event, FactSpan
from analytics_box.base.facts.tables import SPANS, with_added
from analytics_box.ingest.enrich import EventSender

Own = tuple[int | float | str | None, ...]
_OWN = msgspec.json.Decoder(Own)
_NAMES = {number: name for name, number in TIMINGS.items()}
_WITH_TIMINGS = msgspec.json.Decoder(tuple[msgspec.Raw, dict[str, float]])


def quarantine_row(span: FactSpan, sender: EventSender) -> Event:
    """The quarantined row of a span."""
    return Event(
        site=span.site,
        time=span.time,
        kind=MEASURED,
        name=span.table,
        namespace="",
        visitor=span.visitor,
        yesterday=span.yesterday,
        path=span.path,
        query_string=span.query_string,
        title="",
        engaged=0,
        scroll=None,
        bot=sender.bot,
        origin="",
        client_session=span.client_session,
        attributes=span.attributes,
        properties=msgspec.json.encode(span.own).decode(),
        event_id=f"{span.table} {span.event_id}" if span.event_id else "",
        profile=span.profile,
        agent=sender.bot_name,
    )


def own_of(table: str, properties: str | None) -> Own | None:
    """The properties of the span of such a row; None if the budget of its website had no room for it."""
    try:
        own = _OWN.decode(properties or "")
    except msgspec.DecodeError:
        return None
    own = with_added(table, own)
    return own if len(own) == len(SPANS[table]) else None


def with_timings(properties: str | None, timings: Iterable[tuple[int, float]]) -> str:
    """The properties of a page event's quarantined row, with the event's timings."""
    named = {_NAMES[number]: value for number, value in timings}
    return msgspec.json.encode((msgspec.Raw((properties or "null").encode()), named)).decode()


def without_timings(properties: str | None) -> tuple[str | None, list[tuple[int, float]]]:
    """The properties that were sent with a page event, and its timings."""
    if properties is None or not properties.startswith("["):
        return properties, []
    own, named = _WITH_TIMINGS.decode(properties)
    text = bytes(own).decode()
    return None if text == "null" else text, [(TIMINGS[name], value) for name, value in named.items()]
