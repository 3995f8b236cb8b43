"""The command `analytics-box`: the table of its commands, each loaded when it is called."""

from typing import Final

import click

from analytics_box import __version__
from analytics_box.app.cli.tree import CommandLine, Tree

COMMANDS: Final = {
    "accept-files": CommandLine("box", "accept_files", "Accept a missing events.db or an older box.db."),
    "backup": CommandLine(
        "backup", "backup", "Create a backup in DEST: a folder, - for standard output, or s3://bucket/prefix."
    ),
    "check": CommandLine("box", "check", "Check both databases, and show what an upgrade would change."),
    "completion": CommandLine("reference", "completion", "Print a completion script for a shell."),
    "demo": CommandLine("demo", "demo", "Serve a demo with 90 days of generated data."),
    "doctor": CommandLine("doctor", "doctor", "Create a support bundle."),
    "flag": CommandLine("flags", "flag", "List, import and export feature flags."),
    "key": CommandLine("keys", "key", "Create, list, rotate, revoke and delete API keys."),
    "link": CommandLine("links", "link", "List, create, edit, delete, import and export short links."),
    "man": CommandLine("reference", "man", "Print the man page, analytics-box(1)."),
    "monitor": CommandLine("monitors", "monitor", "List, add, pause, resume, import and export monitors; check a URL."),
    "organization": CommandLine("accounts", "organization", "List organizations, and set their private networks."),
    "promote": CommandLine("box", "promote", "Make this box the primary, in place of one that is lost."),
    "prune": CommandLine("care", "prune", "Remove old events of one website or of all."),
    "restore": CommandLine(
        "backup", "restore_command", "Restore a backup from SOURCE: a file, a folder, or - for a pipe."
    ),
    "retire": CommandLine("care", "retire", "Remove an ingest node permanently."),
    "serve": CommandLine("serve", "serve", "Start the server: API, events and web pages."),
    "settings": CommandLine("box", "settings", "Show all settings and where they are set, or change some."),
    "setup": CommandLine("box", "setup", "Set up a new box without a browser: user, organization and website."),
    "user": CommandLine("accounts", "user", "Create, list and confirm accounts; reset passwords."),
    "vacuum": CommandLine("care", "vacuum", "Return unused space in both databases to the disk."),
    "website": CommandLine("websites", "website", "List, show, create, edit, delete and restore websites."),
}


@click.command(
    cls=Tree, lines=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="analytics-box")
def main() -> None:
    """Analytics Box: web analytics, short links, monitors, status pages and feature flags on your own server."""
