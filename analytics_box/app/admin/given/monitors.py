"""Inputs of `monitor …`."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from analytics_box.app.admin.given.words import Text
from analytics_box.base.file_queue import Existing
from analytics_box.products.monitors.editing.messages import Tag
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.moving.wanted import Form, Source

MOST_LISTED = 10_000
Fields = dict[str, Any]  # of a monitor, by their names in the API


class SomeMonitors(Struct, frozen=True, forbid_unknown_fields=True):
    """Monitors that need attention first. The organization is optional if there is only one."""

    organization: Text | None = None
    search: str = ""
    tag: Tag | None = None
    state: State | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED)] = 100


class MadeMonitor(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of uptime.createSchedule."""

    fields: Fields
    organization: Text | None = None


class NamedMonitor(Struct, frozen=True, forbid_unknown_fields=True):
    """A monitor by its id, its URL or its name."""

    monitor: Text


class ExportedMonitors(Struct, frozen=True, forbid_unknown_fields=True):
    """All monitors of an organization."""

    format: Form = "yaml"
    secrets: bool = False
    organization: Text | None = None


class ImportedMonitors(Struct, frozen=True, forbid_unknown_fields=True):
    """A file as uptime.import takes it."""

    content: str
    source: Source | None = None
    existing: Existing = "skip"
    dry_run: bool = False
    organization: Text | None = None
