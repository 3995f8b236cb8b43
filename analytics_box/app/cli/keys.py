"""The commands `analytics-box key …`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, get_args

import click

from analytics_box.app.cli.command import Request, command, option, resource, sequence
from analytics_box.app.cli.options import End, RateOption
from analytics_box.base.clock import SystemClock
from analytics_box.base.identity import SCOPES
from analytics_box.tenants.keys.rules import GLOBAL, WEBSITE, KeyType

_KEY: Final = resource("key", "id", "key_id")


def _create(request: Request) -> Any:
    websites = request.values["website"]
    access = [f"{WEBSITE}{request.find('website', name)}" for name in websites]
    if access:
        request.input["resources"] = dict.fromkeys(access, ())
    return request.call()


def _secret(made: dict[str, str]) -> Iterator[str]:
    yield f"Id      {made['id']}"
    yield f"Secret  {made['secret']}"
    yield "Copy this secret now. You will not be able to see it again."


def _list_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        websites = [name.removeprefix(WEBSITE) for name in row["resources"]]
        reach = "all websites" if GLOBAL in websites else " ".join(websites)
        ends = f", expires {row['expiresAt'][:10]}" if row["expiresAt"] else ""
        yield f"{row['id']}  {row['start']}…  {_state(row)}{ends}  {row['name']}"
        yield f"    {' '.join(row['scopes'])} on {reach}"


def _state(row: dict[str, Any]) -> str:
    if row["revokedAt"]:
        return "revoked"
    if not row["enabled"]:
        return "disabled"
    expires = datetime.fromisoformat(row["expiresAt"]).timestamp() * 1000 if row["expiresAt"] else None
    return "expired" if expires is not None and expires <= SystemClock().now() else "active"


key = click.Group(
    "key",
    commands=[
        command(
            "create",
            "apikeys.create",
            "Create an API key and print its secret, which is shown only once.",
            option("name", "--name", "Name of the key.", required=True),
            option("scopes", "--scope", "Permission; repeatable.", multiple=True, required=True, choices=SCOPES),
            click.Option(
                ("--website",), multiple=True, help="Website ID or domain; repeatable. [default: all websites]"
            ),
            option("type", "--type", "Kind of client.", choices=get_args(KeyType), default="user"),
            option("tags", "--tag", "Tag; repeatable.", multiple=True),
            option(
                "expiresAt",
                "--expires",
                "Last day (UTC), or a time like 2027-01-31T18:00Z. [default: never]",
                type=End(),
            ),
            option(
                "ratelimit", "--rate-limit", "Rate limit as requests/seconds, for example 100/60.", type=RateOption()
            ),
            run=_create,
            text=_secret,
        ),
        command(
            "list",
            "apikeys.list",
            "List API keys: ID, start of the secret, state, name, permissions and websites.",
            run=Request.in_each_organization,
            text=_list_lines,
        ),
        command(
            "rotate",
            "apikeys.rotate",
            "Replace the secret of an API key. The new one is shown only once; the old one stops working immediately.",
            target=_KEY,
            text=_secret,
        ),
        command(
            "revoke",
            "apikeys.revoke",
            "Revoke an API key immediately and permanently.",
            target=_KEY,
            run=sequence("apikeys.revoke", "apikeys.getById"),
            text=lambda row: [f"Revoked {row['name']} ({row['start']}…)"],
        ),
        command(
            "delete",
            "apikeys.delete",
            "Delete an API key immediately. Only the audit log still contains it.",
            target=_KEY,
            run=sequence("apikeys.getById", "apikeys.delete", answer=0),
            text=lambda row: [f"Deleted {row['name']} ({row['start']}…)"],
        ),
    ],
)
