"""Bots over RPC. Reading needs read:data, allowing a bot needs manage:websites.

Each change writes its rows and its audit entry in one transaction; the classification is told after the commit.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.acting import By
from analytics_box.base.errors import NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.ingest.bot_rules import Bot, BotRule, Wishes
from analytics_box.ingest.bots import quarantine as bot_quarantine
from analytics_box.ingest.bots import rows
from analytics_box.ingest.bots.quarantine import Quarantine
from analytics_box.ingest.reasons import words
from analytics_box.tenants.tenancy.messages import Success, date
from analytics_box.tenants.websites.change import record
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call


def count_as_people(db: Connection, website: Website, by: By, bot: Bot) -> Wishes:
    """Count this bot as people. Raises Conflict when there are too many such rules."""
    wanted = rows.of(db, website.id)
    if wanted.has(bot):
        return wanted
    bot_quarantine.refuse_too_many(wanted)
    rows.insert(db, website.id, BotRule(bot, by.now, by.actor))
    record(db, website, by, "updated", {"countedAsPeople": {"before": None, "after": _bot_name(bot)}})
    return rows.of(db, website.id)


def stop_counting(db: Connection, website: Website, by: By, bot: Bot) -> Wishes:
    """Stop counting this bot as people; events already counted stay counted. Raises NotFound."""
    if not rows.of(db, website.id).has(bot):
        raise NotFound(_("This rule does not exist on this website"))
    rows.delete(db, website.id, bot)
    record(db, website, by, "updated", {"countedAsPeople": {"before": _bot_name(bot), "after": None}})
    return rows.of(db, website.id)


def set_data_centres(db: Connection, website: Website, by: By, *, on: bool) -> Wishes:
    """Set whether IP addresses of data centres are bots'."""
    wanted = rows.of(db, website.id)
    if wanted.data_centres == on:
        return wanted
    rows.set_data_centres(db, website.id, on)
    record(db, website, by, "updated", {"flagDataCentres": {"before": wanted.data_centres, "after": on}})
    return rows.of(db, website.id)


def _bot_name(bot: Bot) -> str:
    return f"{bot.agent} ({bot.reason})" if bot.agent else bot.reason


DAYS = 30


class BotWebsiteInput(Struct, frozen=True):
    """A website."""

    websiteId: str


class OfBot(Struct, frozen=True):
    """A bot of a website: why it was quarantined, and what it called itself, as in websites.listBots."""

    websiteId: str
    reason: Annotated[str, Meta(max_length=64)]
    agent: Annotated[str, Meta(max_length=bot_quarantine.LONGEST)] = ""


class BotOptions(Struct, frozen=True):
    """Settings of a website to change; fields left out stay as they are."""

    websiteId: str
    flagDataCentres: bool | UnsetType = UNSET


class QuarantinedBot(Struct, frozen=True):
    """Quarantined events of one bot: how many, and when the newest came."""

    reason: str
    label: str
    agent: str
    count: int
    lastSeen: datetime


class PeopleRule(Struct, frozen=True):
    """A bot whose events count on this website, and since when."""

    reason: str
    label: str
    agent: str
    createdAt: datetime


class BotList(Struct, frozen=True):
    """A website's quarantined events by bot, the most frequent first, and its settings for bots."""

    days: int
    total: int
    programs: list[QuarantinedBot]
    people: list[PeopleRule]
    flagDataCentres: bool


class AllowBotAnswer(Struct, frozen=True):
    """The number of quarantined events that count from now on."""

    success: bool
    counted: int


async def list_bots(call: Call, given: BotWebsiteInput) -> BotList:
    """websites.listBots: list bots of the last 30 days. Raises NotFound."""
    website = own(call, given.websiteId)
    quarantine = call.parts[Quarantine]
    found, wanted = await quarantine.of(website.site), quarantine.classification.of(website.site)
    return BotList(
        days=DAYS,
        total=found.total,
        programs=[
            QuarantinedBot(
                group.bot.reason,
                words(group.bot.reason)[0],
                group.bot.agent,
                group.events,
                date(group.last),
            )
            for group in found.groups
        ],
        people=[
            PeopleRule(rule.bot.reason, words(rule.bot.reason)[0], rule.bot.agent, date(rule.created_at))
            for rule in wanted.people
        ],
        flagDataCentres=wanted.data_centres,
    )


async def allow_bot(call: Call, given: OfBot) -> AllowBotAnswer:
    """websites.allowBot: allow a bot and count its quarantined and future events. Raises BadRequest, Conflict or
    NotFound."""
    return AllowBotAnswer(success=True, counted=await allow(call, given))


async def allow(call: Call, given: OfBot) -> int:
    """Count a bot's events as people's; return how many were quarantined."""
    bot = bot_quarantine.check_bot(given.reason, given.agent)
    website = own(call, given.websiteId)

    def write(db: Connection, acting: By) -> Wishes:
        return count_as_people(db, website, acting, bot)

    await _change(call, website, write)
    return await call.parts[Quarantine].count(website.site, bot)


async def refuse_bot(call: Call, given: OfBot) -> Success:
    """websites.refuseBot: undo allowBot. Raises NotFound.

    Events already counted stay counted.
    """
    website = own(call, given.websiteId)
    bot = Bot(given.reason, given.agent)

    def write(db: Connection, acting: By) -> Wishes:
        return stop_counting(db, website, acting, bot)

    await _change(call, website, write)
    return Success()


async def update_bot_options(call: Call, given: BotOptions) -> Success:
    """websites.updateBotOptions: choose whether data center IP addresses count as bots. Raises NotFound."""
    website, wanted = own(call, given.websiteId), given.flagDataCentres
    if not isinstance(wanted, UnsetType):

        def write(db: Connection, acting: By) -> Wishes:
            return set_data_centres(db, website, acting, on=wanted)

        await _change(call, website, write)
    return Success()


async def _change(call: Call, website: Website, write: Callable[[Connection, By], Wishes]) -> None:
    """Save a change of the website's settings for bots and classify events by them from then on."""
    changed = await call.write(lambda db: write(db, call.by))
    call.parts[Quarantine].classification.remember(website.site, changed)
