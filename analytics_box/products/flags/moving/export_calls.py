"""Flags as a file, over RPC: `flags.export`."""

import asyncio
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.access import visible_scope
from analytics_box.products.flags.editing.draft import clean_environment
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.messages import Environment, OwnedInput
from analytics_box.products.flags.moving import files, flagd_writing, own
from analytics_box.products.flags.moving.wanted import Form
from analytics_box.products.flags.scope import FlagScope
from analytics_box.web.call import Call


class ExportFlags(OwnedInput, frozen=True, kw_only=True):
    """Input of flags.export. An `environment` of null means flags of none; without it, flags of all environments.

    The format analytics-box keeps everything; flagd has one environment, and lists what it cannot express.
    """

    format: Form = "analytics-box"
    environment: Environment | UnsetType | None = UNSET


class ExportedFlag(Struct, frozen=True):
    """The parts of a flag that a file cannot express."""

    key: str
    notes: tuple[str, ...]


class FlagExportAnswer(Struct, frozen=True, kw_only=True):
    """Flags as the text of a file, their number, and what the file cannot express."""

    type: str
    content: str
    flags: int
    notes: list[ExportedFlag]


async def export(call: Call, given: ExportFlags) -> FlagExportAnswer:
    """flags.export: export all flags and target groups of a website or organization. Raises Forbidden, NotFound, or
    BadRequest."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    flags = list(scope.flags)
    if given.environment is not UNSET:
        wanted = clean_environment(given.environment)
        flags = [one for one in flags if one.environment == wanted]
    elif given.format == "flagd" and len({one.environment for one in flags}) > 1:
        raise BadRequest.about("environment", "Select the environment to export. A flagd file has one environment")
    written, notes = await asyncio.to_thread(_file_content, given.format, flags, scope)
    return FlagExportAnswer(
        type="application/json",
        content=files.format_json(written),
        flags=len(flags),
        notes=[ExportedFlag(key, said) for key, said in notes],
    )


def _file_content(form: Form, flags: list[Flag], scope: FlagScope) -> tuple[Any, list[tuple[str, tuple[str, ...]]]]:
    """Plain values of a file, and what it cannot express, by flag."""
    if form == "flagd":
        return flagd_writing.build_file(flags, scope.groups)
    return own.build_file(flags, scope.groups), []
