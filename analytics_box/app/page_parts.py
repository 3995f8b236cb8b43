"""The parts of the box that pages and the API alone ask for, created when one of them first does."""

from typing import TYPE_CHECKING

from analytics_box.app.docs.manual import Documentation, ManualPages
from analytics_box.app.docs.reference import Reference
from analytics_box.app.mcp.confirmations import Confirmations
from analytics_box.app.parts import PartInputs, web_dir
from analytics_box.base.file_queue import FileQueue
from analytics_box.base.later import Later
from analytics_box.base.notify.change import ChannelTools
from analytics_box.figures.late_parts import KnownRows, LateParts
from analytics_box.figures.segmented import SegmentedBoard
from analytics_box.figures.values import KeptValues, KnownValues
from analytics_box.products.flags.comparing import RecentPeople
from analytics_box.products.flags.figures.splits import FlagSplits
from analytics_box.products.flags.history.on_charts import flag_histories
from analytics_box.products.funnels.lookup import NamedFunnels, dropoffs
from analytics_box.products.goals.lookup import NamedGoals, kept_goals
from analytics_box.products.imports.worker import HistoryImports
from analytics_box.products.links.bulk.jobs import ImportJobs
from analytics_box.products.links.listing.ranked import slugs_containing
from analytics_box.products.links.lookup import NamedLinks, followed_links
from analytics_box.products.monitors.editing import change as monitor_change
from analytics_box.products.monitors.outages import watched_websites
from analytics_box.products.overview.autocomplete import KeptSuggestions
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.people.reading import EncryptedTraits, Profiles
from analytics_box.products.sample_data.example import Examples
from analytics_box.products.segments.menu import saved_segments
from analytics_box.products.source_maps.stacks import OriginalPlaces
from analytics_box.products.status_pages.console.frame import reporting
from analytics_box.query.budget import PUBLIC_PARAMETERS, AnswerBudgets, AnswerLimits
from analytics_box.query.imported import ImportedDays
from analytics_box.query.named import DROPOFF
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.accounts.tries import Tries
from analytics_box.web.page.kept_forms import KeptForms
from analytics_box.web.palette.hit import PaletteSources

if TYPE_CHECKING:
    from analytics_box.app import openapi
else:
    openapi = Later("analytics_box.app.openapi")  # a megabyte, until the reference is read

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from analytics_box.base.identity import Role
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.figures.explorer.findable import questions
from analytics_box.products.flags.page_frame import flag_hits
from analytics_box.products.funnels.lookup import funnels
from analytics_box.products.goals.lookup import goal_hits
from analytics_box.products.links.listing.lines import link_hits
from analytics_box.products.links.lookup import known_link
from analytics_box.products.monitors.listing.lines import monitor_hits
from analytics_box.products.monitors.lookup import known_monitor
from analytics_box.products.reports.lookup import report_hits
from analytics_box.products.segments.menu import segment_hits
from analytics_box.products.status_pages.console.frame import status_page_hits
from analytics_box.query import access
from analytics_box.query.access import KnownLink, KnownMonitor
from analytics_box.query.subjects import QuerySubject, Subjects
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.findable import websites
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.page.settings_area import visible_groups
from analytics_box.web.page.shell import PRODUCTS
from analytics_box.web.palette.hit import Kind, PaletteHit, PaletteSearch, Source


