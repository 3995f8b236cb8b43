"""Imported events as the facts that they become: understood like others, and put into sessions of the import."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import Event, FactSpan
from analytics_box.ingest.ai_requests import logged_request, request_fact
from analytics_box.ingest.enrich import EventSender, EventTarget, understand
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.sessions import IDLE
from analytics_box.ingest.visitors import Salts
from analytics_box.products.imports.history import PlacedFact, PlacedSession
from analytics_box.products.imports.records import HistoryEvent
from analytics_box.products.imports.spool import SpooledEvent
from analytics_box.web.recognition import agent, countries
from analytics_box.web.recognition.agent import Agent
from analytics_box.web.recognition.ai_agents import agents

# A source may keep a visit open for longer than this: what comes later is another session.
_LONGEST: Final = DAY
_MOST_OPEN: Final = 500_000
_PROPERTIES: Final = msgspec.json.Decoder(dict[str, Any])
# Never read: events of imports name their visitors themselves.
_NO_SALTS: Final = Salts(0, b"", b"", lambda name: b"")


class PlacedAt(NamedTuple):
    """A fact with its session, and its place in the order of the spool from 1 on. None on days left out."""

    at: int
    placed: PlacedFact | None


def place_events(
    events: Iterable[SpooledEvent], target: EventTarget, first_session: int, left_out: Set[int], now: int
) -> Iterator[PlacedAt]:
    """Put events, which come in the order of time, into sessions numbered from `first_session` on.

    The same events always come into the same sessions, so an import that goes on after a crash finds its own again.
    """
    live: OrderedDict[tuple[int, int], PlacedSession] = OrderedDict()
    number = first_session
    for at, (_id, raw) in enumerate(events, 1):
        fact = understand_request(raw, target) if raw.ai_agent else understand_event(raw, target, now)
        if fact is None:
            yield PlacedAt(at, None)
            continue
        if isinstance(fact, FactSpan):  # The number of a session marks what an undo removes.
            alone = PlacedSession(number, raw.time, raw.time, fact)
            number += 1
            yield PlacedAt(at, None if raw.time // DAY in left_out else PlacedFact(fact, alone))
            continue
        key = (raw.visitor, raw.visit)
        session = live.get(key)
        idle = _LONGEST if raw.visit else IDLE
        if session is None or raw.time - session.last > idle or raw.time - session.started > _LONGEST:
            session = PlacedSession(number, raw.time, raw.time, fact)
            number += 1
            live[key] = session
        session.last = raw.time
        live.move_to_end(key)
        while len(live) > _MOST_OPEN or (live and raw.time - next(iter(live.values())).last > _LONGEST):
            live.popitem(last=False)
        # Days that are left out use up numbers, so that those of other days do not depend on them.
        yield PlacedAt(at, None if raw.time // DAY in left_out else PlacedFact(fact, session))


def understand_request(raw: HistoryEvent, target: EventTarget) -> FactSpan | None:
    """Convert a request of an AI agent; None for one of an agent that is no longer known."""
    known = agents().get(raw.ai_agent)
    if known is None:
        return None
    return request_fact(
        logged_request(known, raw.time, raw.url, raw.status, raw.user_agent, raw.referrer), target.site, None
    )


def understand_event(raw: HistoryEvent, target: EventTarget, now: int) -> Event | None:
    """Convert an event as ingestion does; None for one that it does not take."""
    utm = raw.utm or ("",) * 5
    try:
        incoming = Incoming(
            name=raw.name[:256] or "screen_view",
            path=raw.url[:8192] or None,
            timestamp=raw.time,
            title=raw.title or None,
            referrer=raw.referrer or None,
            language=raw.language or None,
            screen_resolution=raw.screen or None,
            properties=_PROPERTIES.decode(raw.properties) if raw.properties else None,
            utm_source=utm[0] or None,
            utm_medium=utm[1] or None,
            utm_campaign=utm[2] or None,
            utm_term=utm[3] or None,
            utm_content=utm[4] or None,
        )
        event = understand(incoming, target, _sender(*_client(raw)), _NO_SALTS, now)
    except (InvalidEvent, msgspec.DecodeError, ValueError):
        return None
    return replace(event, visitor=raw.visitor, yesterday=raw.visitor, profile="")


def _client(raw: HistoryEvent) -> tuple[str, ...]:
    return (
        raw.user_agent,
        raw.browser,
        raw.browser_version,
        raw.system,
        raw.system_version,
        raw.device,
        raw.country,
        raw.region,
        raw.city,
        raw.language,
    )


@lru_cache(maxsize=20_000)
def _sender(
    user_agent: str,
    browser: str,
    browser_version: str,
    system: str,
    system_version: str,
    device: str,
    country: str,
    region: str,
    city: str,
    language: str,
) -> EventSender:
    """The sender of events: what their source says, else what their User-Agent says."""
    known = agent.parse(user_agent) if user_agent else Agent()
    if browser or system or device:
        named = Agent(
            agent.BROWSERS.get(browser, browser),
            browser_version,
            agent.SYSTEMS.get(system, system),
            system_version,
            device_of(device),
        )
        known = named
    return EventSender(
        network="",
        user_agent=user_agent,
        agent=known,
        language=language,
        bot="",
        by_key=True,
        country=countries.name_of(country) or countries.proper_name(country),
        region=region,
        city=city,
    )


def device_of(name: str) -> agent.Device:
    """A kind of device by the name that another product gives it."""
    lower = name.lower()
    if lower in {"mobile", "phone", "smartphone", "feature phone", "phablet"}:
        return "mobile"
    return "tablet" if lower == "tablet" else "desktop"
