"""The commands `analytics-box website …`."""

from itertools import chain
from typing import Any, Final, get_args

import click

from analytics_box.app.cli.command import Request, argument, command, option, resource
from analytics_box.app.cli.options import OrNull
from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.tenants.websites.tracking import LONGEST_RETENTION, VisitorIds

_LIST: Final = "Repeatable; replaces the list. '' clears it."
_WEBSITE: Final = resource("website", "id", "website")


def _list(request: Request) -> Any:
    if request.values["deleted"]:
        request.procedure = "websites.listDeleted"
    return request.in_each_organization()


def _edit(request: Request) -> Any:
    """Call a procedure for each kind of change. Changes before a refused one are stored."""
    website, given = {"id": request.input["id"]}, request.input
    if "settings" in given:
        request.call("websites.updateSettings", website | {"settings": given["settings"]})
    if "name" in given or "domain" in given:
        request.call("websites.update", website | {name: given.get(name) for name in ("name", "domain")})
    if "isPublic" in given or "publicValues" in given:
        public = {"isPublic": request.call("websites.getById", website)["isPublic"], **given}
        public = {name: public[name] for name in ("isPublic", "publicValues") if name in public}
        request.call("websites.togglePublic", website | public)
    return request.call("websites.getById", website)


def _delete(request: Request) -> Any:
    request.call()
    return next(row for row in request.call("websites.listDeleted", {}) if row["id"] == request.input["id"])


def _restore(request: Request) -> Any:
    name, request.procedure = request.values["website"], "websites.listDeleted"
    rows = [row for row in request.in_each_organization() if name == row["id"] or name.lower() == row["domain"]]
    if not rows:
        raise errors.NotFound(_("There is no deleted website {name} that can be restored").format(name=name))
    if len(rows) > 1:
        ids = ", ".join(row["id"] for row in rows)
        raise errors.BadRequest(
            _("Several deleted websites match {name}. Enter one of their ids: {ids}").format(name=name, ids=ids)
        )
    request.organization = rows[0]["organizationId"]
    return request.call("websites.restore", {"id": rows[0]["id"]})


def _lines(row: dict[str, Any]) -> list[str]:
    marks = _marks(row)
    return [f"{row['id']}  {row['domain']}  {row['name']}", *([f"    {marks}"] if marks else [])]


def _marks(row: dict[str, Any]) -> str:
    if row.get("restorableUntil"):
        return f"deleted, can be restored until {row['restorableUntil'][:16].replace('T', ' ')} UTC"
    days = row["settings"]["dataRetentionDays"]
    return ", ".join(
        [
            *([row["status"].lower()] if row["status"] != "ACTIVE" else []),
            *(["public"] if row["isPublic"] else []),
            *([f"retention: {days} days"] if days else []),
        ]
    )


def _details(row: dict[str, Any]) -> list[str]:
    shown = {name: row[name] for name in ("clientId", "isPublic", "publicValues")} | row["settings"]
    width = max(len(name) for name in shown)
    return [*_lines(row), *(f"    {name:{width}}  {_value(value)}" for name, value in shown.items())]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(value) or "-"
    return "-" if value is None else str(value)


website = click.Group(
    "website",
    commands=[
        command(
            "list",
            "websites.list",
            "List websites: ID, domain, name, and settings that differ from the default.",
            click.Option(("--deleted",), is_flag=True, help="List deleted websites that can be restored."),
            run=_list,
            text=lambda rows: chain.from_iterable(map(_lines, rows)),
        ),
        command(
            "show",
            "websites.getById",
            "Show a website and its settings. WEBSITE is its ID or domain.",
            target=_WEBSITE,
            text=_details,
        ),
        command(
            "create",
            "websites.create",
            "Create a website for DOMAIN, such as example.com, and print its ID.",
            argument("domain", "domain"),
            option("name", "--name", "Name of the website. [default: the domain]"),
            run=lambda request: request.call(given={"name": request.input["domain"]} | request.input),
            text=_lines,
        ),
        command(
            "edit",
            "websites.update",
            "Change a website. Options that you leave out do not change. WEBSITE is its ID or domain.",
            option("name", "--name", "Name of the website."),
            option("domain", "--domain", "Domain of the website."),
            option("isPublic", "--public/--private", "Share the dashboard publicly.", default=None),
            option(
                "publicValues",
                "--public-values/--private-values",
                "Include event properties in the public dashboard.",
                default=None,
            ),
            option(
                "settings.dataRetentionDays",
                "--retention-days",
                f"Days to keep events, 1 to {LONGEST_RETENTION:,}, or none to keep them forever.",
                type=OrNull("none", click.IntRange(1, LONGEST_RETENTION)),
            ),
            option(
                "settings.visitorIdMode", "--visitor-ids", "How visitors are recognized.", choices=get_args(VisitorIds)
            ),
            option(
                "settings.hourlyTexts",
                "--hourly-texts",
                "New texts per hour, or none for the server default.",
                type=OrNull("none", click.IntRange(1)),
            ),
            option(
                "settings.hourlyMegabytes",
                "--hourly-megabytes",
                "Megabytes of new texts per hour, or none for the server default.",
                type=OrNull("none", click.IntRange(1)),
            ),
            option(
                "settings.allowedOrigins",
                "--allowed-origin",
                f"Additional origin that can send events. {_LIST}",
                multiple=True,
            ),
            option(
                "settings.allowedIps",
                "--allowed-ip",
                f"IP address or range that alone can send events. {_LIST}",
                multiple=True,
            ),
            option("settings.ignoredIps", "--ignored-ip", f"IP address or range to exclude. {_LIST}", multiple=True),
            option(
                "settings.ignoredPaths", "--ignored-path", f"Path to exclude, such as /admin/*. {_LIST}", multiple=True
            ),
            option(
                "settings.ignoredTrackingOrigins",
                "--ignored-tracking-origin",
                f"Origin to exclude. {_LIST}",
                multiple=True,
            ),
            option(
                "settings.aliases", "--alias", f"Domain or ID in Plausible or Umami scripts. {_LIST}", multiple=True
            ),
            target=_WEBSITE,
            run=_edit,
            text=_details,
        ),
        command(
            "delete",
            "websites.delete",
            "Delete a website. WEBSITE is its ID or domain.\n\n"
            "It stops accepting events immediately. You can restore it for the number of days in grace_days; then its "
            "events are removed.",
            target=_WEBSITE,
            run=_delete,
            text=_lines,
        ),
        command(
            "restore",
            "websites.restore",
            "Restore a deleted website. WEBSITE is its ID or domain.",
            click.Argument(("website",)),
            run=_restore,
            text=_lines,
        ),
    ],
)
