"""The commands that set a box up and check it: `analytics-box setup`, `check`, `accept-files` and
`promote`."""

import http.client
import json
import socket
import ssl
import sys
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from analytics_box import __version__
from analytics_box.app.admin import channel
from analytics_box.app.cli.command import BOX, LINK_SETTINGS, Request, check_box, command, option
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.app.watch.state import seen_without_a_box
from analytics_box.app.watch.warnings import warnings
from analytics_box.base import errors, secret_file
from analytics_box.base.backup import restore, upgrade
from analytics_box.base.clock import SystemClock
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, schema
from analytics_box.base.store.integrity import integrity
from analytics_box.base.store.pairing import bring_together
from analytics_box.ingest.cluster import which
from analytics_box.tenants.accounts import passwords, rules

_SECONDS = 5.0
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared, not listened on


def ask(settings: Settings) -> str:
    """Ask GET /health and return the answer. Raises OSError or HTTPException for any other answer than 200.

    The certificate is not verified: it is for the box's public name, which is not asked here.
    """
    connection = http.client.HTTPConnection("localhost", timeout=_SECONDS)  # a name that every box answers to
    connection.sock = _connect(settings)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise http.client.HTTPException(f"GET /health answers {answer.status}: {body}")
    return body


def _connect(settings: Settings) -> socket.socket:
    if settings.unix_socket:
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        opened.settimeout(_SECONDS)
        opened.connect(settings.unix_socket)
        return opened
    host = _EVERYWHERE.get(settings.host, settings.host)
    plain = socket.create_connection((host, settings.port), _SECONDS)
    if not settings.tls_certificate:
        return plain
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain)


def _set_up(request: Request) -> Any:
    file = request.values["password_file"]
    with click.open_file(file, encoding="utf-8") as lines:
        password = lines.readline().rstrip("\r\n")
    rules.check_password(password, request.input["email"])
    return request.call(given=request.input | {"password": passwords.hash_now(password)})


def _set_up_text(made: dict[str, str]) -> Iterator[str]:
    yield "Paste this snippet into the <head> of every page:\n"
    yield f"  {made['snippet']}\n"
    yield f"Organization {made['organization']} ({made['organizationId']})"
    yield f"Website      {made['website']} ({made['websiteId']})"
    if made.get("apiKey"):
        yield f"API key      {made['apiKey']}"
        yield "Copy this key now. You will not be able to see it again."


setup = command(
    "setup",
    "setup",
    "Set up a new server without a browser: user, organization and website.",
    option("email", "--email", "Email address of the first user, who becomes owner.", required=True),
    click.Option(
        ("--password-file",),
        required=True,
        type=click.Path(exists=True, dir_okay=False, allow_dash=True),
        help="File whose first line is the password; - reads standard input.",
    ),
    option("organization", "--organization", "Name of the organization.", required=True),
    option("website", "--website", "Name of the first website.", required=True),
    option("domain", "--domain", "Domain of the first website, such as example.com.", required=True),
    option("time_zone", "--time-zone", "Time zone of the first user. [default: that of their browser]"),
    option("key", "--key", "Also create a global API key with all permissions, and print it.", is_flag=True),
    target=BOX,
    run=_set_up,
    text=_set_up_text,
    settings=LINK_SETTINGS,
)


def _settings(request: Request) -> Any:
    values: dict[str, str | None] = dict.fromkeys(request.values["reset"])
    for text in request.values["set"]:
        name, sign, value = text.partition("=")
        if not sign:
            raise click.UsageError(f"{text!r} does not have the form NAME=VALUE")
        values[name] = value or None
    if values:
        request.call("settings edit", {"values": values})
    return request.call()


def _settings_text(found: list[dict[str, Any]]) -> Iterator[str]:
    for one in found:
        if one["source"] == "default":
            continue
        value = ", ".join(one["value"]) if isinstance(one["value"], list) else one["value"]
        shown = "(hidden)" if value is None else value
        source = "settings area" if one["source"] == "stored" else one["source"]
        yield f"{one['name']} = {shown}  [{source}]" + (", after the next restart" if one["needsRestart"] else "")
    yield "All other settings have their defaults. See analytics-box serve --help-all."


settings = command(
    "settings",
    "settings",
    "Show all settings and where they are set, or change some.\n\n"
    "Without --json, settings with their defaults are left out. Passwords and keys are never shown.",
    click.Option(("--set",), multiple=True, metavar="NAME=VALUE", help="Change a setting. Can be repeated."),
    click.Option(("--reset",), multiple=True, metavar="NAME", help="Reset a setting to its default. Can be repeated."),
    target=BOX,
    run=_settings,
    text=_settings_text,
)


@click.command("accept-files")
@AS_JSON
@with_settings("data_dir")
def accept_files(as_json: bool, **given: Any) -> None:
    """Accept a missing events.db or an older box.db.

    Use this after the server refused to start because of one of them.
    """

    def run() -> None:
        found = read_settings(given)
        check_box(found.data_dir)
        with data_lock.lock(found.data_dir):
            restore.complete(found.data_dir)
            done = bring_together(found.data_dir, upgrade.prepare(found, SystemClock()), accept=True)
            upgrade.mark_done(found)
        words = done or ["The files belong together. There was nothing to accept"]
        show({"done": done}, words, as_json=as_json)

    report_refusals(run)


