"""The API's document as people see it: groups of operations, each with its fields and a command to try. Pure."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

Schema = dict[str, Any]

_DEEPEST = 3  # levels of fields that are shown
_LONGEST = 120  # fields of one operation


class ReferenceField(Struct, frozen=True):
    """A parameter or a field; `depth` is how far in it stands."""

    name: str
    kind: str
    needed: bool
    text: str
    depth: int = 0
    place: str = ""


class ReferenceExample(Struct, frozen=True):
    """A body to send and the command that sends it."""

    id: str
    title: str
    curl: str


class Operation(Struct, frozen=True):
    """An operation. `also` is the path of the enveloped form of a procedure."""

    id: str
    method: str
    path: str
    also: str
    summary: str
    text: str
    parameters: tuple[ReferenceField, ...]
    body: tuple[ReferenceField, ...]
    answer: tuple[ReferenceField, ...]
    examples: tuple[ReferenceExample, ...]
    statuses: tuple[tuple[str, str], ...]


class OperationGroup(Struct, frozen=True):
    """The operations of a tag."""

    name: str
    slug: str
    operations: tuple[Operation, ...]


def slug_of(name: str) -> str:
    """A tag in an address."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def groups(document: Schema) -> tuple[OperationGroup, ...]:
    """All operations by tag. A procedure's two paths are one operation."""
    by_tag: dict[str, list[Operation]] = {tag["name"]: [] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        if path.startswith("/rpc/"):
            continue
        also = f"/rpc{path}" if f"/rpc{path}" in document["paths"] else ""
        for method, described in methods.items():
            by_tag[described["tags"][0]].append(_operation(document, method.upper(), path, also, described))
    return tuple(OperationGroup(name, slug_of(name), tuple(found)) for name, found in by_tag.items())


def _operation(document: Schema, method: str, path: str, also: str, described: Schema) -> Operation:
    bodies = described.get("requestBody", {}).get("content", {})
    content = bodies.get("application/json", {})
    form = bodies.get("application/x-www-form-urlencoded", {})
    answers = described["responses"].get("200", {}).get("content", {})
    answer: Schema = next((media["schema"] for media in answers.values()), {})
    return Operation(
        id=slug_of(described["operationId"]),
        method=method,
        path=path,
        also=also,
        summary=described["summary"],
        text=described["description"],
        parameters=tuple(_parameter(given) for given in described.get("parameters", ())),
        body=tuple(_fields(document, (content or form).get("schema", {})))[:_LONGEST],
        answer=tuple(_fields(document, answer))[:_LONGEST],
        examples=tuple(_examples(document, method, path, described, content)),
        statuses=tuple(
            (status, _resolve(document, answer)["description"]) for status, answer in described["responses"].items()
        ),
    )


def _parameter(given: Schema) -> ReferenceField:
    places = {"query": "in the address", "path": "in the path", "header": "header"}
    return ReferenceField(
        given["name"],
        given["schema"].get("type", "any"),
        needed=given.get("required", False),
        text=given.get("description", ""),
        place=places[given["in"]],
    )


def _fields(document: Schema, schema: Schema, depth: int = 0) -> Iterator[ReferenceField]:
    """The fields of a schema, each followed by those inside it."""
    schema = _inside(document, schema)
    needed = set(schema.get("required", ()))
    for name, given in schema.get("properties", {}).items():
        resolved = _resolve(document, given)
        text = given.get("description", "" if "$ref" in given else resolved.get("description", ""))
        yield ReferenceField(name, kind_of(document, given), needed=name in needed, text=text, depth=depth)
        if depth + 1 < _DEEPEST:
            yield from _fields(document, resolved, depth + 1)


def _inside(document: Schema, schema: Schema) -> Schema:
    """The object that a schema is about: behind references, lists and alternatives."""
    schema = _resolve(document, schema)
    if schema.get("type") == "array":
        return _inside(document, schema.get("items", {}))
    for part in schema.get("anyOf", ()):
        found = _inside(document, part)
        if "properties" in found:
            return found
    return schema


def kind_of(document: Schema, schema: Schema) -> str:
    """A schema in a few words."""
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"][:16]) + (" …" if schema["enum"][16:] else "")
    if "const" in schema:
        return json.dumps(schema["const"])
    if "$ref" in schema:
        resolved = _resolve(document, schema)
        return kind_of(document, resolved) if "enum" in resolved else "object"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind_of(document, part) for part in schema["anyOf"]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {kind_of(document, schema.get('items', {}))}"
    if isinstance(kind, list):
        return " or ".join(kind)
    bounds = [
        f"{word} {schema[name]}"
        for name, word in (("minLength", "from"), ("minimum", "from"), ("maxLength", "to"), ("maximum", "to"))
        if name in schema
    ]
    if schema.get("format") == "date-time":
        return "date and time"
    return f"{kind}, {' '.join(bounds)}" if bounds else str(kind)


def _resolve(document: Schema, schema: Schema) -> Schema:
    while "$ref" in schema:
        found: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def _examples(
    document: Schema, method: str, path: str, described: Schema, content: Schema
) -> Iterator[ReferenceExample]:
    if "requestBody" in described and not content:
        return  # a form of a page
    given = {title: example["value"] for title, example in content.get("examples", {}).items()}
    if "example" in content:
        given[""] = content["example"]
    for number, (title, value) in enumerate(given.items() or [("", None)]):
        yield ReferenceExample(
            f"{slug_of(described['operationId'])}-{number}", title, _curl(document, method, path, described, value)
        )


def _curl(document: Schema, method: str, path: str, described: Schema, value: Any) -> str:
    """A command that sends this."""
    query = "&".join(
        f"{given['name']}={given['schema']['example']}"
        for given in described.get("parameters", ())
        if given["in"] == "query" and "example" in given["schema"]
    )
    command = f"curl '{document['servers'][0]['url']}{path}{'?' + query if query else ''}'"
    if method == "HEAD":
        command += " --head"
    elif method not in {"GET", "POST"} or (method == "POST" and value is None):
        command += f" -X {method}"
    if any("key" in way for way in described["security"]):
        command += " \\\n  -H 'x-api-key: svc_…'"
    elif described["security"]:
        command += " \\\n  -H 'cookie: session=…'"
    if value is not None:
        text = json.dumps(value, ensure_ascii=False).replace("'", "'\\''")
        command += f" \\\n  -H 'content-type: application/json' \\\n  -d '{text}'"
    return command


class Reference:
    """The document, made when someone first asks for it."""

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._make = make

    @cached_property
    def document(self) -> dict[str, Any]:
        return self._make()

    @cached_property
    def encoded(self) -> bytes:
        return msgspec.json.encode(self.document)

    @cached_property
    def groups(self) -> tuple[OperationGroup, ...]:
        return groups(self.document)
