"""Three short visits to a small shop that leave facts of every kind: what the examples of query types are made from."""

from msgspec.structs import replace

from analytics_box.base.clock import DAY, SECOND
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW, Event, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES

# Visitors, and their sessions by name: those that the box names itself are different each time.
ANA, BEN, CLEO, CRAWLER = 0x3F1C_96D0_5A27, 0x51E0_7B43_9C6D, 0x0C2D_E81A_64F9, 0x66A8_1F50_D37E
DAN = 0x2B4F_6C10_8E52
# The client and the server of calls of an MCP server.
_MCP = ("claude-code", "2.1.0", "shop", "1.4.0", "production", "claude-code/2.1.0")
SESSIONS = {ANA: "sess_ana_1", BEN: "sess_ben_1", CLEO: "sess_cleo_1", CRAWLER: "sess_crawler_1", DAN: "sess_dan_1"}
BEN_ID = "customer-17"
VARIANTS = {ANA: "control", BEN: "short", CLEO: "short"}  # of the flag price-page
_GERMANY = {
    "entry": "/",
    "source": "Google",
    "referrer": "https://www.google.com/",
    "channel": "Organic Search",
    "country": "Germany",
    "region": "Berlin",
    "city": "Berlin",
    "browser": "Chrome",
    "browser_version": "140.0",
    "system": "macOS",
    "system_version": "15",
    "device": "desktop",
    "viewport": "1280x720",
    "screen": "1920x1080",
    "connection": "4g",
    "language": "de",
    "time_zone": "Europe/Berlin",
}
_FRANCE = _GERMANY | {
    "entry": "/pricing",
    "source": "newsletter",
    "referrer": "",
    "channel": "Email",
    "country": "France",
    "region": "Île-de-France",
    "city": "Paris",
    "browser": "Safari",
    "browser_version": "26.0",
    "system": "iOS",
    "system_version": "26",
    "device": "mobile",
    "viewport": "390x844",
    "screen": "390x844",
    "utm_source": "newsletter",
    "utm_medium": "email",
    "utm_campaign": "june",
    "utm_term": "prices",
    "utm_content": "button",
    "language": "fr",
    "time_zone": "Europe/Paris",
}

_CHATGPT = _GERMANY | {"referrer": "https://chatgpt.com/", "source": "ChatGPT", "channel": "AI Assistant"}

OF_TRACKER = {
    "site_search": '{"term":"price"}',
    "not_found": '{"referrer":"https://news.example/2019/shops"}',
    "file_download": '{"href":"https://shop.example/prices.pdf","extension":"pdf"}',
}


def visits(site: int, now: int) -> list[Fact]:
    """Ana reads and looks at prices; Ben, whom the shop knows, buys; Cleo came the day before; and a crawler. Ana, Ben
    and Dan pay."""
    return [*_cleo(site, now - DAY), *_ana(site, now), *_ben(site, now), *_agents(site, now), *_payments(site, now)]


def _payments(site: int, now: int) -> list[Fact]:
    """Ana's card is declined once; Ben pays for the month and Dan for a book that he returns."""
    search, mail = ("Google", "Organic Search", "", "/"), ("newsletter", "Email", "june", "/pricing")
    pro, book = ("prod_pro", "Pro plan"), ("prod_book", "Handbook")
    return [
        _paid(
            site, now - 50 * SECOND, ANA, _GERMANY, ("sale", "failed", "", 1_900), 1, (*book, "card_declined"), search
        ),
        _paid(site, now - 40 * SECOND, ANA, _GERMANY, ("sale", "completed", "", 1_900), 1, (*book, ""), search),
        _paid(site, now - 35 * SECOND, BEN, _FRANCE, ("subscription", "completed", "new", 2_900), 2, (*pro, ""), mail),
        _paid(site, now - 15 * SECOND, DAN, _CHATGPT, ("sale", "completed", "", 1_900), 3, (*book, ""), search),
        _paid(site, now - 5 * SECOND, DAN, _CHATGPT, ("refund", "refunded", "", -1_900), 3, (*book, ""), search),
    ]


def _paid(
    site: int,
    time: int,
    visitor: int,
    attributes: dict[str, str],
    kind: tuple[str, str, str, int],
    payment: int,
    product: tuple[str, str, str],
    first: tuple[str, str, str, str],
) -> FactSpan:
    payment_type, status, lifecycle, amount = kind
    about = ("stripe", payment_type, status, "EUR", lifecycle, "session", "", amount)
    ids = (0, payment, payment, payment if lifecycle else 0, 1, 0, f"pi_{payment}")
    own = (*about, *ids, *product, *first)
    return _span("transactions", site, time, visitor, own, attributes)


def _agents(site: int, now: int) -> list[Fact]:
    """ChatGPT reads two pages and refers Dan to one of them."""
    own = ("gptbot", "ChatGPT", "training", "html", "server")
    agent = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
    read = [_span("ai_requests", site, now - 30 * SECOND, 0, (*own, status, 1, agent, "")) for status in (200, 404)]
    return [
        read[0],
        replace(read[1], path="/only-agents"),
        _event(site, now - 20 * SECOND, PAGE_VIEW, "/pricing", DAN, _CHATGPT),
    ]


