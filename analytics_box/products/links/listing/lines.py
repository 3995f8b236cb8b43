"""Links as pages list them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.links import rows
from analytics_box.products.links.editing.calls import LinkShown
from analytics_box.products.links.page_frame import HOME
from analytics_box.products.links.rows import LinkSelection
from analytics_box.products.links.targeting.rules import APPS
from analytics_box.tenants.tenancy.messages import millis
from analytics_box.web.call import Call
from analytics_box.web.page import dates
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

_STATES = {
    "expired": _("Expired"),
    "full": _("Click limit reached"),
    "ends": _("Until {when}"),
    "limit": _("{clicks} of {most} clicks"),
    "password": _("Password"),
    "rules": _("Rules"),
    "test": _("A/B test"),
    "app": _("Opens {app}"),
}


class LinkState(Struct, frozen=True):
    """A badge of a link, such as its expiry; `tone` is its CSS class."""

    text: str
    tone: str = ""


class LinkLine(Struct, frozen=True):
    """A link in the list and at the top of its page. `short` is its short URL without the scheme."""

    id: str
    name: str
    href: str
    url: str
    short: str
    target: str
    states: tuple[LinkState, ...]
    tags: tuple[str, ...]
    folder: str
    clicks: str
    count: int
    last: str


def line(link: LinkShown, folders: Mapping[str, str], person: SignedInPerson, now: int) -> LinkLine:
    """A link as pages show it; `folders` are names by id, `now` is UTC ms."""
    return LinkLine(
        id=link.id,
        name=figures.visible(link.name),
        href=f"/links/{link.id}",
        url=link.short_url,
        short=link.short_url.partition("://")[2],
        target=figures.visible(link.target_url),
        states=tuple(_states(link, person, now)),
        tags=tuple(figures.visible(tag) for tag in link.tags),
        folder=figures.visible(folders.get(link.folder_id or "", "")),
        clicks=figures.count(link.clicks),
        count=link.clicks,
        last=dates.moment(millis(link.last_clicked_at), person) if link.last_clicked_at else "",
    )


def _states(link: LinkShown, person: SignedInPerson, now: int) -> list[LinkState]:
    words, states = _STATES, []
    if link.expires_at is not None:
        ends = millis(link.expires_at)
        over = ends <= now
        states.append(
            LinkState(words["expired"], "over")
            if over
            else LinkState(words["ends"].format(when=dates.moment(ends, person)))
        )
    if link.max_clicks is not None:
        full = link.clicks >= link.max_clicks
        limit = words["limit"].format(clicks=figures.count(link.clicks), most=figures.count(link.max_clicks))
        states.append(LinkState(words["full"], "over") if full else LinkState(limit))
    if link.has_password:
        states.append(LinkState(words["password"]))
    if link.rules:
        states.append(LinkState(words["rules"]))
    if link.variants:
        states.append(LinkState(words["test"]))
    if link.deep_link_app is not None:
        app = APPS.get(link.deep_link_app)
        states.append(LinkState(words["app"].format(app=app.name if app is not None else link.deep_link_app)))
    return states


_SHORTEST: Final = 2  # letters, of which nearly every link has one
_LOOKED_AT: Final = 200  # links with the longest word, newest first


async def link_hits(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Links by name, slug and target, the newest first."""
    person, longest = call.identity.person, max(asked.words, key=len, default="")
    if person is None or len(longest) < _SHORTEST:
        return ()
    selection = LinkSelection(
        organization_id=person.organization_id, search=longest, limit=_LOOKED_AT, among=call.identity.resources
    )
    found = await call.read(partial(rows.links, selection=selection))
    return [
        PaletteHit("link", link.name or link.slug, f"{HOME}/{link.id}", "link", f"{link.domain}/{link.slug}")
        for link in found
        if asked.fits(link.name, link.domain, link.slug, link.target_url)
    ]
