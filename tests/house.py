"""Rules of the house that go by a module's name or its own words, so that new rooms are held to them without an edit.

A room is a package or module inside one of the folders of analytics_box; a folder of one piece is a room itself. A
module's kind is the last word of its name: both `pages` and `form_pages` are pages.
"""

import ast
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

OF_ONE_PIECE = {"figures", "query", "ingest", "web"}


def room_of(module: str) -> str:
    """The room that a module stands in."""
    folder = module.split(".")[1:2]
    return ".".join(module.split(".")[: 2 if folder and folder[0] in OF_ONE_PIECE else 3])


def kind_of(module: str) -> str:
    """The last word of a module's own name; empty for a room as a whole."""
    return module.rpartition(".")[2].rpartition("_")[2] if module != room_of(module) else ""


def _names(**options: Any) -> Any:
    """A list of names in pyproject.toml; the contract has it as a sequence."""
    return fields.ListField(subfield=fields.StringField(), **options)


def _name() -> Any:
    return fields.StringField()


class _Importers(Contract):
    """Some modules are imported only by those that may; `found` names every import against the rule."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        found = sorted(set(self.found(graph)))
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["found"]:
            output.print_error(line)

    def found(self, graph: ImportGraph) -> Iterator[str]:
        """The imports against the rule."""
        raise NotImplementedError


class OfARoom(_Importers):
    """Modules of these kinds are imported by their own room, and by those that gather all rooms."""

    type_name = "of_a_room"
    kinds: Sequence[str] = _names()
    gathered_by: Sequence[str] = _names()

    def found(self, graph: ImportGraph) -> Iterator[str]:
        for module in graph.modules:
            if kind_of(module) in self.kinds:
                for importer in graph.find_modules_that_directly_import(module):
                    room = room_of(importer)
                    if room != room_of(module) and room not in self.gathered_by:
                        yield f"{importer} -> {module}"


class KnownTo(_Importers):
    """A library is imported by these rooms, and by modules of these kinds."""

    type_name = "known_to"
    library: str = _name()
    rooms: Sequence[str] = _names()
    kinds: Sequence[str] = _names(default=())

    def found(self, graph: ImportGraph) -> Iterator[str]:
        for importer in graph.find_modules_that_directly_import(self.library):
            inside = any(importer == room or importer.startswith(f"{room}.") for room in self.rooms)
            if not inside and kind_of(importer) not in self.kinds:
                yield f"{importer} -> {self.library}"


class Pure(_Importers):
    """Modules of these kinds, and all that call themselves pure, reach nothing that does I/O."""

    type_name = "pure"
    kinds: Sequence[str] = _names()
    forbidden: Sequence[str] = _names()

    def found(self, graph: ImportGraph) -> Iterator[str]:
        reached = [name for name in self.forbidden if name in graph.modules]
        for module in graph.modules:
            if kind_of(module) in self.kinds or _says_pure(module):
                for name in reached:
                    chain = graph.find_shortest_chain(importer=module, imported=name)
                    if chain:
                        yield " -> ".join(chain)


def _says_pure(module: str) -> bool:
    if not module.startswith("analytics_box."):
        return False
    origin = getattr(find_spec(module), "origin", None)
    text = ast.get_docstring(ast.parse(Path(origin).read_text(encoding="utf-8"))) if origin else None
    return bool(text) and any(line.endswith("Pure.") for line in str(text).splitlines())
