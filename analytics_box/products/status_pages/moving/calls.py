"""Status pages and their subscribers from files of other products: `statusPage.import`, `statusPage.importSubscribers`.

A dry run answers the same without storing or sending anything.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.file_queue import FileQueue
from analytics_box.base.notify import mail_limits
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.plain_files import read_mapping
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.monitors.moving.kuma import read_kuma
from analytics_box.products.monitors.moving.plan import MonitorImportPlan, existing_monitors
from analytics_box.products.status_pages.access import find_reachable_page, page_in_reach
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.moving import change
from analytics_box.products.status_pages.moving.atlassian import read_atlassian
from analytics_box.products.status_pages.moving.cachet import is_cachet, read_cachet
from analytics_box.products.status_pages.moving.kuma import read_kuma_pages
from analytics_box.products.status_pages.moving.wanted import (
    MOST_BYTES,
    MOST_PAGES,
    Source,
    StatusPageItem,
    SubscriberItem,
)
from analytics_box.products.status_pages.page import Id, Whole
from analytics_box.products.status_pages.subscribers import subscribing
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.subscribing import SubscriptionTools
from analytics_box.resource.imports import ImportStatus, begin_import, count_statuses, program_of, read_rows
from analytics_box.resource.reach import Reach, check, reach
from analytics_box.tenants.tenancy.members import administers
from analytics_box.web.call import Call

MOST_ASKED: Final = 500  # Subscribers of one import: each gets an email.
_LOOKS: Final[tuple[tuple[Source, Callable[[Mapping[str, Any]], bool]], ...]] = (
    ("uptime-kuma", lambda given: "statusPageList" in given),
    ("cachet", is_cachet),
    ("statuspage", lambda given: not given.keys().isdisjoint(("page", "components", "incidents"))),
)


class ImportStatusPages(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.import: the text of a file."""

    content: Annotated[str, Meta(max_length=MOST_BYTES)]
    source: Source | None = None
    dryRun: bool = False
    organizationId: Id | None = None


class StatusPageRowOutcome(Struct, frozen=True, kw_only=True, rename="camel"):
    """The result for a page of the file, or the predicted one. `notes` say what is not imported.

    `subscribers` are those in the file: `statusPage.importSubscribers` asks them to confirm.
    """

    name: str
    slug: str
    status: ImportStatus
    status_page_id: str = ""
    components: int = 0
    groups: int = 0
    incidents: int = 0
    maintenances: int = 0
    subscribers: int = 0
    notes: tuple[str, ...] = ()
    error: str = ""


class StatusPageImportAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Output of statusPage.import. New pages are drafts."""

    source: Source
    dry_run: bool
    total: int
    created: int
    updated: int
    unchanged: int
    existing: int
    failed: int
    pages: list[StatusPageRowOutcome]


class ImportSubscribers(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.importSubscribers: the text of a file, or email addresses, one a line."""

    statusPageId: Id
    content: Annotated[str, Meta(max_length=MOST_BYTES)]
    dryRun: bool = False


class SubscriberRowFailure(Struct, frozen=True):
    """A subscriber who is not imported, and why."""

    address: str
    error: str


class SubscriberImportAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Output of statusPage.importSubscribers. Each of the `created` ones gets one email to confirm. `remaining` ones
    are beyond the limit of one import: import the file again for them."""

    dry_run: bool
    total: int
    created: int
    existing: int
    failed: int
    remaining: int
    failures: list[SubscriberRowFailure]


async def import_status_pages(call: Call, given: ImportStatusPages) -> StatusPageImportAnswer:
    """statusPage.import: import status pages of Atlassian Statuspage, Cachet or Uptime Kuma, as drafts. Raises
    Forbidden, RateLimited, or BadRequest for another file.

    Each page is imported as a whole or not at all.
    """
    own = reach(call, given.organizationId)
    await begin_import(call, own, "status page")
    queue = call.parts[FileQueue]
    source, items = await queue.run(call.identity.holder, _read_pages, call, own, given.content, given.source)
    rows = []
    for item in items[:MOST_PAGES]:
        work = partial(_import_page, call=call, own=own, item=item, dry=given.dryRun)
        whole, row = await call.parts.box_db.write(work, adds=True)
        if whole is not None:
            call.parts[StatusPages].remember(whole)
        rows.append(row)
    return StatusPageImportAnswer(
        source=source, dry_run=given.dryRun, total=len(rows), pages=rows, **count_statuses(rows)
    )


def _read_pages(call: Call, own: Reach, content: str, source: Source | None) -> tuple[Source, list[StatusPageItem]]:
    given = read_mapping(content)
    unknown = _("This file does not contain a status page: components, incidents or statusPageList")
    found = source or program_of(given, _LOOKS, unknown)
    if found == "uptime-kuma":
        return found, read_rows(read_kuma_pages, given, _monitor_ids(call, own, given))
    return found, read_rows(read_cachet if found == "cachet" else read_atlassian, given)


def _monitor_ids(call: Call, own: Reach, given: dict[str, Any]) -> Mapping[str, str]:
    """The monitors here that are in the file, by their ids there."""
    plan = MonitorImportPlan(
        existing_monitors(call.parts, own), own, call.parts[MonitorTools].fence_of(own), existing="skip"
    )
    planned = [plan.of(one) for one in read_rows(read_kuma, given).monitors]
    return {one.wanted.ref: one.monitor.id for one in planned if one.status == "existing" and one.monitor is not None}


def _import_page(
    db: Connection, *, call: Call, own: Reach, item: StatusPageItem, dry: bool
) -> tuple[Whole | None, StatusPageRowOutcome]:
    """Store a page of the file, unless it is there already or cannot be; a dry run takes it back."""
    row = StatusPageRowOutcome(
        name=item.name,
        slug=item.slug,
        status="failed",
        components=len(item.components),
        groups=len(item.groups),
        incidents=sum(one.kind == "incident" for one in item.incidents),
        maintenances=sum(one.kind == "maintenance" for one in item.incidents),
        subscribers=len(item.subscribers),
        notes=item.notes,
    )
    try:
        slug, there = change.free_slug(db, item, own.organization_id)
        if there:
            row = msgspec.structs.replace(row, slug=slug, status="existing", status_page_id=there, notes=())
            return None, row
        optional, notes = change.optional_values(item)
        values = {**change.page_values(item, slug), **optional}
        with db:
            whole, more = change.create(db, call.parts[Monitors], own, item, values)
            notes = [*item.notes, *notes, *more]
            if dry:
                raise _TakenBack
    except _TakenBack:
        return None, msgspec.structs.replace(row, slug=slug, status="created", notes=tuple(notes))
    except BoxError as refused:
        return None, msgspec.structs.replace(row, error=refused.message)
    made = msgspec.structs.replace(row, slug=slug, status="created", status_page_id=whole.page.id, notes=tuple(notes))
    return whole, made


class _TakenBack(Exception):
    """Raised to roll back what a dry run has stored."""


async def import_subscribers(call: Call, given: ImportSubscribers) -> SubscriberImportAnswer:
    """statusPage.importSubscribers: ask the subscribers of a file to confirm, each with one email. Raises NotFound,
    Forbidden, RateLimited, or BadRequest for a page that is not published.

    Addresses that are subscribed or were asked already are left out.
    """
    own, whole = find_reachable_page(call, given.statusPageId)
    await begin_import(call, own, "subscriber")
    if not call.parts[Mailer].configured:
        raise BadRequest(_("Set up a mail server first (smtp_host)"))
    if not whole.page.published:
        raise BadRequest(_("Publish the status page before you add subscribers"))
    queue = call.parts[FileQueue]
    items = await queue.run(call.identity.holder, read_rows, _read_subscribers, given.content, whole)
    tools = call.parts[SubscriptionTools]
    wanted, failures = _check_all(whole, items, tools)
    work = partial(_new_ones, own=own, page_id=whole.page.id, wanted=wanted, tools=tools)
    fresh = await call.read(work)
    asked = 0
    for one in fresh[:MOST_ASKED]:
        try:
            if not given.dryRun:
                await _ask(call, own, whole, one)
            asked += 1
        except BoxError as refused:
            failures.append(SubscriberRowFailure(one.address, refused.message))
    if asked and not given.dryRun:
        call.parts[SubscriberDeliveries].soon()
    return SubscriberImportAnswer(
        dry_run=given.dryRun,
        total=len(items),
        created=asked,
        existing=len(wanted) - len(fresh),
        failed=len(failures),
        remaining=max(len(fresh) - MOST_ASKED, 0),
        failures=failures[:MOST_ASKED],
    )


def _read_subscribers(content: str, whole: Whole) -> list[SubscriberItem]:
    """The subscribers of a file, each address once; their components by name are those of this page."""
    if content.lstrip()[:1] not in {"{", "["}:
        lines = (line.strip().strip(",;\"'") for line in content.splitlines())
        found = [SubscriberItem(address=line) for line in lines if line]
    else:
        given = read_mapping(content)
        (page,) = read_cachet(given) if is_cachet(given) else read_atlassian(given)
        names = {one.ref: one.name for one in page.components}
        ids = {one.name: one.id for one in whole.components if one.name}
        found = [
            SubscriberItem(
                address=one.address,
                components=tuple(ids[names[ref]] for ref in one.components if names.get(ref) in ids),
            )
            for one in page.subscribers
        ]
    return list({one.address.casefold(): one for one in found}.values())


def subscribers_only(content: str, whole: Whole) -> str:
    """The subscribers of a file, and nothing else of it, as a file for the form that sends the emails."""
    found = _read_subscribers(content, whole)
    names = [{"id": one.id, "name": one.name} for one in whole.components if one.name]
    listed = [{"email": one.address, "components": one.components} for one in found]
    return msgspec.json.encode({"components": names, "subscribers": listed}).decode()


def _check_all(
    whole: Whole, items: Sequence[SubscriberItem], tools: SubscriptionTools
) -> tuple[list[subscribing.RequestedSubscription], list[SubscriberRowFailure]]:
    wanted, failures = [], []
    for one in items:
        try:
            wanted.append(subscribing.check_subscription(whole, "email", one.address, one.components, tools.fence))
        except BoxError as refused:
            failures.append(SubscriberRowFailure(one.address[:200], refused.message))
    return wanted, failures


def _new_ones(
    db: Connection,
    own: Reach,
    page_id: str,
    wanted: Sequence[subscribing.RequestedSubscription],
    tools: SubscriptionTools,
) -> list[subscribing.RequestedSubscription]:
    """Return the addresses that are not subscribed and were not asked. Raises Forbidden or NotFound."""
    check(db, own, "member")
    page = page_in_reach(db, own, page_id)
    found = []
    for one in wanted:
        try:
            subscribing.refuse_known(db, page, one, tools)
        except errors.Conflict:
            continue
        found.append(one)
    return found


async def _ask(call: Call, own: Reach, whole: Whole, wanted: subscribing.RequestedSubscription) -> None:
    """Ask one subscriber, within the limits of a page, of the server and of mail domains."""
    limits, tools = call.parts.limits, call.parts[SubscriptionTools]
    subscribing.limit_page(limits, whole.page.id)
    subscribing.limit_receiver(limits, wanted)

    def add(db: Connection) -> None:
        check(db, own, "member")
        if not administers(db, own.by):
            mail_limits.take_of_caller(db, own.by.actor, call.now)
        subscribing.add(db, page_in_reach(db, own, whole.page.id), wanted, tools, own.by)

    await call.parts.box_db.write(add, adds=True)
