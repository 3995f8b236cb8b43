"""Folders of flags: nothing but names that flags have, so each change of one is a change of its flags."""

from collections.abc import Iterable

from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.editing.change import record, stored_scope
from analytics_box.products.flags.flag import LONGEST_FOLDER, Flag, clean_folder
from analytics_box.resource.reach import check


def rename(db: Connection, own: FlagReach, folder: str, to: str) -> int:
    """Rename a folder with its subfolders. Return the number of flags that moved.

    Raises Forbidden, BadRequest or NotFound.
    """
    target = clean_folder(to, "to")
    if not target:
        raise BadRequest.about("to", _("Enter a folder name"))
    return _move(db, own, clean_folder(folder), target)


def delete(db: Connection, own: FlagReach, folder: str) -> int:
    """Delete a folder; its flags and subfolders move one level up. Return the number of flags that moved.

    Raises Forbidden, BadRequest or NotFound.
    """
    name = clean_folder(folder)
    return _move(db, own, name, name.rpartition("/")[0])


def count(flags: tuple[Flag, ...]) -> dict[str, int]:
    """The number of flags in each folder itself, by its name; parent folders are included."""
    found: dict[str, int] = {}
    for flag in flags:
        name = flag.definition.folder
        if name:
            found[name] = found.get(name, 0) + 1
        while name := name.rpartition("/")[0]:
            found.setdefault(name, 0)
    return dict(sorted(found.items()))


def flags_inside(flags: Iterable[Flag], folder: str) -> list[Flag]:
    """The flags in a folder and in those below it."""
    return [flag for flag in flags if f"{flag.definition.folder}/".startswith(f"{folder}/")]


def _move(db: Connection, own: FlagReach, folder: str, to: str) -> int:
    check(db, own, "member")
    inside = flags_inside(stored_scope(db, own).flags, folder)
    if not folder or not inside:
        raise NotFound.of("flagFolder", folder, _("There is no folder with this name"))
    for flag in inside:
        name = f"{to}{flag.definition.folder[len(folder) :]}".strip("/")
        if len(name) > LONGEST_FOLDER:
            raise BadRequest.about(
                "to", _("A folder below it would have more than {longest} characters").format(longest=LONGEST_FOLDER)
            )
        record(db, own.by, flag, replace(flag, definition=replace(flag.definition, folder=name)), act="updated")
    return len(inside)
