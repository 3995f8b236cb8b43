"""Maintenance of websites: removing events past their retention, noting the use of old client ids."""

import logging

from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.facts import erase
from analytics_box.base.facts.erase import Elsewhere, nobody
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.tenants.websites import rows
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website

log = logging.getLogger(__name__)


class Maintenance(Struct, frozen=True):
    """The parts that maintenance of websites needs. `elsewhere` says who has events on other machines."""

    box_db: Db
    events: Db
    websites: Directory
    settings: Settings
    clock: Clock
    elsewhere: Elsewhere = nobody


async def retain(box: Maintenance) -> None:
    """Remove events that are older than their website's retention."""
    now = box.clock.now()
    for website in box.websites.all():
        days = website.tracking.dataRetentionDays
        if days is None:
            continue
        removed = await erase.older(box.events, website.site, days=days, now=now, elsewhere=box.elsewhere)
        if removed:
            log.info("Removed %d events of %s, older than %d days", removed, website.id, days)


async def note_old_client_ids(box: Maintenance) -> None:
    """Save when old client ids were last used."""
    used = box.websites.old_ids_used()
    if not used:
        return

    def write(db: Connection) -> list[Website]:
        touched = [rows.WEBSITES.find(db, website_id) for website_id in rows.note_use(db, used)]
        return [website for website in touched if website is not None and website.deleted_at is None]

    for website in await box.box_db.write(write):
        box.websites.remember(website)
