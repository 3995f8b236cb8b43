"""The commands `analytics-box organization …`."""

from typing import Any

import click

from analytics_box.app.admin.given import organizations
from analytics_box.app.cli.operating import carry_out
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings


@click.group()
def organization() -> None:
    """List organizations, and set which private networks they can reach."""


@organization.command("list")
@AS_JSON
@with_settings("data_dir")
def organization_list(as_json: bool, **given: Any) -> None:
    """List organizations: id, slug, name and the private networks that they can reach."""

    def run() -> None:
        found = carry_out(read_settings(given), "organization list", organizations.ListedOrganizations())
        show(found, [_line(row) for row in found], as_json=as_json)

    report_refusals(run)


@organization.command("edit")
@click.argument("organization")
@click.option(
    "--private-targets",
    required=True,
    help="Private networks that its monitors and alert channels can reach: all, none, or a list such as "
    "192.168.1.0/24,10.0.0.5. They must be part of the setting allowed_private_targets.",
)
@AS_JSON
@with_settings("data_dir", "allowed_private_targets")
def organization_edit(organization: str, private_targets: str, as_json: bool, **given: Any) -> None:
    """Change an organization. ORGANIZATION is its slug or id."""

    def run() -> None:
        wanted = organizations.EditedOrganization(organization, private_targets)
        row = carry_out(read_settings(given), "organization edit", wanted)
        show(row, [_line(row)], as_json=as_json)

    report_refusals(run)


def _line(row: dict[str, Any]) -> str:
    return f"{row['id']}  {row['slug']}  {row['name']}  private networks: {row['privateTargets']}"
