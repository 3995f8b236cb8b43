"""The commands `analytics-box flag …`."""

from typing import Final

import click

from analytics_box.app.cli.tree import CommandLine, Tree

COMMANDS: Final = {
    "export": CommandLine(
        "flag_admin", "flag_export", "Export feature flags as a file that `flag import` takes, or as one of flagd."
    ),
    "import": CommandLine(
        "flag_admin",
        "flag_import",
        "Import feature flags from FILE (- reads standard input): an export, of Unleash, GrowthBook, LaunchDarkly, "
        "flagd.",
    ),
    "list": CommandLine(
        "flag_admin", "flag_list", "List feature flags by their keys: status, type, id, key, environment and name."
    ),
}


@click.command(cls=Tree, lines=COMMANDS)
def flag() -> None:
    """List, import and export feature flags; a running server evaluates them at once."""
