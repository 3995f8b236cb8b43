"""The fields that a change changes, as the audit log shows them. Pure."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import msgspec

Detail = dict[str, object]

# The entry itself has the id and the time.
_NEVER: Final = frozenset(("id", "created_at", "updated_at"))


def difference(
    before: msgspec.Struct,
    after: msgspec.Struct,
    fields: Collection[str] | None = None,
    *,
    without: Collection[str] = (),
    shown: Mapping[str, Callable[[Any], object]] = {},
    names: Mapping[str, str] = {},
) -> Detail:
    """The changed fields between two states of a resource, each with its values before and after.

    `fields` are those of `before` unless given, but for those in `without`. `shown` replaces a value that the log must
    not have: `bool` for a secret, `len` for a list that names people. `names` are the names of fields in the log, if
    they differ.
    """
    found: Detail = {}
    for field in before.__struct_fields__ if fields is None else fields:
        old, new = getattr(before, field), getattr(after, field)
        if old != new and field not in _NEVER and field not in without:
            show: Callable[[Any], object] = shown.get(field, msgspec.to_builtins)
            found[names.get(field, field)] = {"before": show(old), "after": show(new)}
    return found
