"""The command `analytics-box apply`: keep resources in a file, on this server or on another one with an API key."""

import hashlib
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import Message
from typing import Any, BinaryIO, Final, NamedTuple

import click
import msgspec

from analytics_box import __version__
from analytics_box.app.cli.command import open_session
from analytics_box.app.cli.files import TO, read_text
from analytics_box.app.cli.files import write as write_file
from analytics_box.app.cli.options import AS_JSON_OPTION, read_settings, read_sources, report_refusals, setting_options
from analytics_box.app.declared import plan as plans
from analytics_box.app.declared import reading
from analytics_box.app.declared.plan import PlannedChange
from analytics_box.app.declared.stock import Ask, Stock
from analytics_box.base.errors import BadRequest, BoxError, Unavailable
from analytics_box.base.plain_files import to_yaml
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts

KEY: Final = "ANALYTICS_BOX_KEY"
_MOST_BYTES: Final = 2_000_000
_MOST_ANSWER: Final = 64 << 20
_SECONDS: Final = 60.0
_TRIES: Final = 5
_LONGEST_WAIT: Final = 60
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_SIGNS: Final = {"create": "+", "update": "~", "delete": "-"}
_LONGEST_VALUE: Final = 100
_PLAN_NAME: Final = 12
_HEAD: Final = "# Resources of Analytics Box, for: analytics-box apply -f FILE\n"


