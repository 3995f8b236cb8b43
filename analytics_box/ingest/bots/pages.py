"""The page of a website's bots: visible with the website, editable by members."""

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.ingest.bot_rules import Bot
from analytics_box.ingest.bots import calls
from analytics_box.ingest.bots.calls import BotOptions, OfBot
from analytics_box.ingest.bots.quarantine import Quarantine
from analytics_box.ingest.reasons import words
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DONE = {
    "refused": _("Future events are quarantined. Events that were already counted stay in your figures."),
    "options": _("Saved. This applies to future events."),
}


class BotLine(Struct, frozen=True):
    """A bot in the list: why it is there, its name, how many events, and when the newest was."""

    reason: str
    label: str
    agent: str
    name: str
    count: str
    last: str


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/bots. Raises NotFound."""
    return await _page(visit, website_id, Again())


async def allow(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/bots/allow: count a bot as people. Raises NotFound."""
    form = await visit.form()

    async def save() -> str:
        counted = await calls.allow(visit.call, _bot(website_id, form))
        return f"/sites/{website_id}/bots?counted={counted}"

    return await visit.submit(save, lambda again_visit, again: _page(again_visit, website_id, again))


async def refuse(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/bots/refuse: stop counting a bot as people. Raises NotFound."""
    form = await visit.form()
    await calls.refuse_bot(visit.call, _bot(website_id, form))
    return visit.go(f"/sites/{website_id}/bots?done=refused")


async def options(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/bots/options: whether IP addresses of data centres are bots'. Raises NotFound."""
    form = await visit.form()
    await calls.update_bot_options(visit.call, BotOptions(website_id, flagDataCentres="dataCentres" in form))
    return visit.go(f"/sites/{website_id}/bots?done=options")


def _bot(website_id: str, form: dict[str, str]) -> OfBot:
    return OfBot(website_id, form.get("reason", ""), form.get("agent", ""))


async def _page(visit: PageRequest, website_id: str, again: Again) -> Page:
    website, person = own(visit.call, website_id), visit.person
    quarantine = visit.parts[Quarantine]
    found, wanted = await quarantine.of(website.site), quarantine.classification.of(website.site)
    counted = visit.asked("counted")
    return settings_page(
        visit,
        "bots.html",
        "bots",
        website,
        again=again,
        href=f"/sites/{website.id}/bots",
        total=figures.count(found.total),
        bots=[
            _line(group.bot, figures.count(group.events), dates.moment(group.last, person)) for group in found.groups
        ],
        people=[_line(rule.bot, "", dates.moment(rule.created_at, person)) for rule in wanted.people],
        data_centres=wanted.data_centres,
        editable=person.may("member"),
        done=ngettext(
            "1 quarantined event now counts, as will future ones.",
            "{count} quarantined events now count, as will future ones.",
            int(counted),
        ).format(count=figures.count(int(counted)))
        if counted.isascii() and counted.isdigit() and len(counted) < 12
        else _DONE.get(visit.asked("done"), ""),
    )


def _line(bot: Bot, count: str, last: str) -> BotLine:
    return BotLine(
        reason=bot.reason,
        label=words(bot.reason)[0],
        agent=bot.agent,
        name=bot.agent or _("Without a name"),
        count=count,
        last=last,
    )
