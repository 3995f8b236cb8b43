"""What the tables of the box say about a resource: its procedures, its owner, its pages, and the names of its fields.

A declared resource (resource/) needs a line in `declared.py` with its name and the area of its procedures, and example
values for fields whose types have none.
"""

import importlib.util
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import analytics_box
from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import PAGES_AND_API
from analytics_box.resource.fields import fields_of as declared_fields
from analytics_box.resource.reach import OWNERS, id_named
from analytics_box.resource.table import Table
from tests.resources.examples import fields_of

Given = Mapping[str, Any]

_VERBS: Final = {
    "create": ("create", "add", "save"),
    "update": ("update", "save"),
    "get": ("get", "getById"),
    "delete": ("delete", "remove", "cancel"),
}
# The column with the owner → the ids that say where a resource is.
_PLACES: Final[Mapping[str, Given]] = {
    "organization_id": {"organizationId": "{organization}"},
    "website_id": {"websiteId": "{website}"},
    "page_id": {"statusPageId": "{status page}"},
    "flag_id": {"flagId": "{flag}"},
}
_PARENTS: Final = {"website_id": "website", "page_id": "status page"}  # in addresses
_NAMES: Final = frozenset(line.name for line in PROCEDURES)
_FORMS: Final = re.compile(r"\{id\}(/edit|/settings)?$")


def derive(area: str, noun: str = "") -> dict[str, Any]:
    """The fields of `declared.Resource` that follow from the tables of the box."""
    found: dict[str, Any] = {
        kind: next((name for verb in verbs if (name := f"{area}.{verb}{noun}") in _NAMES), "")
        for kind, verbs in _VERBS.items()
    }
    listed = f"{area}.list{noun}s" if noun else f"{area}.list"
    found["listed"] = listed if listed in _NAMES else f"{area}.get"  # A page lists its components.
    key = next(name for name, field in fields_of(found["delete"]).items() if field.required)
    id_name = id_named(area, key) or ""
    table, columns = OWNERS[id_name]
    place = _PLACES[columns[-1]]
    found |= {"key": key, "place": place}
    for kind, procedure in (("update", "update"), ("get", "get"), ("list", "listed"), ("delete", "delete")):
        accepted = fields_of(found[procedure]) if found[procedure] else {}
        found[f"{kind}_place"] = {name: value for name, value in place.items() if name in accepted and name != key}
    if not noun and {f"{area}.export", f"{area}.import"} <= _NAMES:
        found["export"] = (f"{area}.export", f"{area}.import")
    return found | _pages(id_name) | _names(table)


def _pages(id_name: str) -> dict[str, Any]:
    """The form of a resource, the pages about it, and the page of all."""
    shown, posted = (dict(_paths(method, id_name)) for method in ("GET", "POST"))
    page = next((path for path in shown if path in posted and _FORMS.search(path)), "")
    above = (page or next(iter(shown), "")).partition("/{id}")[0]
    own = [path for path in shown if path not in posted]
    plain = {route.path for route in PAGES_AND_API if route.page and route.method == "GET"}
    if "{" in above and {re.sub(r"\{[a-z ]+\}", "", one) for one in [above]} <= {
        re.sub(r"\{[a-z_]+:str\}", "", path) for path in plain
    }:
        own.append(above)
    return {"page": page, "views": tuple(own), "lists": (above,) if above in plain else ()}


def _paths(method: str, id_name: str) -> Iterator[tuple[str, str]]:
    """Addresses of pages about one resource, with `{id}` for it and the names of what it belongs to."""
    for route in PAGES_AND_API:
        if not route.page or route.method != method:
            continue
        parts = re.findall(r"\{([a-z_]+):str\}", route.path)
        area = route.path.split("/")[1]
        names = [id_named(area, part) for part in parts]
        if names and names[-1] == id_name and {*names[:-1]} <= {*_PARENTS}:
            path = route.path
            for part, name in zip(parts, names, strict=True):
                path = path.replace(f"{{{part}:str}}", "{id}" if name == id_name else f"{{{_PARENTS[str(name)]}}}")
            yield path, route.path


def _names(table: str) -> dict[str, Any]:
    """The fields of a declared resource that answers and the audit log name differently."""
    kind = _kinds().get(table)
    if kind is None:
        return {}
    fields = [one for one in declared_fields(kind) if one.field is not None]
    secrets = [one.wire_name for one in fields if one.field is not None and one.field.secret]
    return {
        "shown": {name: (f"has{name[0].upper()}{name[1:]}", True) for name in secrets},
        "logged": {
            one.wire_name: one.name
            for one in fields
            if not (one.field and one.field.name) and one.name != one.wire_name
        },
    }


@cache
def _kinds() -> Mapping[str, Any]:
    """The Structs of declared tables, by the names of the tables."""
    return {table.name: table.kind for table in declared_tables()}


def declared_tables() -> Iterator[Table[Any]]:
    """Every table that a module of the box declares."""
    declares = re.compile(r" = (Audited)?Table\(")
    for one in pkgutil.walk_packages(analytics_box.__path__, "analytics_box."):
        spec = importlib.util.find_spec(one.name)
        if spec is not None and spec.origin and declares.search(Path(spec.origin).read_text(encoding="utf-8")):
            yield from (value for value in vars(importlib.import_module(one.name)).values() if isinstance(value, Table))
