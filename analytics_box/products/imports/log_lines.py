"""Lines of a web server's log that a follower sends while the log grows: page views, and requests of AI agents.

A line has an event id of its log and place, so lines that a follower sends again after an interruption are known.
"""

from collections.abc import Collection, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.errors import Conflict
from analytics_box.base.facts.event import PAGE_VIEW, Event, Fact, FactSpan
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.ingest.ai_requests import logged_request
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.ingest.enrich import OLDEST_FROM_SERVER, EventSender, EventTarget, understand
from analytics_box.ingest.gathering import sentence
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.prepared import target_of
from analytics_box.products.imports.calls import RefusedShown
from analytics_box.products.imports.readers import weblogs
from analytics_box.products.imports.readers.weblogs import LoggedPage
from analytics_box.products.imports.records import REASONS, RowRefusal, address_identity, date_of
from analytics_box.products.imports.worker import HistoryImports, RefusalCounts
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.address import network_of
from analytics_box.web.call import Call
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.ai_agents import AiAgent
from analytics_box.web.recognition.bots import KNOWN

MOST_LINES: Final = 500
# The origin of page views that come from a log: others have none.
ORIGIN: Final = "server_log"
_LONGEST_LINE: Final = 65_536
_SERVER: Final = EventSender("", "", agent.NOTHING, "", "", True)
# Its requests alone are no arrival of a visitor.
_AGENT: Final = EventSender("", "", agent.NOTHING, "", KNOWN, True)


class FollowedLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a log, and the byte at which it starts."""

    at: Annotated[int, Meta(ge=0, lt=2**53)]
    text: Annotated[str, Meta(max_length=_LONGEST_LINE)]


class AddLogLines(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of imports.addLogLines. `log` is another one whenever the log starts from the beginning. With `force`,
    lines are added to days that also have page views of another source. With `aiOnly`, only requests of AI agents are
    added, such as to a website whose visitors the script measures."""

    websiteId: Text
    log: Annotated[str, Meta(min_length=1, max_length=64)]
    lines: Annotated[tuple[FollowedLine, ...], Meta(max_length=MOST_LINES)]
    force: bool = False
    aiOnly: bool = False


class AddedLines(Struct, frozen=True):
    """The lines that are stored, those that were stored before, and those that are left out."""

    stored: int
    repeated: int
    refused: list[RefusedShown]


