"""From an event as it came in to a fact: time, visitor, page, source, device. Pure but for its caches."""

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.clock import DAY, HOUR
from analytics_box.base.errors import ErrorDetail
from analytics_box.base.facts.event import CUSTOM, EXPOSURE, PAGE_EXIT, PAGE_VIEW, TIMINGS, Event, FactSpan, Payment
from analytics_box.base.store.budgets import DiskBudget
from analytics_box.base.translation import _
from analytics_box.ingest import exposures, payments, visitors
from analytics_box.ingest.payload import EventPayload, Incoming, InvalidEvent, instant_of, properties_text
from analytics_box.ingest.visitors import Derive, Salts
from analytics_box.tenants.websites.origin_check import Paths
from analytics_box.web.recognition.agent import Agent
from analytics_box.web.recognition.channel import channel
from analytics_box.web.recognition.language import language
from analytics_box.web.recognition.paths import LONGEST, UTM, PageAddress, clean, page
from analytics_box.web.recognition.source import CLICK_IDS, host_of, is_spam, source

OLDEST_FROM_SERVER = 946_684_800_000  # 2000-01-01 (wire 4.2)
_KINDS = {"screen_view": PAGE_VIEW, "page_exit": PAGE_EXIT}
_SIZE = re.compile(r"([1-9]\d{2,4})x([1-9]\d{2,4})", re.ASCII)
LONGEST_ENGAGED = 86_400  # seconds
BROWSER = "browser"  # the source of custom events that say none and come without a key (wire 5.3)
NOT_ANONYMIZED = "United States"  # where "auto" leaves client ids as they are (wire 4.7)
CONNECTIONS = frozenset(  # wire 4.3
    ("bluetooth", "cellular", "ethernet", "none", "wifi", "wimax", "other", "unknown", "slow-2g", "2g", "3g", "4g")
)
_NO_PAGE = PageAddress(path="")
_SAID_CLICK_IDS = tuple(name for name in CLICK_IDS if name in Incoming.__struct_fields__)
_UTM_OF, _CLICK_IDS_OF = attrgetter(*UTM), attrgetter(*_SAID_CLICK_IDS)
_NO_UTM = ("",) * len(UTM)
_TIMINGS_OF, _TIMING_NUMBERS = attrgetter(*TIMINGS), tuple(TIMINGS.values())
_NO_TIMINGS = (None,) * len(TIMINGS)
_LONGEST_TIMING = 60_000  # ms (wire 4.3)
_SHORT = 256  # characters of a referrer that is worth remembering
_NOTHING_SAID = Incoming(name="-")  # what a span says of where its session came from


class Referrer(NamedTuple):
    """A referrer without query and fragment, and its host; both empty for a direct visit."""

    text: str = ""
    host: str = ""
    is_spam: bool = False


_DIRECT = Referrer()


class EventSender(Struct, frozen=True, gc=False):
    """The sender of a request's events. `bot` is a reason, empty for people and for API keys."""

    network: str
    user_agent: str
    agent: Agent
    language: str
    bot: str
    by_key: bool
    bot_name: str = ""  # what the bot calls itself; empty unless `bot` is set
    country: str = ""  # its English name
    region: str = ""
    city: str = ""
    salts: Salts | None = None  # under which `ids` are its visitor's today, on the website that it sends to
    ids: tuple[int, int] = (0, 0)


class EventTarget(Struct, frozen=True, gc=False):
    """The destination of events: the number of a website with its domain, or of an organization without one.

    With `cookieless` the ids that clients send are discarded. `ignored` is the reason why none of these events is
    stored; empty if they are. `currency` is that of amounts without one, empty if they need one; payments that browsers
    report count if `browser_revenue` is set.
    """

    site: int
    domain: str = ""
    cookieless: bool = False
    ignored: str = ""
    ignored_paths: Paths | None = None
    budget: DiskBudget | None = None
    currency: str = ""
    browser_revenue: bool = True

    def ignores(self, path: str, referrer: str | None = None) -> str:
        """The reason why an event with this path and referrer is acknowledged and not stored; empty if it is stored."""
        if self.ignored:
            return self.ignored
        if self.ignored_paths is not None and path and self.ignored_paths.have(path):
            return "ignored_path"
        return "referrer_spam" if referrer and _referrer(referrer).is_spam else ""


