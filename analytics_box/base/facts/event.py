"""Events as facts: what an event is once it is understood."""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

Kind = Literal[1, 2, 3, 4, 5]
CLICK: Final = 1  # of a person: only these are counted
BOT: Final = 2
PREVIEW: Final = 3  # a bot that makes previews where people share links
PREFETCH: Final = 4
HEAD: Final = 5
KINDS: Final[dict[int, str]] = {CLICK: "click", BOT: "bot", PREVIEW: "preview", PREFETCH: "prefetch", HEAD: "head"}


PAGE_VIEW, CUSTOM, PAGE_EXIT = 1, 2, 3  # kinds of events
MEASURED = 4  # a span of a bot, quarantined with its events (ingest.held)
EXPOSURE = "$flag_evaluated"  # the name of custom events that say what a flag gave

# Ids of visitors have so many bits, which are six bytes in SQLite. The lowest says whether the id lasts, which nothing
# else in a row tells; among a million visitors of a day two are taken for one once in 140 days.
VISITOR_BITS = 47
LASTS = 1

# Numbers of metrics in vitals: those with a name on the wire (1.8, 4.4), then what a page event may say of its loading.
METRICS = {"FCP": 1, "LCP": 2, "CLS": 3, "INP": 4, "TTFB": 5, "FPS": 6}
# The values up to which a measurement is good, and above which it is poor: https://web.dev/articles/vitals.
VITAL_LIMITS = {
    "LCP": (2_500, 4_000),
    "INP": (200, 500),
    "CLS": (0.1, 0.25),
    "FCP": (1_800, 3_000),
    "TTFB": (800, 1_800),
}
TIMINGS = {
    "load_time": 11,
    "dom_ready_time": 12,
    "dom_interactive": 13,
    "ttfb": 14,
    "render_time": 15,
    "redirect_time": 16,
    "domain_lookup_time": 17,
    "connection_time": 18,
    "request_time": 19,
}

# In the order of facts.ATTRIBUTES: the texts, or what makes them when they are first wanted. Most events go on with a
# session that has its own.
Attributes = tuple[str, ...] | Callable[[], tuple[str, ...]]


Provider = Literal["tracker", "server", "stripe", "paddle", "import"]
PaymentType = Literal["sale", "subscription", "refund", "subscription_event"]
PaymentStatus = Literal["completed", "refunded", "failed", "canceled"]
Lifecycle = Literal["", "new", "renewal", "changed", "trial", "trial_ending", "churn"]


class Payment(Struct, frozen=True, gc=False):
    """A payment, a refund, a failed attempt, or what became of a subscription (wire 1.17).

    `amount` is in minor units of the currency, negative for refunds. `reference` is the digest of the transaction's id;
    `payment`, `customer` and `subscription` are digests of the ids of these, 0 for none. `verified` payments came with
    an API key or a signature.
    """

    provider: Provider
    type: PaymentType
    status: PaymentStatus
    currency: str
    amount: int
    transaction_id: str
    reference: int
    payment: int = 0
    customer: int = 0
    subscription: int = 0
    verified: bool = False
    lifecycle: Lifecycle = ""
    product_id: str = ""
    product_name: str = ""
    failure_reason: str = ""


class Event(Struct, frozen=True, gc=False):
    """An event, understood but not yet numbered. Times are UTC ms, `engaged` is seconds, `scroll` percent; both it and
    `interactions` are None if unknown. A custom event with 0 interactions does not end a bounce.

    `visitor` 0 is none: such an event has no session. `yesterday` is the same visitor's id under yesterday's salt, or
    today's
    if the event itself is yesterday's: so a session continues across midnight, and a late event finds it. `profile` is
    the
    person that the site named. `bot` is the reason why it is quarantined, `agent` the bot's name for itself; both empty
    for
    people. `timings` are numbers of TIMINGS with milliseconds; they become rows of vitals, a bot's once it is allowed.
    `exposure` is a flag and the variant that it gave, which become a row of flag_exposures; `payment` becomes one of
    transactions.
    """

    site: int
    time: int
    kind: int
    name: str
    namespace: str
    visitor: int
    yesterday: int
    path: str
    query_string: str
    title: str
    engaged: int
    scroll: int | None
    bot: str
    origin: str
    client_session: str
    attributes: Attributes
    properties: str | None
    event_id: str = ""
    profile: str = ""
    interactions: int | None = None
    agent: str = ""
    timings: tuple[tuple[int, float], ...] = ()
    exposure: tuple[str, str] | None = None
    payment: Payment | None = None


class FactSpan(Struct, frozen=True, gc=False):
    """A measurement, an error, a click on a link that leads away or one visit of a page. It begins no session.

    `own` is in the order of SPANS[table] (facts.tables); its texts are interned. Everything else is as in Event.
    """

    table: str
    site: int
    time: int
    visitor: int
    yesterday: int
    client_session: str
    path: str
    query_string: str
    attributes: Attributes
    own: tuple[int | float | str | None, ...]
    event_id: str = ""
    profile: str = ""


Fact = Event | FactSpan


def describe_attributes(fact: Fact) -> tuple[str, ...]:
    """The attributes of a fact as texts."""
    attributes = fact.attributes
    return attributes if isinstance(attributes, tuple) else attributes()
