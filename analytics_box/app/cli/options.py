"""Shared parts of all commands: types of options, options of settings, and refusals in one line."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, get_args, get_origin

import click
import msgspec

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
from analytics_box.base.stored_settings import with_stored

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


# The value of an option that clears a field; None means that the option is missing.
NULL: Final = object()
AS_JSON_OPTION: Final = click.Option(("--json", "as_json"), is_flag=True, help="Print JSON.")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def show(result: Any, words: Sequence[str], *, as_json: bool) -> None:
    """Print the result of a command: one line of JSON for programs, else text."""
    click.echo(json.dumps(result) if as_json else "\n".join(words))


class End(click.ParamType[Any]):
    """An end in ISO 8601: a day, which is the last one, or an instant; UTC unless it has a zone. '' is NULL."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            return NULL
        try:
            when = datetime.fromisoformat(str(value))
            if len(str(value)) <= len("2027-01-31"):
                when += timedelta(days=1)
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is neither a day like 2027-01-31 nor an instant like 2027-01-31T18:00Z", param, ctx)


class FieldOption(click.ParamType[tuple[str, Any]]):
    """A field by its name in the API. Its value is JSON, or else text."""

    name = "field=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        name, sign, text = str(value).partition("=")
        if not sign or not name.isalnum():
            self.fail(f"{value!r} does not have the form field=value, for example maxClicks=100", param, ctx)
        with suppress(msgspec.DecodeError):
            return name, msgspec.json.decode(text)
        return name, text


class OrNull(click.ParamType[Any]):
    """A value of another type, or a word for NULL."""

    def __init__(self, word: str, inner: click.ParamType[Any]) -> None:
        self.name = f"{inner.name}|{word}" if word else inner.name
        self._word, self.inner = word, inner

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return NULL if str(value).lower() == self._word else self.inner.convert(value, param, ctx)


class RateOption(click.ParamType[dict[str, Any]]):
    """A rate limit as requests/seconds."""

    name = "max/window"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        most, slash, window = str(value).partition("/")
        if not (slash and most.isdecimal() and window.isdecimal()):
            self.fail(f"{value!r} does not have the form requests/seconds, for example 100/60", param, ctx)
        return {"enabled": True, "max": int(most), "window": int(window)}


class Setting(click.Option):
    """An option that is a setting."""


EXIT_CODES: Final = (
    (0, "Success. For check, no problems were found. For monitor check, the URL is up."),
    (
        1,
        "The command failed; standard error gives the reason in one line. For check, a problem was found. For link "
        "import, monitor import and flag import, a row failed. For monitor check, the URL is down.",
    ),
    (2, "Invalid usage: an unknown command or option, or an invalid value."),
)


def setting_options(*names: str) -> list[Setting]:
    """Options for these settings, or for all of them, from the table of settings."""
    found = []
    for row in settings.table():
        if row.editable is not None and row.editable.secret:
            # Other users of the machine can read the options of a process.
            continue
        if not names or row.name in names:
            shown = ", ".join(row.default) if isinstance(row.default, tuple) else str(row.default)
            text = f"{row.help} [default: {shown or 'none'}; {row.variable}]"
            flag = row.option
            found.append(Setting((flag, row.name), type=_option_type(row.type), default=None, help=text))
    return found


def with_settings(*names: str) -> Callable[[Command], Command]:
    """Options for these settings, or for all of them, on a command that is a function."""

    def decorate(command: Command) -> Command:
        for option in reversed(setting_options(*names)):
            _params(command).append(option)
        return command

    return decorate


def _params(command: Command) -> list[click.Parameter]:
    """The parameters that click has collected for a function so far, the last one first."""
    if not hasattr(command, "__click_params__"):
        command.__click_params__ = []  # type: ignore[attr-defined]
    return command.__click_params__  # type: ignore[attr-defined, no-any-return]


def _option_type(annotated: Any) -> Any:
    kind = get_args(annotated)[0]
    while get_origin(kind) is not Literal and get_args(kind) and get_origin(kind) is not tuple:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return click.Choice(list(get_args(kind)))
    return kind if kind in {int, float} else str


def read_settings(given: dict[str, Any], *, checked: bool = True) -> Settings:
    """Settings from file, environment and command line. Warnings go to standard error.

    Raises SettingsError; if `checked`, also for values that are invalid in combination.
    """
    found, warnings = settings.load(_flags(given), checked=checked)
    for warning in warnings:
        click.echo(f"Warning: {warning}", err=True)
    log.configure(found.log_level, found.log_format)
    return found


def read_effective_settings(given: dict[str, Any]) -> Settings:
    """The settings as `read_settings` finds them, over those that administrators store in the box. Raises
    SettingsError."""
    return with_stored(read_settings(given), read_sources(given))


def read_sources(given: dict[str, Any]) -> dict[str, str]:
    """By name, where each setting is given: an option, a variable or a file. Raises SettingsError."""
    flags = _flags(given)
    return settings.given_settings(flags).sources


def _flags(given: dict[str, Any]) -> dict[str, Any]:
    table = {row.name: row for row in settings.table()}
    return {
        name: tuple(part.strip() for part in value.split(",") if part.strip())
        if isinstance(table[name].default, tuple)
        else value
        for name, value in given.items()
        if value is not None
    }


def report_refusals(run: Callable[[], None]) -> None:
    """Run a command; print refusals that the operator can resolve as one line, and exit with 1."""
    try:
        run()
    except _REFUSALS as refused:
        raise click.ClickException(str(refused)) from refused
    except BoxError as refused:
        raise click.ClickException(refusal_text(refused)) from refused


def refusal_text(refused: BoxError) -> str:
    """The message of a refusal with the fields that it names."""
    wrong = [f"{detail.field}: {detail.whole}" if detail.field else detail.whole for detail in refused.details]
    return "; ".join(wrong) or refused.message
