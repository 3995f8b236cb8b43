"""The man page and shell completion, generated from the tree of commands."""

import json
import re
from collections.abc import Iterator
from typing import Final

import click
import msgspec
from click.shell_completion import get_completion_class
from msgspec import Struct

from analytics_box import __version__
from analytics_box.app.cli.options import AS_JSON, EXIT_CODES, Setting, show
from analytics_box.base import settings

PROGRAM: Final = "analytics-box"
SHELLS: Final = ("bash", "zsh", "fish")
_COMPLETE: Final = "_ANALYTICS_BOX_COMPLETE"  # the variable that a shell sets to request completions
_ENOUGH_WIDTH: Final = 10_000  # so that no line of a help text is wrapped


class Option(Struct, frozen=True):
    """An option: its flags and its help."""

    written: str
    help: str


class CommandRow(Struct, frozen=True):
    """A command: its name, usage, help, own options, and the settings that it accepts."""

    name: str
    usage: str
    short: str
    help: str
    options: tuple[Option, ...]
    settings: tuple[str, ...]


def rows(group: click.Group, before: str = "") -> Iterator[CommandRow]:
    """Every command of the tree, in the order of their names."""
    for name in sorted(group.commands):
        command, full = group.commands[name], f"{before}{name}"
        if isinstance(command, click.Group):
            yield from rows(command, f"{full} ")
        else:
            yield _row(command, full)


def _row(command: click.Command, name: str) -> CommandRow:
    context = click.Context(command, info_name=f"{PROGRAM} {name}", max_content_width=_ENOUGH_WIDTH)
    context.terminal_width = _ENOUGH_WIDTH
    own = [one for one in command.get_params(context) if not isinstance(one, Setting)]
    records = [
        record for one in own if "--help" not in one.opts and (record := one.get_help_record(context)) is not None
    ]
    return CommandRow(
        name=name,
        usage=command.get_usage(context).partition(" ")[2],
        short=command.get_short_help_str(_ENOUGH_WIDTH),
        help=_paragraphs(command.help or ""),
        options=tuple(Option(written, " ".join(text.split())) for written, text in records if text),
        settings=tuple(one.name or "" for one in command.params if isinstance(one, Setting)),
    )


def _paragraphs(text: str) -> str:
    """A docstring with a line for each of its paragraphs."""
    return "\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def man_page(group: click.Group) -> str:
    """The page analytics-box(1) as roff."""
    lead = _paragraphs(group.help or "").partition(": ")[2].rstrip(".")
    lines = [
        f'.TH "ANALYTICS\\-BOX" "1" "" "Analytics Box {_roff(__version__)}" "User Commands"',
        ".ad l",  # without justification, because options are long words
        *_section("NAME", [f"{_roff(PROGRAM)} \\- {_roff(lead)}"]),
        *_section("SYNOPSIS", [f"\\fB{_roff(PROGRAM)}\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]"]),
        *_section("DESCRIPTION", [_roff(_DESCRIPTION)]),
        ".SH COMMANDS",
        *(line for row in rows(group) for line in _command(row)),
        *_section("EXIT STATUS", [line for code, text in EXIT_CODES for line in _item(str(code), text)]),
        *_section("SETTINGS", [_roff(_SETTINGS), *(line for row in settings.table() for line in _setting(row))]),
        *_section("FILES", [line for name, text in _FILES for line in _item(name, text)]),
    ]
    return "\n".join(lines) + "\n"


_DESCRIPTION: Final = (
    "Analytics Box is a self-hosted server for web analytics, short links, uptime monitors, status pages and feature "
    "flags. Commands work on a running server, through admin.sock in the data directory, and on a stopped one. The "
    "audit log shows their changes as “command line”. With --json a command prints one line of JSON."
)
_SETTINGS: Final = (
    "Settings are read from analytics-box.toml in the data directory (or the file named by ANALYTICS_BOX_CONFIG), then "
    "from the environment, then from options; the last value applies. serve accepts all settings as options. Other "
    "commands accept --data-dir and the settings that they need."
)
_FILES: Final = (
    ("box.db", "Accounts, keys, websites, links and other configuration."),
    ("events.db", "The events."),
    ("secret.key", "The key that encrypts stored secrets."),
    ("analytics-box.toml", "Settings (optional)."),
)


def _section(title: str, lines: list[str]) -> list[str]:
    return [f'.SH "{title}"', *lines]


def _command(row: CommandRow) -> Iterator[str]:
    yield f'.SS "{_roff(row.usage)}"'
    paragraphs = row.help.split("\n")
    yield _roff(paragraphs[0])
    for paragraph in paragraphs[1:]:
        yield ".PP"
        yield _roff(paragraph)
    for option in row.options:
        yield from _item(option.written, option.help)


def _setting(row: settings.SettingRow) -> list[str]:
    default = ", ".join(row.default) if isinstance(row.default, tuple) else str(row.default)
    shown = "" if row.name == "data_dir" else default  # which depends on the user
    text = f"{row.help} Default: {shown}." if shown else row.help
    return _item(f"--{row.name.replace('_', '-')}, {row.variable}", text)


def _item(title: str, text: str) -> list[str]:
    return [".TP", f"\\fB{_roff(title)}\\fR", _roff(text)]


def _roff(text: str) -> str:
    """Text without roff requests and escapes."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    escaped = escaped.replace("“", "\\(lq").replace("”", "\\(rq").replace("…", "...").replace("–", "\\(en")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


@click.command()
@AS_JSON
@click.pass_context
def man(context: click.Context, as_json: bool) -> None:
    """Print the man page, analytics-box(1).

    To read it: analytics-box man | man -l - With --json, all commands are printed with their options.
    """
    group = _tree(context)
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(list(rows(group)))))
    else:
        click.echo(man_page(group), nl=False)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@AS_JSON
@click.pass_context
def completion(context: click.Context, shell: str, as_json: bool) -> None:
    """Print a completion script for a shell.

    For bash: eval "$(analytics-box completion bash)" in ~/.bashrc. For zsh: the same in ~/.zshrc, after compinit. For
    fish: analytics-box completion fish > ~/.config/fish/completions/analytics-box.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"There is no completion for {shell}")
    script = kind(_tree(context), {}, PROGRAM, _COMPLETE).source()
    show({"shell": shell, "script": script}, [script], as_json=as_json)


def _tree(context: click.Context) -> click.Group:
    group = context.find_root().command
    if not isinstance(group, click.Group):
        raise click.ClickException("There are no commands to describe")
    return group
