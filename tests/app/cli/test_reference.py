"""Every command prints JSON and says what it does; the man page and completion are made of the same tree."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from analytics_box.app.cli.main import Tree, main
from analytics_box.app.cli.options import EXIT_CODES
from analytics_box.app.cli.reference import SHELLS, CommandRow, man_page, rows
from analytics_box.base import settings

ALL = list(rows(main))


def leaf(name: str) -> click.Command:
    command: click.Command = main
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.commands[word]
    return command


@pytest.mark.parametrize("row", ALL, ids=lambda row: str(row.name))
def test_every_command_prints_json_and_describes_itself_and_its_options(row: CommandRow) -> None:
    assert "--json" in {option.written for option in row.options}
    assert row.short
    described = [one for one in leaf(row.name).params if isinstance(one, click.Option) and not one.help]
    assert described == []
    help_texts = [leaf(row.name).help or "", *(getattr(one, "help", None) or "" for one in leaf(row.name).params)]
    assert not [text for text in help_texts if re.search(r"\{\w+\}", text)], "a placeholder that nothing fills"


def test_the_man_page_has_every_command_option_setting_and_exit_code() -> None:
    page = man_page(main).replace("\\-", "-").replace("\\&", "")
    for row in ALL:
        assert f'.SS "analytics-box {row.name}' in page
        assert all(option.written in page.replace("\\(dq", '"') for option in row.options), row.name
    assert all(row.variable in page for row in settings.table())
    assert all(f".TP\n\\fB{code}\\fR\n" in page for code, _ in EXIT_CODES)
    assert str(Path.home()) not in page, "it is the same whoever makes it"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_nothing_to_say_against_the_man_page(tmp_path: Path) -> None:
    file = tmp_path / "analytics-box.1"
    file.write_text(man_page(main), encoding="utf-8")
    ended = subprocess.run(
        ["groff", "-man", "-ww", "-z", "-Kutf8", "-rLL=100n", "-Tutf8", str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    shown = subprocess.run(
        ["groff", "-man", "-Kutf8", "-Tascii", "-P-cbu", str(file)], capture_output=True, text=True, check=True
    )
    assert "analytics-box website create [OPTIONS] DOMAIN" in shown.stdout


def test_nothing_in_the_man_page_is_an_escape_by_accident() -> None:
    known = re.compile(r"\\(?:-|e|&|fB|fI|fR|\((?:dq|lq|rq|en))")
    assert "\\" not in known.sub("", man_page(main))
    assert man_page(main).isascii() or "…" not in man_page(main)


def test_man_prints_the_page_and_with_json_what_it_is_made_of() -> None:
    assert CliRunner().invoke(main, ["man"]).stdout == man_page(main)
    told = json.loads(CliRunner().invoke(main, ["man", "--json"]).stdout)
    assert [row["name"] for row in told] == [row.name for row in ALL]


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_told_for_each_shell(shell: str) -> None:
    ended = CliRunner().invoke(main, ["completion", shell])
    assert ended.exit_code == 0
    assert "_ANALYTICS_BOX_COMPLETE" in ended.stdout
    assert "analytics-box" in ended.stdout
    assert json.loads(CliRunner().invoke(main, ["completion", shell, "--json"]).stdout)["shell"] == shell


def test_completion_knows_commands_and_options() -> None:
    asked = {"_ANALYTICS_BOX_COMPLETE": "bash_complete", "COMP_WORDS": "analytics-box website ", "COMP_CWORD": "2"}
    ended = CliRunner().invoke(main, [], env=asked, prog_name="analytics-box")
    assert {"plain,create", "plain,delete", "plain,edit", "plain,list"} <= set(ended.stdout.split())
    asked |= {"COMP_WORDS": "analytics-box link create --s", "COMP_CWORD": "3"}
    assert "plain,--slug" in CliRunner().invoke(main, [], env=asked, prog_name="analytics-box").stdout


def test_an_unknown_command_and_option_end_with_2() -> None:
    assert CliRunner().invoke(main, ["nothing"]).exit_code == 2
    assert CliRunner().invoke(main, ["check", "--nothing"]).exit_code == 2


def _trees(group: click.Group) -> list[Tree]:
    below = [tree for one in group.commands.values() if isinstance(one, click.Group) for tree in _trees(one)]
    return [*([group] if isinstance(group, Tree) else []), *below]


def test_the_tables_of_commands_say_what_the_commands_say_of_themselves() -> None:
    for tree in _trees(main):
        for name, line in tree.lines.items():
            assert tree.commands[name].name == name
            assert tree.commands[name].get_short_help_str(10_000).startswith(line.help.removesuffix(".")), name


def test_a_help_and_a_completion_load_no_command() -> None:
    asked = (
        "import sys; from click.testing import CliRunner; from analytics_box.app.cli.main import main;"
        "said = CliRunner().invoke(main, ['--help']).output;"
        "said += CliRunner(env={'_ANALYTICS_BOX_COMPLETE': 'bash_complete', 'COMP_WORDS': 'analytics-box mon', "
        "'COMP_CWORD': '1'}).invoke(main, prog_name='analytics-box').output;"
        "print(said, sorted(name for name in sys.modules if name.startswith('analytics_box')))"
    )
    ended = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert "List, add, pause, resume" in ended.stdout
    assert "plain,monitor" in ended.stdout
    packages = ["analytics_box", "analytics_box.app", "analytics_box.app.cli"]
    assert f"{[*packages, 'analytics_box.app.cli.main']}" in ended.stdout
