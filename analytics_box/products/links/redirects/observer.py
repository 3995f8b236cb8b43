"""The visitor of a link, read from the request: the values that rules match and clicks record."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.facts.event import BOT, CLICK, HEAD, PREFETCH, PREVIEW, Kind
from analytics_box.ingest import visitors
from analytics_box.ingest.visitors import SaltFile
from analytics_box.products.links.clicks.rows import LinkClick
from analytics_box.products.links.redirects.live import RedirectLink
from analytics_box.products.links.targeting.rules import TargetChoice, TargetVisit
from analytics_box.tenants.websites.directory import Directory as Websites
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Scope
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.bots import classify_headers
from analytics_box.web.recognition.countries import names
from analytics_box.web.recognition.geo import Geo, Location
from analytics_box.web.recognition.language import language, preferred_language
from analytics_box.web.recognition.paths import clean
from analytics_box.web.recognition.source import host_of, source

_NAMES = re.compile(
    r"facebookexternalhit|facebookcatalog|facebot|meta-externalfetcher|twitterbot|linkedinbot|slackbot|slack-imgproxy"
    r"|discordbot|telegrambot|whatsapp/|skypeuripreview|pinterestbot|pinterest/0|redditbot|tumblr/|embedly|iframely"
    r"|quora link preview|vkshare|viber|line-poker|linespider|kakaotalk-scrap|mastodon/|akkoma|pleroma|misskey"
    r"|bluesky cardyb|snap url preview|bitlybot|flipboardproxy|nuzzel|xing-contenttabreceiver|outbrain|bingpreview"
    r"|google-pagerenderer|googlemessages|applebot-preview|signal-desktop|zoombot|microsoftpreview|teamsbot|chatwork"
    r"|linkpreview|link preview|urlpreview|unfurl|ms-office|msoffice|microsoft office",
    re.IGNORECASE,
)

_OFFICE = re.compile(r"ms-office|msoffice|microsoft office", re.IGNORECASE)


@lru_cache(maxsize=2_000)
def makes_previews(user_agent: str) -> bool:
    """Whether this bot makes previews."""
    return _NAMES.search(user_agent) is not None


def is_office(user_agent: str) -> bool:
    """Whether Word, Excel or another program of Office looks a hyperlink up before it opens the browser.

    The browser then gets the address at which this look-up ended: after a redirect that is no longer the short link.
    """
    return _OFFICE.search(user_agent) is not None


_LONGEST_AGENT: Final = 1_024
_REFRESH: Final = 5.0  # seconds after which a new website is known as a target
_LONGEST_REFERRER: Final = 2_048
_SHORT = 256  # characters of a referrer that is worth remembering

Headers = Mapping[bytes, bytes]


class ClickSender(Struct, frozen=True):
    """The sender of a request. `bot_name` is a bot's name for itself."""

    kind: Kind
    network: str
    user_agent: str
    agent: agent.Agent
    location: Location
    language: str
    referrer: str
    source: str
    bot_name: str

    @property
    def visit(self) -> TargetVisit:
        """The visit that targeting rules match."""
        return TargetVisit(
            person=f"{self.network}\0{self.user_agent}",
            country=self.location.country,
            country_code=_codes().get(self.location.country, "") if self.location.country else "",
            region=self.location.region,
            city=self.location.city,
            device=self.agent.device,
            system=self.agent.system,
            browser=self.agent.browser,
            language=self.language,
        )


