"""Removal of deleted organizations and websites: one table for all rooms, and the two jobs that use it.

First the facts, then the rows of box.db with an audit entry, then the state in memory. A crash in between is harmless:
the next run removes the rest. The data of a single visitor is removed in people.erasure.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple

from analytics_box.base import audit
from analytics_box.base.acting import THE_BOX, By
from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.alerts import telling
from analytics_box.products.alerts.alert_rule import monitor_subject
from analytics_box.products.flags.directory import Flags, scopes_of
from analytics_box.products.imports.worker import HistoryImports
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.domains.lookup import LinkDomains
from analytics_box.products.links.lookup import link_numbers
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.erasing import Erasing
from analytics_box.products.monitors.lookup import monitor_numbers, monitors_of_website, numbers_of_website
from analytics_box.products.shares.directory import ShareDirectory
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.organizations import deletion
from analytics_box.tenants.organizations.rules import DeletedOrganization
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.websites import change as websites
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)


class RoomRemoval(NamedTuple):
    """The data that a room loses with an organization or a website.

    Rows of `tables` go with the organization that they name, and rows of `of_websites` with the website. `facts`
    removes events of an organization and returns their number; it runs before the rows go. `forget` clears state in
    memory.
    `facts_of_website` and `forget_website` are the same for a website, in addition to its own events; `end_website`
    reports
    the end of things that depend on it, before its rows go.
    """

    room: str
    tables: tuple[str, ...] = ()
    of_websites: tuple[str, ...] = ()
    facts: Callable[[Parts, Db, DeletedOrganization], Awaitable[int]] | None = None
    forget: Callable[[Parts, str], None] | None = None
    facts_of_website: Callable[[Parts, str], Awaitable[int]] | None = None
    forget_website: Callable[[Parts, str], None] | None = None
    end_website: Callable[[Connection, str, int], None] | None = None


async def _events(parts: Parts, events: Db, gone: DeletedOrganization) -> int:
    sites = await parts.box_db.read(partial(deletion.sites, organization_id=gone.id))
    return sum([await erase.site(events, site) for site in (*sites, gone.site)])


async def _clicks(parts: Parts, events: Db, gone: DeletedOrganization) -> int:
    return await parts[Clicks].erase(await parts.box_db.read(partial(link_numbers, organization_id=gone.id)))


async def _checks(parts: Parts, _: Db, gone: DeletedOrganization) -> int:
    return await parts[Erasing].erase(await parts.box_db.read(partial(monitor_numbers, organization_id=gone.id)))


async def _checks_of_website(parts: Parts, website_id: str) -> int:
    return await parts[Erasing].erase(await parts.box_db.read(partial(numbers_of_website, website_id=website_id)))


async def _flags(parts: Parts, _: Db, gone: DeletedOrganization) -> int:
    """Flags leave no facts; those of the organization's websites are found only while its rows are there."""
    for scope_id in await parts.box_db.read(partial(scopes_of, organization_id=gone.id)):
        parts[Flags].forget(scope_id)
    return 0


async def _import_files(parts: Parts, website_id: str) -> int:
    """Uploaded files; what was imported goes with the website's other events."""
    await parts[HistoryImports].forget("website_id = ?", website_id)
    return 0


async def _import_files_of_organization(parts: Parts, _: Db, gone: DeletedOrganization) -> int:
    of_organization = "website_id in (select id from websites where organization_id = ?)"
    await parts[HistoryImports].forget(of_organization, gone.id)
    return 0


def _end_monitors(db: Connection, website_id: str, now: int) -> None:
    for monitor_id, organization_id in monitors_of_website(db, website_id):
        telling.forget(db, organization_id, monitor_subject(monitor_id), now=now)


def _forget_links(parts: Parts, organization_id: str) -> None:
    parts[LinkDirectory].forget_organization(organization_id)
    parts[LinkDomains].forget_organization(organization_id)


