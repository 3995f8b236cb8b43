"""Inputs of `flag …`."""

from msgspec import UNSET, Struct, UnsetType

from analytics_box.app.admin.given.words import Text
from analytics_box.base.file_queue import Existing
from analytics_box.products.flags.flag import Status
from analytics_box.products.flags.messages import Environment
from analytics_box.products.flags.moving.wanted import Form, Source


class OwnFlags(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The owner of flags: a website, by its id or domain, else an organization; optional if there is only one."""

    website: Text | None = None
    organization: Text | None = None


class SomeFlags(OwnFlags, frozen=True, kw_only=True):
    """Flags by their status and environment; of an empty one those of none."""

    status: Status | None = None
    environment: Environment | UnsetType = UNSET


class ExportedFlags(OwnFlags, frozen=True, kw_only=True):
    """All flags, or those of an environment; of an empty one those of none."""

    format: Form = "analytics-box"
    environment: Environment | UnsetType = UNSET


class ImportedFlags(OwnFlags, frozen=True, kw_only=True):
    """A file as flags.import takes it."""

    content: str
    source: Source | None = None
    environment: Environment | None = None
    source_environment: Environment | None = None
    existing: Existing = "skip"
    dry_run: bool = False
