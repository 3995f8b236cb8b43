"""The domains of short links under /links/domains, and the orphan clicks."""

from datetime import date

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import web_address
from analytics_box.products.links.domains import calls as domain_calls
from analytics_box.products.links.domains.calls import AddLinkDomain, ChangedDomain, GivenOrphans, OneDomain
from analytics_box.products.links.messages import LinkOrganizationInput
from analytics_box.products.links.page_frame import DONE, HOME, frame, links_in_words, nothing_there
from analytics_box.products.links.rows import LINKS
from analytics_box.products.links.slugs import PREFIX, short_url
from analytics_box.tenants.configuration import domains as proven_domains
from analytics_box.tenants.tenancy.rules import may
from analytics_box.web.page import dates
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_REMOVE_DOMAIN = ConfirmationTexts(
    _("Remove {name} from links?"),
    _("The domain stops working immediately. Move or delete its links first."),
    _("Remove {name}"),
)


DOMAINS = f"{HOME}/domains"
MOST_ORPHANS = 20


class DomainLine(Struct, frozen=True):
    """A link domain, with the destinations of the domain itself and of unknown slugs."""

    domain: str
    home: str
    missing: str
    links: str


class OrphanLine(Struct, frozen=True):
    """A requested address without a link; `make` is where to create that link."""

    address: str
    clicks: str
    make: str


async def domains(visit: Visitor) -> Page:
    """GET /links/domains."""
    return await _page(visit, Again())


async def add(visit: Visitor) -> Answer:
    """POST /links/domains: add a proven domain."""
    form = await visit.form()

    async def save() -> str:
        home, missing = _targets(form)
        await domain_calls.add_domain(visit.call, AddLinkDomain(form.get("domain", ""), home, missing))
        return f"{DOMAINS}?done=domain-added"

    return await visit.submit(save, _page, values=form)


async def save(visit: Visitor) -> Answer:
    """POST /links/domains/save: its destinations. Raises NotFound."""
    form = await visit.form()
    domain = form.get("domain", "")
    home, missing = _targets(form)
    try:
        await domain_calls.update_domain(visit.call, ChangedDomain(domain, homeUrl=home, notFoundUrl=missing))
    except (BadRequest, Conflict) as refused:
        wrong = {f"{detail.field}-{domain}": detail.message for detail in refused.details}
        values = {f"homeUrl-{domain}": home or "", f"notFoundUrl-{domain}": missing or ""}
        return await _page(visit, Again(refused.status, values, wrong, "" if wrong else refused.message))
    return visit.go(f"{DOMAINS}?done=domain-saved")


async def remove_form(visit: Visitor) -> Page:
    """GET /links/domains/remove?domain=…: the confirmation. Raises NotFound."""
    domain = visit.asked("domain")
    if domain not in {one.domain for one in await domain_calls.list_domains(visit.call, LinkOrganizationInput())}:
        raise nothing_there()
    return ask(
        visit,
        frame(visit.person),
        _REMOVE_DOMAIN,
        domain,
        action=f"{DOMAINS}/remove",
        back=DOMAINS,
        fields={"domain": domain},
    )


async def remove(visit: Visitor) -> Answer:
    """POST /links/domains/remove. Raises NotFound."""
    form = await visit.form()

    async def save() -> str:
        await domain_calls.remove_domain(visit.call, OneDomain(form.get("domain", "")))
        return f"{DOMAINS}?done=domain-removed"

    return await visit.submit(save, _page)


async def _page(visit: PageRequest, again: Again) -> Page:
    person, by = visit.person, visit.call.by
    own = person.organization_id
    found = await domain_calls.list_domains(visit.call, LinkOrganizationInput())
    served = {one.domain for one in found}

    def look(db: Connection) -> tuple[dict[str, int], list[str]]:
        proven = [one.domain for one in proven_domains.of(db, own, by) if one.proven_at is not None]
        return {name: LINKS.count(db, "domain = ?", name) for name in served}, proven

    counts, proven = await visit.call.read(look)
    return visit.show(
        "link_domains.html",
        frame(person),
        again,
        domains=[
            DomainLine(one.domain, one.homeUrl or "", one.notFoundUrl or "", links_in_words(counts[one.domain]))
            for one in found
        ],
        proven=[name for name in proven if name not in served],
        orphans=await _orphans(visit),
        prefix=f"{visit.parts.settings.public_url}{PREFIX}",
        editable=may(person.role, "update"),
        may_make=person.may("member"),
        labels=_labels(served),
        done=DONE.get(visit.asked("done"), "") if again.code == 200 else "",
    )


async def _orphans(visit: PageRequest) -> list[OrphanLine]:
    """The unknown slugs that visitors requested most, without bots."""
    found = [one for one in await domain_calls.list_orphans(visit.call, GivenOrphans()) if one.kind == "click"]
    settings, person = visit.parts.settings, visit.person
    return [
        OrphanLine(
            short_url(one.domain, one.slug, settings).partition("://")[2] if one.slug else "",
            ngettext("1 click, last on {day}", "{count} clicks, last on {day}", one.count).format(
                count=figures.count(one.count), day=dates.day_text(date.fromisoformat(one.lastDay), person.date_format)
            ),
            f"{HOME}/new?slug={one.slug}" + (f"&domain={one.domain}" if one.domain else "") if one.slug else "",
        )
        for one in found[:MOST_ORPHANS]
    ]


def _targets(form: dict[str, str]) -> tuple[str | None, str | None]:
    """The destinations of the domain itself and of unknown slugs."""
    return web_address(form.get("homeUrl", "")) or None, web_address(form.get("notFoundUrl", "")) or None


def _labels(served: set[str]) -> dict[str, str]:
    """The labels of the page's fields, for the list of errors."""
    labels = {
        "domain": _("Domain"),
        "homeUrl": _("Destination of the domain itself"),
        "notFoundUrl": _("Destination of unknown slugs"),
    }
    for domain in sorted(served):
        labels[f"homeUrl-{domain}"] = ": ".join((domain, _("Destination of the domain itself")))
        labels[f"notFoundUrl-{domain}"] = ": ".join((domain, _("Destination of unknown slugs")))
    return labels