class Observer:
    """Looks at requests, and makes clicks of them."""

    def __init__(self, geo: Geo, salts: SaltFile, websites: Websites, clock: Clock) -> None:
        self._geo = geo
        self._salts = salts
        self._websites = websites
        self._clock = clock
        self._landings: dict[tuple[str, str], int] = {}
        self._refreshed: float | None = None
        salts.memories.append(makes_previews.cache_clear)

    def look(self, scope: Scope, headers: Headers) -> ClickSender:
        """The sender of this request."""
        user_agent = headers.get(b"user-agent", b"").decode("latin-1")[:_LONGEST_AGENT]
        known = agent.parse(user_agent)
        kind, bot_name = _kind(scope, headers, user_agent, known)
        network = network_of(scope["address"])
        client = scope["client"]
        referrer, came_from = referrer_and_source(headers.get(b"referer", b"").decode("latin-1")[:_LONGEST_REFERRER])
        return ClickSender(
            kind=kind,
            network=network,
            user_agent=user_agent,
            agent=known,
            location=self._geo.of(network, headers, peer=client[0] if client else ""),
            language=language(preferred_language(headers.get(b"accept-language", b"").decode("latin-1"))[:64]),
            referrer=referrer,
            source=came_from,
            bot_name=bot_name,
        )

    def click(self, seen: ClickSender, link: RedirectLink, organization_id: str, choice: TargetChoice) -> LinkClick:
        """The click: no IP address, only ids that the salt of the day makes (semantics 7).

        Where the target is a website of the same organization, also who the visitor will be there.
        """
        now = self._clock.now()
        salt = self._salts.current(now).today
        landing = self._landing(organization_id, choice.url)
        network, user_agent = seen.network, seen.user_agent
        return LinkClick(
            link=link.number,
            time=now,
            kind=seen.kind,
            visitor=visitors.cookieless(salt, -link.number, network, user_agent),
            landing=landing,
            landing_visitor=visitors.cookieless(salt, landing, network, user_agent) if landing else 0,
            variant=choice.variant,
            rule=choice.rule,
            referrer=seen.referrer,
            source=seen.source,
            country=seen.location.country,
            region=seen.location.region,
            city=seen.location.city,
            browser=seen.agent.browser,
            system=seen.agent.system,
            device=seen.agent.device,
            language=seen.language,
            agent=seen.bot_name,
        )

    def _landing(self, organization_id: str, url: str) -> int:
        """The number of the organization's website that this URL belongs to; 0 for none."""
        moment = self._clock.monotonic()
        if self._refreshed is None or moment - self._refreshed >= _REFRESH:
            self._refreshed = moment
            self._landings = {
                (website.organization_id, website.domain.lower().removeprefix("www.")): website.site
                for website in self._websites.all()
            }
        return self._landings.get((organization_id, _host(url)), 0) if self._landings else 0


def _kind(scope: Scope, headers: Headers, user_agent: str, known: agent.Agent) -> tuple[Kind, str]:
    """The kind of this visit, and a bot's name for itself. Only the first kind counts as a click."""
    if makes_previews(user_agent):
        return PREVIEW, known.bot_name or user_agent.partition("/")[0][:64]
    bot, bot_name = (known.bot, known.bot_name) if known.bot else classify_headers(headers)
    if bot:
        return BOT, bot_name or bot
    if scope.get("head"):
        return HEAD, ""
    purpose = (
        headers.get(b"sec-purpose") or headers.get(b"purpose") or headers.get(b"x-purpose") or headers.get(b"x-moz")
    )
    if purpose is not None and any(word in purpose.lower() for word in (b"prefetch", b"prerender", b"preview")):
        return PREFETCH, ""
    return CLICK, ""


def referrer_and_source(given: str) -> tuple[str, str]:
    """The referrer without query and fragment, and its source (semantics 17)."""
    return _known_referrer(given) if len(given) <= _SHORT else _taken_apart(given)


@lru_cache(maxsize=4_000)
def _known_referrer(given: str) -> tuple[str, str]:
    return _taken_apart(given)


def _taken_apart(given: str) -> tuple[str, str]:
    host = host_of(given) if given.startswith(("http://", "https://", "android-app://")) else ""
    came_from = source(utm_source="", click_id="", referrer_host=host, own_domain="")
    return (clean(given.split("?", 1)[0].split("#", 1)[0]) if host else ""), came_from


@lru_cache(maxsize=4_000)
def _host(url: str) -> str:
    return host_of(url).removeprefix("www.")


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    return {name: code for code, name in names().items()}
