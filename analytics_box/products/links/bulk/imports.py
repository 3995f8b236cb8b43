"""Many links at once, from CSV or JSON. Each row succeeds or fails by itself, and a dry run says the same without
storing anything, or delaying other requests."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeVar, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.file_queue import FileQueue
from analytics_box.base.store.db import Connection
from analytics_box.base.store.files import copy, scratch
from analytics_box.ingest.visitors import SaltFile
from analytics_box.products.links.bulk.cells import ShortLinkHosts
from analytics_box.products.links.bulk.click_history import ClickHistory, clicks_of
from analytics_box.products.links.bulk.files import Form, LinkSheet
from analytics_box.products.links.bulk.records import (
    LinkRowOutcome,
    ParsedLinkRow,
    Status,
    parse,
    refused_row,
    with_retention,
)
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.domains import change as domains
from analytics_box.products.links.domains.lookup import LinkDomains, policy_of
from analytics_box.products.links.editing import change
from analytics_box.products.links.editing.calls import tell
from analytics_box.products.links.editing.change import LinkChange
from analytics_box.products.links.folders.change import FolderCache
from analytics_box.products.links.link import MOST_FILE_BYTES, ShortLink
from analytics_box.products.links.messages import Id
from analytics_box.products.links.targeting.policy import TargetPolicy
from analytics_box.resource import fields
from analytics_box.resource.fields import Values
from analytics_box.resource.imports import count_statuses
from analytics_box.resource.reach import Reach, acting, check
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.configuration.domains import own_hosts
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.web.call import Call

_TABLES: Final = ("links", "link_tags", "link_folders", "link_domains", "audit")


def copy_database(db: Connection, organization_id: str, by: By, rows: Sequence[Values]) -> Connection:
    """A private database with what storing these rows would look at. Raises Forbidden.

    That is the organization's folders and domains, its links with the external ids of the rows, and all links with a
    slug of these or of the rows on any domain where they might come to stand.
    """
    check(db, Reach(organization_id, by), "member")
    made = scratch(db, _TABLES)
    for table in ("link_folders", "link_domains"):
        copy(db, made, table, "organization_id = ?", (organization_id,))
    external_ids = _texts(row.get("external_id") for row in rows)
    copy(
        db,
        made,
        "links",
        "organization_id = ? and external_id in (select value from json_each(?))",
        (organization_id, external_ids),
    )
    found = made.execute("-- links.dry_run\nselect domain, slug from links").fetchall()
    own = made.execute("-- links.dry_run\nselect domain from link_domains").fetchall()
    domains = _texts(("", *(domain for domain, _ in found), *(domain for (domain,) in own)))
    slugs = _texts((*(slug for _, slug in found), *(row.get("slug") for row in rows)))
    copy(
        db,
        made,
        "links",
        "domain in (select value from json_each(?)) and slug in (select value from json_each(?))",
        (domains, slugs),
    )
    numbers = made.execute("-- links.dry_run\nselect number from links").fetchall()
    copy(
        db,
        made,
        "link_tags",
        "link in (select value from json_each(?))",
        (json.dumps([number for (number,) in numbers]),),
    )
    return made


def _texts(values: Iterable[object]) -> str:
    """The texts among the values, as a JSON list without duplicates."""
    return json.dumps(sorted({value for value in values if isinstance(value, str)}))


T = TypeVar("T")

_AT_ONCE: Final = 50  # rows in one write or one look, so that others hardly wait
_NOT_HASHED: Final = "the password of row {number}, which a dry run does not hash"
_UNPROTECTED: Final = (
    "This link had a password, which exports leave out. Enter one in the column password, or clear protected"
)


class ImportLinks(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.import: a file's text. A row with an `externalId` that a link has changes that link.

    Missing folders are created. `domain` is for links of other services whose short address is on none of the
    organization's link domains: one of these, or empty for the box's own host. Without it, such rows fail.
    """

    content: Annotated[str, Meta(max_length=MOST_FILE_BYTES)]
    format: Form = "csv"
    dryRun: bool = False
    domain: Text | None = None
    organizationId: Id | None = None


class LinkImportAnswer(Struct, frozen=True):
    """Output of links.import. `ignoredColumns` are headings of a sheet that mean nothing here.

    `clicks` is the number of earlier clicks from a database of another service: those that were added, or in a dry run
    all.
    """

    dryRun: bool
    total: int
    created: int
    updated: int
    unchanged: int
    failed: int
    clicks: int
    rows: list[LinkRowOutcome]
    ignoredColumns: list[str]


