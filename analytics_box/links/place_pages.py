"""Where links are: the folders under /links/folders and the domains of short links under /links/domains."""

from datetime import date

from msgspec import Struct

from analytics_box.configuration import domains as proven_domains
from analytics_box.errors import BadRequest, Conflict
from analytics_box.http import dates
from analytics_box.http.visit import Again, Answer, Next, Page, Visit, Visitor
from analytics_box.links import domain_calls, domain_rows, folder_calls, list_rows, orphan_calls
from analytics_box.links.domain_calls import ChangedDomain, NewDomain, OneDomain
from analytics_box.links.folder_calls import ChangedFolder, NewFolder, OfOrganization, OneFolder
from analytics_box.links.folders import LONGEST
from analytics_box.links.list_rows import Wish
from analytics_box.links.orphan_calls import GivenOrphans
from analytics_box.links.page_frame import HOME, ask, folder_names, frame, may_edit, nothing_there, short_name
from analytics_box.links.shown import address
from analytics_box.links.targets import PREFIX
from analytics_box.organizations.acting import by_of
from analytics_box.organizations.rules import may
from analytics_box.store.db import Connection
from analytics_box.texts import LinkForm, LinkPlaces, Links
from analytics_box.websites import figures

FOLDERS, DOMAINS = f"{HOME}/folders", f"{HOME}/domains"
MOST_ORPHANS = 20


class FolderLine(Struct, frozen=True):
    """A folder and how many links are in it."""

    id: str
    name: str
    links: str


class DomainLine(Struct, frozen=True):
    """A domain of short links, and where it leads by itself."""

    domain: str
    home: str
    missing: str
    links: str


class OrphanLine(Struct, frozen=True):
    """A short address that was asked for and that leads nowhere; `make` is where a link of it is made."""

    address: str
    count: str
    last: str
    make: str


async def folders(visit: Visitor) -> Page:
    """GET /links/folders."""
    return await _folders_page(visit, Again())


async def add_folder(visit: Visitor) -> Answer:
    """POST /links/folders."""
    form = await visit.form()

    async def save() -> str:
        await folder_calls.create(visit.call, NewFolder(_name(form)))
        return f"{FOLDERS}?done=folder-made"

    return await visit.submit(save, _folders_page, values=form, field="name")


async def rename_folder(visit: Visitor) -> Answer:
    """POST /links/folders/rename. Raises NotFound."""
    form = await visit.form()

    async def save() -> str:
        await folder_calls.update(visit.call, ChangedFolder(form.get("id", ""), _name(form)))
        return f"{FOLDERS}?done=folder-named"

    return await visit.submit(save, _folders_page, field=f"name-{form.get('id', '')}")


async def delete_folder_form(visit: Visitor) -> Page:
    """GET /links/folders/delete?id=…: are you sure? Raises NotFound."""
    wanted = visit.asked("id")
    name = (await folder_names(visit)).get(wanted)
    if name is None:
        raise nothing_there()
    return ask(
        visit,
        title=LinkPlaces.delete_folder_title.format(name=name),
        text=LinkPlaces.delete_folder_text,
        submit=LinkPlaces.delete_folder_submit.format(name=short_name(name)),
        action=f"{FOLDERS}/delete",
        back=FOLDERS,
        fields={"id": wanted},
    )


async def delete_folder(visit: Visitor) -> Next:
    """POST /links/folders/delete. Raises NotFound."""
    form = await visit.form()
    await folder_calls.delete(visit.call, OneFolder(form.get("id", "")))
    return visit.go(f"{FOLDERS}?done=folder-deleted")


async def domains(visit: Visitor) -> Page:
    """GET /links/domains."""
    return await _domains_page(visit, Again())


async def add_domain(visit: Visitor) -> Answer:
    """POST /links/domains: links live on a proven domain from now on."""
    form = await visit.form()

    async def save() -> str:
        home, missing = form.get("homeUrl", "").strip() or None, form.get("notFoundUrl", "").strip() or None
        await domain_calls.add_domain(visit.call, NewDomain(form.get("domain", ""), home, missing))
        return f"{DOMAINS}?done=domain-added"

    return await visit.submit(save, _domains_page, values=form)


async def save_domain(visit: Visitor) -> Answer:
    """POST /links/domains/save: where a domain leads by itself. Raises NotFound."""
    form = await visit.form()
    domain = form.get("domain", "")
    home, missing = form.get("homeUrl", "").strip() or None, form.get("notFoundUrl", "").strip() or None
    try:
        await domain_calls.update_domain(visit.call, ChangedDomain(domain, homeUrl=home, notFoundUrl=missing))
    except (BadRequest, Conflict) as refused:
        wrong = {f"{detail.field}-{domain}": detail.message for detail in refused.details}
        values = {f"homeUrl-{domain}": home or "", f"notFoundUrl-{domain}": missing or ""}
        return await _domains_page(visit, Again(refused.status, values, wrong, "" if wrong else refused.message))
    return visit.go(f"{DOMAINS}?done=domain-saved")


