"""This box's own file of monitors: what an export writes and an import reads. Pure.

A file that is imported into an empty box and exported again is the same file, but for secrets that were left out.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, field
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.translation import _
from analytics_box.products.monitors.editing.messages import (
    BasicAuth,
    CreateMonitor,
    Group,
    HeaderName,
    HeaderValue,
    Name,
    Tags,
    Timeout,
    Times,
    Url,
)
from analytics_box.products.monitors.messages import Id
from analytics_box.products.monitors.monitor import GRANULARITIES, Granularity, Kind, Monitor, MonitorSecrets, Options
from analytics_box.products.monitors.moving.wanted import (
    MOST,
    MOST_WINDOWS,
    MonitorImportFile,
    MonitorImportItem,
    WindowImportItem,
)
from analytics_box.products.monitors.window import Covers, MaintenanceWindow, Repeat
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow, GivenRepeat
from analytics_box.tenants.tenancy.messages import date

FORMAT: Final = "analytics-box-monitors"
_LEFT_OUT: Final = "The file does not contain its secrets ({what}). Enter them and resume it"


class FileSecrets(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """The secrets of a monitor, as an export with secrets has them. `token` is what a push goes by."""

    headers: dict[HeaderName, HeaderValue] = {}
    body: Annotated[str, Meta(max_length=10_000)] = ""
    user: Annotated[str, Meta(max_length=200)] = ""
    password: Annotated[str, Meta(max_length=500)] = ""
    bearer: Annotated[str, Meta(max_length=2_000)] = ""
    token: Annotated[str, Meta(max_length=64)] = ""


class FileMonitor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A monitor in a file. What it has its default of is left out; a kind that its URL says, too. `website` is a
    domain, `parent` an id of the file.

    `without` are secrets that it has and the file has not.
    """

    id: Id = ""
    name: Name | None = None
    url: Url = ""
    kind: Kind | None = None
    granularity: Granularity
    is_paused: bool = False
    timeout: Timeout | None = None
    cache_bust: bool = False
    options: Options | None = None
    failures_to_down: Times = 2
    successes_to_up: Times = 1
    group: Group = ""
    tags: Tags = ()
    website: Annotated[str, Meta(max_length=255)] = ""
    parent: Annotated[str, Meta(max_length=255)] = ""
    secrets: FileSecrets | None = None
    without: tuple[str, ...] = ()


# The fields that a file, a monitor and the input of a new monitor share as they are.
_PLAIN: Final = tuple(
    name
    for name in FileMonitor.__struct_fields__
    if name in Monitor.__struct_fields__
    and name in CreateMonitor.__struct_fields__
    and name not in {"url", "kind", "options"}
)


class FileWindow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A maintenance window in a file; its monitor ids are those of the file."""

    id: Id = ""
    name: Name
    covers: Covers
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    repeat: GivenRepeat | None = None
    announced: bool = field(default=False, name="isAnnounced")


class OwnMonitorFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file."""

    format: Literal["analytics-box-monitors"]
    version: Literal[1] = 1
    monitors: Annotated[tuple[FileMonitor, ...], Meta(max_length=MOST)] = ()
    maintenances: Annotated[tuple[FileWindow, ...], Meta(max_length=MOST_WINDOWS)] = ()


def is_own(given: Mapping[str, Any]) -> bool:
    """Whether this is such a file."""
    return "monitors" in given


def export_values(
    monitors: Iterable[Monitor], windows: Iterable[MaintenanceWindow], domains: Mapping[str, str], *, secrets: bool
) -> Any:
    """Monitors and windows as plain values of a file. `domains` are of websites by their ids."""
    file = OwnMonitorFile(
        format=FORMAT,
        monitors=tuple(_file_monitor(one, domains, secrets=secrets) for one in monitors),
        maintenances=tuple(_file_window(one) for one in windows),
    )
    return {"format": FORMAT, "version": 1} | msgspec.to_builtins(file, str_keys=True)


