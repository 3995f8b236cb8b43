"""The facts of one request on their way to the disk, and what is left out of them."""

from collections import Counter
from collections.abc import Sequence

from analytics_box.base.facts.event import Event, Fact, FactSpan
from analytics_box.base.store.budgets import DiskBudget
from analytics_box.ingest import happened
from analytics_box.ingest.enrich import EventSender, EventTarget, measure_span, understand
from analytics_box.ingest.held import quarantine_row
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.ledger import NOTHING, AppendResult
from analytics_box.ingest.payload import EventPayload, Incoming

LeftOut = dict[tuple[int, str], int]  # how much by site and reason
Own = tuple[int | float | str | None, ...]


class Gathering:
    """The events of one request. Add everything, then `store`; nothing is kept before that."""

    __slots__ = ("_ai_requests", "_budget", "_facts", "_intake", "_left_out", "_now", "_salts", "sender")

    def __init__(self, intake: Intake, sender: EventSender) -> None:
        self.sender = sender
        self._intake = intake
        self._now = intake.clock.now()
        self._salts = intake.salts.current(self._now)
        self._facts: list[Fact] = []
        self._ai_requests: list[FactSpan] = []
        self._budget: DiskBudget | None = None
        self._left_out: LeftOut | None = None  # most requests need none

    def event(self, given: Incoming, target: EventTarget) -> None:
        """Add an event. Raises InvalidEvent."""
        event = understand(given, target, self.sender, self._salts, self._now)
        ignored = target.ignores(event.path, given.referrer)
        if ignored:
            self._leave_out(target.site, ignored)
        else:
            self._facts.append(event)
            self._budget = target.budget
            if event.bot and (request := self._intake.ai.of_bot(event, self.sender)) is not None:
                self._ai_requests.append(request)

    def span(
        self, given: EventPayload, table: str, own: Own, target: EventTarget, *, event_id: str | None = None
    ) -> None:
        """Add a measurement, an error, a click or the like. Raises InvalidEvent."""
        span = measure_span(
            given,
            table,
            own,
            target=target,
            sender=self.sender,
            salts=self._salts,
            now=self._now,
            event_id=event_id,
        )
        ignored = target.ignores(span.path)
        if ignored:
            self._leave_out(target.site, ignored)
        else:
            self._facts.append(quarantine_row(span, self.sender) if self.sender.bot else span)
            self._budget = target.budget

    def wrong(self, site: int, reason: str) -> None:
        """Something of the request cannot be taken while the rest can."""
        self._leave_out(site, reason)

    async def store(self) -> bytes:
        """Store everything and return the outcome once it is on disk. Raises Unavailable; then nothing is stored."""
        facts = self._facts
        if facts:
            both = [*facts, *self._ai_requests] if self._ai_requests else facts
            done = await self._intake.store(both, self.sender, now=self._now, budget=self._budget)
            if self._ai_requests:
                done = done._replace(repeats=[fact for fact in done.repeats if isinstance(fact, Event)])
        else:
            done = NOTHING
        self._intake.dropped.stored += len(facts) - len(done.repeats)
        if not done.repeats and not done.folded and self._left_out is None and not self.sender.bot:
            return happened.all_stored(len(facts))
        return sentence(self._intake, facts, done, self._left_out)

    def _leave_out(self, site: int, reason: str) -> None:
        if self._left_out is None:
            self._left_out = {}
        key = (site, reason)
        self._left_out[key] = self._left_out.get(key, 0) + 1


def sentence(intake: Intake, facts: Sequence[Fact], appended: AppendResult, left_out: LeftOut | None = None) -> bytes:
    """Count what is left out, held and folded of the facts of a request, and say so."""
    left_out = dict(left_out or {})
    if appended.folded:
        intake.dropped.note_folded(facts[0].site, appended.folded)
    for fact in appended.repeats:
        left_out[fact.site, "duplicate"] = left_out.get((fact.site, "duplicate"), 0) + 1
    dropped: Counter[str] = Counter()
    for (site, reason), count in left_out.items():
        dropped[reason] += count
        intake.dropped.note(site, reason, count)
    again = {id(fact) for fact in appended.repeats}
    flagged = [fact for fact in facts if isinstance(fact, Event) and fact.bot and id(fact) not in again]
    for event in flagged:
        intake.dropped.note(event.site, event.bot)
    held = Counter(event.bot for event in flagged)
    intake.dropped.stored -= len(flagged)
    return happened.sentence(len(facts) - len(appended.repeats) - len(flagged), held, dropped, appended.folded)
