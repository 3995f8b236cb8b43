"""Shared parts of all commands: options from the table of settings, and refusals in one line."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import click
import msgspec
from msgspec import UNSET, UnsetType

from analytics_box.app import connections
from analytics_box.app.admin.channel import NotAnswering
from analytics_box.app.demo.failures import NotADemo
from analytics_box.base import log, settings
from analytics_box.base.backup.failures import BackupFailed
from analytics_box.base.errors import BoxError
from analytics_box.base.settings import Settings
from analytics_box.base.store.data_lock import AlreadyRunning
from analytics_box.base.store.migrations import DamagedFile, NewerSchema, OutdatedSchema
from analytics_box.base.store.pairing import NotAPair
from analytics_box.base.store.seal import SealBroken
from analytics_box.base.store.space import VacuumNoRoom
from analytics_box.base.store.trouble import DataTrouble
from analytics_box.tenants.keys.rules import RateLimit

Command = Callable[..., Any]

_REFUSALS = (
    AlreadyRunning,
    connections.PortTaken,
    settings.SettingsError,
    NewerSchema,
    OutdatedSchema,
    DamagedFile,
    NotAPair,
    DataTrouble,
    SealBroken,
    NotADemo,
    NotAnswering,
    BackupFailed,
    VacuumNoRoom,
)


_PRIVATE: Final = 0o600
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def show(result: Any, words: Sequence[str], *, as_json: bool) -> None:
    """Print what a command has to say: one line of JSON for programs, else words."""
    click.echo(json.dumps(result) if as_json else "\n".join(words))


class End(click.ParamType[int]):
    """The end of something in UTC ms: a day, which is its last, or an instant in ISO 8601; without a zone it is UTC."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            when = datetime.fromisoformat(str(value))
            if len(str(value)) <= len("2027-01-31"):
                when += timedelta(days=1)
            return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is neither a day like 2027-01-31 nor an instant like 2027-01-31T18:00Z", param, ctx)


class FieldOption(click.ParamType[tuple[str, Any]]):
    """A field by its name in the API. Its value is JSON; what is no JSON is a text."""

    name = "field=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        name, sign, text = str(value).partition("=")
        if not sign or not name.isalnum():
            self.fail(f"{value!r} is not like field=value, such as maxClicks=100", param, ctx)
        with suppress(msgspec.DecodeError):
            return name, msgspec.json.decode(text)
        return name, text


class OrNone(click.ParamType[int]):
    """A whole number from `least` to `most`, or none. As the value of an option none is NONE; None is not given."""

    name = "number|none"
    NONE: Final = -1

    def __init__(self, least: int, most: int = 10**15) -> None:
        self._range = click.IntRange(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return self.NONE if str(value).lower() == "none" else self._range.convert(value, param, ctx)

    @classmethod
    def meant(cls, value: int | None) -> int | UnsetType | None:
        """The value for a message: UNSET if the option was left out, None for none."""
        if value is None:
            return UNSET
        return None if value == cls.NONE else value


class RateOption(click.ParamType[RateLimit]):
    """A limit as requests/seconds."""

    name = "max/window"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> RateLimit:
        most, slash, window = str(value).partition("/")
        if not (slash and most.isdecimal() and window.isdecimal()):
            self.fail(f"{value!r} is not like 100/60: requests, and the seconds in which they may be made", param, ctx)
        return RateLimit(enabled=True, max=int(most), window=int(window))


class Setting(click.Option):
    """An option that is a setting."""


# What the end of a command tells whoever called it.
EXIT_CODES: Final = (
    (0, "It is done; for check, everything is sound; for monitor check, it is up."),
    (
        1,
        "It was refused, failed or was broken off: standard error says why in one line. For check: not all is sound. "
        "For monitor check: it is down.",
    ),
    (2, "The command was not understood: an unknown command or option, or a value that cannot be."),
)


def write(content: str, to: str) -> None:
    """The whole file or none, or standard output for `-`; nobody else may read the file. Raises ClickException."""
    if to == "-":
        click.echo(content, nl=False)
        return
    part = Path(f"{to}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "w", encoding="utf-8") as file:
            file.write(content)
        os.replace(part, to)
    except OSError as broken:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise click.ClickException(f"{to} cannot be written: {broken.strerror}") from broken


def with_settings(*names: str) -> Callable[[Command], Command]:
    """Options for these settings, or for all of them, made from the one table of settings."""

    def decorate(command: Command) -> Command:
        for row in reversed(settings.table()):
            if not names or row.name in names:
                shown = ", ".join(row.default) if isinstance(row.default, tuple) else str(row.default)
                text = f"{row.help} [default: {shown or 'none'}; {row.variable}]"
                flag = "--" + row.name.replace("_", "-")
                kind = _option_type(row.type)
                command = click.option(flag, row.name, type=kind, default=None, help=text, cls=Setting)(command)
        return command

    return decorate


def _option_type(annotated: Any) -> Any:
    kind = get_args(annotated)[0]
    while get_origin(kind) is not Literal and get_args(kind) and get_origin(kind) is not tuple:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return click.Choice(list(get_args(kind)))
    return kind if kind in {int, float} else str


def read_settings(given: dict[str, Any], *, checked: bool = True) -> Settings:
    """Settings from file, environment and command line; warnings go to standard error.

    Raises SettingsError, if `checked` also for values that cannot work.
    """
    table = {row.name: row for row in settings.table()}
    flags = {
        name: tuple(part.strip() for part in value.split(",") if part.strip())
        if isinstance(table[name].default, tuple)
        else value
        for name, value in given.items()
        if value is not None
    }
    found, warnings = settings.load(flags, checked=checked)
    for warning in warnings:
        click.echo(f"Warning: {warning}", err=True)
    log.configure(found.log_level, found.log_format)
    return found


def report_refusals(run: Callable[[], None]) -> None:
    """Turn the refusals that an operator can mend into one line and exit code 1."""
    try:
        run()
    except _REFUSALS as refused:
        raise click.ClickException(str(refused)) from refused
    except BoxError as refused:
        fields = ", ".join(detail.field for detail in refused.details)
        raise click.ClickException(f"{fields}: {refused.message}" if fields else refused.message) from refused
