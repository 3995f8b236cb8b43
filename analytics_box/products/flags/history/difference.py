"""What two states of a flag differ in, field by field. Pure."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from analytics_box.products.flags.flag import Definition, Rule

Kind = Literal["added", "removed", "changed", "moved"]
T = TypeVar("T")

_WHOLE: Final = (
    "name",
    "description",
    "type",
    "status",
    "defaultValue",
    "offValue",
    "payload",
    "rolloutPercentage",
    "rolloutBy",
    "persistAcrossAuth",
    "folder",
    "bucketing",
)


class Change(Struct, frozen=True):
    """One thing that is different. `item` says which of several: a variant's key, a flag's key, the number of a rule.

    `before` and `after` are as the definition has them; of what moved, they are the numbers of its places, and of
    variants in another order their keys.
    """

    field: str
    kind: Kind
    before: Any = None
    after: Any = None
    item: str = ""


def difference(before: Definition, after: Definition) -> tuple[Change, ...]:
    """All that is different, in the order in which a flag has its fields; nothing for equal states."""
    return (
        *_fields(before, after),
        *_rules(before.rules, after.rules),
        *_keyed("variants", before.variants, after.variants, lambda one: one.key, ordered=True),
        *_keyed("dependencies", before.dependencies, after.dependencies, str),
        *_keyed("prerequisites", before.prerequisites, after.prerequisites, lambda one: one.key),
        *_keyed("targetGroupIds", before.targetGroupIds, after.targetGroupIds, str, ordered=True),
    )


def _fields(before: Definition, after: Definition) -> Iterator[Change]:
    for field in _WHOLE:
        was, became = getattr(before, field), getattr(after, field)
        if not _same(was, became):
            yield Change(field, "changed", was, became)


def _rules(before: Sequence[Rule], after: Sequence[Rule]) -> Iterator[Change]:
    """Rules have no names of their own: what is alike in both is the same rule, and the longest run of them stays."""
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
    changes = [*_moved(old, new, gone, came)]
    changes += [Change("rules", "changed", before[one], after[other], str(other + 1)) for one, other in pairs]
    changes += [Change("rules", "removed", before[one], None, str(one + 1)) for one in gone]
    changes += [Change("rules", "added", None, after[one], str(one + 1)) for one in came]
    yield from sorted(changes, key=lambda change: int(change.item))


def _moved(old: Sequence[bytes], new: Sequence[bytes], gone: list[int], came: list[int]) -> Iterator[Change]:
    """Rules that were taken out at one place and stand at another; takes them out of `gone` and `came`."""
    for place in tuple(came):
        source = next((one for one in gone if old[one] == new[place]), None)
        if source is not None:
            gone.remove(source)
            came.remove(place)
            yield Change("rules", "moved", source + 1, place + 1, str(place + 1))


def _keyed(
    field: str, before: Sequence[T], after: Sequence[T], key_of: Callable[[T], str], *, ordered: bool = False
) -> Iterator[Change]:
    """Parts that have a key. Their order is a change only where it decides something: who draws which variant."""
    old, new = ({key_of(one): one for one in ones} for ones in (before, after))
    for key, was in old.items():
        if key not in new:
            yield Change(field, "removed", was, None, key)
        elif not _same(was, new[key]):
            yield Change(field, "changed", was, new[key], key)
    for key, became in new.items():
        if key not in old:
            yield Change(field, "added", None, became, key)
    stayed, now = [key for key in old if key in new], [key for key in new if key in old]
    if ordered and stayed != now:
        yield Change(field, "moved", list(old), list(new))


def _same(was: object, became: object) -> bool:
    """Whether two values are the same JSON: true is not 1, and 1.0 is 1."""
    return was == became and (_is_number(was, became) or _encoded(was) == _encoded(became))


def _is_number(*values: object) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _encoded(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
