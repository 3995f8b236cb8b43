"""JSON Schemas of inputs and outputs, made of their types, with every reference resolved: some clients follow none."""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

_DEEPEST = 4  # Filters hold filters; below this depth any object is described.


@cache
def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """The schema of a Struct as an object."""
    (root,), known = msgspec.json.schema_components([kind], ref_template="{name}")
    found: dict[str, Any] = _resolve(root, known, 0)
    found.pop("title", None)
    found.pop("description", None)
    return found


def _resolve(part: Any, known: dict[str, Any], depth: int) -> Any:
    if isinstance(part, list):
        return [_resolve(one, known, depth) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        if depth >= _DEEPEST:
            return {"type": "object"}
        about = {name: value for name, value in part.items() if name != "$ref"}
        return {**_resolve(known[part["$ref"]], known, depth + 1), **about}
    return {
        name: {one: _resolve(field, known, depth) for one, field in value.items()}
        if name == "properties"
        else _resolve(value, known, depth)
        for name, value in part.items()
        if not (name == "title" and isinstance(value, str))
    }
