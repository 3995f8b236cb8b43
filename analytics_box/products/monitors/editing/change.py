"""Creating, changing and deleting monitors: each verb writes its rows and audit entries in the caller's transaction.

Callers update the directory after the commit. Secrets are encrypted, and no audit entry has them.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import at_least, require
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.fences import Fences, member_of
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _
from analytics_box.products.alerts import telling
from analytics_box.products.alerts.alert_rule import monitor_subject
from analytics_box.products.monitors import rows
from analytics_box.products.monitors.access import existing
from analytics_box.products.monitors.directory import UNREADABLE
from analytics_box.products.monitors.editing import places
from analytics_box.products.monitors.editing.draft import apply_fields, leaves
from analytics_box.products.monitors.editing.messages import Bulk, CreateMonitor, TryMonitor, UpdateMonitor
from analytics_box.products.monitors.monitor import MOST_TAGS, Kind, Monitor, MonitorSecrets
from analytics_box.products.monitors.rows import MONITORS, StoredMonitor, stored_monitor
from analytics_box.products.monitors.sealing import at_rest, decrypt_monitor
from analytics_box.resource import fields
from analytics_box.resource.reach import Reach, check, role_in, role_of
from analytics_box.tenants.websites.directory import Directory

ALREADY_PAUSED: Final = "Monitor is already paused"  # wire 8.1
NOT_PAUSED: Final = "Monitor is not paused"  # wire 8.1
_SUBJECT: Final = "monitor"
_TOKEN_BYTES: Final = 24
_NAMED: Final = 20  # monitors that an entry about many names


class MonitorTools(Struct, frozen=True):
    """The tools of the verbs: the seal of secrets, the networks that monitors may reach, how many there may be,
    and which websites there are."""

    seal: Seal
    fences: Fences
    most: int
    websites: Directory

    def fence_of(self, acting: Reach) -> Fence:
        """The fence around what the monitors of an organization may reach."""
        return self.fences.of(member_of(acting.organization_id))


class MonitorChange(Struct, frozen=True):
    """A monitor after a change; `readable` is whether its secrets can be read."""

    monitor: Monitor
    readable: bool = True


class MonitorMove(MonitorChange, frozen=True):
    """A monitor after its transfer to another organization."""

    secrets_left_out: bool = False


def create(db: Connection, tools: MonitorTools, acting: Reach, given: CreateMonitor) -> Monitor:
    """A new monitor. Raises Forbidden, BadRequest or Conflict."""
    made = replace(draft_monitor(tools.fence_of(acting), acting, given, given.kind), is_paused=given.is_paused)
    if not room(db, tools, acting):
        raise errors.Conflict.full("monitors", tools.most, full(tools))
    return add(db, tools, acting, made, shares_url=given.allow_duplicate_url)


def room(db: Connection, tools: MonitorTools, acting: Reach) -> int:
    """The number of monitors that the organization may still add."""
    return max(tools.most - MONITORS.count(db, "organization_id = ?", acting.organization_id), 0)


def full(tools: MonitorTools) -> str:
    """The error message for an organization at its limit."""
    return f"An organization can have up to {tools.most:,} monitors here (monitors_per_organization); delete one first"


def add(db: Connection, tools: MonitorTools, acting: Reach, made: Monitor, *, shares_url: bool = False) -> Monitor:
    """Store a drafted monitor, for which there is room. Raises Forbidden, BadRequest or Conflict."""
    check(db, acting, "member")
    check_places(db, tools.websites, acting, made)
    if made.website_id is not None:
        rows.release_website(db, made.website_id, acting.organization_id)
    made = replace(made, number=rows.insert(db, at_rest(tools.seal, made), shares_url=shares_url))
    _record(db, acting.by, made, "created", {"url": made.masked.url, "name": made.name, "kind": made.kind})
    return made


def draft_monitor(
    fence: Fence, acting: Reach, given: CreateMonitor | TryMonitor, kind: Kind | None, *, monitor_id: str = ""
) -> Monitor:
    """A monitor of these values that is nowhere stored, with a new id unless one is given. Raises BadRequest."""
    url = given.url if isinstance(given.url, str) else ""
    if not url and kind != "push":
        raise BadRequest.about("url", _("Enter a URL, such as https://example.com/path"))
    kind = places.kind_of(url, kind) if url else "push"
    blank = Monitor(
        number=0,
        id=monitor_id or ids.new_id(),
        organization_id=acting.organization_id,
        kind=kind,
        url="",
        secrets=MonitorSecrets(token=secrets.token_urlsafe(_TOKEN_BYTES)) if kind == "push" else MonitorSecrets(),
        created_at=acting.by.now,
        updated_at=acting.by.now,
    )
    return apply_fields(blank, replace(given, url=url), fence)


def update(db: Connection, tools: MonitorTools, acting: Reach, given: UpdateMonitor) -> MonitorChange:
    """Another state of a monitor; what is not given stays. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, acting, "member")
    stored = existing(db, acting, given.schedule_id)
    before = _readable(tools.seal, stored)
    after = apply_fields(before.monitor, given, tools.fence_of(acting))
    lacks_url = stored.hides_url and after.url == before.monitor.url
    keeps_secrets = after.secrets == before.monitor.secrets
    if not before.readable and (leaves(before.monitor, after) if keeps_secrets else lacks_url):
        raise errors.Conflict(UNREADABLE)
    check_places(db, tools.websites, acting, after)
    if after.website_id is not None and after.website_id != before.monitor.website_id:
        rows.release_website(db, after.website_id, acting.organization_id)
    return _store(db, tools.seal, acting.by, stored, before, after, shares_url=given.allow_duplicate_url)