async def add_lines(call: Call, given: AddLogLines) -> AddedLines:
    """imports.addLogLines: add lines of a web server's log to a website. Raises NotFound, Conflict or Unavailable."""
    website, intake = own(call, given.websiteId), call.parts[Intake]
    if call.parts[Machines].are_wanted:
        raise Conflict(_("Servers with ingest machines cannot follow logs. Import the file instead"))
    lines = _FollowedLines(intake, website, ai_only=given.aiOnly)
    facts = [fact for line in given.lines if (fact := lines.fact_of(line, given.log)) is not None]
    events = [fact for fact in facts if isinstance(fact, Event)]
    if not given.force:
        await _check_days(call, website.site, {event.time // DAY for event in events})
    repeated = 0
    if facts:
        appended = await intake.store(facts, _SERVER if events else _AGENT, now=lines.now)
        repeated = len(appended.repeats)
        intake.dropped.stored += len(facts) - repeated
        sentence(intake, facts, appended)
    refused = [RefusedShown(one.reason, REASONS[one.reason], one.rows, one.examples) for one in lines.refused.rows()]
    return AddedLines(len(facts) - repeated, repeated, refused)


class _FollowedLines:
    """The lines of one call on their way to facts."""

    def __init__(self, intake: Intake, website: Website, *, ai_only: bool) -> None:
        self._ai_only = ai_only
        self.now, self.refused = intake.clock.now(), RefusalCounts()
        self._intake, self._website = intake, website
        self._check = intake.websites.check(website)
        self._salts = intake.salts.current(self.now)
        self._senders: dict[tuple[str, str], EventSender] = {}

    def fact_of(self, line: FollowedLine, log: str) -> Fact | None:
        """The page view or the AI agent's request of a line; None if it is left out, which is counted."""
        page = weblogs.page_request(line.text.strip())
        fact = page if isinstance(page, RowRefusal) else self._understand(page, f"{log}:{line.at}")
        if isinstance(fact, RowRefusal):
            self.refused.add(fact.reason, fact.example)
            return None
        return fact

    def _understand(self, page: LoggedPage, event_id: str) -> Fact | RowRefusal:
        kept = self._website.tracking.dataRetentionDays
        if not OLDEST_FROM_SERVER <= page.time <= self.now + HOUR:
            return RowRefusal("time", date_of(page.time // DAY))
        if kept and page.time < self.now - kept * DAY:
            return RowRefusal("retention", date_of(page.time // DAY))
        sender = self._sender(page)
        target, client = target_of(self._website, self._check, self._check.ignores(None, page.address)), None
        if sender.bot:
            if page.agent is None:
                return RowRefusal("bot", page.user_agent)
            return self._request(page, page.agent, target, event_id)
        if self._ai_only or not page.served:
            return RowRefusal("person" if self._ai_only else "asset", f"{page.url} {page.status}")
        # Addresses are hashed with the salts of today and yesterday only.
        if page.time // DAY < self._salts.day - 1:
            sender, target = replace(sender, by_key=True), replace(target, cookieless=False)
            client = str(address_identity(page.address, page.user_agent, page.time))
        incoming = Incoming(
            name="screen_view",
            path=page.url[:8192],
            timestamp=page.time,
            referrer=page.referrer or None,
            anonymousId=client,
            eventId=event_id,
        )
        return self._event(incoming, target, sender)

    def _request(self, page: LoggedPage, known: AiAgent, target: EventTarget, event_id: str) -> FactSpan | RowRefusal:
        """The request of an AI agent, unless the website's server has reported it."""
        request = logged_request(known, page.time, page.url, page.status, page.user_agent, page.referrer)
        if target.ignores(request.path):
            return RowRefusal("ignored", request.path)
        if abs(self.now - page.time) < MINUTE and self._intake.ai.is_reported(target.site, known, request.path):
            return RowRefusal("reported", request.path)
        return self._intake.ai.span(target.site, replace(request, address=page.address, event_id=event_id))

    def _event(self, incoming: Incoming, target: EventTarget, sender: EventSender) -> Event | RowRefusal:
        try:
            event = understand(incoming, target, sender, self._salts, self.now)
        except InvalidEvent as wrong:
            return RowRefusal("row", str(wrong))
        if target.ignores(event.path, incoming.referrer):
            return RowRefusal("ignored", event.path)
        return replace(event, origin=ORIGIN)

    def _sender(self, page: LoggedPage) -> EventSender:
        """The visitor who asked for a page, as the website sees it."""
        key = (page.address, page.user_agent)
        sender = self._senders.get(key)
        if sender is None:
            network, seen = network_of(page.address), agent.parse(page.user_agent)
            place = self._intake.geo.of(network, {}, peer="")
            sender = EventSender(
                network,
                page.user_agent,
                seen,
                "",
                seen.bot,
                False,
                seen.bot_name,
                place.country,
                place.region,
                place.city,
            )
            sender = self._senders[key] = self._intake.classification.classify(sender, self._website.site)
        return sender


async def _check_days(call: Call, site: int, days: Collection[int]) -> None:
    """Raises Conflict for days with page views that do not come from a log: they would count twice."""
    known = call.parts[HistoryImports].log_days
    unknown = sorted(day for day in days if known.get((site, day)) is None)
    if not unknown:
        return
    measured = await call.parts[Intake].events.read(lambda db: _measured_days(db, site, unknown))
    if measured:
        raise Conflict(
            _(
                "The website already has page views on {days}, from the script or an import. They would count twice. "
                "Use --force to add the log anyway"
            ).format(days=", ".join(date_of(day) for day in measured[:3]))
        )
    for day in unknown:
        known.put((site, day), True)


def _measured_days(db: Connection, site: int, days: Sequence[int]) -> list[int]:
    found = []
    for day in days:
        row = db.execute(
            """
            -- log_lines.measured_days
            select 1 from stored_events indexed by events_by_time
            where site = ? and time >= ? and time < ? and bot = 0 and kind = ?
              and origin not in (select id from strings where value = ?)
            limit 1
            """,
            (site, day * DAY, (day + 1) * DAY, PAGE_VIEW, ORIGIN),
        ).fetchone()
        if row is not None:
            found.append(day)
    return found