async def manual(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Pages of the manual by title, first sentence and synonyms."""
    if not asked.words:
        return ()
    return [
        PaletteHit("manual", cover.title, f"/docs/{cover.name}", "help")
        for cover in call.parts[ManualPages].covers
        if asked.fits(cover.title, cover.lead, cover.terms)
    ]


class PalettePlace(NamedTuple):
    """A page, or what can be done on it, with other words for it that are searched as well. Those `of_organization` are
    for members with access to all of it.
    """

    kind: Kind
    label: str
    href: str
    icon: str
    least: Role = "viewer"
    also: str = ""
    of_organization: bool = True


PLACES: Final = (
    PalettePlace("action", _("Add website"), "/sites/new", "plus", "admin", _("new add create make")),
    PalettePlace("action", _("Create link"), "/links/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Import links"), "/links/bulk", "upload", "member"),
    PalettePlace("action", _("Create monitor"), "/monitors/new", "plus", "member", _("new add create make")),
    PalettePlace(
        "action", _("Schedule maintenance"), "/monitors/maintenance/new", "plus", "member", _("new add create make")
    ),
    PalettePlace("action", _("Create status page"), "/status-pages/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Create flag"), "/flags/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Create target group"), "/flags/groups/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Create API key"), "/settings/keys/new", "plus", "member", _("new add create make")),
    PalettePlace(
        "action",
        _("Connect an assistant"),
        "/settings/keys#assistants",
        "keyboard",
        "member",
        _("mcp claude cursor chatgpt ai agent"),
    ),
    PalettePlace("action", _("Create alert rule"), "/alerts/new", "plus", "admin", _("new add create make")),
    PalettePlace("action", _("Invite a member"), "/settings/members", "user", "admin", _("new add create make")),
    PalettePlace(
        "action", _("Switch theme"), "/settings/profile#theme", "tune", "viewer", _("light dark mode colours"), False
    ),
    *(
        PalettePlace("page", entry.label, entry.href, entry.icon, entry.least, of_organization=False)
        for entry in PRODUCTS
    ),
    PalettePlace("page", _("Folders of links"), "/links/folders", "folder"),
    PalettePlace("page", _("Domains of links"), "/links/domains", "globe"),
    PalettePlace("page", _("Maintenance"), "/monitors/maintenance", "calendar"),
    PalettePlace("page", _("Target groups"), "/flags/groups", "user"),
    PalettePlace("page", _("Manual and API"), "/docs", "help", of_organization=False),
    PalettePlace("page", _("API reference"), "/docs/api", "help", of_organization=False),
)


async def places(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Pages and actions. Without a question the actions and the products."""
    person = call.identity.person
    if person is None:
        return ()
    found = [
        PaletteHit(place.kind, place.label, place.href, place.icon)
        for place in PLACES
        if person.may(place.least) and asked.fits(place.label, place.also)
        if person.resources is None or not place.of_organization
    ]
    if asked.words:
        found += [
            PaletteHit("page", entry.label, entry.href, "settings", group.place)
            for group in visible_groups(person.role, person.is_administrator, restricted=person.resources is not None)
            for entry in group.entries
            if asked.fits(entry.label, group.place)
        ]
    return found


SOURCES: Final[tuple[Source, ...]] = (
    websites,
    goal_hits,
    funnels,
    report_hits,
    segment_hits,
    questions,
    link_hits,
    monitor_hits,
    status_page_hits,
    flag_hits,
    places,
    manual,
)


def subjects(db: Db, websites: Directory, organizations: OrganizationDirectory) -> Subjects:
    """The subjects of a box. `db` is box.db."""

    async def link(link_id: str) -> KnownLink | None:
        found = await db.read(lambda reader: known_link(reader, link_id))
        return KnownLink(link_id, *found) if found is not None else None

    async def monitor(monitor_id: str) -> KnownMonitor | None:
        found = await db.read(lambda reader: known_monitor(reader, monitor_id))
        return KnownMonitor(monitor_id, *found) if found is not None else None

    async def website(website_id: str) -> Website | None:
        return websites.find(website_id)

    async def organization(organization_id: str) -> str:
        return organization_id  # read by those who belong there; an unknown one by nobody

    of_website = partial(access.of_website, organizations)
    of_organization = partial(access.of_organization, websites, organizations)
    return Subjects(
        QuerySubject("link", "link_id", link, access.of_link),
        QuerySubject("monitor", "schedule_id", monitor, access.of_monitor, scope=None),
        QuerySubject("website", "website_id", website, of_website),
        QuerySubject("organization", "organization_id", organization, of_organization, usual=True),
    )


def page_parts(wired: PartInputs) -> tuple[object, ...]:
    """All of them; those of a kind next to each other."""
    imported = ImportedDays(wired.events.db)
    imports = HistoryImports(
        wired.state.db,
        wired.events.db,
        wired.events.strings,
        wired.state.websites,
        imported,
        wired.clock,
        wired.settings,
    )
    return (
        *_signing_in(wired),
        *_of_rooms(wired),
        *_on_pages(wired),
        imported,
        imports,
        _queries(wired, imported),
    )


def _signing_in(wired: PartInputs) -> tuple[object, ...]:
    state, settings = wired.state, wired.settings
    tries = Tries(state.limits, state.seal, settings)
    return (
        tries,
        KeptForms(wired.clock, mark_cookie=tries.cookie_name, knows=tries.knows, settings=settings),
    )


def _of_rooms(wired: PartInputs) -> tuple[object, ...]:
    """The parts of single rooms."""
    state, events, clock, settings, fences = (
        wired.state,
        wired.events,
        wired.clock,
        wired.settings,
        wired.clients.fences,
    )
    return (
        subjects(state.db, state.websites, state.organizations),
        Examples(events.db, events.intake.ledger, clock),
        Profiles(events.db, state.seal, events.erasures),
        OriginalPlaces(),
        RecentPeople(events.db, state.seal, state.websites),
        reporting(state.status_pages),
        watched_websites(state.monitors, events.db),
        followed_links(events.db),
        flag_histories(state.flags),
        monitor_change.MonitorTools(state.seal, fences, settings.monitors_per_organization, state.websites),
        ChannelTools(state.seal, fences),
    )


def _queries(wired: PartInputs, imported: ImportedDays) -> QueryRunner:
    """The parts that answer questions about events, and about what box.db knows of them."""
    state, db, settings = wired.state, wired.events.db, wired.settings
    return QueryRunner(
        wired.events.engines,
        wired.clock,
        seconds=settings.query_seconds,
        traits=EncryptedTraits(db, state.seal),
        links=NamedLinks(state.db, state.websites),
        goals=NamedGoals(state.db, state.websites),
        funnels=NamedFunnels(state.db, state.websites),
        splits=FlagSplits(state.db, state.flags, state.websites),
        imported=imported,
        public=max(1, settings.readers // 2),
        budgets=AnswerBudgets(
            AnswerLimits(settings.answer_bytes, settings.answer_rows),
            AnswerLimits(settings.answer_bytes_anonymous, settings.answer_rows_anonymous, PUBLIC_PARAMETERS),
        ),
    )


def _on_pages(wired: PartInputs) -> tuple[object, ...]:
    """The parts of pages, and what they keep for a while."""
    clock, settings = wired.clock, wired.settings
    manual = ManualPages(web_dir() / "manual", settings.public_url)
    reference = Reference(lambda: openapi.document(settings, cookie=wired.state.sign_ins.cookie_name))
    return (
        LateParts(clock),
        KnownRows(),
        KeptValues(clock),
        KnownValues({"link": slugs_containing, DROPOFF: dropoffs}),
        KeptSuggestions(clock),
        saved_segments(),
        kept_goals(),
        SegmentedBoard(WEBSITE),
        PaletteSources(SOURCES),
        ImportJobs(clock),
        FileQueue(),
        manual,
        reference,
        Documentation(manual, reference),
        Confirmations(clock),
    )
