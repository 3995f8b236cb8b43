"""The history of a flag, with the changes from version to version."""

from collections.abc import Sequence

from analytics_box.base import errors, figures
from analytics_box.base.acting import THE_BOX
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import FlagDefinition
from analytics_box.products.flags.history import rows
from analytics_box.products.flags.history.difference import DefinitionChange, difference
from analytics_box.products.flags.history.rows import Version

_MOST_IN_FORCE = 50  # Versions that are read at most: each has up to 256 KiB.
UNKNOWN_VERSION = "This version no longer exists. Only recent versions are kept"


def history(
    db: Connection, flag_id: str, *, before: int | None = None, limit: int
) -> tuple[list[tuple[Version, tuple[DefinitionChange, ...]]], bool]:
    """The newest versions with their changes, and whether there are older ones. The first version added everything."""
    found = rows.latest(db, flag_id, before=before, limit=limit + 1)
    older: Sequence[Version | None] = [*found[1:], None]
    pairs = [(one, _changes(earlier, one)) for one, earlier in zip(found, older, strict=True)]
    return pairs[:limit], len(found) > limit


def version(db: Connection, flag_id: str, number: int) -> tuple[Version, tuple[DefinitionChange, ...]]:
    """A version with its changes. Raises NotFound for a version that is no longer kept."""
    one = existing(db, flag_id, number)
    earlier = rows.latest(db, flag_id, before=number, limit=1)
    return one, _changes(earlier[0] if earlier else None, one)


def actor_name(one: Version) -> str:
    """The name of the user or key that saved a version."""
    if one.actor_name:
        return figures.visible(one.actor_name)
    if one.actor == THE_BOX:
        return _("Analytics Box")
    kind = one.actor.partition(":")[0]
    return {"user": _("Deleted user"), "apikey": _("Deleted API key")}.get(kind, figures.visible(one.actor))


def between(db: Connection, flag_id: str, first: int, second: int) -> tuple[DefinitionChange, ...]:
    """The changes from one version to another. Raises NotFound for a version that is no longer kept."""
    return _changes(existing(db, flag_id, first), existing(db, flag_id, second))


def existing(db: Connection, flag_id: str, number: int) -> Version:
    """A version of a flag. Raises NotFound for one that is not kept."""
    found = rows.find(db, flag_id, number)
    if found is None:
        raise errors.NotFound.of("flagVersion", str(number), UNKNOWN_VERSION)
    return found


def in_force(db: Connection, flag_id: str, start: int, end: int) -> list[FlagDefinition] | None:
    """The definitions of a flag in force in [start, end), one for each version; None if these are no longer kept, or
    too many.
    """
    found = rows.in_force(db, flag_id, start, end, limit=_MOST_IN_FORCE + 1)
    lost = bool(found) and found[0][0] > 1 and found[0][1] > start
    return None if lost or len(found) > _MOST_IN_FORCE else [definition for *_, definition in found]


def _changes(earlier: Version | None, later: Version) -> tuple[DefinitionChange, ...]:
    if earlier is None:
        return ()
    own = (
        DefinitionChange(field, "changed", before, after)
        for field in ("key", "environment")
        if (before := getattr(earlier, field)) != (after := getattr(later, field))
    )
    return (*own, *difference(earlier.definition, later.definition))