async def remove_domain_form(visit: Visitor) -> Page:
    """GET /links/domains/remove?domain=…: are you sure? Raises NotFound."""
    domain = visit.asked("domain")
    if domain not in {one.domain for one in await domain_calls.list_domains(visit.call, OfOrganization())}:
        raise nothing_there()
    return ask(
        visit,
        title=LinkPlaces.remove_title.format(domain=domain),
        text=LinkPlaces.remove_text,
        submit=LinkPlaces.remove_submit.format(domain=domain),
        action=f"{DOMAINS}/remove",
        back=DOMAINS,
        fields={"domain": domain},
    )


async def remove_domain(visit: Visitor) -> Answer:
    """POST /links/domains/remove. Raises NotFound."""
    form = await visit.form()

    async def save() -> str:
        await domain_calls.remove_domain(visit.call, OneDomain(form.get("domain", "")))
        return f"{DOMAINS}?done=domain-removed"

    return await visit.submit(save, _domains_page)


async def _folders_page(visit: Visit, again: Again) -> Page:
    names = await folder_names(visit)
    own = visit.person.organization_id

    def count(db: Connection) -> dict[str, int]:
        return {folder: list_rows.count(db, Wish(own, folder_id=folder)) for folder in names}

    counts = await visit.call.read(count)
    return visit.pages.show(
        "link_folders.html",
        code=again.code,
        shell=frame(visit.person),
        folders=[FolderLine(folder, name, _links(counts[folder])) for folder, name in names.items()],
        editable=may_edit(visit.person),
        values=again.values,
        errors=again.wrong,
        general=again.general,
        done=Links.done.get(visit.asked("done"), "") if again.code == 200 else "",
    )


async def _domains_page(visit: Visit, again: Again) -> Page:
    person, by = visit.person, by_of(visit.call)
    own = person.organization_id
    found = await domain_calls.list_domains(visit.call, OfOrganization())
    served = {one.domain for one in found}

    def look(db: Connection) -> tuple[dict[str, int], list[str]]:
        proven = [one.domain for one in proven_domains.of(db, own, by) if one.proven_at is not None]
        return {name: domain_rows.count_links(db, name) for name in served}, proven

    counts, proven = await visit.call.read(look)
    return visit.pages.show(
        "link_domains.html",
        code=again.code,
        shell=frame(person),
        domains=[
            DomainLine(one.domain, one.homeUrl or "", one.notFoundUrl or "", _links(counts[one.domain]))
            for one in found
        ],
        proven=[name for name in proven if name not in served],
        orphans=await _orphans(visit),
        prefix=f"{visit.parts.settings.public_url}{PREFIX}",
        editable=may(person.role, "update"),
        may_make=may_edit(person),
        values=again.values,
        errors=again.wrong,
        labels=_labels(served),
        general=again.general,
        done=Links.done.get(visit.asked("done"), "") if again.code == 200 else "",
    )


async def _orphans(visit: Visit) -> list[OrphanLine]:
    """What people asked for most though it leads nowhere; programs try addresses all day."""
    found = [one for one in await orphan_calls.list_orphans(visit.call, GivenOrphans()) if one.kind == "click"]
    settings, person = visit.parts.settings, visit.person
    return [
        OrphanLine(
            address(one.domain, one.slug, settings).partition("://")[2] if one.slug else "",
            figures.count(one.count),
            dates.day_text(date.fromisoformat(one.lastDay), person.date_format),
            f"{HOME}/new?slug={one.slug}" + (f"&domain={one.domain}" if one.domain else "") if one.slug else "",
        )
        for one in found[:MOST_ORPHANS]
    ]


def _name(form: dict[str, str]) -> str:
    """The name of a folder. Raises BadRequest for one that is too long."""
    name = form.get("name", "")
    if len(name) > LONGEST:
        raise BadRequest(LinkPlaces.long_name.format(most=LONGEST))
    return name


def _links(count: int) -> str:
    return LinkPlaces.links[count == 1].format(count=figures.count(count))


def _labels(served: set[str]) -> dict[str, str]:
    """The fields of the page by name, for the list of what is wrong."""
    labels = {"domain": LinkForm.domain, "homeUrl": LinkPlaces.home, "notFoundUrl": LinkPlaces.missing}
    for domain in sorted(served):
        labels[f"homeUrl-{domain}"] = f"{domain}: {LinkPlaces.home}"
        labels[f"notFoundUrl-{domain}"] = f"{domain}: {LinkPlaces.missing}"
    return labels
