"""The plan of an import: new monitors, existing ones, and those that cannot be imported. Nothing is stored.

Channels are never created: their secrets are not in every file, and nothing is sent to an address that no user entered
here.
"""

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import Existing, keep_going
from analytics_box.base.notify import change as channels
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.rules import Channel
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.alerts import change as alerts_change
from analytics_box.products.alerts.alert_rule import CHANNEL, AlertRule, Conditions, Destination
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import change
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.monitors.editing.draft import apply_fields
from analytics_box.products.monitors.editing.messages import CreateMonitor, UpdateMonitor
from analytics_box.products.monitors.monitor import Monitor, Options
from analytics_box.products.monitors.moving.wanted import ImportNotification, MonitorImportItem, parents_first
from analytics_box.resource.imports import ImportStatus
from analytics_box.resource.reach import Reach
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Parts

OWN_ID: Final = re.compile(r"[0-9A-Za-z]{20}\Z")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32,64}")
_NEW_URL: Final = "The push URL is new, because the token in the file is in use or too weak"
_CIRCLE: Final = "The parents of this monitor form a circle"


class ExistingMonitors(Struct, frozen=True):
    """The existing state: the monitors of the organization, the ids of all others, and its websites by domain.

    `used` are websites that have a monitor, `tokens` those of all push monitors of the box. `most` is the limit of
    monitors.
    """

    monitors: Sequence[Monitor]
    ids: frozenset[str]
    websites: Mapping[str, str]
    used: Mapping[str, str]
    most: int
    tokens: Set[str] = frozenset()


def existing_monitors(parts: Parts, acting: Reach) -> ExistingMonitors:
    """The state of an organization before an import."""
    monitors, websites = parts[Monitors], parts[Directory]
    own_monitors = sorted(monitors.of(acting.organization_id), key=lambda one: one.number)
    return ExistingMonitors(
        monitors=own_monitors,
        ids=frozenset(one.id for one in monitors.all()),
        websites={site.domain: site.id for site in websites.of(acting.organization_id)},
        tokens=frozenset(one.secrets.token for one in monitors.all() if one.secrets.token),
        used={one.website_id: one.id for one in own_monitors if one.website_id is not None},
        most=parts[MonitorTools].most,
    )


class PlannedImport(Struct, frozen=True, kw_only=True):
    """The plan for a monitor of the file. `monitor` is its resulting state; None if it cannot be imported.

    `change` is the input that updates an existing monitor to it.
    """

    wanted: MonitorImportItem
    status: ImportStatus
    monitor: Monitor | None = None
    change: UpdateMonitor | None = None
    notes: tuple[str, ...] = ()
    field: str = ""
    error: str = ""


class MonitorImportPlan:
    """Looks at the monitors of a file one by one, parents before those below them."""

    def __init__(self, around: ExistingMonitors, acting: Reach, fence: Fence, existing: Existing) -> None:
        self._around = around
        self._acting = acting
        self._fence = fence
        self._existing = existing
        self._by_id = {one.id: one for one in around.monitors}
        self._by_key = {_key(one): one for one in around.monitors}
        self._seen: set[str] = set()  # of the file
        self._count = len(around.monitors)
        self._used = dict(around.used)
        self._tokens = set(around.tokens)
        self.ids: dict[str, str] = {}  # by what the file calls them

    def of(self, wanted: MonitorImportItem) -> PlannedImport:
        """The plan for this monitor."""
        keep_going()
        if wanted.given is None:
            return PlannedImport(
                wanted=wanted, status="failed", field=wanted.field, error=wanted.error, notes=wanted.notes
            )
        try:
            return self._of(wanted, wanted.given)
        except BadRequest as refused:
            field = refused.details[0].field if refused.details else ""
            return _failure(wanted, field, refused.message)

    def _of(self, wanted: MonitorImportItem, given: CreateMonitor) -> PlannedImport:
        notes = list(wanted.notes)
        is_free = OWN_ID.match(wanted.ref) is not None and wanted.ref not in self._around.ids
        draft = change.draft_monitor(
            self._fence, self._acting, given, given.kind, monitor_id=wanted.ref if is_free else ""
        )
        there = self._by_id.get(wanted.ref) or self._by_key.get(_key(draft))
        if _key(draft) in self._seen:
            return _failure(wanted, "url", "The file contains this monitor twice")
        self._seen.add(_key(draft))
        parent_id = self._parent(wanted, notes)
        website_id = self._website(wanted, there, notes)
        if there is not None:
            return self._of_existing(wanted, given, there, (parent_id, website_id), notes)
        if self._count >= self._around.most:
            reason = f"An organization can have up to {self._around.most:,} monitors here (monitors_per_organization)"
            return _failure(wanted, "", reason)
        self._count += 1
        secrets = replace(draft.secrets, token=self._token(wanted, draft, notes))
        made = replace(
            draft,
            parent_id=parent_id,
            website_id=website_id,
            is_paused=given.is_paused or wanted.decides,
            secrets=secrets,
        )
        if website_id is not None:
            self._used[website_id] = made.id
        if wanted.ref:
            self.ids[wanted.ref] = made.id
        if made.kind == "push" and not wanted.token:
            notes.append("It has a new URL to push to")
        if wanted.history is not None and (wanted.history.spans or wanted.history.days):
            notes.append(wanted.history.summary)
        if wanted.decides and not given.is_paused:
            notes.append("It is paused; look at it and resume it")
        return PlannedImport(wanted=wanted, status="created", monitor=made, notes=tuple(notes))

    def _of_existing(
        self,
        wanted: MonitorImportItem,
        given: CreateMonitor,
        there: Monitor,
        places: tuple[str | None, str | None],
        notes: list[str],
    ) -> PlannedImport:
        if wanted.ref:
            self.ids[wanted.ref] = there.id
        if self._existing == "skip":
            return PlannedImport(wanted=wanted, status="existing", monitor=there)
        parent_id, website_id = places
        if website_id is not None:
            self._used[website_id] = there.id
        fields: dict[str, Any] = {name: getattr(given, name, UNSET) for name in UpdateMonitor.__struct_fields__}
        if wanted.keeps_send:
            fields["options"] = replace(fields["options"] or Options(), send=there.options.send)
        if there.kind == "push":
            fields["url"] = "push://"
        elif wanted.keeps_url:
            fields["url"] = there.url
        fields |= {"parent_id": parent_id, "website_id": website_id, "schedule_id": there.id}
        message = UpdateMonitor(**fields)
        after = apply_fields(there, message, self._fence)
        status: ImportStatus = "unchanged" if after == there else "updated"
        return PlannedImport(wanted=wanted, status=status, monitor=after, change=message, notes=tuple(notes))

    def _token(self, wanted: MonitorImportItem, draft: Monitor, notes: list[str]) -> str:
        """The token of a push monitor: that of the file, unless another monitor has it or it is too weak."""
        if not wanted.token or not draft.secrets.token:
            return draft.secrets.token
        if not _TOKEN.fullmatch(wanted.token) or wanted.token in self._tokens:
            notes.append(_NEW_URL)
            return draft.secrets.token
        self._tokens.add(wanted.token)
        return wanted.token

    def _parent(self, wanted: MonitorImportItem, notes: list[str]) -> str | None:
        if not wanted.parent:
            return None
        found = self.ids.get(wanted.parent) or (wanted.parent if wanted.parent in self._by_id else None)
        if found is None:
            notes.append(f"Its parent {wanted.parent} is not there")
        return found

    def _website(self, wanted: MonitorImportItem, there: Monitor | None, notes: list[str]) -> str | None:
        if not wanted.website:
            return None
        found = self._around.websites.get(wanted.website)
        if found is None:
            notes.append(f"There is no website {wanted.website} here")
            return None
        if self._used.get(found, there.id if there is not None else "") != (there.id if there is not None else ""):
            notes.append(f"The website {wanted.website} has a monitor already")
            return None
        return found


