"""The commands that set a box up and check it: `analytics-box setup`, `check`, `accept-files` and
`promote`."""

import http.client
import json
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from analytics_box import __version__
from analytics_box.app import health_check
from analytics_box.app.admin import channel
from analytics_box.app.cli.operating import carry_out
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.app.setup.account import FirstAccount
from analytics_box.app.watch.state import seen_without_a_box
from analytics_box.app.watch.warnings import warnings
from analytics_box.base import errors, secret_file
from analytics_box.base.backup import restore, upgrade
from analytics_box.base.clock import SystemClock
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, schema
from analytics_box.base.store.integrity import integrity
from analytics_box.base.store.pairing import bring_together
from analytics_box.ingest.cluster import promotion
from analytics_box.tenants.accounts import passwords, rules


@click.command()
@click.option("--email", required=True, help="E-mail address of the first user, who becomes owner.")
@click.option(
    "--password-file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="File whose first line is the password; - reads standard input.",
)
@click.option("--organization", required=True, help="Name of the organization.")
@click.option("--website", required=True, help="Name of the first website.")
@click.option("--domain", required=True, help="Domain of the first website, e.g. example.com.")
@click.option(
    "--time-zone", default="", help="Time zone of the first user. [default: their browser's, once they sign in]"
)
@click.option("--key", is_flag=True, help="Make a global API key with all scopes, too, and print it this once.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print ids, the snippet and the key, if one was asked for, as JSON."
)
@with_settings("data_dir")
def setup(
    email: str,
    password_file: str,
    organization: str,
    website: str,
    domain: str,
    time_zone: str,
    key: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Set up a new box without a browser: user, organization and website."""

    def run() -> None:
        password = _first_line(password_file)
        rules.check_password(password, email)
        wanted = FirstAccount(
            email=email,
            password=passwords.hash_now(password),
            organization=organization,
            website=website,
            domain=domain,
            time_zone=time_zone,
            key=key,
        )
        made = carry_out(read_settings(given), "setup", wanted)
        _print_made(made, as_json=as_json)

    report_refusals(run)


def _first_line(file: str) -> str:
    if file == "-":
        return sys.stdin.readline().rstrip("\r\n")
    with Path(file).open(encoding="utf-8") as lines:
        return lines.readline().rstrip("\r\n")


def _print_made(made: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        names = ("organizationId", "userId", "websiteId", "snippet", "apiKey")
        click.echo(json.dumps({name: made[name] for name in names if made[name]}))
        return
    click.echo("Paste this line into the <head> of every page:\n")
    click.echo(f"  {made['snippet']}\n")
    click.echo(f"Organization {made['organization']} ({made['organizationId']})")
    click.echo(f"Website      {made['website']} ({made['websiteId']})")
    if made["apiKey"]:
        click.echo(f"API key      {made['apiKey']}")
        click.echo("Keep the key now: it is not shown again.")


@click.command("accept-files")
@AS_JSON
@with_settings("data_dir")
def accept_files(as_json: bool, **given: Any) -> None:
    """Go on without events.db, or with a box.db older than it, after a start was refused because of that."""

    def run() -> None:
        found = read_settings(given)
        if not (found.data_dir / schema.BOX_FILE).exists():
            raise errors.NotFound(f"There is no box in {found.data_dir}; name another --data-dir")
        with data_lock.lock(found.data_dir):
            restore.complete(found.data_dir)
            done = bring_together(found.data_dir, upgrade.prepare(found, SystemClock()), accept=True)
            upgrade.mark_done(found)
        words = done or ["The files belong together; nothing had to be accepted"]
        show({"done": done}, words, as_json=as_json)

    report_refusals(run)


@click.command()
@AS_JSON
@with_settings("data_dir")
def promote(as_json: bool, **given: Any) -> None:
    """Make this box the primary of its ingest machines, in the place of a machine that is lost.

    The box must not run. A machine that was the primary before ends as soon as it hears of this.
    """

    def run() -> None:
        found = read_settings(given)
        with data_lock.lock(found.data_dir):
            restore.complete(found.data_dir)
            upgrade.prepare(found, SystemClock())
            promoted_at = promotion.promote(found.data_dir, SystemClock().now())
            upgrade.mark_done(found)
        words = ["This box is the primary from now on; the one before it ends once it hears of that"]
        show({"promotedAt": promoted_at}, words, as_json=as_json)

    report_refusals(run)


@click.command()
@click.option("--http", "over_http", is_flag=True, help="Ask the running server instead of looking into the files.")
@AS_JSON
@with_settings("data_dir", "host", "port", "unix_socket", "tls_certificate", "tls_key")
def check(over_http: bool, as_json: bool, **given: Any) -> None:
    """Check that both databases are sound, and what this version would change in them; or with --http that the server
    answers. Exit code 1 if not.

    Without --http it also says what administrators are warned of, which does not change the exit code.
    """

    def run() -> None:
        found = read_settings(given)
        if not over_http:
            _check_settings(found)
        look = _answers if over_http else _is_sound
        sys.exit(0 if look(found, as_json=as_json) else 1)

    report_refusals(run)


def _check_settings(found: Settings) -> None:
    """Raises SettingsError for what a start would refuse, files that settings name included."""
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
        said = health_check.ask(found)
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
        click.echo(f"The box does not start with these files: {refusal}", err=True)
    for warning in warned:
        click.echo(f"Warning: {warning['text']}", err=True)
    return sound


def _warned_of(found: Settings, *, in_use: bool) -> list[dict[str, str]]:
    """The warnings: from the running box, which knows more, else from the files."""
    if in_use:
        try:
            told: list[dict[str, str]] = channel.ask(found.data_dir, "state", b"{}")["warnings"]
            return told
        except (channel.NotAnswering, errors.BoxError):
            pass  # it is just starting, or of another version
    told = msgspec.to_builtins(warnings(seen_without_a_box(found, SystemClock().now())))
    return told


def _show_checked(files: dict[str, str], ahead: upgrade.Upgrade | None, *, is_broken_off: bool) -> None:
    for path, said in files.items():
        click.echo(f"{path}: {said}", err=said == _MISSING)
    if is_broken_off:
        click.echo("A restore was broken off; the next start finishes it")
    if ahead is None or not ahead.steps:
        return
    click.echo(f"The next start of version {__version__} changes the files, and no older version opens them then:")
    for step in ahead.steps:
        click.echo(f"  {step.file}: {step.name}" + (f", writes {step.rows:,} rows anew" if step.rows else ""))
    if ahead.backup:
        click.echo(f"It makes a backup first, which needs {2 * ahead.bytes / 1e6:,.0f} MB of room at most")
    else:
        click.echo("It does not create a backup. Create one first (analytics-box backup)")
    click.echo(f"This takes about {max(ahead.seconds, 1):,.0f} s, several times as long on a slow disk")
