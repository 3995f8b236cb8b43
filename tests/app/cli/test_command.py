"""Every command that is declared over a procedure agrees with the input of that procedure."""

from collections.abc import Iterator
from typing import Any, get_type_hints

import click
import msgspec
import pytest
from msgspec import Struct

from analytics_box.app.admin.commands import BOX_COMMANDS, ORGANIZATION_COMMANDS, handler_of
from analytics_box.app.cli.command import InputOption, ProcedureCommand
from analytics_box.app.cli.main import main
from analytics_box.app.procedures import PROCEDURES
from analytics_box.base.errors import BadRequest

# Commands that set fields through several procedures, each with its fields.
SEVERAL = {
    "website edit": ("websites.update", "websites.togglePublic", "websites.updateSettings"),
    "website restore": ("websites.restore",),
}


def leaves(group: click.Group, before: str = "") -> Iterator[tuple[str, ProcedureCommand]]:
    for name in sorted(group.commands):
        command, full = group.commands[name], f"{before}{name}"
        if isinstance(command, click.Group):
            yield from leaves(command, f"{full} ")
        elif isinstance(command, ProcedureCommand):
            yield full, command


COMMANDS = dict(leaves(main))


def input_of(procedure: str) -> type[Struct]:
    kind: type[Struct] = get_type_hints(handler_of(procedure)).get("given", Struct)
    return kind


def names(kind: type[Struct]) -> dict[str, Any]:
    fields = msgspec.structs.fields(kind)
    return {field.encode_name: field.type for field in fields}


def has(kind: Any, path: str) -> bool:
    name, _, rest = path.partition(".")
    fields = names(kind)
    return name in fields and (not rest or has(fields[name], rest))


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_is_a_field_of_the_procedure(name: str) -> None:
    command = COMMANDS[name]
    procedures = SEVERAL.get(name, (command.procedure,))
    paths = [param.path for param in command.inputs if param.path]
    assert [path for path in paths if not any(has(input_of(one), path) for one in procedures)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_each_choice_is_a_value_that_the_field_accepts(name: str) -> None:
    command = COMMANDS[name]
    for param in command.inputs:
        if not isinstance(param.type, click.Choice) or "." in param.path:
            continue
        kind = names(input_of(command.procedure))[param.path]
        for choice in param.type.choices:
            value = [choice] if isinstance(param, InputOption) and param.multiple else choice
            assert msgspec.convert(value, kind, strict=False) is not None


def test_every_procedure_of_the_api_and_of_the_box_has_a_name_of_its_own() -> None:
    procedures = {line.name for line in PROCEDURES}
    assert procedures.isdisjoint(BOX_COMMANDS)
    assert procedures.isdisjoint(ORGANIZATION_COMMANDS)
    assert len(COMMANDS) > 35


def test_unknown_command_is_refused_as_that_of_another_version() -> None:
    with pytest.raises(BadRequest, match="may run another version"):
        handler_of("links.create2")