def in_order(wanted: Sequence[MonitorImportItem]) -> tuple[list[MonitorImportItem], list[PlannedImport]]:
    """The monitors of a file, parents before their children, and failures for those whose parents form a cycle."""
    by_ref = {one.ref: one for one in wanted if one.ref}
    ready, circles = parents_first(wanted, lambda one: by_ref.get(one.parent))
    return ready, [_failure(one, "parent", _CIRCLE) for one in circles]


def _failure(wanted: MonitorImportItem, field: str, error: str) -> PlannedImport:
    return PlannedImport(wanted=wanted, status="failed", field=field, error=error, notes=wanted.notes)


def _key(monitor: Monitor) -> str:
    """The identity of a monitor within its organization: its target, for a push monitor its name."""
    if monitor.kind == "push":
        return f"push {monitor.name or monitor.id}"
    return f"{monitor.url} {monitor.options.record if monitor.kind == 'dns' else ''}"


_MOST = 1_000  # monitors that a rule can name


def follow(
    db: Connection,
    tools: ChannelTools,
    acting: Reach,
    notification: ImportNotification,
    monitor_ids: Sequence[str],
    *,
    creates: bool,
    dry: bool,
) -> str:
    """Create an alert rule for a notification, unless one exists or no channel matches; the note about it.

    Raises Forbidden or Conflict.
    """
    seen = alerts_change.list_alert_rules(db, acting)
    channel = _matching(channels.of(db, acting.organization_id), notification)
    names = {"name": notification.name, "kind": notification.kind}
    if channel is None:
        return _("Notification {name}: no matching {kind} channel. Add one, then import the file again.").format(
            **names
        )
    names |= {"channel": channel.name}
    rule = next((one for one in seen.rules if _covers(one, channel, monitor_ids)), None)
    if rule is not None:
        return _("Notification {name}: the alert rule {rule} already notifies {channel}.").format(
            **names, rule=rule.name
        )
    if not monitor_ids:
        return _("Notification {name}: matches the channel {channel}, but no monitor uses it.").format(**names)
    if not creates:
        return _("Notification {name}: an administrator can create an alert rule for the channel {channel}.").format(
            **names
        )
    if dry:
        return _("Notification {name}: a new alert rule will notify {channel}.").format(**names)
    values = {
        "name": notification.name,
        "trigger": "uptime",
        "conditions": Conditions(monitor_ids=tuple(monitor_ids[:_MOST])),
    }
    made = alerts_change.create(db, tools, acting, values, (Destination(CHANNEL, channel.id),))
    return _("Notification {name}: the new alert rule {rule} notifies {channel}.").format(**names, rule=made.name)


def _matching(known: Sequence[Channel], notification: ImportNotification) -> Channel | None:
    """The channel of this kind and name, else the only channel of this kind."""
    same = [one for one in known if one.kind == notification.kind]
    named = [one for one in same if one.name.casefold() == notification.name.casefold()]
    return named[0] if named else same[0] if len(same) == 1 else None


def _covers(rule: AlertRule, channel: Channel, monitor_ids: Sequence[str]) -> bool:
    """Whether a rule notifies this channel of outages of all these monitors."""
    about = rule.conditions
    is_about_all = not (about.monitor_ids or about.groups or about.tags) and rule.website_id is None
    is_used = rule.enabled and rule.trigger == "uptime" and channel.id in rule.channels
    return is_used and (is_about_all or {*monitor_ids} <= {*about.monitor_ids})
