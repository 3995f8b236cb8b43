"""This box's own file of monitors: what an export writes and an import reads. Pure.

A file that is imported into an empty box and exported again is the same file, but for secrets that were left out.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.translation import _
from analytics_box.base.wrong_values import wrong_value
from analytics_box.products.monitors.editing.messages import CreateMonitor, HeaderName, HeaderValue
from analytics_box.products.monitors.monitor import Id, Kind, Monitor, MonitorSecrets, Options
from analytics_box.products.monitors.moving.wanted import (
    MOST,
    MOST_WINDOWS,
    MonitorImportFile,
    MonitorImportItem,
    WindowImportItem,
)
from analytics_box.products.monitors.window import MaintenanceWindow
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow
from analytics_box.resource.fields import given_of, input_of

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


@input_of(Monitor, needed=("interval",))
class FileMonitor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A monitor in a file. Default values are left out, and so is a kind that its URL shows. `website` is a domain,
    `parent` an id of the file.

    `without` are secrets that it has and the file has not.
    """

    id: Id = ""
    url: Annotated[str, Meta(max_length=2_048)] = ""
    kind: Kind | None = None
    is_paused: bool = False
    options: Options | None = None
    website_id: Annotated[str, Meta(max_length=255)] = field(default="", name="website")
    parent_id: Annotated[str, Meta(max_length=255)] = field(default="", name="parent")
    secrets: FileSecrets | None = None
    without: tuple[str, ...] = ()


# Fields of a file that differ from those of the input of a new monitor.
_SPECIAL: Final = frozenset(("id", "website", "parent", "secrets", "without"))
_DEFAULTS: Final = given_of(Monitor(number=0, id="", organization_id="", url=""))


@input_of(MaintenanceWindow, needed=("name", "covers"))
class FileWindow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A maintenance window in a file; its monitor ids are those of the file."""

    id: Id = ""
    starts_at: datetime | UnsetType | None = UNSET


class OwnMonitorFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file."""

    format: Literal["analytics-box-monitors"]
    version: Literal[1] = 1
    monitors: Annotated[tuple[FileMonitor, ...], Meta(max_length=MOST)] = ()
    maintenances: Annotated[tuple[FileWindow, ...], Meta(max_length=MOST_WINDOWS)] = ()


def export_values(
    monitors: Iterable[Monitor], windows: Iterable[MaintenanceWindow], domains: Mapping[str, str], *, secrets: bool
) -> Any:
    """Monitors and windows as plain values of a file. `domains` are of websites by their ids."""
    file = {
        "monitors": [_file_monitor(one, domains, secrets=secrets) for one in monitors],
        "maintenances": [
            ({"id": one.id} | {name: value for name, value in given_of(one).items() if value}) for one in windows
        ],
    }
    return {"format": FORMAT, "version": 1} | {
        name: msgspec.to_builtins(listed, str_keys=True) for name, listed in file.items() if listed
    }


def read_own(given: Mapping[str, Any]) -> MonitorImportFile:
    """The contents of a file. Raises BadRequest, which names the first invalid value."""
    try:
        file = msgspec.convert({"format": FORMAT} | dict(given), OwnMonitorFile)
    except msgspec.ValidationError as wrong:
        refused = wrong_value(wrong, OwnMonitorFile).sentence
        raise BadRequest(_("The file cannot be imported: {refused}").format(refused=refused)) from wrong
    return MonitorImportFile(
        monitors=tuple(_import_item(number, one) for number, one in enumerate(file.monitors, 1)),
        windows=tuple(_window_item(one) for one in file.maintenances),
    )


def _file_monitor(monitor: Monitor, domains: Mapping[str, str], *, secrets: bool) -> dict[str, Any]:
    has = monitor.secrets
    url = "" if monitor.kind == "push" else monitor.url if secrets else mask_query(monitor.url)
    options = monitor.options if secrets else replace(monitor.options, send="")
    plain = given_of(replace(monitor, url=url, options=options, website_id=None, parent_id=None))
    special: dict[str, Any] = {
        "kind": "push" if monitor.kind == "push" else "",
        "isPaused": monitor.is_paused,
        "website": domains.get(monitor.website_id or ""),
        "parent": monitor.parent_id,
        "secrets": _file_secrets(has) if secrets and has != MonitorSecrets() else None,
        "without": () if secrets else _secret_names(monitor),
    }
    return (
        {"id": monitor.id}
        | {name: value for name, value in plain.items() if name == "granularity" or value != _DEFAULTS[name]}
        | {name: value for name, value in special.items() if value}
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


def _import_item(number: int, one: FileMonitor) -> MonitorImportItem:
    secrets, has = one.secrets or FileSecrets(), one.secrets is not None
    plain = {name: value for name, value in msgspec.to_builtins(one).items() if name not in _SPECIAL}
    given: dict[str, Any] = _DEFAULTS | plain
    if has:
        given |= {"headers": secrets.headers, "body": secrets.body}
    if secrets.user:
        given["basicAuth"] = {"user": secrets.user, "password": secrets.password}
    if secrets.bearer:
        given["bearerToken"] = secrets.bearer
    notes = [_LEFT_OUT.format(what=", ".join(one.without))] if one.without and not has else []
    return MonitorImportItem(
        number=number,
        name=given["name"] or one.url,
        ref=one.id,
        given=msgspec.convert(given, CreateMonitor),
        parent=one.parent_id,
        website=one.website_id,
        token=secrets.token,
        keeps_send="send" in one.without and not (one.options or Options()).send,
        keeps_url="url" in one.without,
        notes=tuple(notes),
        decides=bool(one.without) and not has,
    )


def _window_item(one: FileWindow) -> WindowImportItem:
    plain = {name: value for name, value in msgspec.to_builtins(one).items() if name != "id"}
    return WindowImportItem(ref=one.id, given=msgspec.convert(plain, CreateMaintenanceWindow))
