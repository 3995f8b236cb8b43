"""Creation, changes, transfer and deletion of status pages: each verb writes its rows and audit entries in the
caller's transaction.

Callers update the directory after the commit (status_pages.saving). No entry has a password.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.identity import require
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.products.monitors.editing import change as monitors
from analytics_box.products.monitors.lookup import known_monitor
from analytics_box.products.status_pages import pictures, rows
from analytics_box.products.status_pages.access import page_in_reach, touch_page
from analytics_box.products.status_pages.days import figures
from analytics_box.products.status_pages.days import rows as day_rows
from analytics_box.products.status_pages.editing import components
from analytics_box.products.status_pages.editing.messages import TransferStatusPage
from analytics_box.products.status_pages.page import FileKind, StatusPage, Whole, new_component, new_page
from analytics_box.products.status_pages.pictures import PagePicture
from analytics_box.products.status_pages.rows import COMPONENTS, PAGES
from analytics_box.products.status_pages.subscribers import outbox
from analytics_box.query.ranges import zone
from analytics_box.resource.fields import Values, difference
from analytics_box.resource.reach import Reach, check, role_in
from analytics_box.tenants.configuration import domains
from analytics_box.tenants.tenancy import members

MOST_PAGES: Final = 100  # of an organization


Pictures = Mapping[FileKind, PagePicture | None]


class TransferredPage(Struct, frozen=True):
    """A page after its transfer to another organization, and the transferred monitors."""

    whole: Whole
    moved: tuple[monitors.MonitorMove, ...]


def create(
    db: Connection,
    own: Reach,
    values: Values,
    fetched: Mapping[FileKind, PagePicture | None] = {},
    *,
    monitor_ids: Iterable[str] = (),
) -> Whole:
    """Create a page with a component for each of these monitors. Raises Forbidden, BadRequest or Conflict."""
    check(db, own, "member")
    if PAGES.count(db, "organization_id = ?", own.organization_id) >= MOST_PAGES:
        raise Conflict.full(
            "statusPages",
            MOST_PAGES,
            _("An organization can have up to {most} status pages. Delete one first").format(most=MOST_PAGES),
        )
    now = own.by.now
    page = new_page(
        id=ids.new_id(),
        organization_id=own.organization_id,
        created_at=now,
        updated_at=now,
        **{"zone": members.existing_organization(db, own.organization_id).time_zone or "UTC", **values},
    )
    if page.domain is not None:
        _check_domain(db, own, page.domain)
    PAGES.insert(db, page)
    PAGES.update(db, _store_pictures(db, page, fetched, now))
    for monitor_id in (chosen := list(dict.fromkeys(monitor_ids))):
        made = new_component(id=ids.new_id(), page_id=page.id, monitor_id=monitor_id, created_at=now, updated_at=now)
        components.insert(db, own, replace(made, hide_url=not page.published))
    PAGES.record(db, own.by, page.organization_id, "created", page, {"slug": page.slug, "monitors": chosen})
    return touch_page(db, page.id, now)


def update(
    db: Connection, own: Reach, page_id: str, values: Values, fetched: Mapping[FileKind, PagePicture | None] = {}
) -> StatusPage:
    """Change a page; omitted fields keep their values. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before = page_in_reach(db, own, page_id)
    after = replace(before, **values)
    if after.domain != before.domain:
        _check_domain(db, own, after.domain)
    after = _store_pictures(db, after, fetched, own.by.now)
    changes = difference(before, after, without=("version",))
    if changes:
        PAGES.update(db, after)
        reopened = figures.reopened_days(zone(before.zone), zone(after.zone), own.by.now)
        day_rows.forget(db, after.id, [day.isoformat() for day in reopened])
        PAGES.record(db, own.by, after.organization_id, "updated", after, changes)
    return after


def delete(db: Connection, own: Reach, page_id: str) -> StatusPage:
    """Delete a page with its incidents, subscribers and all that belongs to it. Raises Forbidden or NotFound."""
    check(db, own, "member")
    gone = page_in_reach(db, own, page_id)
    PAGES.remove(db, own.by, gone.organization_id, gone, {"slug": gone.slug})
    return gone


