"""The command `analytics-box` itself: what there is to call, and where it is. A command is loaded when it is called."""

from typing import Final

import click

from analytics_box import __version__
from analytics_box.app.cli.tree import CommandLine, Tree

COMMANDS: Final = {
    "accept-files": CommandLine(
        "box",
        "accept_files",
        "Go on without events.db, or with a box.db older than it, after a start was refused because of that.",
    ),
    "backup": CommandLine(
        "backup", "backup", "Back up the box into DEST: a folder, - for standard output, or s3://bucket/prefix."
    ),
    "check": CommandLine(
        "box",
        "check",
        "Check that both databases are sound, and what this version would change in them.",
    ),
    "completion": CommandLine("reference", "completion", "Print what makes a shell complete commands and options."),
    "demo": CommandLine(
        "demo",
        "demo",
        "Serve a demo in a folder of its own (demo, in the data folder), with 90 days of invented visits up to now.",
    ),
    "doctor": CommandLine("doctor", "doctor", "Write a bundle for a report of a problem, to be sent to whoever helps."),
    "flag": CommandLine(
        "flags", "flag", "List, import and export feature flags; a running server evaluates them at once."
    ),
    "key": CommandLine(
        "keys", "key", "Make, list, rotate, revoke and delete API keys; a running server knows at once."
    ),
    "link": CommandLine(
        "links",
        "link",
        "List, create, edit, delete, import and export short links; a running server redirects by it at once.",
    ),
    "man": CommandLine(
        "reference", "man", "Print the man page, analytics-box(1); with --json the commands that it describes."
    ),
    "monitor": CommandLine(
        "monitors",
        "monitor",
        "List, add, pause, resume, export and import monitors, and check URLs as they do.",
    ),
    "organization": CommandLine(
        "organizations", "organization", "List organizations, and set which private networks they can reach."
    ),
    "promote": CommandLine(
        "box", "promote", "Make this box the primary of its ingest machines, in the place of a machine that is lost."
    ),
    "prune": CommandLine("care", "prune", "Remove events from before a day, of one website or of all."),
    "restore": CommandLine(
        "backup",
        "restore_command",
        "Restore the box from SOURCE: a backup, the newest one in a folder or under s3://bucket/prefix/.",
    ),
    "retire": CommandLine(
        "care", "retire", "Say that an ingest machine is gone for good: nobody waits for it any more."
    ),
    "serve": CommandLine("serve", "serve", "Serve the API, the events and the web pages until stopped."),
    "setup": CommandLine(
        "box",
        "setup",
        "Set up a new box without a browser: user, organization and website.",
    ),
    "user": CommandLine("users", "user", "Make and list accounts, and help people who cannot sign in."),
    "vacuum": CommandLine("care", "vacuum", "Give the empty space in both databases back to the disk."),
    "website": CommandLine(
        "websites", "website", "List, create, edit, delete and restore websites; a running server knows at once."
    ),
}


@click.command(
    cls=Tree, lines=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="analytics-box")
def main() -> None:
    """Analytics Box: web analytics in one process and one data directory."""
