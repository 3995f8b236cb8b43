"""The command `analytics-box`: the table of its commands, each loaded when it is called."""

import gc
import importlib
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final, NamedTuple

import click
from click.shell_completion import CompletionItem

from analytics_box import __version__


class CommandLine(NamedTuple):
    """The module of a command, its name there, and the first sentence of its help."""

    module: str
    name: str
    help: str


class Tree(click.Group):
    """A group of commands in other modules."""

    def __init__(self, name: str | None = None, *, lines: Mapping[str, CommandLine], **more: Any) -> None:
        super().__init__(name, commands=_LazyCommands(lines), **more)
        self.lines = lines

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.lines[name].help) for name in sorted(self.lines)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. A value that it cannot use is refused with values that it can."""
        try:
            return super().invoke(ctx)
        except click.MissingParameter:
            raise
        except click.BadParameter as wrong:
            kind = getattr(wrong.param, "type", None)
            instruction = _instruction(getattr(kind, "inner", kind)) or wrong.message
            raise click.BadParameter(instruction, wrong.ctx, wrong.param, wrong.param_hint) from wrong

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in sorted(self.lines) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self.lines[name].help) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def _instruction(kind: object) -> str:
    """An instruction for types whose messages in click only name a rule; empty for others."""
    if isinstance(kind, click.DateTime):
        return "enter a day as YYYY-MM-DD, such as 2026-01-31"
    if not isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        return ""
    number = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is not None and most is not None:
        return f"enter {number} from {least:,} to {most:,}"
    return f"enter {number}" if least is None else f"enter {number} of at least {least:,}"


class _LazyCommands(MutableMapping[str, click.Command]):
    """Commands by name, each imported on first use."""

    def __init__(self, lines: Mapping[str, CommandLine]) -> None:
        self._lines = lines

    def __getitem__(self, name: str) -> click.Command:
        line = self._lines[name]
        module = f"analytics_box.app.cli.{line.module}"
        if module not in sys.modules:
            _load(module)
        command: click.Command = getattr(sys.modules[module], line.name)
        command.help = command.help or line.help  # of a group, which has no docstring
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __setitem__(self, name: str, command: click.Command) -> None:
        raise TypeError(f"Add {name} to the table of commands")

    def __delitem__(self, name: str) -> None:
        raise TypeError("Commands cannot be removed")


def _load(module: str) -> None:
    """Import a command without garbage collection, which would take a fifth of the time and free nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        importlib.import_module(module)
        gc.freeze()
    finally:
        if was_on:
            gc.enable()


COMMANDS: Final = {
    "accept-files": CommandLine("box", "accept_files", "Accept a missing events.db or an older box.db."),
    "apply": CommandLine("apply", "apply", "Create and update resources as a file declares them."),
    "backup": CommandLine(
        "backup", "backup", "Create a backup in DEST: a folder, - for standard output, or s3://bucket/prefix."
    ),
    "check": CommandLine("box", "check", "Check both databases, and show what an upgrade would change."),
    "completion": CommandLine("reference", "completion", "Print a completion script for a shell."),
    "demo": CommandLine("demo", "demo", "Serve a demo with 90 days of generated data."),
    "doctor": CommandLine("doctor", "doctor", "Create a support bundle."),
    "export": CommandLine(
        "exports", "export", "Export all events and resources to DESTINATION: a folder, or s3://bucket/prefix."
    ),
    "flag": CommandLine("flags", "flag", "List, import and export feature flags."),
    "import": CommandLine("imports", "import_history", "Import the history of a website from another product."),
    "key": CommandLine("keys", "key", "Create, list, rotate, revoke and delete API keys."),
    "link": CommandLine("links", "link", "List, create, edit, delete, import and export short links."),
    "load": CommandLine(
        "exports", "load", "Load the events and histories of an export from SOURCE: a folder, or s3://bucket/prefix."
    ),
    "man": CommandLine("reference", "man", "Print the man page, analytics-box(1)."),
    "monitor": CommandLine("monitors", "monitor", "List, add, pause, resume, import and export monitors; check a URL."),
    "organization": CommandLine("accounts", "organization", "List organizations, and set their private networks."),
    "promote": CommandLine("box", "promote", "Make this server the primary, in place of one that is lost."),
    "prune": CommandLine("care", "prune", "Remove old events of one website or of all."),
    "restore": CommandLine(
        "backup", "restore_command", "Restore a backup from SOURCE: a file, a folder, or - for a pipe."
    ),
    "retire": CommandLine("care", "retire", "Remove an ingest node permanently."),
    "serve": CommandLine("serve", "serve", "Start the server: API, events and web pages."),
    "settings": CommandLine("box", "settings", "Show all settings and where they are set, or change some."),
    "setup": CommandLine("box", "setup", "Set up a new server without a browser: user, organization and website."),
    "source-map": CommandLine("source_maps", "source_map", "List, upload and delete source maps of a website."),
    "status-page": CommandLine("status_pages", "status_page", "Import status pages of other products."),
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
