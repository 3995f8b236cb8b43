"""The commands `analytics-box monitor …`."""

from typing import Final

import click

from analytics_box.app.cli.tree import CommandLine, Tree

COMMANDS: Final = {
    "add": CommandLine(
        "monitor_admin",
        "monitor_add",
        "Add a monitor of URL, which a running server checks at once, and print its id.",
    ),
    "check": CommandLine(
        "monitor_check", "monitor_check", "Check URL once, as a monitor does, and print how long each step took."
    ),
    "export": CommandLine(
        "monitor_admin",
        "monitor_export",
        "Export monitors and maintenance as a file that `monitor import` takes.",
    ),
    "import": CommandLine(
        "monitor_admin",
        "monitor_import",
        "Import monitors from FILE (- reads standard input): of an export, a backup of Uptime Kuma, or Gatus.",
    ),
    "list": CommandLine(
        "monitor_admin",
        "monitor_list",
        "List monitors, those that need somebody first: state, id, URL and name.",
    ),
    "pause": CommandLine("monitor_admin", "monitor_pause", "Pause a monitor until it is resumed."),
    "resume": CommandLine("monitor_admin", "monitor_resume", "Check a paused monitor again."),
}


@click.command(cls=Tree, lines=COMMANDS)
def monitor() -> None:
    """List, add, pause, resume, export and import monitors, and check URLs as they do."""
