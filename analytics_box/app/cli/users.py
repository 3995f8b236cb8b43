"""The commands `analytics-box user …`."""

import json
from datetime import UTC, datetime
from typing import Any

import click

from analytics_box.app.admin.given import users
from analytics_box.app.cli.operating import ORGANIZATION, carry_out
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.base.identity import ROLES, Role


@click.group()
def user() -> None:
    """Make and list accounts, and help people who cannot sign in."""


@user.command("create")
@click.argument("email")
@click.option("--name", default="", help="What they are called.")
@click.option(
    "--role", type=click.Choice(tuple(reversed(ROLES))), default="member", show_default=True, help="What they may do."
)
@ORGANIZATION
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def user_create(email: str, name: str, role: Role, organization: str | None, as_json: bool, **given: Any) -> None:
    """Make an account and print a link that sets its password.

    The link works once, for 7 days; pass it on to the person. No password is ever printed.
    """

    def run() -> None:
        wanted = users.NewUser(email=email, name=name, role=role, organization=organization)
        made = carry_out(read_settings(given), "user create", wanted)
        if as_json:
            click.echo(json.dumps(made))
            return
        click.echo(f"{made['email']} is {made['role']} of {made['organization']}. Send them this link:")
        click.echo(f"\n  {made['link']}\n")
        click.echo(f"It works once, until {_day(made['expiresAt'])} (UTC), and is not shown again.")

    report_refusals(run)


@user.command("list")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def user_list(organization: str | None, as_json: bool, **given: Any) -> None:
    """List accounts with their roles and when they were last seen."""

    def run() -> None:
        found = carry_out(read_settings(given), "user list", users.SomeUsers(organization))
        if as_json:
            click.echo(json.dumps(found))
            return
        for row in found:
            click.echo("  ".join([row["email"], *([row["name"]] if row["name"] else []), ", ".join(_marks(row))]))
            held = [f"{one['role']} of {one['slug']}" for one in row["memberships"]]
            click.echo(f"    {', '.join(held) or 'in no organization'}")

    report_refusals(run)


@user.command("confirm")
@click.argument("email")
@AS_JSON
@with_settings("data_dir")
def user_confirm(email: str, as_json: bool, **given: Any) -> None:
    """Confirm that an account belongs to the owner of its email address.

    Accounts from invitations are unconfirmed if the box has no mail server, because the inviter saw the link.
    """

    def run() -> None:
        row = carry_out(read_settings(given), "user confirm", users.ConfirmedUser(email))
        show(row, [f"{row['email']} is confirmed."], as_json=as_json)

    report_refusals(run)


@user.command("reset-password")
@click.argument("email")
@click.option("--remove-second-factor", is_flag=True, help="Also turn the second factor off.")
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def user_reset_password(email: str, remove_second_factor: bool, as_json: bool, **given: Any) -> None:
    """Print a link that sets a new password.

    The link works once, for an hour, and ends all sessions of the account when it is used.
    """

    def run() -> None:
        wanted = users.ResetPassword(email=email, remove_second_factor=remove_second_factor)
        made = carry_out(read_settings(given), "user reset-password", wanted)
        show(made, [made["link"]], as_json=as_json)

    report_refusals(run)


def _marks(row: dict[str, Any]) -> list[str]:
    seen = row["seenAt"]
    return [
        *(["administrator"] if row["isAdministrator"] else []),
        *([] if row["isConfirmed"] else ["unconfirmed"]),
        *([] if row["hasPassword"] else ["no password yet"]),
        *(["second factor"] if row["hasSecondFactor"] else []),
        f"seen {_day(seen)}" if seen else "not signed in",
    ]


def _day(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1000, UTC).date().isoformat()