def pause(db: Connection, tools: MonitorTools, acting: Reach, monitor_id: str, *, paused: bool | None) -> MonitorChange:
    """Checks stop or go on; None is the other of the two. Raises Forbidden or NotFound, BadRequest where it is so."""
    check(db, acting, "member")
    stored = existing(db, acting, monitor_id)
    before = _readable(tools.seal, stored)
    wanted = not before.monitor.is_paused if paused is None else paused
    if before.monitor.is_paused == wanted:
        raise BadRequest(ALREADY_PAUSED if wanted else NOT_PAUSED)
    return _store(db, tools.seal, acting.by, stored, before, replace(before.monitor, is_paused=wanted))


def delete(db: Connection, acting: Reach, monitor_id: str) -> Monitor:
    """Delete a monitor; its dependent monitors lose their parent. Raises Forbidden or NotFound."""
    check(db, acting, "member")
    gone = _remove(db, existing(db, acting, monitor_id).monitor, acting.by.now)
    _record(db, acting.by, gone, "deleted", {"url": gone.masked.url, "name": gone.name, "kind": gone.kind})
    return gone


def _remove(db: Connection, gone: Monitor, now: int) -> Monitor:
    MONITORS.delete(db, gone.number)
    telling.forget(db, gone.organization_id, monitor_subject(gone.id), now=now)
    return gone


def rotate(db: Connection, tools: MonitorTools, acting: Reach, monitor_id: str) -> Monitor:
    """A push gets another token; the old one is used no more. Raises Forbidden, NotFound or BadRequest."""
    check(db, acting, "member")
    found = existing(db, acting, monitor_id).monitor
    if found.kind != "push":
        raise BadRequest(_("Only push monitors have a push URL"))
    after = replace(found, secrets=MonitorSecrets(token=secrets.token_urlsafe(_TOKEN_BYTES)), updated_at=acting.by.now)
    rows.update(db, at_rest(tools.seal, after))
    _record(db, acting.by, after, "rotated", {"url": after.masked.url, "name": after.name})
    return after


