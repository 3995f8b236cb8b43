"""The OpenAPI 3.1 document, generated from the tables of routes and procedures, their types and their docstrings."""

import inspect
import re
from types import UnionType
from typing import Any, get_args, get_type_hints

import msgspec

import analytics_box
from analytics_box.app.openapi import answers, described_events, refusals
from analytics_box.app.openapi.answers import example
from analytics_box.app.openapi.described import FIELDS, ROUTES, UPLOADS, RouteDescription
from analytics_box.app.openapi.described_events import EVENTS
from analytics_box.app.openapi.described_public import FLAGS, LINKS, OFREP
from analytics_box.app.openapi.refusals import Family
from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import TABLE
from analytics_box.base.errors import ErrorDetail
from analytics_box.base.file_queue import EARLIER
from analytics_box.base.settings import Settings
from analytics_box.products.flags.ofrep.messages import OfrepRefusal
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.web.route import PUBLIC, SIGNED_IN, Procedure, Route

# the tag of a route or the router of a procedure → its group; others come last, each a group of its own
GROUPS = {
    "Queries": "Queries",
    "Events": "Events",
    "websites": "Websites",
    "autocomplete": "Websites",
    "segments": "Segments",
    "questions": "Saved questions",
    "annotations": "Notes on charts",
    "links": "Short links",
    "linkFolders": "Short links",
    "Short URLs": "Short links",
    "uptime": "Monitors",
    "statusPage": "Status pages",
    "flags": "Feature flags",
    "flagSchedules": "Feature flags",
    "targetGroups": "Feature flags",
    "profiles": "People",
    "organizations": "Organizations and members",
    "apikeys": "API keys",
    "alarms": "Alert rules",
    "config": "Alert channels, domains and defaults",
    "boxSettings": "Server settings",
    "preferences": "Preferences",
    "audit": "Audit log",
    "Box": "Health and metrics",
    "Files": "Script and files",
    "Discovery": "Discovery",
    "Pages": "Pages",
}


def group_of(tag: str) -> str:
    """The group of a tag or router; without a line above it is called by its own words."""
    return GROUPS.get(tag) or re.sub(r"(?=[A-Z])", " ", tag).strip().capitalize()


Schema = dict[str, Any]

_EVENT_SECURITY: list[Schema] = [{"key": ["track:events"]}, {"bearer": ["track:events"]}, {}]
REFERENCE = "#/components/schemas/{name}"
_SOURCES = re.compile(r"\s*\((?:spec|wire|security|semantics|ui)\b[^)]*\)")
_RAISES = re.compile(r"\s*Raises ([^.]*)\.")
_ABOUT = """The HTTP API of Analytics Box.

**Authentication.** Send an API key as `x-api-key` or `Authorization: Bearer …`, or a session cookie. Each operation
lists the scope that a key needs and the role that a user needs.

**Procedures** are called with POST. Send and receive plain JSON under `/<router>/<procedure>`. oRPC clients use
`/rpc/<router>/<procedure>` with `{"json": input, "meta": …}` and `{"json": output, "meta": …}`.

**Errors** have `success`, `error`, `code` and `requestId`. The header `X-Request-ID` repeats the id.

**Rate limits** return 429 with `retryAfter`.

Every GET also accepts HEAD."""
_QUERY_TYPES = """

**Query types** are listed with examples at [{address}]({address})."""


def document(settings: Settings, *, cookie: str, pages: bool = False) -> Schema:
    """The whole document. `cookie` is the session cookie's name. With `pages` it has the pages and their forms too."""
    by_type, components = _schemas(_types())
    _clarify(components)
    components |= {f"Rows_{name}": _row(query_type) for name, query_type in TYPES.items()}
    components["Rows"] = {
        "title": "Rows",
        "description": "A row of each query type.",
        "anyOf": [{"$ref": REFERENCE.format(name=f"Rows_{name}")} for name in TYPES],
    }
    paths: dict[str, Schema] = {}
    procedures = {path: line for line in PROCEDURES for path in line.paths}
    for route in TABLE:
        if route.page and not pages:
            continue
        path = plain_path(route.path)
        line = procedures.get(path) if route.procedure else None
        operation = (
            _procedure(route, line, by_type, components)
            if line is not None
            else _route(route, ROUTES.get((route.method, path)), by_type)
        )
        paths.setdefault(path, {})[route.method.lower()] = operation
    for (method, path), described in EVENTS.items():
        paths.setdefault(path, {})[method.lower()] = _by_hand(path, method, described, "events", by_type)
    for (method, path), described in LINKS.items():
        paths.setdefault(path, {})[method.lower()] = _by_hand(path, method, described, "link", by_type)
    for (method, path), described in FLAGS.items():
        paths.setdefault(path, {})[method.lower()] = _by_hand(path, method, described, "api", by_type)
    for (method, path), described in OFREP.items():
        paths.setdefault(path, {})[method.lower()] = _by_hand(path, method, described, "ofrep", by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Analytics Box",
            "version": analytics_box.__version__,
            "description": _ABOUT + _QUERY_TYPES.format(address=f"{settings.public_url}/docs/query-types"),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": settings.public_url}],
        "tags": _group(paths),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "An API key."},
                "bearer": {"type": "http", "scheme": "bearer", "description": "The same key."},
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": cookie,
                    "description": "A signed-in user. Requests that change data must come from the server's pages.",
                },
            },
            "headers": refusals.headers(),
            "responses": refusals.responses(),
            "schemas": components,
        },
    }