def understand(given: Incoming, target: EventTarget, sender: EventSender, salts: Salts, now: int) -> Event:
    """Convert an event to a fact. Raises InvalidEvent, which names the field."""
    name, kind = given.name, _KINDS.get(given.name, CUSTOM)
    is_page_event, leaves = kind != CUSTOM, kind == PAGE_EXIT
    if is_page_event and not given.path:
        raise InvalidEvent(ErrorDetail("path", _("A page event requires the path of its page")))
    if not is_page_event:
        name = clean(name, 256)
        if not name:
            raise InvalidEvent(ErrorDetail("name", _("Send a name with visible characters")))
    time = event_time(given.timestamp, by_key=sender.by_key, now=now)
    visitor, yesterday = visitor_ids(
        target, sender, salts, time, client_id=given.anonymousId, anonymize=given.anonymizeVisitorIds
    )
    where = page(given.path) if given.path else _NO_PAGE
    bot, client_session = sender.bot, given.sessionId
    return Event(  # by position, in the order of its fields: by name it takes ten times as long
        target.site,
        time,
        kind,
        name,
        clean(given.namespace, 64) if given.namespace else "",
        visitor,
        yesterday,
        where.path,
        where.query,
        clean(given.title, 512) if given.title else "",
        between(given.time_on_page, LONGEST_ENGAGED) if leaves else 0,
        as_measured(given.scroll_depth, 100) if leaves else None,
        bot,
        "" if is_page_event else clean(given.source or ("" if sender.by_key else BROWSER), 64),
        clean(client_session, 256) if client_session and not target.cookieless else "",
        _Description(given, kind, where, target.domain, sender),
        properties_text(given.properties) if given.properties else None,
        given.eventId or "",
        clean(given.profileId, 128) if given.profileId else "",
        as_measured(given.interaction_count, 10_000)
        if leaves
        else 0
        if given.interactive is False and not is_page_event
        else None,
        sender.bot_name if bot else "",
        _timings(given) if is_page_event else (),
        exposures.of(given.properties) if name == EXPOSURE and not bot else None,
        payment_of(given.properties, target, sender.by_key, given.eventId or "", salts.history)
        if given.properties and not is_page_event and not bot
        else None,
    )


def payment_of(
    properties: Mapping[str, Any], target: EventTarget, by_key: bool, event_id: str, key: Derive
) -> Payment | None:
    """The payment that an event with these properties reports, if it counts. `key` derives that of customers' ids.
    Raises InvalidEvent."""
    if ("revenue" not in properties and "currency" not in properties) or not (by_key or target.browser_revenue):
        return None
    return payments.of(properties, target.site, target.currency, verified=by_key, event_id=event_id, key=key)


def measure_span(
    given: EventPayload,
    table: str,
    own: tuple[int | float | str | None, ...],
    *,
    target: EventTarget,
    sender: EventSender,
    salts: Salts,
    now: int,
    event_id: str | None = None,
) -> FactSpan:
    """Convert a measurement to a row of this table, with the values of its `own` columns. Raises InvalidEvent."""
    time = event_time(given.timestamp, by_key=sender.by_key, now=now)
    visitor, yesterday = visitor_ids(
        target, sender, salts, time, client_id=given.anonymousId, anonymize=given.anonymizeVisitorIds
    )
    where = page(given.path) if given.path else _NO_PAGE
    return FactSpan(
        table=table,
        site=target.site,
        time=time,
        visitor=visitor,
        yesterday=yesterday,
        client_session="" if target.cookieless else clean(given.sessionId or "", 256),
        path=where.path,
        query_string=where.query,
        attributes=_Description(_NOTHING_SAID, CUSTOM, where, target.domain, sender),
        own=own,
        event_id=(given.eventId or "") if event_id is None else event_id,
        profile=clean(given.profileId or "", 128),
    )


def _timings(given: Incoming) -> tuple[tuple[int, float], ...]:
    """The page load timings of an event: numbers of metrics and milliseconds."""
    found = _TIMINGS_OF(given)
    if found == _NO_TIMINGS:
        return ()
    return tuple(
        (number, value)
        for number, value in zip(_TIMING_NUMBERS, found, strict=True)
        if value is not None and 0 <= value <= _LONGEST_TIMING
    )


def event_time(timestamp: int | str | None, *, by_key: bool, now: int) -> int:
    """The time of an event, never later than its arrival: that is a clock that is ahead (semantics 1).

    A browser's impossible time becomes the arrival, a server's is refused.
    """
    at = instant_of(timestamp)
    if at is None:
        return now
    if by_key:
        if not OLDEST_FROM_SERVER <= at <= now + HOUR:
            raise InvalidEvent(ErrorDetail("timestamp", _("Send a time between 2000-01-01 and one hour from now")))
        return min(at, now)
    return at if now - DAY <= at <= now else now