def read_own(given: Mapping[str, Any]) -> MonitorImportFile:
    """The contents of a file. Raises BadRequest, which names the first invalid value."""
    try:
        file = msgspec.convert({"format": FORMAT} | dict(given), OwnMonitorFile)
    except msgspec.ValidationError as wrong:
        raise BadRequest(_("The file cannot be read: {wrong}").format(wrong=wrong)) from wrong
    return MonitorImportFile(
        monitors=tuple(_import_item(number, one) for number, one in enumerate(file.monitors, 1)),
        windows=tuple(_window_item(one) for one in file.maintenances),
    )


def _file_monitor(monitor: Monitor, domains: Mapping[str, str], *, secrets: bool) -> FileMonitor:
    has = monitor.secrets
    options = monitor.options if secrets else replace(monitor.options, send="")
    return FileMonitor(
        **{name: getattr(monitor, name) for name in _PLAIN},
        id=monitor.id,
        url="" if monitor.kind == "push" else monitor.url if secrets else mask_query(monitor.url),
        kind="push" if monitor.kind == "push" else None,
        granularity=GRANULARITIES[monitor.interval],
        options=options if options != Options() else None,
        website=domains.get(monitor.website_id or "", ""),
        parent=monitor.parent_id or "",
        secrets=_file_secrets(has) if secrets and has != MonitorSecrets() else None,
        without=() if secrets else _secret_names(monitor),
    )


def _file_secrets(has: MonitorSecrets) -> FileSecrets:
    plain = {name: getattr(has, name) for name in FileSecrets.__struct_fields__}
    return FileSecrets(**plain | {"headers": dict(has.headers)})


def _secret_names(monitor: Monitor) -> tuple[str, ...]:
    """The secrets that a monitor has, but for the token of a push; what it says over TCP may be one, and parts of its
    URL."""
    has = monitor.secrets
    said = {"headers": has.headers, "body": has.body, "password": has.user, "token": has.bearer}
    said |= {"send": monitor.options.send, "url": monitor.url if mask_query(monitor.url) != monitor.url else ""}
    return tuple(name for name, value in said.items() if value)


def _file_window(window: MaintenanceWindow) -> FileWindow:
    repeat = window.repeat
    return FileWindow(
        id=window.id,
        name=window.name,
        covers=window.covers,
        starts_at=date(window.starts_at),
        ends_at=date(window.ends_at) if window.ends_at else None,
        repeat=GivenRepeat(
            **{name: getattr(repeat, name) for name in Repeat.__struct_fields__}
            | {"until": date(repeat.until) if repeat.until is not None else None}
        )
        if repeat is not None
        else None,
        announced=window.announced,
    )


def _import_item(number: int, one: FileMonitor) -> MonitorImportItem:
    secrets = one.secrets or FileSecrets()
    given = CreateMonitor(
        **{name: getattr(one, name) for name in _PLAIN},
        url=one.url,
        kind=one.kind,
        granularity=one.granularity,
        options=one.options or Options(),
    )
    if one.secrets is not None:
        given = replace(
            given,
            headers=dict(secrets.headers),
            body=secrets.body,
            basic_auth=BasicAuth(secrets.user, secrets.password) if secrets.user else UNSET,
            bearer_token=secrets.bearer or UNSET,
        )
    notes = [_LEFT_OUT.format(what=", ".join(one.without))] if one.without and one.secrets is None else []
    return MonitorImportItem(
        number=number,
        name=one.name or one.url,
        ref=one.id,
        given=given,
        parent=one.parent,
        website=one.website,
        token=secrets.token,
        keeps_send="send" in one.without and not (one.options or Options()).send,
        keeps_url="url" in one.without,
        notes=tuple(notes),
        decides=bool(one.without) and one.secrets is None,
    )


def _window_item(one: FileWindow) -> WindowImportItem:
    given = CreateMaintenanceWindow(
        name=one.name,
        covers=one.covers,
        starts_at=one.starts_at,
        ends_at=one.ends_at,
        repeat=one.repeat,
        announced=one.announced,
    )
    return WindowImportItem(ref=one.id, given=given)