def plain_path(path: str) -> str:
    """A path of the table as the document writes it."""
    return re.sub(r"\{(\w+):\w+\}", r"{\1}", path)


def _schemas(types: list[Any]) -> tuple[Schema, Schema]:
    """The schema of each type by its name in Python, and the shared ones that they refer to."""
    parts = {repr(part): part for kind in types for part in _parts(kind)}
    made, components = msgspec.json.schema_components(parts.values(), ref_template=REFERENCE)
    by_part = dict(zip(parts, made, strict=True))
    by_type = {}
    for kind in types:
        schemas = [by_part[repr(part)] for part in _parts(kind)]
        by_type[repr(kind)] = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    shared = msgspec.json.decode(msgspec.json.encode(components))  # defaults as JSON has them
    _leave_out_earlier_words(shared)
    return by_type, shared


def _leave_out_earlier_words(schema: Any) -> None:
    """Describe only the present words of a value: those under EARLIER are accepted, but need not be learned."""
    if isinstance(schema, dict):
        earlier = schema.pop(EARLIER, ())
        if earlier:
            schema["enum"] = [word for word in schema["enum"] if word not in earlier]
        for part in schema.values():
            _leave_out_earlier_words(part)
    elif isinstance(schema, list):
        for part in schema:
            _leave_out_earlier_words(part)


def _parts(kind: Any) -> tuple[Any, ...]:
    """The alternatives of a union of answers; any other type is one."""
    structs = [part for part in get_args(kind) if isinstance(part, type) and issubclass(part, msgspec.Struct)]
    return get_args(kind) if isinstance(kind, UnionType) and len(structs) > 1 else (kind,)


def _types() -> list[Any]:
    """Every type that the document describes, once."""
    found: list[Any] = [ErrorDetail, answers.Refusal, answers.EventRefusal, answers.RpcRefusal, OfrepRefusal]
    for described in (*ROUTES.values(), *EVENTS.values(), *FLAGS.values(), *OFREP.values()):
        found += [described.body, described.answer, described.or_answer]
    for line in PROCEDURES:
        found += [*_hints(line)]
    return list({repr(kind): kind for kind in found if kind is not None and kind is not type(None)}.values())


def _hints(line: Procedure) -> tuple[Any, Any]:
    """Input and output of a procedure; None for one without."""
    hints = get_type_hints(line.handler, include_extras=True)
    return hints.get("given"), hints.get("return")


def _procedure(route: Route, line: Procedure, by_type: Schema, components: Schema) -> Schema:
    wanted, output = _hints(line)
    enveloped = route.path.startswith("/rpc/")
    router = line.name.partition(".")[0]
    summary, text, raised = _words(line.handler)
    given = by_type.get(repr(wanted), {"type": "object"})
    answer = by_type.get(repr(output), {"type": "null"})
    sample = example(given, components)
    if enveloped:
        given = {"anyOf": [_envelope(given, needed=False), given]}
        answer = {"anyOf": [_envelope(answer, needed=True), answer]}
        sample = {"json": sample}
    if any(name.lower().endswith("id") for name in getattr(wanted, "__struct_fields__", ())):
        raised = raised | {404}
    statuses = {*refusals.ALWAYS, *refusals.WITH_BODY, 403, 422, *raised} | ({401} if route.access != PUBLIC else set())
    return {
        "operationId": f"rpc.{line.name}" if enveloped else line.name,
        "tags": [router],
        "summary": summary,
        "description": _description_with_access(text, route),
        "security": _security(route),
        "requestBody": {
            "required": wanted is not None,
            "content": {"application/json": {"schema": given, "example": sample}},
        },
        "responses": {
            "200": _good({"application/json": {"schema": answer}}),
            **_errors("rpc" if enveloped else "api", statuses),
        },
    }


