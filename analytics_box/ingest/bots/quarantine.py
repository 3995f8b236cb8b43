"""Quarantined events: listing them, counting them when a bot is allowed, removing them after 30 days; their limits."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from analytics_box.base.clock import DAY, Clock, utc_day
from analytics_box.base.errors import BadRequest, Conflict, ErrorDetail
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.base.translation import _
from analytics_box.ingest.bot_rules import Bot, Wishes
from analytics_box.ingest.bots import rows
from analytics_box.ingest.bots.rows import BotGroup
from analytics_box.ingest.classification import Classification
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.live import LiveSessions
from analytics_box.ingest.prepared import target_of
from analytics_box.ingest.unflag import unflag
from analytics_box.ingest.visitors import SaltFile
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.recognition.bots import REASONS

DAYS = 30
KEPT = DAYS * DAY  # ms for which quarantined events are kept (semantics 19)
MOST = 100  # rules of one website
LONGEST = 128  # characters of a bot's name


def check_bot(reason: str, agent: str) -> Bot:
    """Check a bot that a caller named. Raises BadRequest."""
    if reason not in REASONS:
        raise BadRequest(
            _("Unknown reason"),
            details=(ErrorDetail("reason", _("One of {reasons}").format(reasons=", ".join(REASONS))),),
        )
    if len(agent) > LONGEST:
        raise BadRequest(
            _("The name is too long"),
            details=(ErrorDetail("agent", _("Use up to {longest} characters").format(longest=LONGEST)),),
        )
    return Bot(reason, agent)


def refuse_too_many(wishes: Wishes) -> None:
    """Raises Conflict when a website has as many rules as it may have."""
    if len(wishes.people) >= MOST:
        raise Conflict.full(
            "botRules", MOST, _("A website can have up to {most} such rules; remove one first").format(most=MOST)
        )


MOST_GROUPS = 200
CHUNK = 2_000  # events per write


class QuarantineSummary(Struct, frozen=True):
    """Quarantined events of a site: in total, and by bot."""

    total: int
    groups: Sequence[BotGroup]


class Quarantine:
    """The quarantined events of a box."""

    def __init__(
        self,
        events: Db,
        live: LiveSessions,
        strings: Strings,
        classification: Classification,
        websites: Directory,
        salts: SaltFile,
        clock: Clock,
    ) -> None:
        self.classification = classification
        self._events, self._live, self._strings, self._clock = events, live, strings, clock
        self._websites, self._salts = websites, salts
        self._one_at_a_time = asyncio.Lock()

    async def of(self, site: int) -> QuarantineSummary:
        """A site's quarantined events, the 200 most frequent bots first: those of the last 30 UTC days, as its dropped
        traffic counts them.
        """
        since = (utc_day(self._clock.now()) - DAYS + 1) * DAY

        def read(db: Connection) -> QuarantineSummary:
            return QuarantineSummary(rows.total(db, site, since), rows.groups(db, site, since, MOST_GROUPS))

        return await self._events.read(read)

    async def count(self, site: int, bot: Bot) -> int:
        """Count the quarantined events of an allowed bot; return how many there were."""
        website = next((one for one in self._websites.all() if one.site == site), None)
        target = EventTarget(site) if website is None else target_of(website, self._websites.check(website))
        async with self._one_at_a_time:
            return await unflag(
                self._events,
                self._live,
                self._strings,
                target,
                self._salts.current(self._clock.now()).history,
                reason=bot.reason,
                agent=bot.agent,
            )

    async def count_all(self) -> None:
        """Count the quarantined events of every allowed bot: a crash may have interrupted the last count."""
        for site in self.classification.sites():
            for rule in self.classification.of(site).people:
                await self.count(site, rule.bot)

    async def forget(self) -> int:
        """Remove events quarantined for more than 30 days; return how many there were."""
        removed, before = 0, self._clock.now() - KEPT
        while found := await self._events.read(lambda db: rows.older(db, before, CHUNK)):
            await self._events.write(partial(_remove, found=found))
            removed += len(found)
        return removed


def _remove(db: Connection, *, found: list[int]) -> None:
    db.execute(
        f"-- bots.forget\ndelete from {stored_table('events')} "
        "where id in (select value from json_each(?)) and bot <> 0",
        (json.dumps(found),),
    )
