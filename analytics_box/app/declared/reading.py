"""A file that declares resources, as YAML or JSON, with the line of each."""

from typing import Any, Final

from msgspec import Struct

from analytics_box.app.declared.kinds import DECLARED, Item, key_of, label
from analytics_box.base.errors import BadRequest
from analytics_box.base.plain_files import read_with_lines
from analytics_box.base.translation import _

VERSION: Final = 1
# Resources of one kind.
MOST_ITEMS: Final = 20_000


class DeclaredFile(Struct, frozen=True):
    """The resources of a file by kind, and the line where each begins, by its kind and place; 1 in JSON."""

    name: str
    items: dict[str, list[Item]]
    lines: dict[tuple[str, int], int]


def read(text: str, name: str) -> DeclaredFile:
    """The contents of a file. Raises BadRequest, which names the line."""
    given, lines = read_with_lines(text)
    if not isinstance(given, dict):
        raise BadRequest(_("{file} must be a mapping, such as `websites: […]`").format(file=name))
    known = {kind.name: kind for kind in DECLARED}
    if given.get("version", VERSION) != VERSION:
        raise BadRequest(_("{file}: this version reads files of version {version}").format(file=name, version=VERSION))
    items: dict[str, list[Item]] = {}
    for kind_name, listed in given.items():
        if kind_name == "version":
            continue
        if kind_name not in known:
            names = ", ".join(known)
            raise BadRequest(_("{file}: unknown key {key}. Use {names}").format(file=name, key=kind_name, names=names))
        items[kind_name] = _items(name, kind_name, listed or [], lines)
        seen: dict[tuple[str, ...], int] = {}
        for position, item in enumerate(items[kind_name]):
            line, kind = lines.get((kind_name, position), 1), known[kind_name]
            lines[kind_name, position] = line
            first = seen.setdefault(key_of(kind, item), line)
            if first != line or not any(key_of(kind, item)[-1:]):
                reason = (
                    _("also on line {line}").format(line=first)
                    if first != line
                    else _("{key} is missing").format(key=" or ".join(kind.key[-1].split("|")))
                )
                raise BadRequest(f"{name}:{line}: {label(kind, item)}: {reason}")
    return DeclaredFile(name, items, lines)


def _items(name: str, kind: str, listed: Any, lines: dict[tuple[str, int], int]) -> list[Item]:
    if not isinstance(listed, list) or len(listed) > MOST_ITEMS:
        raise BadRequest(
            _("{file}: {kind} must be a list of up to {most:,}").format(file=name, kind=kind, most=MOST_ITEMS)
        )
    for position, item in enumerate(listed):
        if not isinstance(item, dict) or not all(isinstance(key, str) for key in item):
            raise BadRequest(
                _("{file}:{line}: each entry must be a mapping").format(file=name, line=lines.get((kind, position), 1))
            )
    return listed