def remote(url: str, key: str) -> Ask:
    """Procedures of another server, called with an API key. Raises BadRequest for an address that is not encrypted."""
    parts = url_parts(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise BadRequest(_("Enter an https:// address in --url"))
    redirects = urllib.request.HTTPRedirectHandler()
    # A key must not be sent to another host.
    redirects.redirect_request = lambda *_: None  # type: ignore[method-assign]
    opener = urllib.request.build_opener(redirects)

    def ask(procedure: str, given: dict[str, Any]) -> Any:
        request = urllib.request.Request(  # noqa: S310  its scheme was checked
            f"{url.rstrip('/')}/{procedure.replace('.', '/')}",
            data=json.dumps(given).encode(),
            headers={
                "content-type": "application/json",
                "x-api-key": key,
                "user-agent": f"AnalyticsBox/{__version__} apply",
            },
        )
        for tried in range(1, _TRIES + 1):
            try:
                with opener.open(request, timeout=_SECONDS) as answer:
                    return json.loads(answer.read(_MOST_ANSWER))
            except urllib.error.HTTPError as refused:
                if refused.code == 429 and tried < _TRIES:
                    time.sleep(_wait(refused.headers))
                    continue
                raise _refusal(refused) from refused
            except (OSError, ValueError) as broken:
                raise Unavailable(_("{url} does not answer: {broken}").format(url=url, broken=broken)) from broken
        raise AssertionError

    return ask


def _wait(headers: Message) -> float:
    text = headers.get("retry-after", "1")
    return float(min(int(text), _LONGEST_WAIT)) if text.isdecimal() else 1.0


def _refusal(refused: urllib.error.HTTPError) -> BoxError:
    message = f"{refused.code} {refused.reason}"
    with suppress(OSError, ValueError, AttributeError, KeyError):
        body = json.loads(refused.read(1 << 20))
        message = str(body.get("error") or body["message"])
    return Unavailable(message) if refused.code == 429 or refused.code >= 500 else BoxError(message)


class AskingOptions(NamedTuple):
    """The options of commands that ask this server or another one."""

    params: tuple[click.Parameter, ...]
    settings: tuple[click.Parameter, ...]


_SETTINGS: Final = tuple(setting_options("data_dir"))
ASKING: Final = AskingOptions(
    (
        click.Option(("--url",), help="Address of another server, with an API key in ANALYTICS_BOX_KEY."),
        click.Option(("--organization",), help="Organization slug or ID. Optional if there is only one."),
        AS_JSON_OPTION,
        *_SETTINGS,
    ),
    _SETTINGS,
)


@contextmanager
def asking(values: dict[str, Any]) -> Iterator[Ask]:
    """The server that a command is about."""
    if values["url"]:
        key = os.environ.get(KEY, "")
        if not key:
            raise BadRequest(_("Set {name} to an API key of the server").format(name=KEY))
        yield remote(values["url"], key)
        return
    named = {one.name: values[one.name] for one in ASKING.settings if one.name}
    with open_session(read_settings(named), read_sources(named)) as ask:
        yield lambda procedure, given: ask(procedure, given, values["organization"])


def _apply(values: dict[str, Any]) -> None:
    file: BinaryIO = values["file"]
    declared = reading.read(read_text(file, _MOST_BYTES), getattr(file, "name", "-"))
    with asking(values) as ask:
        changes = plans.plan(Stock(ask), declared, prune=values["prune"])
        # Another plan has another name.
        name = hashlib.sha256(msgspec.json.encode(changes, order="sorted")).hexdigest()[:_PLAN_NAME]
        if values["as_json"]:
            click.echo(msgspec.json.encode({"plan": name, "changes": changes}))
        else:
            _show(changes, name)
        if not changes or values["dry_run"]:
            return
        deletes = any(one.action == "delete" for one in changes)
        if values["plan"] not in {None, name}:
            raise BadRequest(_("The plan is now {name}. Check it, and name it with --plan").format(name=name))
        if values["yes"] and deletes and values["plan"] is None:
            raise BadRequest(_("This plan deletes resources. Confirm it with --plan {name}").format(name=name))
        if not values["yes"]:
            click.confirm("Apply these changes?", abort=True, err=True)
        done, stock = 0, Stock(ask)
        for change in plans.carry_out(stock, declared, prune=values["prune"]):
            done += 1
            if not values["as_json"]:
                click.echo(f"{_SIGNS[change.action]} {change.label}: done")
            while stock.messages:
                click.echo(stock.messages.pop(), err=True)
        left = plans.plan(Stock(ask), declared, prune=values["prune"])
        if left:
            names = ", ".join(one.label for one in left)
            raise BadRequest(
                _("The server stored these differently than the file declares: {names}").format(names=names)
            )
        click.echo(f"Applied changes: {done}", err=values["as_json"])


def _show(changes: list[PlannedChange], name: str) -> None:
    for change in changes:
        click.echo(f"{_SIGNS[change.action]} {change.label}")
        if change.action == "update":
            for field, (before, after) in sorted(change.fields.items()):
                click.echo(f"    {field}: {_short(before)} → {_short(after)}")
    if not changes:
        click.echo("No changes.")
        return
    counts = {action: sum(one.action == action for one in changes) for action in _SIGNS}
    click.echo(
        f"Plan {name}: {counts['create']} to create, {counts['update']} to update, {counts['delete']} to delete."
    )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def dump(ask: Ask) -> tuple[str, list[str]]:
    """A file with the resources that exist, and the kinds that the caller cannot list."""
    items, refused = Stock(ask).dump()
    return _HEAD + to_yaml({"version": reading.VERSION} | items), refused


def _dump(values: dict[str, Any]) -> None:
    with asking(values) as ask:
        text, refused = dump(ask)
    write_file([text], values["to"])
    for name in refused:
        click.echo(f"Left out {name}: the key cannot list them.", err=True)


def _carry_out(**values: Any) -> None:
    if values["file"] is None and not values["dump"]:
        raise click.UsageError("Name a file with -f, or use --dump.")
    report_refusals(lambda: _dump(values) if values["dump"] else _apply(values))


apply = click.Command(
    "apply",
    callback=_carry_out,
    help="Create and update resources as a file declares them.\n\nWithout --yes, the plan is shown and confirmed. "
    "With --url, the server at that address is changed.",
    params=[
        click.Option(("-f", "--file"), type=click.File("rb"), help="File in YAML or JSON; - for standard input."),
        click.Option(("--dry-run",), is_flag=True, help="Show the plan only."),
        click.Option(("--yes",), is_flag=True, help="Apply the plan without asking."),
        click.Option(("--prune",), is_flag=True, help="Delete resources that the file does not have, of its kinds."),
        click.Option(("--plan",), help="Apply only this plan, by the name that a dry run shows."),
        click.Option(("--dump",), is_flag=True, help="Write a file with the resources that exist."),
        TO,
        *ASKING.params,
    ],
)