def _envelope(schema: Schema, *, needed: bool) -> Schema:
    return {
        "type": "object",
        "properties": {
            "json": schema,
            "meta": {
                "type": "array",
                "items": {"type": "array"},
                "description": "The positions of dates: [1, path…].",
            },
        },
        "required": ["json"] if needed else [],
    }


def _route(route: Route, described: RouteDescription | None, by_type: Schema) -> Schema:
    path = plain_path(route.path)
    summary, text, raised = _words(route.handler)
    family: Family = (described and described.family) or ("page" if route.page else "api")
    statuses = {*refusals.ALWAYS, *raised}
    if route.access != PUBLIC or route.by_key is not None:
        statuses |= {401, 403}
    if route.method in {"POST", "PATCH"}:
        statuses |= set(refusals.WITH_BODY)
    operation: Schema = {
        "operationId": f"{route.method.lower()} {path}",
        "tags": [described.tag if described else "Pages"],
        "summary": described.summary if described else summary,
        "description": _description_with_access(described.text if described else text, route),
        "security": _security(route),
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in re.findall(r"\{(\w+)\}", path)
        ],
    }
    if described is not None:
        return _complete(operation, described, family, statuses | set(described.errors), by_type)
    statuses |= {401, 403, 404, *({402, 409, 422} if route.method == "POST" else ())}
    if route.method == "POST":
        operation["requestBody"] = {"content": _form(path)}
    operation["responses"] = {
        # A page, or what its scripts ask for.
        "200": _good({"text/html": {"schema": {"type": "string"}}, "application/json": {"schema": {}}}),
        "204": {"description": "Nothing has changed."},
        "303": {"description": "Redirects to another page, such as the sign-in.", "headers": _location()},
        **_errors(family, statuses),
    }
    return operation


def _by_hand(path: str, method: str, described: RouteDescription, family: Family, by_type: Schema) -> Schema:
    """An address that no table of routes has."""
    operation: Schema = {
        "operationId": f"{method.lower()} {path}",
        "tags": [described.tag],
        "summary": described.summary,
        "description": described.text,
        "security": _EVENT_SECURITY if path in {"/track", "/identify"} else [],
        "parameters": [],
    }
    statuses = {*refusals.ALWAYS, *described.errors}
    if method == "POST" and family == "events":
        statuses |= set(refusals.WITH_BODY)
    return _complete(operation, described, family, statuses, by_type)


def _complete(
    operation: Schema, described: RouteDescription, family: Family, statuses: set[int], by_type: Schema
) -> Schema:
    operation["parameters"] = [*operation["parameters"], *described.parameters]
    if described.body is not None:
        schema = by_type[repr(described.body)]
        if described.most:
            schema = {"type": "array", "items": schema, "maxItems": described.most}
        content: Schema = {"schema": schema}
        if described.examples:
            content["examples"] = {name: {"value": value} for name, value in described.examples.items()}
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    if described.form:
        fields = {name: {"type": "string", "description": text} for name, text in described.form.items()}
        form: Schema = {"schema": {"type": "object", "properties": fields, "required": [*fields]}}
        operation["requestBody"] = {"required": True, "content": {"application/x-www-form-urlencoded": form}}
    if described.raw:
        operation["requestBody"] = {"required": True, "content": {described.raw: {"schema": {}}}}
    good: Schema = {str(status): {"description": text} for status, text in described.empty.items()}
    good |= {
        str(status): {"description": text} | ({} if status == 304 else {"headers": _location()})
        for status, text in described.moved.items()
    }
    if described.answer is not None:
        schema = {} if described.answer is bytes else by_type[repr(described.answer)]
        if described.or_answer is not None:
            schema = {"anyOf": [schema, by_type[repr(described.or_answer)]]}
        good["200"] = _good({described.media: {"schema": schema}})
    if family == "events" and (described.answer is not None or described.body is not None):
        for answer in good.values():
            answer.setdefault("headers", {})["X-Analytics-Box"] = {"$ref": "#/components/headers/X-Analytics-Box"}
    operation["responses"] = {**good, **_errors(family, statuses)}
    return operation


