"""The plan of a file: what would be created, changed and deleted so that the server has what the file declares."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from analytics_box.app.declared.kinds import BY_NAME, DECLARED, RENAMED, DeclaredKind, Item, key_of, label, wire_fields
from analytics_box.app.declared.reading import DeclaredFile
from analytics_box.app.declared.stock import Stock, StoredResource, readable
from analytics_box.base.errors import BadRequest, BoxError, ErrorDetail
from analytics_box.base.translation import _


class PlannedChange(Struct, frozen=True):
    """A change of one resource. `fields` are those of the wire that differ, before and after; `line` is in the file."""

    kind: str
    action: Literal["create", "update", "delete"]
    label: str
    fields: dict[str, tuple[Any, Any]] = {}
    line: int = 0


def plan(stock: Stock, file: DeclaredFile, *, prune: bool) -> list[PlannedChange]:
    """All changes, in the order in which they are carried out. Raises BadRequest that names every faulty line."""
    wrong: list[ErrorDetail] = []
    found: list[PlannedChange] = []
    for kind in DECLARED:  # References can name resources that the file itself creates.
        names = {key_of(kind, item)[-1] for item in file.items.get(kind.name, ())}
        stock.planned[kind.name] = names - {key_of(kind, one.item)[-1] for one in stock.of(kind)} if names else set()
    for kind in DECLARED:
        if kind.name in file.items:
            for position, item in enumerate(file.items[kind.name]):
                try:
                    change = _change(stock, kind, item, file.lines[kind.name, position])
                except (BoxError, msgspec.ValidationError) as error:
                    line = file.lines[kind.name, position]
                    wrong.append(ErrorDetail("", f"{file.name}:{line}: {label(kind, item)}: {readable(error)}"))
                else:
                    found += [change] if change is not None else []
    if wrong:
        raise BadRequest("\n".join(one.message for one in wrong), details=tuple(wrong))
    return [*found, *(_deletions(stock, file) if prune else ())]


def carry_out(stock: Stock, file: DeclaredFile, *, prune: bool) -> Iterator[PlannedChange]:
    """Carry out what `plan` returned and yield each change that is done. Raises BadRequest, which names the line."""
    stock.planned.clear()
    for kind in DECLARED:
        waiting = list(enumerate(file.items.get(kind.name, ())))
        while waiting:
            refused: list[tuple[tuple[int, Item], BadRequest]] = []
            for position, item in waiting:
                try:
                    change = _carry_out_one(stock, kind, item, file.lines[kind.name, position])
                except (BoxError, msgspec.ValidationError) as error:
                    line = file.lines[kind.name, position]
                    reason = BadRequest(f"{file.name}:{line}: {label(kind, item)}: {readable(error)}")
                    refused.append(((position, item), reason))
                else:
                    if change is not None:
                        yield change
            if len(refused) == len(waiting):
                raise BadRequest("\n".join(reason.message for _one, reason in refused))
            waiting = [one for one, _reason in refused]  # They may need what has been created after them.
    if prune:
        for change in _deletions(stock, file):
            kind = BY_NAME[change.kind]
            stored = next(one for one in stock.of(kind) if label(kind, one.item) == change.label)
            try:
                stock.remove(kind, stored)
            except BoxError as error:
                raise BadRequest(f"{change.label}: {readable(error)}") from error
            yield change


def _carry_out_one(stock: Stock, kind: DeclaredKind, item: Item, line: int) -> PlannedChange | None:
    change = _change(stock, kind, item, line)
    if change is not None:
        stored = None if change.action == "create" else _find_stored(stock, kind, item)
        stock.save(kind, item, stored, set(change.fields))
    return change


def _change(stock: Stock, kind: DeclaredKind, item: Item, line: int) -> PlannedChange | None:
    """The change that a resource of the file needs; None if the server has it as it is declared."""
    known = {*wire_fields(kind), *kind.references, RENAMED} - {one.wire for one in kind.references.values()}
    for name in item:
        if name not in known:
            raise BadRequest(_("Unknown field {name}. Use {known}").format(name=name, known=", ".join(sorted(known))))
    wanted = stock.normal(kind, item)
    stored = _find_stored(stock, kind, item)
    if stored is None:
        return PlannedChange(kind.name, "create", label(kind, item), {n: (None, v) for n, v in wanted.items()}, line)
    try:
        current = stock.normal(kind, stored.item)
    except msgspec.ValidationError:
        current = stock.wire(kind, stored.item)  # A value from before a limit; it differs if the file has another.
    cleared = {
        (kind.references[name].wire if name in kind.references else name): None
        for name, value in item.items()
        if value is None and name != RENAMED
    }
    wanted |= cleared
    fields = {
        name: (current.get(name), value) for name, value in wanted.items() if not _is_same(current.get(name), value)
    }
    return PlannedChange(kind.name, "update", label(kind, stored.item), fields, line) if fields else None


def _is_same(current: Any, wanted: Any) -> bool:
    """Whether a stored value is the wanted one. Parts that the file leaves out, and empty ones, do not count."""
    # A filter with one value can be written with or without a list.
    if isinstance(current, list) and len(current) == 1 and isinstance(wanted, str):
        current = current[0]
    elif isinstance(wanted, list) and len(wanted) == 1 and isinstance(current, str):
        wanted = wanted[0]
    if isinstance(current, dict) and isinstance(wanted, dict):
        return all(_is_same(current.get(name), value) for name, value in wanted.items())
    if isinstance(current, list | tuple) and isinstance(wanted, list | tuple):
        return len(current) == len(wanted) and all(map(_is_same, current, wanted))
    if current in (None, "", [], {}, ()) and wanted in (None, "", [], {}, ()):
        return True
    return bool(current == wanted)


def _find_stored(stock: Stock, kind: DeclaredKind, item: Item) -> StoredResource | None:
    """The resource with the key of an item, or with the key that it had before it was renamed."""
    key = key_of(kind, item)
    found = [one for one in stock.of(kind) if key_of(kind, one.item) == key]
    if not found and item.get(RENAMED):
        former = (*key[:-1], str(item[RENAMED]))
        found = [one for one in stock.of(kind) if key_of(kind, one.item) == former]
    if len(found) > 1:
        raise BadRequest(_("The server has several of these. Rename or delete the others first"))
    return found[0] if found else None


def _deletions(stock: Stock, file: DeclaredFile) -> Iterator[PlannedChange]:
    """The resources that the file does not have, of the kinds that it has; those that others need come last."""
    kinds = [kind for kind in reversed(DECLARED) if kind.name in file.items]
    for kind in kinds:
        kept = {key_of(kind, item) for item in file.items[kind.name]}
        kept |= {(*key_of(kind, item)[:-1], str(item[RENAMED])) for item in file.items[kind.name] if item.get(RENAMED)}
        for one in list(stock.of(kind)):
            # The component of a monitor belongs to the list of its page.
            if key_of(kind, one.item) not in kept and not (kind.name == "components" and "monitor" in one.item):
                yield PlannedChange(kind.name, "delete", label(kind, one.item))