def transfer(db: Connection, tools: MonitorTools, acting: Reach, monitor_id: str, organization_id: str) -> MonitorMove:
    """Give it to another organization in which the same person may make monitors, without its website and parent.

    What a check sends that is secret goes along only with an admin, who may see it anyway; the URL of a push stays.
    Raises Forbidden, NotFound or Conflict.
    """
    own_role = role_of(db, acting.organization_id, acting.by)
    require(own_role, "member")
    stored = existing(db, acting, monitor_id)
    role = role_in(db, organization_id, acting.by.user_id or "")
    if role is None:
        raise errors.Forbidden(_("Access denied to this organization"))
    require(role, "member")
    before = _readable(tools.seal, stored)
    if organization_id == before.monitor.organization_id:
        return MonitorMove(monitor=before.monitor, readable=before.readable)
    if MONITORS.count(db, "organization_id = ?", organization_id) >= tools.most:
        raise errors.Conflict.full(
            "monitors",
            tools.most,
            _("That organization has {most:,} monitors already (monitors_per_organization)").format(most=tools.most),
        )
    rows.orphan(db, monitor_id)
    telling.forget(db, before.monitor.organization_id, monitor_subject(monitor_id), now=acting.by.now)
    after = replace(
        before.monitor, organization_id=organization_id, website_id=None, parent_id=None, updated_at=acting.by.now
    )
    has = before.monitor.secrets
    drops = (has != MonitorSecrets(token=has.token) or not before.readable) and not at_least(own_role, "admin")
    if drops:
        after = replace(after, secrets=MonitorSecrets(token=has.token))
    is_new = drops and (before.readable or not stored.hides_url)
    rows.update(db, at_rest(tools.seal, after) if is_new else _as_before(stored, before, after))
    detail: dict[str, object] = {"organizationId": {"before": before.monitor.organization_id, "after": organization_id}}
    if drops:
        detail["secrets"] = "left out"
    _record(db, acting.by, before.monitor, "updated", detail)
    _record(db, acting.by, after, "updated", detail)
    return MonitorMove(monitor=after, readable=before.readable or is_new, secrets_left_out=drops)


class BulkResult(Struct, frozen=True):
    """The result of a bulk action: changed monitors, deleted monitors, and unknown ids."""

    changed: tuple[MonitorChange, ...]
    gone: tuple[Monitor, ...]
    unknown: tuple[str, ...]


def bulk(db: Connection, tools: MonitorTools, acting: Reach, given: Bulk, tags: tuple[str, ...]) -> BulkResult:
    """Apply an action to many monitors; those already in the wanted state stay unchanged. The audit log has one entry
    for all.

    Raises Forbidden or BadRequest.
    """
    check(db, acting, "member")
    changed: list[MonitorChange] = []
    gone, unknown = [], []
    for monitor_id in dict.fromkeys(given.scheduleIds):
        stored = MONITORS.find(db, monitor_id)
        if stored is None or not acting.covers(stored):
            unknown.append(monitor_id)
        elif given.action == "delete":
            gone.append(_remove(db, stored.monitor, acting.by.now))
        else:
            before = _readable(tools.seal, stored)
            after = _apply_action(before.monitor, given.action, tags)
            if after != before.monitor:
                changed.append(_save(db, tools.seal, acting.by, stored, before, after))
    _record_many(db, acting, given, tags, [*(each.monitor for each in changed), *gone])
    return BulkResult(tuple(changed), tuple(gone), tuple(unknown))


def _record_many(db: Connection, acting: Reach, given: Bulk, tags: tuple[str, ...], touched: Sequence[Monitor]) -> None:
    """A single audit entry for all of them, under the first; it names a limited number."""
    if not touched:
        return
    action: audit.Action = "deleted" if given.action == "delete" else "updated"
    detail: dict[str, object] = {
        "name": f"{len(touched)} monitors" if len(touched) > 1 else touched[0].called,
        "bulk": given.action,
        "count": len(touched),
        "ids": [each.id for each in touched[:_NAMED]],
        "names": [each.called for each in touched[:_NAMED]],
    }
    _record(db, acting.by, touched[0], action, detail | ({"tags": tags} if tags else {}))


