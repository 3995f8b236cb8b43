"""Creating and changing a website: each verb writes the row and its audit entry in the caller's transaction.

The caller updates the directory after the commit.
"""

import logging
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids, names
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, Clock
from analytics_box.base.facts import erase
from analytics_box.base.facts.erase import Elsewhere, nobody
from analytics_box.base.identity import at_least
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _
from analytics_box.resource.fields import difference, values_of
from analytics_box.resource.reach import role_in
from analytics_box.tenants.tenancy import defaults
from analytics_box.tenants.tenancy.defaults import new_site
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites import rows, rules
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rows import WEBSITES
from analytics_box.tenants.websites.rules import ClientId, Website
from analytics_box.tenants.websites.tracking import GivenTracking, Tracking

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


MOST_OLD_CLIENT_IDS = 5


def details(db: Connection, website: Website, by: By, *, name: str | None, domain: str | None) -> Website:
    """Another name or domain; None leaves it. Raises BadRequest, Conflict or NotFound."""
    website = _fresh(db, website)
    return _store(
        db,
        website,
        replace(
            website,
            name=website.name if name is None else names.clean_name(name, field="name"),
            domain=website.domain if domain is None else rules.clean_domain(domain),
        ),
        by,
    )


def publicity(db: Connection, website: Website, by: By, *, public: bool, values: bool | None = None) -> Website:
    """Set whether all visitors can run public query types, and whether also those that show what events carried.

    None leaves the latter; a website that is no longer public forgets it. Raises
    BadRequest or NotFound.
    """
    website = _fresh(db, website)
    if values and not public:
        raise errors.BadRequest.about("publicValues", _("Make the dashboard public first"))
    publishes = public and (website.public_values if values is None else values)
    return _store(db, website, replace(website, is_public=public, public_values=publishes), by)


def settings(db: Connection, website: Website, by: By, given: GivenTracking) -> Website:
    """Other tracking settings; omitted fields keep their values. Raises BadRequest, Conflict or NotFound."""
    website = _fresh(db, website)
    tracking = replace(website.tracking, **values_of(given, Tracking))
    if taken := rows.taken_alias(db, website.id, tracking.aliases):
        raise errors.Conflict.about("aliases", _("Another website already uses {alias}").format(alias=taken))
    return _store(db, website, replace(website, tracking=tracking), by)


def allow_origin(db: Connection, website: Website, by: By, origin: str) -> Website:
    """Allow events from pages of another origin. Raises BadRequest or NotFound."""
    known = _fresh(db, website).tracking.allowedOrigins
    return settings(db, website, by, message_of({"allowedOrigins": [*known, origin]}, GivenTracking))


def delete(db: Connection, website: Website, by: By) -> Website:
    """Delete a website: it no longer accepts events or queries. Raises NotFound."""
    website = _fresh(db, website)
    gone = replace(website, deleted_at=by.now, updated_at=by.now)
    WEBSITES.update(db, gone)
    record(db, gone, by, "deleted", {"name": gone.name, "domain": gone.domain})
    return gone


def restore(db: Connection, website_id: str, by: By, is_own: Callable[[Website], bool], *, grace: int) -> Website:
    """Undo a deletion that is less than `grace` ms ago.

    Raises NotFound, or Conflict if another website has its domain by now.
    """
    website = WEBSITES.find(db, website_id)
    if website is None or website.deleted_at is None or not is_own(website):
        raise errors.NotFound.of("website", website_id, _("There is no deleted website with this id"))
    if by.now >= website.deleted_at + grace:
        raise errors.NotFound.of("website", website_id, _("This website can no longer be restored"))
    back = replace(website, deleted_at=None, updated_at=by.now)
    WEBSITES.update(db, back)
    record(db, back, by, "updated", {"deleted": {"before": True, "after": False}})
    return back


def websites_to_purge(db: Connection, *, before: int) -> list[Website]:
    """The websites that were deleted at this instant (UTC ms) or earlier."""
    return WEBSITES.all(db, "deleted_at <= ? order by created_at, id", before)


def transfer(db: Connection, website: Website, by: By, *, user_id: str, organization_id: str) -> Website:
    """Transfer a website to another organization of which this user is an admin or owner.

    Keys of the old organization no longer reach it. Raises Forbidden, Conflict or NotFound.
    """
    website = _fresh(db, website)
    role = role_in(db, organization_id, user_id)
    if role is None or not at_least(role, rules.MANAGER):
        raise errors.Forbidden(_("You must be an admin or owner of the destination organization"))
    moved = replace(website, organization_id=organization_id, updated_at=by.now)
    if moved.organization_id == website.organization_id:
        return website
    WEBSITES.update(db, moved)
    detail = {"organizationId": {"before": website.organization_id, "after": organization_id}}
    record(db, website, by, "updated", detail)
    record(db, moved, by, "updated", detail)
    return moved


def rotate(db: Connection, website: Website, by: By, *, grace_days: int) -> Website:
    """A new client id for trackers; the old one is accepted for `grace_days`. Raises Conflict or NotFound."""
    website = _fresh(db, website)
    old = [each for each in website.client_ids if each.ends_at is not None and each.accepted(by.now)]
    if len(old) >= MOST_OLD_CLIENT_IDS:
        raise errors.Conflict(
            _("{most} old client ids are still accepted. Wait until one has expired").format(most=MOST_OLD_CLIENT_IDS)
        )
    ends_at = by.now + grace_days * DAY
    rows.end_client_id(db, website.id, ends_at)
    rows.insert_client_id(db, website.id, ClientId(ids.new_id(), by.now))
    rotated = replace(_fresh(db, website), updated_at=by.now)
    WEBSITES.update(db, rotated)
    detail = {"clientId": {"before": website.client_id, "after": rotated.client_id}, "oldAcceptedUntil": ends_at}
    record(db, rotated, by, "rotated", detail)
    return rotated


def record(db: Connection, website: Website, by: By, action: audit.Action, detail: Mapping[str, object]) -> None:
    """The audit entry of a change."""
    audit.record(db, by, website.organization_id, action, "website", website.id, detail)


def _store(db: Connection, before: Website, after: Website, by: By) -> Website:
    changes = difference(before, after, without=("tracking",)) | audit.difference(before.tracking, after.tracking)
    if not changes:
        return before
    after = replace(after, updated_at=by.now)
    WEBSITES.update(db, after)
    record(db, after, by, "updated", changes)
    return after


def _fresh(db: Connection, website: Website) -> Website:
    """The stored website, so that concurrent changes keep each other's values. Raises NotFound."""
    found = WEBSITES.find(db, website.id)
    if found is None or found.deleted_at is not None or found.organization_id != website.organization_id:
        raise errors.NotFound.of("website", website.id)
    return found


def create(db: Connection, *, organization_id: str, name: str, domain: str, by: By) -> Website:
    """Store a new website with its audit entry; it starts with the organization's defaults.

    Raises BadRequest or Conflict.
    """
    given = defaults.of(db, organization_id)
    website = Website(
        id=ids.new_id(),
        organization_id=organization_id,
        site=new_site(db, by.now),
        name=names.clean_name(name, field="name"),
        domain=rules.clean_domain(domain),
        is_public=False,
        status="ACTIVE",
        created_at=by.now,
        updated_at=by.now,
        tracking=Tracking(visitorIdMode=given.visitor_id_mode, dataRetentionDays=given.data_retention_days),
    )
    rows.insert(db, website)
    audit.record(
        db,
        by,
        organization_id,
        "created",
        "website",
        website.id,
        {"name": website.name, "domain": website.domain},
    )
    return website
