"""A short visit that leaves facts of every kind, for tests that only ask whether something comes out."""

from msgspec.structs import replace

from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW, Event, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES

ANA, BEN, BOT, CHAT = 5, 6, 7, 8  # visitors
_SESSION = {
    "entry": "/",
    "source": "Google",
    "channel": "Organic Search",
    "country": "Germany",
    "region": "Berlin",
    "city": "Berlin",
    "browser": "Chrome",
    "browser_version": "120.1",
    "system": "macOS",
    "system_version": "14",
    "device": "desktop",
    "viewport": "1280x720",
    "screen": "1920x1080",
    "connection": "4g",
    "utm_source": "a",
    "utm_medium": "b",
    "utm_campaign": "c",
    "utm_term": "d",
    "utm_content": "e",
    "language": "de",
    "time_zone": "Europe/Berlin",
}
_FROM_CHAT = tuple((_SESSION | {"source": "ChatGPT", "channel": "AI Assistant"}).get(name, "") for name in ATTRIBUTES)
_OF_AN_AGENT = ("gptbot", "ChatGPT", "training", "html", "server", 404, 1, "GPTBot/1.2", "")
_ATTRIBUTES = tuple(_SESSION.get(name, "") for name in ATTRIBUTES)


# Events that the tracker sends by itself, with their properties.
OF_TRACKER = {
    "site_search": '{"term":"price"}',
    "not_found": '{"referrer":"https://x.example/old"}',
    "file_download": '{"href":"https://x.example/a.pdf","extension":"pdf"}',
}


def visit(site: int, now: int) -> list[Fact]:
    """Ana looks at two pages, buys, meets an error and leaves; Ben, whom the site knows, looks at one and buys."""
    return [
        _event(site, now - 200_000, PAGE_VIEW, "/", ANA),
        _event(site, now - 180_000, PAGE_VIEW, "/a", ANA, properties='{"plan":"pro"}'),
        _event(site, now - 170_000, CUSTOM, "/a", ANA, properties='{"plan":"pro","n":3,"ok":true,"o":{"x":1}}'),
        replace(_event(site, now - 169_000, CUSTOM, "/a", ANA), name="$flag_evaluated", exposure=("new", "a")),
        _event(site, now - 100_000, PAGE_EXIT, "/a", ANA, engaged=40, scroll=80),
        _event(site, now - 90_000, PAGE_VIEW, "/", BEN, client_session="s1", profile="ben"),
        _event(site, now - 80_000, CUSTOM, "/a", BEN, client_session="s1", properties='{"plan":"free","n":4.5}'),
        _event(site, now - 70_000, PAGE_VIEW, "/z", BOT, bot="known_bot_user_agent", agent="Googlebot"),
        _span("vitals", site, now - 100_000, ANA, (2, 1200.5)),
        _span("vitals", site, now - 100_000, ANA, (3, 0.12)),
        _span("vitals", site, now - 100_000, ANA, (11, 3200.0)),
        _span(
            "errors",
            site,
            now - 95_000,
            ANA,
            ("TypeError", "x is no function", "app.js", 3, 4, "at app.js:3", "2", "group"),
        ),
        _span("transactions", site, now - 93_500, ANA, _payment("subscription", "completed", 1_230)),
        _span("transactions", site, now - 93_400, ANA, _payment("sale", "failed", 500, "card_declined")),
        _span("outgoing_links", site, now - 94_000, ANA, ("https://x.example/a", "X", "x.example")),
        *(
            _span(
                "mcp_calls", site, now - 92_000, 0, ("find", 120, 400, *failure, "cursor", "1", "orders", "2", "p", "a")
            )
            for failure in (("", ""), ("Order 1 failed", "group"))
        ),
        *(
            _span(
                "engagement",
                site,
                now - 90_000,
                ANA,
                (1, "unload", 30_000, 20_000, 500, 80, 3, 4, 5, 6, 0, 2, 1, "button", "div", 1, number % 2, "email", 0),
            )
            for number in range(6)
        ),
    ]


def of_an_agent(site: int, now: int) -> list[Fact]:
    """Requests of an AI agent for two pages."""
    request = _span("ai_requests", site, now - 60_000, 0, _OF_AN_AGENT)
    return [replace(request, path=path) for path in ("/a", "/only-agents")]


def of_assistants(site: int, now: int) -> list[Fact]:
    """Requests of an AI agent for two pages, and a visitor whom its product refers to one of them."""
    return [
        *of_an_agent(site, now),
        replace(_event(site, now - 50_000, PAGE_VIEW, "/a", CHAT), attributes=_FROM_CHAT),
    ]


def of_tracker(site: int, now: int) -> list[Fact]:
    """The events of the tracker while Ana looks at a page."""
    return [
        replace(_event(site, now - 168_000, CUSTOM, "/a", ANA, properties=properties), name=name)
        for name, properties in OF_TRACKER.items()
    ]


def page_view(site: int, time: int, path: str, visitor: int, *, profile: str = "") -> Event:
    """One page view."""
    return _event(site, time, PAGE_VIEW, path, visitor, profile=profile)


def _event(
    site: int,
    time: int,
    kind: int,
    path: str,
    visitor: int,
    *,
    client_session: str = "",
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
        client_session=client_session,
        attributes=_ATTRIBUTES,
        properties=properties,
        profile=profile,
        agent=agent,
    )


def payment(site: int, time: int, visitor: int, amount: int) -> FactSpan:
    """A completed sale in the visitor's session."""
    return _span("transactions", site, time, visitor, _payment("sale", "completed", amount))


def _payment(kind: str, status: str, amount: int, reason: str = "") -> tuple[int | float | str | None, ...]:
    """The columns of a transaction that Ana's session brought."""
    about = ("stripe", kind, status, "EUR", "new", "session", "", amount, 0, 7, 8, 9, 1, 0)
    return (*about, "pi_1", "prod_1", "Book", reason, "Google", "Organic Search", "spring", "/a")


def _span(table: str, site: int, time: int, visitor: int, own: tuple[int | float | str | None, ...]) -> FactSpan:
    return FactSpan(
        table=table,
        site=site,
        time=time,
        visitor=visitor,
        yesterday=0,
        client_session="",
        path="/a",
        query_string="",
        attributes=_ATTRIBUTES,
        own=own,
    )
