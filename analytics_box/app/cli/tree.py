"""A group of commands that are loaded when one is called. Help and completion come from its table."""

import gc
import importlib
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem


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

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in sorted(self.lines) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self.lines[name].help) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)


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
