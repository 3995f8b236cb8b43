"""Differences between two states of a flag, field by field. Pure."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from analytics_box.products.flags.flag import FlagDefinition, TargetingRule

Kind = Literal["added", "removed", "changed", "moved"]
T = TypeVar("T")

# Fields whose parts are compared one by one.
_PARTS: Final = frozenset(("rules", "variants", "dependencies", "prerequisites", "targetGroupIds"))
_WHOLE: Final = tuple(name for name in FlagDefinition.__struct_fields__ if name not in _PARTS)


class DefinitionChange(Struct, frozen=True):
    """A difference. `item` identifies the part: a variant's key, a flag's key, the number of a rule.

    `before` and `after` are as the definition has them; for a part that moved, the numbers of its places, and for
    variants in another order their keys.
    """

    field: str
    kind: Kind
    before: Any = None
    after: Any = None
    item: str = ""


def difference(before: FlagDefinition, after: FlagDefinition) -> tuple[DefinitionChange, ...]:
    """All that is different, in the order in which a flag has its fields; nothing for equal states."""
    return (
        *_fields(before, after),
        *_rules(before.rules, after.rules),
        *_keyed_changes("variants", before.variants, after.variants, lambda one: one.key, ordered=True),
        *_keyed_changes("dependencies", before.dependencies, after.dependencies, str),
        *_keyed_changes("prerequisites", before.prerequisites, after.prerequisites, lambda one: one.key),
        *_keyed_changes("targetGroupIds", before.targetGroupIds, after.targetGroupIds, str, ordered=True),
    )


def _fields(before: FlagDefinition, after: FlagDefinition) -> Iterator[DefinitionChange]:
    for field in _WHOLE:
        was, became = getattr(before, field), getattr(after, field)
        if not _same(was, became):
            yield DefinitionChange(field, "changed", was, became)


def _rules(before: Sequence[TargetingRule], after: Sequence[TargetingRule]) -> Iterator[DefinitionChange]:
    """The changes of rules. Rules have no names: equal rules in both states are the same rule, and the longest run of
    them stays.
    """
    old, new = ([msgspec.json.encode(one) for one in rules] for rules in (before, after))
    gone: list[int] = []
    came: list[int] = []
    pairs: list[tuple[int, int]] = []
    for tag, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        paired = min(end - start, last - first)
        pairs += zip(range(start, start + paired), range(first, first + paired), strict=True)
        gone += range(start + paired, end)
        came += range(first + paired, last)
    changes = [*_move_changes(old, new, gone, came)]
    changes += [DefinitionChange("rules", "changed", before[one], after[other], str(other + 1)) for one, other in pairs]
    changes += [DefinitionChange("rules", "removed", before[one], None, str(one + 1)) for one in gone]
    changes += [DefinitionChange("rules", "added", None, after[one], str(one + 1)) for one in came]
    yield from sorted(changes, key=lambda change: int(change.item))


def _move_changes(
    old: Sequence[bytes], new: Sequence[bytes], gone: list[int], came: list[int]
) -> Iterator[DefinitionChange]:
    """Rules that were removed at one place and added at another; removes them from `gone` and `came`."""
    for place in tuple(came):
        source = next((one for one in gone if old[one] == new[place]), None)
        if source is not None:
            gone.remove(source)
            came.remove(place)
            yield DefinitionChange("rules", "moved", source + 1, place + 1, str(place + 1))


def _keyed_changes(
    field: str, before: Sequence[T], after: Sequence[T], key_of: Callable[[T], str], *, ordered: bool = False
) -> Iterator[DefinitionChange]:
    """The changes of parts that have a key. Their order is a change only if it decides something: which users get which
    variant.
    """
    old, new = ({key_of(one): one for one in ones} for ones in (before, after))
    for key, was in old.items():
        if key not in new:
            yield DefinitionChange(field, "removed", was, None, key)
        elif not _same(was, new[key]):
            yield DefinitionChange(field, "changed", was, new[key], key)
    for key, became in new.items():
        if key not in old:
            yield DefinitionChange(field, "added", None, became, key)
    stayed, now = [key for key in old if key in new], [key for key in new if key in old]
    if ordered and stayed != now:
        yield DefinitionChange(field, "moved", list(old), list(new))


def _same(was: object, became: object) -> bool:
    """Whether two values are the same JSON: true is not 1, and 1.0 is 1."""
    return was == became and (_is_number(was, became) or _encode(was) == _encode(became))


def _is_number(*values: object) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _encode(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
