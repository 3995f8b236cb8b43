"""Making, changing and deleting status pages: each verb writes its rows and audit entries in the caller's transaction.

Whoever calls one tells the directory after the commit (status_pages.saving). No entry holds a password.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.identity import require
from analytics_box.base.store.db import Connection
from analytics_box.products.links.domains import change as link_domains
from analytics_box.products.monitors.editing import change as monitors
from analytics_box.products.monitors.lookup import known_monitor
from analytics_box.products.status_pages import rows
from analytics_box.products.status_pages.access import existing
from analytics_box.products.status_pages.days import calendar
from analytics_box.products.status_pages.days import rows as day_rows
from analytics_box.products.status_pages.editing import components
from analytics_box.products.status_pages.editing.draft import apply_fields
from analytics_box.products.status_pages.editing.messages import CreateStatusPage, TransferStatusPage, UpdateStatusPage
from analytics_box.products.status_pages.files import pictures
from analytics_box.products.status_pages.files.pictures import PagePicture
from analytics_box.products.status_pages.page import FileKind, StatusPage
from analytics_box.products.status_pages.saving import touch_page
from analytics_box.products.status_pages.subscribers import outbox
from analytics_box.products.status_pages.whole import Whole
from analytics_box.query.ranges import zone
from analytics_box.resource.reach import Reach, check, role_in
from analytics_box.tenants.configuration import domains
from analytics_box.tenants.tenancy import access

MOST_PAGES: Final = 100  # of an organization
SUBJECT: Final = "status page"


class PreparedFields(Struct, frozen=True):
    """The results of work that is too slow for a transaction: the hash of a password, empty for none, and fetched
    pictures.
    """

    password: str | UnsetType = UNSET
    pictures: Mapping[FileKind, PagePicture | None] = {}


class TransferredPage(Struct, frozen=True):
    """A page after it went to another organization, and the monitors that went along."""

    whole: Whole
    moved: tuple[monitors.MonitorMove, ...]


def create(db: Connection, own: Reach, given: CreateStatusPage, prepared: PreparedFields) -> Whole:
    """A new page. Raises Forbidden, BadRequest or Conflict."""
    check(db, own, "member")
    if rows.count_of(db, own.organization_id) >= MOST_PAGES:
        raise Conflict.full(
            "statusPages", MOST_PAGES, f"An organization can have up to {MOST_PAGES} status pages; delete one first"
        )
    now = own.by.now
    blank = StatusPage(
        id=ids.new_id(),
        organization_id=own.organization_id,
        slug="",
        name="",
        zone=access.existing(db, own.organization_id).time_zone or "UTC",
        created_at=now,
        updated_at=now,
    )
    page = _with_domain(db, own, apply_fields(blank, given), given.domain)
    rows.insert(db, page)
    rows.update(db, _apply_prepared(db, page, prepared, now))
    for monitor_id in dict.fromkeys(given.uptime_schedule_ids):
        blank_one = components.blank(page.id, own.by.now, monitor_id=monitor_id)
        components.insert(db, own, page.id, replace(blank_one, hide_url=not page.published))
    record(db, own, page, "created", {"slug": page.slug, "monitors": list(given.uptime_schedule_ids)})
    return touch_page(db, page.id, now)


def update(db: Connection, own: Reach, given: UpdateStatusPage, prepared: PreparedFields) -> StatusPage:
    """Another state of a page; what is not given stays. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before = existing(db, own, given.status_page_id)
    after = _with_domain(db, own, apply_fields(before, given), given.domain)
    after = _apply_prepared(db, after, prepared, own.by.now)
    changes = audit.difference(before, after, without=("version",), shown={"password": bool})
    if changes:
        rows.update(db, after)
        reopened = calendar.reopened_days(zone(before.zone), zone(after.zone), own.by.now)
        day_rows.forget(db, after.id, [day.isoformat() for day in reopened])
        record(db, own, after, "updated", changes)
    return after


def delete(db: Connection, own: Reach, page_id: str) -> StatusPage:
    """The page is gone with its incidents, its subscribers and all that belongs to it. Raises Forbidden or NotFound."""
    check(db, own, "member")
    gone = existing(db, own, page_id)
    rows.delete(db, page_id)
    record(db, own, gone, "deleted", {"slug": gone.slug})
    return gone


