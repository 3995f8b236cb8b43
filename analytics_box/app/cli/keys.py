"""The commands `analytics-box key …`."""

import json
from datetime import UTC, datetime
from typing import Any

import click

from analytics_box.app.admin.given import keys
from analytics_box.app.cli.operating import ORGANIZATION, carry_out
from analytics_box.app.cli.options import AS_JSON, End, RateOption, read_settings, report_refusals, show, with_settings
from analytics_box.base.identity import SCOPES
from analytics_box.tenants.keys.rules import TYPES, KeyType, RateLimit


@click.group()
def key() -> None:
    """Make, list, rotate, revoke and delete API keys; a running server knows at once."""


@key.command("create")
@click.option("--name", required=True, help="What the key is for.")
@click.option(
    "--scope", "scopes", multiple=True, required=True, type=click.Choice(SCOPES), help="What it may do; repeatable."
)
@click.option("--website", "websites", multiple=True, help="Only this website's id; repeatable. [default: all]")
@click.option(
    "--type", "key_type", type=click.Choice(TYPES), default="user", show_default=True, help="Who will use it."
)
@click.option("--tag", "tags", multiple=True, help="A word to find it by; repeatable.")
@click.option(
    "--expires", type=End(), help="Its last day (UTC), or an instant like 2027-01-31T18:00Z. [default: no end]"
)
@click.option(
    "--rate-limit", "ratelimit", type=RateOption(), help="A limit of its own: requests in so many seconds, like 100/60."
)
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def key_create(
    name: str,
    scopes: tuple[Any, ...],
    websites: tuple[str, ...],
    key_type: KeyType,
    tags: tuple[str, ...],
    expires: int | None,
    ratelimit: RateLimit | None,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Make an API key and show its secret this once."""

    def run() -> None:
        wanted = keys.KeyCreateOptions(
            name=name,
            scopes=scopes,
            websites=websites or None,
            organization=organization,
            type=key_type,
            tags=tags,
            expires_at=expires,
            ratelimit=ratelimit,
        )
        made = carry_out(read_settings(given), "key create", wanted)
        _show_secret(made, as_json=as_json)

    report_refusals(run)


@key.command("list")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def key_list(organization: str | None, as_json: bool, **given: Any) -> None:
    """List API keys: id, start of the secret, state, name, what they may do and where."""

    def run() -> None:
        found = carry_out(read_settings(given), "key list", keys.SomeKeys(organization))
        if as_json:
            click.echo(json.dumps(found))
            return
        for row in found:
            reach = "all websites" if row["websites"] is None else " ".join(row["websites"])
            ends = f", ends {_day(row['expiresAt'])}" if row["expiresAt"] else ""
            click.echo(f"{row['id']}  {row['start']}…  {row['state']}{ends}  {row['name']}")
            click.echo(f"    {' '.join(row['scopes'])} on {reach}")

    report_refusals(run)


@key.command("revoke")
@click.argument("key_id")
@AS_JSON
@with_settings("data_dir")
def key_revoke(key_id: str, as_json: bool, **given: Any) -> None:
    """Revoke the API key with this id, at once and for good."""

    def run() -> None:
        row = carry_out(read_settings(given), "key revoke", keys.OneKey(key_id))
        show(row, [f"Revoked {row['name']} ({row['start']}…)"], as_json=as_json)

    report_refusals(run)


@key.command("rotate")
@click.argument("key_id")
@AS_JSON
@with_settings("data_dir")
def key_rotate(key_id: str, as_json: bool, **given: Any) -> None:
    """Give the API key with this id a new secret, shown this once; the old one stops working at once."""

    def run() -> None:
        _show_secret(carry_out(read_settings(given), "key rotate", keys.OneKey(key_id)), as_json=as_json)

    report_refusals(run)


@key.command("delete")
@click.argument("key_id")
@AS_JSON
@with_settings("data_dir")
def key_delete(key_id: str, as_json: bool, **given: Any) -> None:
    """Delete the API key with this id, at once; only the audit log still knows of it."""

    def run() -> None:
        row = carry_out(read_settings(given), "key delete", keys.OneKey(key_id))
        show(row, [f"Deleted {row['name']} ({row['start']}…)"], as_json=as_json)

    report_refusals(run)


def _show_secret(made: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(made))
        return
    click.echo(f"Id      {made['id']}")
    click.echo(f"Secret  {made['secret']}")
    click.echo("Keep the secret now: it is not shown again.")


def _day(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1000, UTC).date().isoformat()
