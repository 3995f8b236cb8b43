"""The commands `analytics-box user …` and `analytics-box organization …`."""

from collections.abc import Iterator
from typing import Any

import click

from analytics_box.app.cli.command import BOX, LINK_SETTINGS, argument, command, option
from analytics_box.base.clock import iso_day
from analytics_box.base.identity import ROLES


def _creation_lines(made: dict[str, Any]) -> Iterator[str]:
    yield f"{made['email']} is {made['role']} of {made['organization']}. Send them this link:"
    yield f"\n  {made['link']}\n"
    yield f"The link works once, until {iso_day(made['expiresAt'])} (UTC), and is not shown again."


def _list_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield "  ".join([row["email"], *([row["name"]] if row["name"] else []), ", ".join(_marks(row))])
        seats = [f"{seat['role']} of {seat['slug']}" for seat in row["memberships"]]
        yield f"    {', '.join(seats) or 'no organization'}"


def _marks(row: dict[str, Any]) -> list[str]:
    seen = row["seenAt"]
    return [
        *(["administrator"] if row["isAdministrator"] else []),
        *([] if row["isConfirmed"] else ["unconfirmed"]),
        *([] if row["hasPassword"] else ["no password yet"]),
        *(["second factor"] if row["hasSecondFactor"] else []),
        f"last seen {iso_day(seen)}" if seen else "never signed in",
    ]


def _organization(row: dict[str, Any]) -> str:
    return f"{row['id']}  {row['slug']}  {row['name']}  private networks: {row['privateTargets']}"


user = click.Group(
    "user",
    commands=[
        command(
            "create",
            "user create",
            "Create an account and print a link that sets its password.\n\n"
            "The link works once, for 7 days. Send it to the user. Passwords are never printed.",
            argument("email", "email"),
            option("name", "--name", "Name of the user."),
            option("role", "--role", "Role in the organization.", choices=tuple(reversed(ROLES)), default="member"),
            option("organization", "--organization", "Organization slug or ID. Optional if there is only one."),
            target=BOX,
            text=_creation_lines,
            settings=LINK_SETTINGS,
        ),
        command(
            "list",
            "user list",
            "List accounts with their roles and the time they were last seen.",
            option("organization", "--organization", "Only members of this organization: its slug or ID."),
            target=BOX,
            text=_list_lines,
        ),
        command(
            "confirm",
            "user confirm",
            "Confirm that an account belongs to the owner of its email address.\n\n"
            "Accounts from invitations are unconfirmed if the server cannot send email: the inviter saw the link.",
            argument("email", "email"),
            target=BOX,
            text=lambda row: [f"{row['email']} is confirmed."],
        ),
        command(
            "reset-password",
            "user reset-password",
            "Print a link that sets a new password.\n\n"
            "The link works once, for an hour. Using it ends all sessions of the account.",
            argument("email", "email"),
            option("removeSecondFactor", "--remove-second-factor", "Also turn off the second factor.", is_flag=True),
            target=BOX,
            text=lambda made: [made["link"]],
            settings=LINK_SETTINGS,
        ),
    ],
)

organization = click.Group(
    "organization",
    commands=[
        command(
            "list",
            "organization list",
            "List organizations: ID, slug, name and the private networks that they can reach.",
            target=BOX,
            text=lambda rows: map(_organization, rows),
        ),
        command(
            "edit",
            "organization edit",
            "Change an organization. ORGANIZATION is its slug or ID.",
            argument("organization", "organization"),
            option(
                "privateTargets",
                "--private-targets",
                "Private networks that its monitors and alert channels can reach: all, none, or a list such as "
                "192.168.1.0/24,10.0.0.5. They must be part of the setting allowed_private_targets.",
                required=True,
            ),
            target=BOX,
            text=lambda row: [_organization(row)],
            settings=("data_dir", "allowed_private_targets"),
        ),
    ],
)