def transfer(db: Connection, tools: monitors.MonitorTools, own: Reach, given: TransferStatusPage) -> TransferredPage:
    """Transfer a page to another of the actor's organizations, with or without its monitors.

    Its domain stays with the organization. Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    check(db, own, "member")
    before = page_in_reach(db, own, given.statusPageId)
    target = given.targetOrganizationId
    role = role_in(db, target, own.by.user_id or "")
    if role is None:
        raise errors.Forbidden(_("Access denied to this organization"))
    require(role, "member")
    if target == before.organization_id:
        return TransferredPage(touch_page(db, before.id, own.by.now), ())
    if PAGES.count(db, "organization_id = ?", target) >= MOST_PAGES:
        raise Conflict.full(
            "statusPages",
            MOST_PAGES,
            _("The other organization already has {most} status pages").format(most=MOST_PAGES),
        )
    moved = _take_along(db, tools, own, given)
    after = replace(before, organization_id=target, domain=None)
    PAGES.update(db, after)
    detail = {
        "organizationId": {"before": before.organization_id, "after": target},
        "subscribers": outbox.count_subscribers(db, before.id),
    }
    PAGES.record(db, own.by, before.organization_id, "updated", before, detail)
    PAGES.record(db, own.by, target, "updated", after, detail)
    return TransferredPage(touch_page(db, before.id, own.by.now), moved)


def _check_domain(db: Connection, own: Reach, domain: str | None) -> None:
    """Raises Forbidden, BadRequest or Conflict if the page cannot have this domain."""
    check(db, own, "admin")
    if domain is not None:
        domains.free(db, own.organization_id, domain, domains.STATUS_PAGES)


def _store_pictures(db: Connection, page: StatusPage, fetched: Pictures, now: int) -> StatusPage:
    for kind, given in fetched.items():
        page = pictures.store_picture(db, page, kind, given, now)
    return page


def _take_along(
    db: Connection, tools: monitors.MonitorTools, own: Reach, given: TransferStatusPage
) -> tuple[monitors.MonitorMove, ...]:
    """Transfer the monitors of a page, or remove their components. Raises BadRequest for monitors that must stay."""
    whole = rows.whole(db, given.statusPageId)
    linked = [one for one in whole.components if one.monitor_id is not None] if whole is not None else []
    known = {one.monitor_id: known_monitor(db, one.monitor_id or "") for one in linked}
    of_here = {found for found, (_, owner, _) in _known_monitors(known) if owner == own.organization_id}
    for one in linked:
        if not given.includeMonitors or one.monitor_id not in of_here:
            COMPONENTS.delete(db, one.id)
    if not given.includeMonitors:
        return ()
    bound = [
        found for found, (_, _, website_id) in _known_monitors(known) if found in of_here and website_id is not None
    ]
    if bound:
        raise BadRequest.about(
            "includeMonitors",
            ngettext(
                "1 monitor belongs to a website and stays with it. Remove it from the page first",
                "{count} monitors belong to a website and stay with it. Remove them from the page first",
                len(bound),
            ).format(count=len(bound)),
        )
    shared = [
        found
        for found in of_here
        if {one.page_id for one in COMPONENTS.all(db, "monitor_id = ?", found)} != {given.statusPageId}
    ]
    if shared:
        raise BadRequest.about(
            "includeMonitors",
            ngettext(
                "1 monitor is also on other status pages",
                "{count} monitors are also on other status pages",
                len(shared),
            ).format(count=len(shared)),
        )
    reach = Reach(own.organization_id, own.by)
    return tuple(
        monitors.transfer(db, tools, reach, found, given.targetOrganizationId) for found in known if found in of_here
    )


def _known_monitors(
    known: Mapping[str | None, tuple[int, str, str | None] | None],
) -> list[tuple[str, tuple[int, str, str | None]]]:
    return [(monitor_id, found) for monitor_id, found in known.items() if monitor_id is not None and found is not None]
