"""The page of a link: its settings and figures, and parts of them as fragments."""

from collections.abc import Mapping

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures import export, page, suggesting, tables
from analytics_box.figures.asking import SubjectFacts
from analytics_box.figures.earnings import earnings, earnings_text
from analytics_box.figures.view import View, read_view
from analytics_box.products.links.editing import calls as procedures
from analytics_box.products.links.editing.calls import LinkShown
from analytics_box.products.links.figures.board import EXTRAS, LINK, PANELS
from analytics_box.products.links.folders.calls import folder_names
from analytics_box.products.links.link import FORWARDING_LABELS, OPERATOR_LABELS, PROPERTY_LABELS
from analytics_box.products.links.listing.lines import line
from analytics_box.products.links.messages import OneLink
from analytics_box.products.links.page_frame import DONE, HOME, frame, link_number
from analytics_box.products.links.targeting.rules import APPS, TargetCondition, TargetRule
from analytics_box.query.access import ReadScope
from analytics_box.query.request import GivenQuery, QueryFilterInput, check
from analytics_box.tenants.tenancy.messages import millis
from analytics_box.tenants.websites.reach import all_own
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor
from analytics_box.web.recognition.language import display_name

_FACTS = {
    "target": _("Destination"),
    "rules": _("Targeting rules"),
    "variants": _("A/B test"),
    "ios": _("iPhone, iPad"),
    "android": _("Android"),
    "app": _("Opens in"),
    "utm": _("UTM parameters"),
    "forwarding": _("Query parameters"),
    "status": _("Redirect"),
    "expires": _("Expires"),
    "most": _("Click limit"),
    "expired": _("Destination after expiry"),
    "password": _("Password"),
    "folder": _("Folder"),
    "tags": _("Tags"),
    "external": _("External ID"),
    "created": _("Created"),
    "changed": _("Changed"),
}


# Bots can request a link that has no clicks yet.
LONE_PANEL = "kinds"


class LinkFact(Struct, frozen=True):
    """A setting of a link and its values, one per line."""

    name: str
    parts: tuple[str, ...]


async def link_page(visit: Visitor, link_id: FromPath[str]) -> Answer:
    """GET /links/{id}: what a link is, and who follows it. A filter that a form adds leads to the address that has it.

    Raises NotFound.
    """
    link = await procedures.get(visit.call, OneLink(link_id))
    view, number = _view(visit, link.id), await link_number(visit, link_id)
    settled = await suggesting.redirect_with_values(visit, number, view)
    if settled is not None:
        return settled
    fresh = not link.clicks and not view.is_narrow
    names = (LONE_PANEL,) if fresh else ("figures", *_panels(link))
    told = SubjectFacts(begun=millis(link.created_at))
    board = await page.whole(visit, number, view, names, told)
    folders = await folder_names(visit)
    return visit.pages.show(
        "link.html",
        shell=frame(visit.person),
        link=line(link, folders, visit.person, visit.call.now),
        facts=_facts(visit, link, folders),
        board=board,
        revenue="" if fresh or view.is_narrow else await _revenue(visit, link.id, number, view, told),
        fresh=fresh,
        editable=visit.person.may("member"),
        done=DONE.get(visit.asked("done"), ""),
    )