def transfer(db: Connection, tools: monitors.MonitorTools, own: Reach, given: TransferStatusPage) -> TransferredPage:
    """Give a page to another organization in which the same person may make pages, with its monitors or without.

    Its domain stays behind, because it is the organization's. Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    check(db, own, "member")
    before = existing(db, own, given.statusPageId)
    target = given.targetOrganizationId
    role = role_in(db, target, own.by.user_id or "")
    if role is None:
        raise errors.Forbidden("Access denied to this organization")
    require(role, "member")
    if target == before.organization_id:
        return TransferredPage(touch_page(db, before.id, own.by.now), ())
    if rows.count_of(db, target) >= MOST_PAGES:
        raise Conflict.full("statusPages", MOST_PAGES, f"That organization has {MOST_PAGES} status pages already")
    moved = _take_along(db, tools, own, given)
    after = replace(before, organization_id=target, domain=None)
    rows.update(db, after)
    detail = {
        "organizationId": {"before": before.organization_id, "after": target},
        "subscribers": outbox.count_subscribers(db, before.id),
    }
    record(db, own, before, "updated", detail)
    record(db, Reach(target, own.by), after, "updated", detail)
    return TransferredPage(touch_page(db, before.id, own.by.now), moved)


def record(db: Connection, own: Reach, page: StatusPage, action: audit.Action, detail: Mapping[str, object]) -> None:
    """Write down what was done to a page."""
    audit.record(db, own.by, page.organization_id, action, SUBJECT, page.id, {"name": page.name, **detail})


def _with_domain(db: Connection, own: Reach, page: StatusPage, given: str | UnsetType | None) -> StatusPage:
    """The page at the root of this domain. Raises Forbidden, BadRequest or Conflict."""
    domain = page.domain if isinstance(given, UnsetType) else (given or "").strip().lower().rstrip(".") or None
    if domain == page.domain:
        return page
    check(db, own, "admin")
    if domain is not None:
        if not domains.owns(db, own.organization_id, domain):
            raise BadRequest.about("domain", "Verify this domain first, under the organization's domains")
        if link_domains.is_own(db, own.organization_id, domain):
            raise Conflict.about("domain", "Short links use this domain. Choose another one")
    return replace(page, domain=domain)


def _apply_prepared(db: Connection, page: StatusPage, prepared: PreparedFields, now: int) -> StatusPage:
    for kind, given in prepared.pictures.items():
        page = pictures.store_picture(db, page, kind, given, now)
    return page if isinstance(prepared.password, UnsetType) else replace(page, password=prepared.password)


def _take_along(
    db: Connection, tools: monitors.MonitorTools, own: Reach, given: TransferStatusPage
) -> tuple[monitors.MonitorMove, ...]:
    """The monitors of a page go with it, or their components go. Raises BadRequest for those that cannot."""
    whole = rows.whole(db, given.statusPageId)
    linked = [one for one in whole.components if one.monitor_id is not None] if whole is not None else []
    known = {one.monitor_id: known_monitor(db, one.monitor_id or "") for one in linked}
    of_here = {found for found, (_, owner, _) in _known_monitors(known) if owner == own.organization_id}
    for one in linked:
        if not given.includeMonitors or one.monitor_id not in of_here:
            rows.delete_component(db, one.id)
    if not given.includeMonitors:
        return ()
    bound = [
        found for found, (_, _, website_id) in _known_monitors(known) if found in of_here and website_id is not None
    ]
    if bound:
        raise BadRequest.about(
            "includeMonitors", f"{len(bound)} monitors belong to a website and stay with it; remove them from the page"
        )
    shared = [found for found in of_here if rows.pages_with(db, found) != {given.statusPageId}]
    if shared:
        raise BadRequest.about("includeMonitors", f"{len(shared)} monitors are also on other status pages")
    reach = Reach(own.organization_id, own.by)
    return tuple(
        monitors.transfer(db, tools, reach, found, given.targetOrganizationId) for found in known if found in of_here
    )


def _known_monitors(
    known: Mapping[str | None, tuple[int, str, str | None] | None],
) -> list[tuple[str, tuple[int, str, str | None]]]:
    return [(monitor_id, found) for monitor_id, found in known.items() if monitor_id is not None and found is not None]