def visitor_ids(
    target: EventTarget,
    sender: EventSender,
    salts: Salts,
    time: int,
    *,
    client_id: str | None,
    anonymize: bool | Literal["auto"] | None,
) -> tuple[int, int]:
    """The visitor's id at this time, and under the other of the two salts (semantics 7); 0 is nobody.

    Both are one lasting id where the client does not want it anonymized; with "auto" only in the United States.
    """
    site = target.site
    if client_id and not target.cookieless:
        if anonymize is False or (anonymize == "auto" and sender.country == NOT_ANONYMIZED):
            same = visitors.by_client_id(b"", site, client_id)
            return same, same
        return visitors.both(salts.around(time, site, by_key=sender.by_key), site, f"\0{client_id}")
    if sender.by_key:
        return 0, 0
    if sender.salts is salts and time // DAY >= salts.day:
        return sender.ids
    return visitors.both(salts.around(time, site), site, f"{sender.network}\0{sender.user_agent}")


class _Description(Struct, frozen=True, gc=False):
    """The properties that a session keeps if it begins with this event."""

    given: Incoming
    kind: int
    where: PageAddress
    domain: str
    sender: EventSender

    def __call__(self) -> tuple[str, ...]:
        """The texts, in the order of facts.ATTRIBUTES.

        On a page event `source` and `ref` repeat the query of the page; on a custom event `source` says who sent it.
        """
        given, kind, where, sender = self.given, self.kind, self.where, self.sender
        query = dict(where.parameters)
        utm, click_id = _campaign(given, query)
        said = (given.source if kind != CUSTOM else None) or query.get("source", "")
        tag = utm[0] or clean(said or given.ref or query.get("ref", ""), 128)
        referrer = _referrer(given.referrer) if given.referrer else _DIRECT
        name, group = _origin(tag, utm[1], utm[2], click_id, referrer.host, self.domain)
        agent = sender.agent
        return (
            where.path if kind == PAGE_VIEW else "",  # a session without a page view began on no page (semantics 14)
            referrer.text,
            name,
            group,
            click_id,
            *utm,
            sender.country,
            sender.region,
            sender.city,
            agent.browser,
            agent.browser_version,
            agent.system,
            agent.system_version,
            agent.device,
            language((given.language or sender.language)[:64]),
            _zone((given.timezone or "")[:64]),
            _size((given.viewport_size or "")[:16]),
            _size((given.screen_resolution or "")[:16]),
            given.connection_type if given.connection_type in CONNECTIONS else "",
        )


@lru_cache(maxsize=4_000)
def _origin(tag: str, medium: str, campaign: str, click_id: str, host: str, domain: str) -> tuple[str, str]:
    """The source and the channel of a session that begins like this (semantics 17 and 18)."""
    name = source(utm_source=tag, click_id=click_id, referrer_host=host, own_domain=domain)
    return name, channel(name=name, medium=medium, campaign=campaign, click_id=click_id, tag=tag)


def _campaign(given: Incoming, query: dict[str, str]) -> tuple[tuple[str, ...], str]:
    """The five utm values and the name of the click id; what an event does not say, the query of its page may."""
    utm, click_ids = _UTM_OF(given), _CLICK_IDS_OF(given)
    if not query and not any(utm) and not any(click_ids):
        return _NO_UTM, ""
    found = [clean(value or query.get(name, ""), 128) for name, value in zip(UTM, utm, strict=True)]
    clicked = [name for name in query if name in CLICK_IDS and query[name]]
    clicked += [name for name, value in zip(_SAID_CLICK_IDS, click_ids, strict=True) if value]
    return tuple(found), min(clicked, key=list(CLICK_IDS).index, default="")


def between(number: float | None, most: int) -> int:
    """A whole number from 0 to `most`, whatever was sent."""
    return round(min(max(number or 0, 0), most))


def as_measured(number: float | None, most: int) -> int | None:
    """A measured number, None if it was not sent, because that is not 0 (semantics 22)."""
    return None if number is None else between(number, most)


@lru_cache(maxsize=2_000)
def _size(text: str) -> str:
    """A size like 1280x720 (wire 4.3); nothing for what is none, such as 0x0 of a page that is not shown."""
    sides = _SIZE.fullmatch(text)
    return f"{sides[1]}x{sides[2]}" if sides and all(240 <= int(side) <= 10_000 for side in sides.groups()) else ""


def _referrer(given: str) -> Referrer:
    return _known_referrer(given) if len(given) <= _SHORT else _taken_apart(given[:LONGEST])


@lru_cache(maxsize=4_000)
def _known_referrer(given: str) -> Referrer:
    return _taken_apart(given)


def _taken_apart(given: str) -> Referrer:
    host = host_of(given) if given.startswith(("http://", "https://", "android-app://")) else ""
    if not host:
        return _DIRECT
    text = clean(given.split("?", 1)[0].split("#", 1)[0])
    return Referrer(text, host, is_spam(host_of(text)))


@lru_cache(maxsize=2_000)
def _zone(name: str) -> str:
    """A zone that exists, else nothing."""
    try:
        return ZoneInfo(name).key if name else ""
    except (ValueError, OSError, LookupError):
        return ""