@click.command()
@AS_JSON
@with_settings("data_dir")
def promote(as_json: bool, **given: Any) -> None:
    """Make this server the primary, in place of one that is lost.

    The server must be stopped. The previous primary stops when it learns of this.
    """

    def run() -> None:
        found = read_settings(given)
        with data_lock.lock(found.data_dir):
            restore.complete(found.data_dir)
            upgrade.prepare(found, SystemClock())
            promoted_at = which.promote(found.data_dir, SystemClock().now())
            upgrade.mark_done(found)
        words = ["This server is now the primary. The previous one stops when it learns of this"]
        show({"promotedAt": promoted_at}, words, as_json=as_json)

    report_refusals(run)


@click.command()
@click.option("--http", "over_http", is_flag=True, help="Query the running server instead of checking the files.")
@AS_JSON
@with_settings("data_dir", "host", "port", "unix_socket", "tls_certificate", "tls_key")
def check(over_http: bool, as_json: bool, **given: Any) -> None:
    """Check both databases, and show what an upgrade would change.

    The exit code is 1 if a database is damaged, or with --http if the server does not answer. Without --http, warnings
    for administrators are also printed; they do not change the exit code.
    """

    def run() -> None:
        found = read_settings(given)
        if not over_http:
            _check_settings(found)
        look = _answers if over_http else _is_sound
        sys.exit(0 if look(found, as_json=as_json) else 1)

    report_refusals(run)


def _check_settings(found: Settings) -> None:
    """Raises SettingsError for settings that a start would refuse, including the files that they name."""
    from analytics_box.app.web_server import check_tls  # noqa: PLC0415  as above
    from analytics_box.base.outgoing.fences import fences  # noqa: PLC0415  as above
    from analytics_box.base.outgoing.resolve import resolver  # noqa: PLC0415  as above
    from analytics_box.web.address import networks  # noqa: PLC0415  a part of the server, which other commands spare

    check_tls(found)
    secret_file.check(found)
    networks(found.trusted_proxies)
    fences(found)
    resolver(found)


_MISSING = "missing"


def _answers(found: Settings, *, as_json: bool) -> bool:
    try:
        said = ask(found)
        show({"sound": True}, [said], as_json=as_json)
        return True
    except (http.client.HTTPException, OSError) as broken:
        if as_json:
            click.echo(json.dumps({"sound": False}))
        click.echo(f"No answer: {broken}", err=True)
        return False


def _is_sound(found: Settings, *, as_json: bool) -> bool:
    directory = found.data_dir
    in_use = data_lock.is_served(directory)
    paths = (directory / name for name in (schema.BOX_FILE, schema.EVENTS_FILE))
    files = {str(path): integrity(path, in_use=in_use) if path.is_file() else _MISSING for path in paths}
    is_broken_off = (directory / restore.JOURNAL).exists()
    is_whole = all(said == "ok" for said in files.values())
    refusal = upgrade.refusal(found) if is_whole and not is_broken_off and not in_use else ""
    sound = is_whole and not refusal
    ahead = upgrade.pending(found) if sound and not is_broken_off else None
    warned = _warned_of(found, in_use=in_use) if directory.exists() else []
    if as_json:
        told = {"sound": sound, "files": files, "upgrade": msgspec.to_builtins(ahead) if ahead else None}
        told |= {"refusal": refusal}
        click.echo(json.dumps(told | {"restoreBrokenOff": is_broken_off, "warnings": warned}))
        return sound
    _show_checked(files, ahead, is_broken_off=is_broken_off)
    if refusal:
        click.echo(f"The server cannot start with these files: {refusal}", err=True)
    for warning in warned:
        click.echo(f"Warning: {warning['text']}", err=True)
    return sound


def _warned_of(found: Settings, *, in_use: bool) -> list[dict[str, str]]:
    """The warnings of the running box, which knows more, or else those that the files show."""
    if in_use:
        try:
            told: list[dict[str, str]] = channel.ask(found.data_dir, "state")["warnings"]
            return told
        except (channel.NotAnswering, errors.BoxError):
            pass
    told = msgspec.to_builtins(warnings(seen_without_a_box(found, SystemClock().now())))
    return told


def _show_checked(files: dict[str, str], ahead: upgrade.Upgrade | None, *, is_broken_off: bool) -> None:
    for path, said in files.items():
        click.echo(f"{path}: {said}", err=said == _MISSING)
    if is_broken_off:
        click.echo("A restore was interrupted. The next start completes it")
    if ahead is None or not ahead.steps:
        return
    click.echo(
        f"The next start of version {__version__} upgrades the files. Older versions cannot open them afterwards:"
    )
    for step in ahead.steps:
        click.echo(f"  {step.file}: {step.name}" + (f", rewrites {step.rows:,} rows" if step.rows else ""))
    if ahead.backup:
        click.echo(f"A backup is created first. It needs up to {2 * ahead.bytes / 1e6:,.0f} MB of disk space")
    else:
        click.echo("No backup is created. Create one first (analytics-box backup)")
    click.echo(f"This takes about {max(ahead.seconds, 1):,.0f} s, or several times as long on a slow disk")
