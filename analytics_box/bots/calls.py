"""Programs over RPC. Reading needs read:data; saying that a program is people needs manage:websites."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.acting import By
from analytics_box.bots import change, rules
from analytics_box.bots.held import Held
from analytics_box.http.call import Call
from analytics_box.ingest.bot_rules import Program, Wishes
from analytics_box.ingest.reasons import words
from analytics_box.store.db import Connection
from analytics_box.tenancy.acting import by_of
from analytics_box.tenancy.messages import Success, date
from analytics_box.websites.reach import own
from analytics_box.websites.rules import Website

DAYS = 30


class OfWebsite(Struct, frozen=True):
    """A website."""

    websiteId: str


class OfProgram(Struct, frozen=True):
    """A program of a website: why it was held, and what it called itself, as websites.listBots names both."""

    websiteId: str
    reason: Annotated[str, Meta(max_length=64)]
    agent: Annotated[str, Meta(max_length=rules.LONGEST)] = ""


class BotOptions(Struct, frozen=True):
    """What a website wants; what is not given stays."""

    websiteId: str
    flagDataCentres: bool | UnsetType = UNSET


class HeldProgram(Struct, frozen=True):
    """Held events of one program: how many, and when the newest was."""

    reason: str
    label: str
    agent: str
    count: int
    lastSeen: datetime


class PeopleRule(Struct, frozen=True):
    """A program that is people on this website, and since when."""

    reason: str
    label: str
    agent: str
    createdAt: datetime


class BotList(Struct, frozen=True):
    """What is held of a website, the commonest program first, and what it wants."""

    days: int
    total: int
    programs: list[HeldProgram]
    people: list[PeopleRule]
    flagDataCentres: bool


class Allowed(Struct, frozen=True):
    """How many held events count from now on."""

    success: bool
    counted: int


async def list_bots(call: Call, given: OfWebsite) -> BotList:
    """websites.listBots: programs of the last 30 days. Raises NotFound."""
    website = own(call, given.websiteId)
    held = call.parts[Held]
    found, wanted = await held.of(website.site), held.classification.of(website.site)
    return BotList(
        days=DAYS,
        total=found.total,
        programs=[
            HeldProgram(
                group.program.reason,
                words(group.program.reason)[0],
                group.program.agent,
                group.events,
                date(group.last),
            )
            for group in found.groups
        ],
        people=[
            PeopleRule(rule.program.reason, words(rule.program.reason)[0], rule.program.agent, date(rule.created_at))
            for rule in wanted.people
        ],
        flagDataCentres=wanted.data_centres,
    )


async def allow_bot(call: Call, given: OfProgram) -> Allowed:
    """websites.allowBot: these are people; what is held of them counts, and what comes from now on.

    Raises BadRequest, Conflict or NotFound.
    """
    return Allowed(success=True, counted=await allow(call, given))


async def allow(call: Call, given: OfProgram) -> int:
    """The same; how many events are counted after all."""
    program = rules.checked(given.reason, given.agent)
    website = own(call, given.websiteId)

    def write(db: Connection, acting: By) -> Wishes:
        return change.allow(db, website, acting, program)

    await _change(call, website, write)
    return await call.parts[Held].count(website.site, program)


async def refuse_bot(call: Call, given: OfProgram) -> Success:
    """websites.refuseBot: take an allowBot back; what was counted stays counted. Raises NotFound."""
    website = own(call, given.websiteId)
    program = Program(given.reason, given.agent)

    def write(db: Connection, acting: By) -> Wishes:
        return change.take_back(db, website, acting, program)

    await _change(call, website, write)
    return Success()


async def update_bot_options(call: Call, given: BotOptions) -> Success:
    """websites.updateBotOptions: whether addresses of data centres are programs. Raises NotFound."""
    website, wanted = own(call, given.websiteId), given.flagDataCentres
    if not isinstance(wanted, UnsetType):

        def write(db: Connection, acting: By) -> Wishes:
            return change.data_centres(db, website, acting, on=wanted)

        await _change(call, website, write)
    return Success()


async def _change(call: Call, website: Website, write: Callable[[Connection, By], Wishes]) -> None:
    """Have a verb change what the website wants; events are judged by it from then on."""
    changed = await call.write(lambda db: write(db, by_of(call)))
    call.parts[Held].classification.remember(website.site, changed)
