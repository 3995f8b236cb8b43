"""Requests of AI agents as facts, and what is remembered of them: recent reports, and set-up checks that are open.

A request reaches the box by up to three ways: a website's server reports it, a bot runs the tracker, or a log file is
imported. A page view of a bot that a server has just reported is not stored again.
"""

import re
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.base.facts.event import PAGE_VIEW, Event, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.ids import base62
from analytics_box.ingest.enrich import EventSender
from analytics_box.web.recognition.ai_agents import AddressRanges, AiAgent, find_agent, signature_host
from analytics_box.web.recognition.paths import clean, page

RANGES_FOLDER: Final = "ai-agents"
FORMATS: Final = ("html", "markdown", "llms", "other")
Report = Literal["server", "tracker", "log"]

NONCE: Final = re.compile(r"[A-Za-z0-9_-]{12,64}", re.ASCII)
_RECENT_SECONDS, _MOST_RECENT = 60.0, 10_000
_CHECK_SECONDS, _MOST_CHECKS = 900.0, 1_000
_LONGEST_AGENT: Final = 512
_REFERRER = ATTRIBUTES.index("referrer")
_NO_ATTRIBUTES = ("",) * len(ATTRIBUTES)
_FILE = re.compile(r"\.([a-z0-9]{1,6})$", re.ASCII)
_PAGES = frozenset(("html", "htm", "xhtml", "php", "asp", "aspx", "jsp"))
_NAMED = {"md": "markdown", "text/markdown": "markdown", "text/html": "html", "llms.txt": "llms"}


class AiRequest(Struct, frozen=True):
    """A request of an AI agent. `time` is UTC ms; `status` is None if unknown. `address` is compared
    with the agent's ranges and not stored."""

    agent: AiAgent
    path: str
    time: int
    report: Report
    user_agent: str
    format: str = "html"
    status: int | None = None
    signature: str = ""
    referrer: str = ""
    address: str = ""
    event_id: str = ""


class SetupCheck(Struct, frozen=True):
    """A check whether a website's server reports requests: the text to look for, and whether it was reported."""

    nonce: str
    recorded: bool


class AiMemory:
    """The address ranges of agents, reports of the last minute and open set-up checks."""

    def __init__(self, data_dir: Path, clock: Clock) -> None:
        self.ranges = AddressRanges(data_dir / RANGES_FOLDER)
        self._recent: BoundedCache[tuple[int, str, str], bool] = BoundedCache(
            _MOST_RECENT, seconds=_RECENT_SECONDS, clock=clock
        )
        self._checks: BoundedCache[tuple[str, str], str] = BoundedCache(
            _MOST_CHECKS, seconds=_CHECK_SECONDS, clock=clock
        )
        self._nonces: BoundedCache[str, str] = BoundedCache(_MOST_CHECKS, seconds=_CHECK_SECONDS, clock=clock)

    def span(self, site: int, request: AiRequest) -> FactSpan:
        """The fact of a request."""
        agent = request.agent
        if request.report == "server":
            self._recent.put((site, agent.id, request.path), value=True)
        verified = self.ranges.verify(agent, request.address) if request.address else None
        return request_fact(request, site, verified)

    def is_reported(self, site: int, agent: AiAgent, path: str) -> bool:
        """Whether a server has reported a request of this agent within the last minute."""
        return self._recent.get((site, agent.id, path)) is not None

    def of_bot(self, event: Event, sender: EventSender) -> FactSpan | None:
        """The request behind a quarantined event; None unless it is a page view of an AI agent that no server has
        reported."""
        if event.kind != PAGE_VIEW:
            return None
        agent = find_agent(sender.user_agent)
        if agent is None or self.is_reported(event.site, agent, event.path):
            return None
        request = AiRequest(
            agent,
            event.path,
            event.time,
            "tracker",
            sender.user_agent,
            address=sender.network.split("/", 1)[0],
            event_id=event.event_id,
        )
        return self.span(event.site, request)

    def own_check(self, website_id: str) -> SetupCheck:
        """The check that the website's page shows; another one after 15 minutes."""
        nonce = self._nonces.get(website_id)
        if nonce is None:
            nonce = base62(16)
            self._nonces.put(website_id, nonce)
        return SetupCheck(nonce, self.open_check(website_id, nonce))

    def open_check(self, website_id: str, nonce: str) -> bool:
        """Return whether a request with this text in its path was reported; wait for one from now on."""
        state = self._checks.get((website_id, nonce))
        if state is None:
            self._checks.put((website_id, nonce), "open")
        return state == "recorded"

    def record_check(self, website_id: str, address: str) -> bool:
        """Return whether this address has the text of an open check of the website, which is then recorded."""
        for match in NONCE.finditer(address[-256:]):
            if self._checks.get((website_id, match[0])):
                self._checks.put((website_id, match[0]), "recorded")
                return True
        return False


def request_fact(request: AiRequest, site: int, verified: int | None) -> FactSpan:
    """A request as a fact. `verified` is 1 if its address is in the agent's ranges, 0 if not, None if unknown."""
    agent, attributes = request.agent, list(_NO_ATTRIBUTES)
    attributes[_REFERRER] = request.referrer
    return FactSpan(
        table="ai_requests",
        site=site,
        time=request.time,
        visitor=0,
        yesterday=0,
        client_session="",
        path=request.path,
        query_string="",
        attributes=tuple(attributes),
        own=(
            agent.id,
            agent.product,
            agent.purpose,
            request.format,
            request.report,
            request.status,
            verified,
            clean(request.user_agent, _LONGEST_AGENT),
            signature_host(request.signature),
        ),
        event_id=request.event_id,
    )


def logged_request(agent: AiAgent, time: int, url: str, status: int, user_agent: str, referrer: str) -> AiRequest:
    """The request in a line of a web server's log. `time` is UTC ms."""
    path = page(url).path
    return AiRequest(
        *(agent, path, time, "log", user_agent, format_of(None, path, None), status),
        referrer=clean(referrer.split("?", 1)[0].split("#", 1)[0]),
    )


def format_of(named: str | None, path: str, accept: str | None) -> str:
    """The format of an answer: as it was named, else by the path and the types that the agent accepts."""
    name = (named or "").strip().lower()
    if name:
        return name if name in FORMATS else _NAMED.get(name, "other")
    last = path.rsplit("/", 1)[-1].lower()
    if last.startswith("llms") and last.endswith(".txt"):
        return "llms"
    file = _FILE.search(last)
    if file is not None and file[1] in {"md", "mdx", "markdown"}:
        return "markdown"
    if file is not None and file[1] not in _PAGES:
        return "other"
    return "markdown" if "text/markdown" in (accept or "").lower() else "html"
