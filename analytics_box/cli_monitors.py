"""The commands `analytics-box monitor …`."""

from typing import Final

import click

from analytics_box.cli_tree import Line, Tree

COMMANDS: Final = {
    "check": Line(
        "cli_monitor_check", "monitor_check", "Check URL once, as a monitor does, and print how long each step took."
    ),
}


@click.command(cls=Tree, lines=COMMANDS)
def monitor() -> None:
    """Check URLs as monitors do."""
