"""Valid examples of inputs: what every field with a known name is like, and else the simplest value of its schema."""

from typing import Any

Schema = dict[str, Any]

NAMES: dict[str, Any] = {
    "websiteId": "YOUR-WEBSITE-ID",
    "organizationId": "YOUR-ORGANIZATION-ID",
    "email": "ada@example.com",
    "domain": "blog.example",
    "slug": "example",
    "name": "Example",
    "description": "What it is for",
    "timezone": "Europe/Berlin",
    "startDate": "2026-06-01",
    "endDate": "2026-06-30",
    "secret": "svc_YOUR-API-KEY",
    "scopes": ["read:data"],
    "role": "member",
    "id": "THE-ID",
}
ALSO = {"scopes", "isPublic", "enabled", "name"}  # optional fields that make an example more telling


def example(schema: Schema, components: Schema, *, whole: bool = False) -> Any:
    """A value that this schema takes: the fields it needs, or with `whole` every field."""
    schema = resolve(schema, components)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        chosen = next((part for part in schema["anyOf"] if part.get("type") != "null"), schema["anyOf"][0])
        return example(chosen, components, whole=whole)
    kind = schema.get("type")
    if kind == "object":
        return _fields(schema, components, whole=whole)
    if kind == "array":
        if not whole and not schema.get("minItems"):
            return []
        return [example(schema.get("items", {}), components, whole=whole)] * max(1, schema.get("minItems", 1))
    return _simple(kind, schema)


def _fields(schema: Schema, components: Schema, *, whole: bool) -> Schema:
    needed = set(schema.get("required", ()))
    found: Schema = {}
    for name, field in schema.get("properties", {}).items():
        if not (whole or name in needed or name in ALSO):
            continue
        known = NAMES.get(name)
        fitting = known is not None and _fits(known, resolve(field, components), components)
        found[name] = known if fitting else example(field, components, whole=whole)
    return found


def _fits(value: Any, schema: Schema, components: Schema) -> bool:
    if "anyOf" in schema:
        return any(_fits(value, resolve(part, components), components) for part in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if schema.get("type") == "array":
        return isinstance(value, list) and all(
            _fits(item, resolve(schema.get("items", {}), components), components) for item in value
        )
    return schema.get("type", "string") == "string" and isinstance(value, str)


def _simple(kind: str | None, schema: Schema) -> Any:
    if kind == "string":
        if schema.get("format") in {"date-time", "date"}:
            return "2027-01-01T00:00:00.000Z" if schema["format"] == "date-time" else "2027-01-01"
        return "example".ljust(schema.get("minLength", 0), "e")[: schema.get("maxLength", 1000)]
    if kind in {"integer", "number"}:
        return schema.get("minimum", 1)
    return {"boolean": True, "null": None}.get(kind or "", {})


def resolve(schema: Schema, components: Schema) -> Schema:
    """The schema that a reference leads to."""
    while "$ref" in schema:
        schema = components[schema["$ref"].rpartition("/")[2]]
    return schema
