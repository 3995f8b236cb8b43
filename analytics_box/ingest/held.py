"""What is measured on pages that a bot visits, quarantined with its events (semantics 19).

A span becomes a row of events that is named after its table, and whose properties are what that has of its own. Such
rows are counted, removed and exported with the bot's events; counting these makes spans of them again (unflag.py).
"""

import msgspec

from analytics_box.facts.event import MEASURED, Event, Span
from analytics_box.facts.tables import SPANS
from analytics_box.ingest.enrich import Sender

Own = tuple[int | float | str | None, ...]
_OWN = msgspec.json.Decoder(Own)


def held(span: Span, sender: Sender) -> Event:
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
    """What the span of such a row has of its own; None if the budget of its website had no room for it."""
    try:
        own = _OWN.decode(properties or "")
    except msgspec.DecodeError:
        return None
    return own if len(own) == len(SPANS[table]) else None
