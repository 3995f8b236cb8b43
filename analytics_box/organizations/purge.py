"""What happens to deleted organizations on its own: once nobody can restore them, all that was theirs is removed."""

import logging
from functools import partial

from analytics_box.accounts.directory import Organizations
from analytics_box.clock import DAY
from analytics_box.ingest import erase
from analytics_box.keys.ring import KeyRing
from analytics_box.links.clicks.waiting import Clicks
from analytics_box.links.domains.lookup import LinkDomains
from analytics_box.links.lookup import link_numbers
from analytics_box.links.redirects.directory import LinkDirectory
from analytics_box.organizations import deletion_rows
from analytics_box.organizations.change import By, record
from analytics_box.organizations.deletion_rows import Deleted
from analytics_box.store.db import Connection, Db
from analytics_box.websites.care import ACTOR
from analytics_box.websites.directory import Directory

log = logging.getLogger(__name__)


async def purge(
    *,
    box_db: Db,
    events: Db,
    keys: KeyRing,
    websites: Directory,
    organizations: Organizations,
    links: LinkDirectory,
    link_domains: LinkDomains,
    clicks: Clicks,
    grace_days: int,
    now: int,
) -> None:
    """Remove organizations whose grace period is over: first their events, then all their rows but the audit log.

    A crash in between is no harm: what is left is removed by the next run.
    """
    over = now - grace_days * DAY
    for one in await box_db.read(lambda db: deletion_rows.deleted_before(db, over)):
        sites = await box_db.read(partial(deletion_rows.sites, organization_id=one.id))
        removed = 0
        for site in (*sites, one.site):
            removed += await erase.site(events, site)
        removed += await clicks.erase(await box_db.read(partial(link_numbers, organization_id=one.id)))
        await box_db.write(partial(_remove, deleted=one, events=removed, now=now))
        keys.forget_organization(one.id)
        websites.forget_organization(one.id)
        links.forget_organization(one.id)
        link_domains.forget_organization(one.id)
        organizations.forget(one.id)
        log.info("Removed the deleted organization %s with %d websites and %d events", one.id, len(sites), removed)


def _remove(db: Connection, *, deleted: Deleted, events: int, now: int) -> None:
    deletion_rows.purge(db, deleted.id, now)
    detail = {"name": deleted.name, "eventsRemoved": events}
    record(db, By(ACTOR, now), deleted.id, "deleted", "organization", deleted.id, detail)