def _cleo(site: int, now: int) -> list[Fact]:
    return [
        _event(site, now, PAGE_VIEW, "/", CLEO, _GERMANY),
        _event(site, now + 70 * SECOND, PAGE_VIEW, "/pricing", CLEO, _GERMANY),
        _event(site, now + 90 * SECOND, PAGE_EXIT, "/pricing", CLEO, _GERMANY, engaged=25, scroll=60),
        _event(site, now + 95 * SECOND, PAGE_VIEW, "/", CRAWLER, {}, bot="known_bot_user_agent", agent="Googlebot"),
    ]


def _ana(site: int, now: int) -> list[Fact]:
    at = now - 240 * SECOND
    exits = (1, "unload", 30_000, 20_000, 500, 80, 3, 4, 5, 6, 0, 2, 1, "button#buy", "div.hero", 1)
    return [
        _event(site, at, PAGE_VIEW, "/", ANA, _GERMANY),
        _event(site, at + 20 * SECOND, PAGE_VIEW, "/pricing", ANA, _GERMANY, properties='{"plan":"trial"}'),
        *(
            replace(_event(site, at + 25 * SECOND, CUSTOM, "/old", ANA, _GERMANY, properties=properties), name=name)
            for name, properties in OF_TRACKER.items()
        ),
        _event(site, at + 30 * SECOND, CUSTOM, "/pricing", ANA, _GERMANY, properties='{"plan":"pro","seats":3}'),
        *(
            _span("vitals", site, at + 40 * SECOND, ANA, measured)
            for measured in ((1, 900.0), (2, 1200.5), (3, 0.04), (4, 96.0), (5, 210.0), (11, 3200.0))
        ),
        _span(
            "errors",
            site,
            at + 45 * SECOND,
            ANA,
            ("TypeError", "price is undefined", "shop.js", 12, 7, "TypeError: price is undefined\n  at shop.js:12:7"),
        ),
        _span("outgoing_links", site, at + 50 * SECOND, ANA, ("https://docs.example/a", "Manual", "docs.example")),
        *(
            _span("mcp_calls", site, at + 50 * SECOND, 0, ("search_products", *measured, *_MCP))
            for measured in ((182, 4_210, "", ""), (2_040, 61, "Order 17 was not found", "2f6c1d0a9b8e7453"))
        ),
        *(_span("engagement", site, at + 55 * SECOND, ANA, (*exits, at_all % 2, "email", 0)) for at_all in range(6)),
        _event(site, at + 60 * SECOND, PAGE_EXIT, "/pricing", ANA, _GERMANY, engaged=40, scroll=80),
    ]


def _ben(site: int, now: int) -> list[Fact]:
    at = now - 90 * SECOND
    return [
        _event(site, at, PAGE_VIEW, "/pricing", BEN, _FRANCE, profile=BEN_ID),
        _event(
            site,
            at + 30 * SECOND,
            CUSTOM,
            "/pricing",
            BEN,
            _FRANCE,
            properties='{"plan":"free","seats":1}',
            profile=BEN_ID,
        ),
        _event(site, at + 45 * SECOND, PAGE_EXIT, "/pricing", BEN, _FRANCE, engaged=30, scroll=100, profile=BEN_ID),
    ]


def _event(
    site: int,
    time: int,
    kind: int,
    path: str,
    visitor: int,
    attributes: dict[str, str],
    *,
    properties: str | None = None,
    engaged: int = 0,
    scroll: int = 0,
    bot: str = "",
    agent: str = "",
    profile: str = "",
) -> Event:
    return Event(
        site=site,
        time=time,
        kind=kind,
        name={PAGE_VIEW: "screen_view", CUSTOM: "buy", PAGE_EXIT: "page_exit"}[kind],
        namespace="",
        visitor=visitor,
        yesterday=0,
        path=path,
        query_string="",
        title="",
        engaged=engaged,
        scroll=scroll,
        bot=bot,
        origin="",
        client_session=SESSIONS[visitor],
        attributes=tuple(attributes.get(name, "") for name in ATTRIBUTES),
        properties=properties,
        profile=profile,
        agent=agent,
        exposure=("price-page", VARIANTS[visitor]) if kind == PAGE_VIEW and visitor in VARIANTS else None,
    )


def _span(
    table: str,
    site: int,
    time: int,
    visitor: int,
    own: tuple[int | float | str | None, ...],
    attributes: dict[str, str] = _GERMANY,
) -> FactSpan:
    return FactSpan(
        table=table,
        site=site,
        time=time,
        visitor=visitor,
        yesterday=0,
        client_session=SESSIONS.get(visitor, "mcp-session-1"),
        path="/pricing",
        query_string="",
        attributes=tuple(attributes.get(name, "") for name in ATTRIBUTES),
        own=own,
    )