async def link_part(visit: Visitor, link_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /links/{id}/parts/{name}: parts of the page that were not ready in time. Raises NotFound."""
    link = await procedures.get(visit.call, OneLink(link_id))
    number, made = await link_number(visit, link_id), millis(link.created_at)
    board = await page.parts(visit, number, _view(visit, link_id), name, SubjectFacts(begun=made))
    return visit.pages.show("part.html", board=board)


async def link_values(visit: Visitor, link_id: FromPath[str]) -> Page:
    """GET /links/{id}/values: values of a field that a filter may take. Raises NotFound."""
    return await suggesting.suggested_values(visit, await link_number(visit, link_id), _view(visit, link_id))


async def link_details(visit: Visitor, link_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /links/{id}/details/{list}: all rows of a list. Raises NotFound."""
    link = await procedures.get(visit.call, OneLink(link_id))
    return await tables.show(
        visit,
        await link_number(visit, link_id),
        _view(visit, link.id, f"/details/{name}"),
        name,
        home=f"{HOME}/{link.id}",
        shell=frame(visit.person),
        subject=link.name,
        told=SubjectFacts(begun=millis(link.created_at)),
    )


async def link_details_file(visit: Visitor, link_id: FromPath[str], name: FromPath[str], form: FromPath[str]) -> Next:
    """GET /links/{id}/details/{list}/{form}: the same rows as csv or json. Raises NotFound."""
    link, number = await procedures.get(visit.call, OneLink(link_id)), await link_number(visit, link_id)
    told = SubjectFacts(begun=millis(link.created_at))
    return await tables.file(visit, number, _view(visit, link.id, f"/details/{name}"), name, form, told)


async def link_export(visit: Visitor, link_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /links/{id}/export/{form}: the page's figures of a range as csv or json. Raises NotFound, or RateLimited."""
    link = await procedures.get(visit.call, OneLink(link_id))
    number = await link_number(visit, link_id)
    told = SubjectFacts(begun=millis(link.created_at))
    return await export.file(visit, number, _view(visit, link.id), _panels(link), form, told=told)


async def _revenue(visit: PageRequest, link_id: str, number: int, view: View, told: SubjectFacts) -> str:
    """The revenue of the sessions that came by a link, on the websites that the user can see; empty without any."""
    asking, _view = await page.asking_for(visit, number, view, told)
    given = GivenQuery(
        parameters=["revenue_overview"],
        startDate=asking.days.first.isoformat(),
        endDate=asking.days.last.isoformat(),
        filters=[QueryFilterInput("link", "eq", link_id)],
    )
    request = check(given, zone_name=asking.zone.key, now=asking.now)
    reads = ReadScope(tuple(website.site for website in all_own(visit.call)))
    return earnings_text(await earnings(asking.queries, request, reads)) if reads.sites else ""


def _view(visit: PageRequest, link_id: str, rest: str = "") -> View:
    return read_view(f"{HOME}/{link_id}{rest}", visit.request.query_params, LINK)


def _panels(link: LinkShown) -> tuple[str, ...]:
    """The lists of a link's page: rules and variants only where it has some."""
    leaves_out = set()
    if not link.variants:
        leaves_out.add("variants")
    if not (link.rules or link.ios_url or link.android_url):
        leaves_out.add("rules")
    return tuple(name for name in (*PANELS, *EXTRAS) if name not in leaves_out)


def _rule(rule: TargetRule) -> str:
    """A rule in words: its name, conditions and destination."""
    conditions = _(" and ").join(_condition(one) for one in rule.conditions)
    return f"{rule.name}: {conditions} → {rule.targetUrl}"


def _condition(given: TargetCondition) -> str:
    values = given.values or ((given.value,) if given.value else ())
    said = ", ".join(display_name(given.property, value) for value in values)
    return f"{PROPERTY_LABELS[given.property]} {OPERATOR_LABELS[given.operator]} {said}".rstrip()


def _facts(visit: PageRequest, link: LinkShown, folders: Mapping[str, str]) -> list[LinkFact]:
    """The properties of a link beyond its destination."""
    person = visit.person
    app = APPS.get(link.deep_link_app or "")
    given: dict[str, tuple[str, ...]] = {
        "target": (link.target_url,),
        "rules": tuple(_rule(rule) for rule in link.rules),
        "variants": tuple(f"{one.name} ({one.weight}) → {one.targetUrl}" for one in link.variants),
        "ios": (link.ios_url or "",),
        "android": (link.android_url or "",),
        "app": (app.name if app is not None else "",),
        "utm": tuple(f"{name}={value}" for name, value in link.utm.parameters),
        "forwarding": (FORWARDING_LABELS[link.query_forwarding] if link.query_forwarding != "none" else "",),
        "status": (str(link.redirect_status) if link.redirect_status != 302 else "",),
        "expires": (dates.moment(millis(link.expires_at), person) if link.expires_at is not None else "",),
        "most": (figures.count(link.max_clicks) if link.max_clicks is not None else "",),
        "expired": (link.expired_url or "",),
        "password": (_("Required") if link.has_password else "",),
        "folder": (folders.get(link.folder_id or "", ""),),
        "tags": (", ".join(link.tags),),
        "external": (link.external_id or "",),
        "created": (dates.moment(millis(link.created_at), person),),
        "changed": (dates.moment(millis(link.updated_at), person) if link.updated_at != link.created_at else "",),
    }
    return [
        LinkFact(_FACTS[name], tuple(figures.visible(part) for part in parts))
        for name, parts in given.items()
        if any(parts)
    ]