class LinkFile(NamedTuple):
    """A file that was read."""

    rows: list[ParsedLinkRow]
    ignored: list[str]


class LinkImportRow(NamedTuple):
    """A row that can be stored, or what is wrong with it already."""

    parsed: ParsedLinkRow
    values: Values = MappingProxyType({})
    wrong: LinkRowOutcome | None = None


async def import_links(call: Call, given: ImportLinks) -> LinkImportAnswer:
    """links.import: import links from a CSV or JSON file. Raises Forbidden, or BadRequest for what is no file of
    links."""
    return await import_rows(call, given, _unheard)


async def import_rows(call: Call, given: ImportLinks, hear: Callable[[int, int], None]) -> LinkImportAnswer:
    """Import as `import_links` does; `hear` is told again and again how many of how many rows are done."""
    organization_id, by = acting(call, given.organizationId)
    file = await call.parts[FileQueue].run(call.identity.holder, read_rows, given.content, given.format)
    parsed = [with_retention(one, call.now, call.parts.settings.link_clicks_days) for one in file.rows]
    total = len(parsed)
    policy, places = policy_of(call, organization_id), _places(call, organization_id, given.domain)
    rows: list[LinkImportRow] = []
    for some in _pieces(parsed):
        for row in await asyncio.to_thread(_looked_at, some, policy, places):
            rows.append(await _with_password(call, row, dry=given.dryRun))
        hear(len(rows) // 2, total)  # the other half is to store them, or to try to
    work = dry_run if given.dryRun else store_rows
    shown, clicks = await work(call, organization_id, by, rows, lambda done: hear((total + done) // 2, total))
    counts = count_statuses(shown, get_args(Status))
    return LinkImportAnswer(
        dryRun=given.dryRun, total=len(shown), clicks=clicks, rows=shown, ignoredColumns=file.ignored, **counts
    )


async def dry_run(
    call: Call, organization_id: str, by: By, rows: list[LinkImportRow], hear: Callable[[int], None]
) -> tuple[list[LinkRowOutcome], int]:
    """The outcome of importing these rows, which are stored in a copy that is discarded, and the number of clicks.

    The ids and generated slugs in it belong to no link.
    """
    drafts = [row.values for row in rows]
    copy = await call.read(lambda db: copy_database(db, organization_id, by, drafts))
    shown: list[LinkRowOutcome] = []
    made: set[str] = set()
    for some in _pieces(rows):
        # The copy has no members: the actor's role was checked when it was made.
        done = await asyncio.to_thread(_tried_in, copy, organization_id, By(by.actor, by.now), some)
        made |= {row.id for row in done if row.status == "created"}
        shown += [
            replace(row, id="", slug=given.values.get("slug") or "") if row.id in made else row
            for row, given in zip(done, some, strict=True)
        ]
        hear(len(shown))
    return shown, sum(len(history.clicks) for history, _link in _histories(rows, shown, repeat(0)))


async def store_rows(
    call: Call, organization_id: str, by: By, rows: list[LinkImportRow], hear: Callable[[int], None]
) -> tuple[list[LinkRowOutcome], int]:
    """Store these rows in their order, and the earlier clicks of their links, of which it returns the number."""
    shown: list[LinkRowOutcome] = []
    clicks = 0
    for some in _pieces(rows):
        done, changes = await call.write(_writer(organization_id, by, some))
        shown += done
        for changed in changes:
            tell(call, changed)
        for history, link in _histories(some, done, (changed.after.number for changed in changes)):
            salts = call.parts[SaltFile].current(call.now)
            past = await asyncio.to_thread(clicks_of, history, link, salts)
            clicks += await call.parts[Clicks].add_history(past)
        hear(len(shown))
    return shown, clicks


def _histories(
    rows: Iterable[LinkImportRow], shown: Iterable[LinkRowOutcome], links: Iterable[int]
) -> Iterator[tuple[ClickHistory, int]]:
    """The histories of rows that did not fail, with the numbers of their links."""
    taken = (row for row, one in zip(rows, shown, strict=True) if one.status != "failed")
    for row, link in zip(taken, links, strict=False):
        if row.parsed.history is not None and row.parsed.history.clicks:
            yield row.parsed.history, link


def _unheard(done: int, total: int) -> None:
    """Ignore the progress of a procedure."""


def read_rows(content: str, form: Form) -> LinkFile:
    """The rows of a file as messages. Raises BadRequest."""
    sheet = LinkSheet(content, form)
    return LinkFile([parsed for record in sheet for parsed in parse(record)], sheet.ignored)


def _places(call: Call, organization_id: str, instead: str | None) -> ShortLinkHosts:
    """The domains that links can be placed on. Raises BadRequest if `instead` is not a domain of the organization."""
    own = frozenset(each.domain for each in call.parts[LinkDomains].of(organization_id))
    if instead and instead not in own:
        raise BadRequest.about("domain", domains.UNKNOWN)
    return ShortLinkHosts(own_hosts(call.parts.settings), own, instead)


def _looked_at(rows: list[ParsedLinkRow], policy: TargetPolicy, places: ShortLinkHosts) -> list[LinkImportRow]:
    """The drafts of these rows, checked, or what is wrong with them. Beside the event loop: it takes a while."""
    return [_row(one, policy, places) for one in rows]


def _row(one: ParsedLinkRow, policy: TargetPolicy, places: ShortLinkHosts) -> LinkImportRow:
    if one.given is None:
        return LinkImportRow(one, wrong=one.wrong)
    try:
        return LinkImportRow(one, _on_its_domain(fields.values_of(one.given, ShortLink, policy), one, places))
    except BoxError as wrong:
        return LinkImportRow(one, wrong=refused_row(one.number, wrong))


def _on_its_domain(values: Values, one: ParsedLinkRow, places: ShortLinkHosts) -> Values:
    """The values with the link's domain. Raises BadRequest."""
    if "domain" in values:
        return {**values, "domain": places.of(values["domain"])}
    return {**values, "domain": places.instead} if one.is_of_service and places.instead else values


async def _with_password(call: Call, row: LinkImportRow, *, dry: bool) -> LinkImportRow:
    password = row.values.get("password")
    if password is None:
        return row
    made = _NOT_HASHED.format(number=row.parsed.number) if dry else await call.parts[Passwords].hash(password)
    return row._replace(values={**row.values, "password": made})


def _pieces(whole: list[T]) -> Iterator[list[T]]:
    return (whole[first : first + _AT_ONCE] for first in range(0, len(whole), _AT_ONCE))


def _writer(
    organization_id: str, by: By, rows: list[LinkImportRow]
) -> Callable[[Connection], tuple[list[LinkRowOutcome], list[LinkChange]]]:
    return lambda db: _try_rows(db, organization_id, by, rows)


def _tried_in(copy: Connection, organization_id: str, by: By, rows: list[LinkImportRow]) -> list[LinkRowOutcome]:
    with copy:  # one transaction for all
        shown, _ = _try_rows(copy, organization_id, by, rows)
    return shown


def _try_rows(
    db: Connection, organization_id: str, by: By, rows: list[LinkImportRow]
) -> tuple[list[LinkRowOutcome], list[LinkChange]]:
    """The outcome of each row, and the changes. A refused row leaves nothing behind."""
    check(db, Reach(organization_id, by), "member")
    cache = FolderCache(db, organization_id)
    shown, changes = [], []
    for row in rows:
        number = row.parsed.number
        if row.wrong is not None:
            shown.append(row.wrong)
            continue
        mark = cache.mark()
        try:
            with db:  # a savepoint
                changed = _store(db, organization_id, by, row, cache)
        except BoxError as wrong:
            cache.undo(mark)
            shown.append(refused_row(number, wrong))
            continue
        shown.append(LinkRowOutcome(number, _status(changed), id=changed.after.id, slug=changed.after.slug))
        changes.append(changed)
    return shown, changes


def _store(db: Connection, organization_id: str, by: By, row: LinkImportRow, cache: FolderCache) -> LinkChange:
    one, clean = row.parsed, row.values
    if one.folder:
        clean = {**clean, "folder_id": cache.folder(db, by, one.folder).id}
    if clean.get("external_id") is not None:
        changed = change.upsert(db, organization_id, by, clean["external_id"], clean, rename=one.is_named)
    elif there := change.standing(db, organization_id, clean):
        changed = LinkChange(there, there)  # imported before
    else:
        changed = LinkChange(None, change.create(db, organization_id, by, clean))
    if changed.before is None and one.was_protected and changed.after.password is None:
        raise BadRequest.about("password", _UNPROTECTED)
    return changed


def _status(changed: LinkChange) -> Status:
    if changed.before is None:
        return "created"
    return "unchanged" if changed.before == changed.after else "updated"
