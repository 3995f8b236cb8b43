"""The commands `analytics-box website …`."""

from typing import Any, get_args

import click
from msgspec import UNSET

from analytics_box.app.admin.given import websites
from analytics_box.app.cli.operating import ORGANIZATION, carry_out
from analytics_box.app.cli.options import AS_JSON, OrNone, read_settings, report_refusals, show, with_settings
from analytics_box.tenants.websites.tracking import LONGEST_RETENTION, GivenTracking, VisitorIds

_LISTS = {  # an option for each list of the tracking settings
    "allowed_origins": ("allowedOrigins", "A further origin that may send."),
    "allowed_ips": ("allowedIps", "An IP address or range of those that alone may send."),
    "ignored_ips": ("ignoredIps", "An IP address or range that is not counted."),
    "ignored_paths": ("ignoredPaths", "A path that is not counted, like /admin/*."),
    "ignored_tracking_origins": ("ignoredTrackingOrigins", "An origin whose events are not counted."),
}


@click.group()
def website() -> None:
    """List, create, edit, delete and restore websites; a running server knows at once."""


@website.command("list")
@click.option("--deleted", is_flag=True, help="Those that are deleted, and can still be restored.")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def website_list(deleted: bool, organization: str | None, as_json: bool, **given: Any) -> None:
    """List websites: id, domain, name, and what differs from a new one."""

    def run() -> None:
        wanted = websites.SomeWebsites(organization, deleted)
        found = carry_out(read_settings(given), "website list", wanted)
        show(found, [line for row in found for line in _lines(row)], as_json=as_json)

    report_refusals(run)


@website.command("show")
@click.argument("website")
@AS_JSON
@with_settings("data_dir")
def website_show(website: str, as_json: bool, **given: Any) -> None:
    """Show a website and its settings. WEBSITE is its id or domain."""

    def run() -> None:
        row = carry_out(read_settings(given), "website show", websites.OneWebsite(website))
        show(row, [*_lines(row), *_settings(row)], as_json=as_json)

    report_refusals(run)


@website.command("create")
@click.argument("domain")
@click.option("--name", default=None, help="What it is called. [default: the domain]")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def website_create(domain: str, name: str | None, organization: str | None, as_json: bool, **given: Any) -> None:
    """Create a website for DOMAIN, e.g. example.com, and show its id."""

    def run() -> None:
        wanted = websites.WebsiteAddOptions(name=name or domain, domain=domain, organization=organization)
        row = carry_out(read_settings(given), "website create", wanted)
        show(row, _lines(row), as_json=as_json)

    report_refusals(run)


def _list_options(command: Any) -> Any:
    for option, (_, text) in reversed(_LISTS.items()):
        flag = "--" + option.replace("_", "-").removesuffix("s")
        more = "Repeatable; what is given replaces the list, and '' empties it."
        command = click.option(flag, option, multiple=True, help=f"{text} {more}")(command)
    return command


@website.command("edit")
@click.argument("website")
@click.option("--name", default=None, help="Another name.")
@click.option("--domain", default=None, help="Another domain.")
@click.option("--public/--private", default=None, help="Whether anybody may see its figures.")
@click.option(
    "--public-values/--private-values", default=None, help="Whether a public website also shows what events carried."
)
@click.option(
    "--retention-days",
    type=OrNone(1, LONGEST_RETENTION),
    default=None,
    help=f"Days for which its events are kept, 1 to {LONGEST_RETENTION:,}, or none to keep them for ever.",
)
@click.option("--visitor-ids", type=click.Choice(get_args(VisitorIds)), default=None, help="How visitors are counted.")
@click.option("--hourly-texts", type=OrNone(1), default=None, help="New texts per hour, or none for the box's default.")
@click.option(
    "--hourly-megabytes", type=OrNone(1), default=None, help="Megabytes of them per hour, or none for the default."
)
@_list_options
@AS_JSON
@with_settings("data_dir")
def website_edit(
    website: str,
    name: str | None,
    domain: str | None,
    public: bool | None,
    public_values: bool | None,
    retention_days: int | None,
    visitor_ids: VisitorIds | None,
    hourly_texts: int | None,
    hourly_megabytes: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Change a website; what is not given stays. WEBSITE is its id or domain."""
    numbers = {
        "dataRetentionDays": retention_days,
        "hourlyTexts": hourly_texts,
        "hourlyMegabytes": hourly_megabytes,
    }
    lists = {wire: given.pop(option) for option, (wire, _) in _LISTS.items()}

    def run() -> None:
        said: dict[str, Any] = {wire: OrNone.meant(number) for wire, number in numbers.items()}
        said |= {wire: [line for line in lines if line] for wire, lines in lists.items() if lines}
        tracking = GivenTracking(**said, visitorIdMode=visitor_ids or UNSET)
        wanted = websites.EditedWebsite(website, name, domain, public, public_values, tracking)
        row = carry_out(read_settings(given), "website edit", wanted)
        show(row, [*_lines(row), *_settings(row)], as_json=as_json)

    report_refusals(run)


@website.command("delete")
@click.argument("website")
@AS_JSON
@with_settings("data_dir")
def website_delete(website: str, as_json: bool, **given: Any) -> None:
    """Delete a website. WEBSITE is its id or domain.

    It takes no events and answers no questions from now on. It can be restored for some days (grace_days); then its
    events are removed.
    """

    def run() -> None:
        row = carry_out(read_settings(given), "website delete", websites.OneWebsite(website))
        show(row, _lines(row), as_json=as_json)

    report_refusals(run)


@website.command("restore")
@click.argument("website")
@AS_JSON
@with_settings("data_dir")
def website_restore(website: str, as_json: bool, **given: Any) -> None:
    """Restore a website that was deleted. WEBSITE is its id or domain."""

    def run() -> None:
        row = carry_out(read_settings(given), "website restore", websites.OneWebsite(website))
        show(row, _lines(row), as_json=as_json)

    report_refusals(run)


def _lines(row: dict[str, Any]) -> list[str]:
    return [f"{row['id']}  {row['domain']}  {row['name']}", *([f"    {marks}"] if (marks := _marks(row)) else [])]


def _marks(row: dict[str, Any]) -> str:
    if row.get("restorableUntil"):
        return f"deleted, can be restored until {row['restorableUntil'][:16].replace('T', ' ')} UTC"
    days = row["settings"]["dataRetentionDays"]
    return ", ".join(
        [
            *([row["status"].lower()] if row["status"] != "ACTIVE" else []),
            *(["public"] if row["isPublic"] else []),
            *([f"events are kept for {days} days"] if days else []),
        ]
    )


def _settings(row: dict[str, Any]) -> list[str]:
    shown = {
        "clientId": row["clientId"],
        "isPublic": row["isPublic"],
        "publicValues": row["publicValues"],
        **row["settings"],
    }
    width = max(len(name) for name in shown)
    return [f"    {name:{width}}  {_value(value)}" for name, value in shown.items()]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(value) or "-"
    return "-" if value is None else str(value)