def check_places(db: Connection, websites: Directory, acting: Reach, monitor: Monitor) -> None:
    """Raises BadRequest for a website or a parent that is not the organization's, or that is below the monitor."""
    website_id = monitor.website_id
    before = MONITORS.find(db, monitor.id)
    kept = before is not None and before.website_id == website_id and acting.covers(before)
    if not kept and not acting.reaches(website_id):
        raise BadRequest.about("websiteId", _("Choose a website that you or the API key can access"))
    website = websites.find(website_id) if website_id is not None else None
    if website_id is not None and (website is None or website.organization_id != monitor.organization_id):
        raise BadRequest.about("websiteId", _("There is no website with this id in the organization"))
    above, seen = monitor.parent_id, {monitor.id}
    if above is None:
        return
    parent = MONITORS.find(db, above)
    if parent is None or not acting.covers(parent):
        raise BadRequest.about("parentId", _("There is no monitor with this id in the organization"))
    while above is not None:
        if above in seen:
            raise BadRequest.about("parentId", _("The parent depends on this monitor"))
        seen.add(above)
        found = MONITORS.find(db, above)
        above = found.parent_id if found is not None else None


def difference(before: Monitor, after: Monitor) -> dict[str, object]:
    """The differences between two states of a monitor; of secrets only which of them changed.

    Likely secrets in URLs, and bodies to send, are left out.
    """
    found = fields.difference(before, after, without=("number", "secrets"))
    named = MonitorSecrets.__struct_fields__
    changed = [name for name in named if getattr(before.secrets, name) != getattr(after.secrets, name)]
    return found | ({"secrets": changed} if changed else {})


def _apply_action(monitor: Monitor, action: str, tags: Iterable[str]) -> Monitor:
    match action:
        case "pause" | "resume":
            return replace(monitor, is_paused=action == "pause")
        case "tag":
            after = tuple(sorted({*monitor.tags, *tags}))
            if len(after) > MOST_TAGS:
                raise BadRequest.about(
                    "tags",
                    _("{called} would have more than {most} tags").format(called=monitor.called[:100], most=MOST_TAGS),
                )
            return replace(monitor, tags=after)
        case _:
            return replace(monitor, tags=tuple(tag for tag in monitor.tags if tag not in {*tags}))


def _readable(seal: Seal, stored: StoredMonitor) -> MonitorChange:
    """A stored monitor with the secrets that can be decrypted."""
    try:
        return MonitorChange(decrypt_monitor(seal, stored))
    except SealBroken:
        return MonitorChange(stored.monitor, readable=False)


def _store(
    db: Connection,
    seal: Seal,
    by: By,
    stored: StoredMonitor,
    before: MonitorChange,
    after: Monitor,
    *,
    shares_url: bool = False,
) -> MonitorChange:
    """Store a changed monitor, with its entry in the audit log."""
    changes = difference(before.monitor, after)
    if not changes:
        return before
    _record(db, by, after, "updated", {"name": after.called} | changes)
    return _save(db, seal, by, stored, before, after, shares_url=shares_url)


def _save(
    db: Connection,
    seal: Seal,
    by: By,
    stored: StoredMonitor,
    before: MonitorChange,
    after: Monitor,
    *,
    shares_url: bool = False,
) -> MonitorChange:
    """Store a changed monitor. Secrets that cannot be decrypted stay encrypted until new values are entered."""
    after = replace(after, updated_at=by.now)
    is_new = _is_sealed_anew(stored, before, after)
    row = at_rest(seal, after) if is_new else _as_before(stored, before, after)
    rows.update(db, row, shares_url=shares_url)
    return MonitorChange(after, readable=before.readable or is_new)


def _is_sealed_anew(stored: StoredMonitor, before: MonitorChange, after: Monitor) -> bool:
    """Whether a change reaches what is sealed of a monitor."""
    was = before.monitor
    if after.secrets != was.secrets or after.options.send != was.options.send:
        return True
    return after.url != was.url and (before.readable or stored.hides_url or mask_query(after.url) != after.url)


def _as_before(stored: StoredMonitor, before: MonitorChange, after: Monitor) -> StoredMonitor:
    """Another state of a monitor whose sealed part stays. Of one that cannot be read, all is masked already."""
    shown = after.masked if before.readable else after
    return stored_monitor(shown, stored.sealed, stored.url if after.url == before.monitor.url else after.url)


def _record(db: Connection, by: By, monitor: Monitor, action: audit.Action, detail: Mapping[str, object]) -> None:
    audit.record(db, by, monitor.organization_id, action, _SUBJECT, monitor.id, detail)
