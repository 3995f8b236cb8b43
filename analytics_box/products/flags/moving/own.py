"""This box's file format of flags, for export and import. Pure.

A file that is imported into an empty website and exported again is the same file, except for flags that need inactive
flags: they cannot be active there. Target groups are identified by their names.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.base.wrong_values import wrong_value
from analytics_box.products.flags.flag import Flag, FlagDefinition, TargetGroup, TargetingRule
from analytics_box.products.flags.moving.conditions import with_groups
from analytics_box.products.flags.moving.wanted import (
    MOST,
    SourceFile,
    SourceFlag,
    SourceGroup,
    chosen_environment,
    key_error,
)

FORMAT: Final = "analytics-box-flags"
_MOST_GROUPS: Final = 1_000
Environment = Annotated[str, Meta(min_length=1, max_length=64)]
UserId = Annotated[str, Meta(min_length=1, max_length=255)]


class FileFlag(FlagDefinition, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A flag in a file: all fields of its definition, with its key and its user."""

    key: str
    environment: Environment | None = None
    userId: UserId | None = None


class FileGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A target group in a file; flags refer to it by its name, in `targetGroupIds` and in conditions."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    description: Annotated[str, Meta(max_length=500)] = ""
    color: Annotated[str, Meta(max_length=32)] = ""
    rules: tuple[TargetingRule, ...] = ()


class BoxFlagFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file."""

    format: Literal["analytics-box-flags"]
    version: Literal[1] = 1
    flags: Annotated[tuple[FileFlag, ...], Meta(max_length=MOST)] = ()
    targetGroups: Annotated[tuple[FileGroup, ...], Meta(max_length=_MOST_GROUPS)] = ()


def is_own(given: Mapping[str, Any]) -> bool:
    """Whether this is such a file."""
    return given.get("format") == FORMAT


def build_file(flags: Iterable[Flag], groups: Iterable[TargetGroup]) -> Any:
    """Flags and target groups as plain values of a file."""
    groups = list(groups)
    names = {one.id: one.name for one in groups}
    file = BoxFlagFile(
        format=FORMAT,
        flags=tuple(_file_flag(one, names) for one in flags),
        targetGroups=tuple(
            FileGroup(name=one.name, description=one.description, color=one.color, rules=one.rules) for one in groups
        ),
    )
    plain: dict[str, Any] = msgspec.to_builtins(file, str_keys=True)
    named = [{"key": one["key"]} | one for one in plain.get("flags", ())]
    return {"format": FORMAT, "version": 1} | plain | {"flags": named}


def _file_flag(flag: Flag, names: Mapping[str, str]) -> FileFlag:
    fields = {name: getattr(flag.definition, name) for name in FlagDefinition.__struct_fields__}
    fields["rules"] = with_groups(flag.definition.rules, names)
    fields["targetGroupIds"] = tuple(names[one] for one in flag.definition.targetGroupIds if one in names)
    return FileFlag(key=flag.key, environment=flag.environment, userId=flag.user_id, **fields)


def read_file(given: Mapping[str, Any], environment: str | None = None) -> SourceFile:
    """The flags of a file: all of them, or those of one of its environments; "" means flags of none.

    Raises BadRequest.
    """
    try:
        file = msgspec.convert(dict(given), BoxFlagFile)
    except msgspec.ValidationError as wrong:
        refused = wrong_value(wrong, BoxFlagFile).sentence
        raise BadRequest(_("The file cannot be imported: {refused}").format(refused=refused)) from wrong
    if environment is not None:
        chosen_environment((one.environment or "" for one in file.flags), environment)
    flags = [one for one in file.flags if environment is None or (one.environment or "") == environment]
    return SourceFile(
        flags=tuple(_read_flag(position, one) for position, one in enumerate(flags, 1)),
        groups=tuple(
            SourceGroup(ref=one.name, name=one.name, description=one.description, color=one.color, rules=one.rules)
            for one in file.targetGroups
        ),
        chosen=environment,
    )


def _read_flag(position: int, one: FileFlag) -> SourceFlag:
    error = key_error(one.key)
    if error:
        return SourceFlag(number=position, key=one.key, error=error, field="key")
    return SourceFlag(
        number=position,
        key=one.key,
        environment=one.environment,
        user_id=one.userId,
        definition=FlagDefinition(**{name: getattr(one, name) for name in FlagDefinition.__struct_fields__}),
    )
