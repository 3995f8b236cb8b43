"""This box's own file of flags: what an export writes and an import reads. Pure.

A file that is imported into an empty website and exported again is the same file, but for flags that need inactive
ones: they cannot be active there. Target groups go by their names.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.flag import Definition, Flag, Rule, TargetGroup
from analytics_box.products.flags.moving.conditions import with_groups
from analytics_box.products.flags.moving.wanted import MOST, File, Wanted, WantedGroup, chosen_environment, key_error

FORMAT: Final = "analytics-box-flags"
_MOST_GROUPS: Final = 1_000
Environment = Annotated[str, Meta(min_length=1, max_length=64)]
UserId = Annotated[str, Meta(min_length=1, max_length=255)]


class FileFlag(Definition, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A flag in a file: all fields of its definition, with the key and for whom it is."""

    key: str
    environment: Environment | None = None
    userId: UserId | None = None


class FileGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A target group in a file; flags refer to it by its name, in `targetGroupIds` and in conditions."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    description: Annotated[str, Meta(max_length=500)] = ""
    color: Annotated[str, Meta(max_length=32)] = ""
    rules: tuple[Rule, ...] = ()


class OwnFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file."""

    format: Literal["analytics-box-flags"]
    version: Literal[1] = 1
    flags: Annotated[tuple[FileFlag, ...], Meta(max_length=MOST)] = ()
    targetGroups: Annotated[tuple[FileGroup, ...], Meta(max_length=_MOST_GROUPS)] = ()


def is_own(given: Mapping[str, Any]) -> bool:
    """Whether this is such a file."""
    return given.get("format") == FORMAT


def written(flags: Iterable[Flag], groups: Iterable[TargetGroup]) -> Any:
    """These as plain values of a file."""
    groups = list(groups)
    names = {one.id: one.name for one in groups}
    file = OwnFile(
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
    fields = {name: getattr(flag.definition, name) for name in Definition.__struct_fields__}
    fields["rules"] = with_groups(flag.definition.rules, names)
    fields["targetGroupIds"] = tuple(names[one] for one in flag.definition.targetGroupIds if one in names)
    return FileFlag(key=flag.key, environment=flag.environment, userId=flag.user_id, **fields)


def read(given: Mapping[str, Any], environment: str | None = None) -> File:
    """What a file wants: all of it, or what it has for one of its environments; "" means flags of none.

    Raises BadRequest.
    """
    try:
        file = msgspec.convert(dict(given), OwnFile)
    except msgspec.ValidationError as wrong:
        raise BadRequest(f"The file cannot be read: {wrong}") from wrong
    if environment is not None:
        chosen_environment((one.environment or "" for one in file.flags), environment)
    flags = [one for one in file.flags if environment is None or (one.environment or "") == environment]
    return File(
        flags=tuple(_wanted(position, one) for position, one in enumerate(flags, 1)),
        groups=tuple(
            WantedGroup(ref=one.name, name=one.name, description=one.description, color=one.color, rules=one.rules)
            for one in file.targetGroups
        ),
        chosen=environment,
    )


def _wanted(position: int, one: FileFlag) -> Wanted:
    error = key_error(one.key)
    if error:
        return Wanted(number=position, key=one.key, error=error, field="key")
    return Wanted(
        number=position,
        key=one.key,
        environment=one.environment,
        user_id=one.userId,
        definition=Definition(**{name: getattr(one, name) for name in Definition.__struct_fields__}),
    )