def _good(content: Schema) -> Schema:
    names = ("X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
    return {
        "description": "Success.",
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names},
        "content": content,
    }


def _errors(family: Family, statuses: set[int]) -> Schema:
    return {str(status): refusals.reference(family, status) for status in sorted(statuses)}


def _location() -> Schema:
    return {"Location": {"description": "The address of the redirect.", "schema": {"type": "string"}}}


def _security(route: Route) -> list[Schema]:
    if route.by_key is not None:
        return [{way: [] if route.by_key == "any" else [route.by_key]} for way in ("key", "bearer")]
    if route.access == PUBLIC:
        return []
    if route.access == SIGNED_IN:
        return [{"session": [route.role]}]
    scopes = (route.access, route.also) if route.also is not None else (route.access,)
    ways: list[Schema] = [{way: [scope]} for scope in scopes for way in ("key", "bearer")]
    ways.append({"session": [route.role]})
    return [*ways, {}] if route.anonymous else ways


def _form(path: str) -> Schema:
    """The body that a page's form sends."""
    if path in UPLOADS:
        file = {"type": "string", "contentMediaType": "application/octet-stream"}
        return {"multipart/form-data": {"schema": {"type": "object", "properties": {UPLOADS[path]: file}}}}
    form = {"type": "object", "additionalProperties": {"type": "string"}}
    return {"application/x-www-form-urlencoded": {"schema": form}}


def _description_with_access(text: str, route: Route) -> str:
    """The text, and who may do it."""
    role = "" if route.role == "viewer" else f" with the role {route.role} or higher"
    if route.by_key == "any":
        who = "Requires an API key."
    elif route.by_key is not None:
        who = f"Requires an API key with the scope `{route.by_key}`."
    elif route.access == PUBLIC:
        who = "Requires no credential."
    elif route.access == SIGNED_IN:
        who = f"Requires a signed-in user{role}. API keys are not accepted."
    else:
        other = f" or `{route.also}`" if route.also is not None else ""
        who = f"Requires an API key with the scope `{route.access}`{other}, or a signed-in user{role}."
        if route.anonymous:
            who += " Public data requires no credential."
    return f"{text}\n\n{who}" if text else who


def _words(handler: Any) -> tuple[str, str, set[int]]:
    """Summary, further text, and the statuses of the refusals that the docstring names."""
    given = _SOURCES.sub("", inspect.getdoc(handler) or "")
    raised = {status for name in re.findall(r"\b[A-Z]\w+", given) if (status := refusals.status_of(name)) is not None}
    given = _RAISES.sub("", given)
    given = re.sub(
        r"^(?:GET|POST|PATCH|DELETE) (?:\{[^}]*\}|\S)+?(?:: |[.;] ?|$)|^[a-z]\w*\.\w+(?:: |[.;] ?|$)", "", given
    ).strip()
    first, _, rest = given.partition("\n\n")
    summary = " ".join(first.split()).rstrip(".")
    summary = summary[:1].upper() + summary[1:] if summary else handler.__name__.replace("_", " ").capitalize()
    return summary, " ".join(rest.split()), raised


def _clarify(components: Schema) -> None:
    """Add what types do not say; drop the remarks on sources that docstrings carry."""
    for name, component in components.items():
        if "description" in component:
            component["description"] = _SOURCES.sub("", component["description"])
        for field, more in (FIELDS | described_events.FIELDS).get(name, {}).items():
            component["properties"][field] = component["properties"].get(field, {}) | more


def _row(query_type: QueryType) -> Schema:
    """The schema of a query type's rows."""
    kinds = {"date": "string", "datetime": "string", "json": "object"}
    fields = {}
    for output in query_type.outputs:
        kind = kinds.get(output.type, output.type)
        unit = f" ({output.unit})" if output.unit else ""
        fields[output.name] = {"type": [kind, "null"], "description": output.description + unit}
    return {"title": query_type.title, "description": query_type.description, "type": "object", "properties": fields}


def _group(paths: dict[str, Schema]) -> list[Schema]:
    """Put every operation into its group, by what people call things; the groups in a reader's order."""
    found = set()
    for operation in (operation for path in paths.values() for operation in path.values()):
        operation["tags"] = [group_of(tag) for tag in operation["tags"]]
        found |= {*operation["tags"]}
    return [{"name": name} for name in dict.fromkeys((*GROUPS.values(), *sorted(found))) if name in found]