# In an order that references allow.
LOSSES: Final = (
    RoomRemoval("members", ("invitations",)),
    RoomRemoval("keys", ("api_keys",), forget=lambda parts, gone: parts[KeyRing].forget_organization(gone)),
    RoomRemoval("accounts", ("sessions",)),
    RoomRemoval("alarms", ("alarms",), of_websites=("alarms", "traffic_outages")),
    RoomRemoval("notify", ("channels",)),
    RoomRemoval(
        "status_pages", ("status_pages",), forget=lambda parts, gone: parts[StatusPages].forget_organization(gone)
    ),
    RoomRemoval(
        "links",
        ("links", "link_folders", "link_domains"),
        facts=_clicks,
        forget=_forget_links,
    ),
    RoomRemoval(
        "monitors",
        ("monitors", "maintenance_windows"),
        of_websites=("monitors",),
        facts=_checks,
        forget=lambda parts, gone: parts[Monitors].forget_organization(gone),
        facts_of_website=_checks_of_website,
        forget_website=lambda parts, gone: parts[Monitors].forget_website(gone),
        end_website=_end_monitors,
    ),
    RoomRemoval(
        "flags",
        ("flags", "target_groups", "flag_scopes"),
        of_websites=("flags", "target_groups", "flag_scopes"),
        facts=_flags,
        forget_website=lambda parts, gone: parts[Flags].forget(gone),
    ),
    RoomRemoval("configuration", ("domains",)),
    RoomRemoval("saved", of_websites=("segments", "saved_questions")),
    RoomRemoval("annotations", of_websites=("annotations",)),
    RoomRemoval("goals", of_websites=("goals",)),
    RoomRemoval("funnels", of_websites=("funnels",)),
    RoomRemoval("errors", of_websites=("error_groups",)),
    RoomRemoval("source_maps", of_websites=("source_maps",)),
    RoomRemoval("revenue", ("currency_rates",), of_websites=("revenue_providers",)),
    RoomRemoval(
        "imports",
        of_websites=("history_imports",),
        facts=_import_files_of_organization,
        facts_of_website=_import_files,
    ),
    RoomRemoval(
        "shares",
        of_websites=("shares",),
        forget_website=lambda parts, gone: parts[ShareDirectory].forget_website(gone),
    ),
    RoomRemoval("reports", of_websites=("reports", "report_websites")),
    RoomRemoval("bots", of_websites=("people_rules", "bot_options")),
    RoomRemoval(
        "websites",
        ("websites",),
        of_websites=("client_ids",),
        facts=_events,
        forget=lambda parts, gone: parts[Directory].forget_organization(gone),
    ),
    RoomRemoval("organizations", ("logos",)),
    RoomRemoval(
        "tenancy",
        ("members", "organization_defaults", "private_targets"),
        forget=lambda parts, gone: parts[OrganizationDirectory].forget(gone),
    ),
)

KEPT: Final = {"audit": "what was done stays known; its entries name the bare row of the organization"}


async def purge_organizations(parts: Parts, events: Db, *, grace_days: int, now: int) -> None:
    """Remove organizations whose restore period has ended; the audit log and a row without a name stay."""
    for gone in await parts.box_db.read(partial(deletion.organizations_to_purge, before=now - grace_days * DAY)):
        removed = sum([await loss.facts(parts, events, gone) for loss in LOSSES if loss.facts is not None])
        await parts.box_db.write(partial(_remove_organization, gone=gone, events=removed, now=now))
        for loss in LOSSES:
            if loss.forget is not None:
                loss.forget(parts, gone.id)
        log.info("Removed the deleted organization %s with %d events", gone.id, removed)


async def purge_websites(parts: Parts, events: Db, *, grace_days: int, now: int) -> None:
    """Remove websites whose restore period has ended; they left memory when they were deleted."""
    for gone in await parts.box_db.read(partial(websites.websites_to_purge, before=now - grace_days * DAY)):
        removed = await erase.site(events, gone.site)
        removed += sum([await loss.facts_of_website(parts, gone.id) for loss in LOSSES if loss.facts_of_website])
        await parts.box_db.write(partial(_remove_website, gone=gone, events=removed, now=now))
        for loss in LOSSES:
            if loss.forget_website is not None:
                loss.forget_website(parts, gone.id)
        log.info("Removed the deleted website %s with %d events", gone.id, removed)


def _remove_organization(db: Connection, *, gone: DeletedOrganization, events: int, now: int) -> None:
    for loss in LOSSES:
        for table in loss.of_websites:
            _delete(db, table, "website_id in (select id from websites where organization_id = ?)", gone.id)
        for table in loss.tables:
            _delete(db, table, "organization_id = ?", gone.id)
    deletion.strip_rows(db, gone.id, now)
    detail = {"name": gone.name, "eventsRemoved": events}
    audit.record(db, By(THE_BOX, now), gone.id, "deleted", "organization", gone.id, detail)


def _remove_website(db: Connection, *, gone: Website, events: int, now: int) -> None:
    for loss in LOSSES:
        if loss.end_website is not None:
            loss.end_website(db, gone.id, now)
    for loss in LOSSES:
        for table in loss.of_websites:
            _delete(db, table, "website_id = ?", gone.id)
    _delete(db, "websites", "id = ?", gone.id)
    websites.record(db, gone, By(THE_BOX, now), "deleted", {"domain": gone.domain, "eventsRemoved": events})


def _delete(db: Connection, table: str, condition: str, value: str) -> None:
    db.execute(f"-- removals\ndelete from {table} where {condition}", (value,))
