"""Pages of API keys under /settings/keys: list, form, switching off and on, the secret shown once, confirmations.

They do what the procedures do, by the same functions.
"""

from typing import Any, Literal

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box import errors, texts
from analytics_box.errors import BadRequest
from analytics_box.http.call import Call, Calls
from analytics_box.http.pages import Pages, field_errors, form_of, go
from analytics_box.identity import Identity, Person
from analytics_box.keys import calls as procedures
from analytics_box.keys import change, form, rows, rules, view
from analytics_box.keys.messages import ById, ChangedKey
from analytics_box.keys.rules import Record
from analytics_box.websites.shell import shell

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]
Ending = Literal["rotate", "revoke", "delete"]

HOME = "/settings/keys"


async def key_list(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """GET /settings/keys."""
    person, call = _person(identity), calls.by(identity)
    records = await call.read(lambda db: rows.of(db, person.organization_id))
    names = {site.id: site.name for site in calls.websites.of(person.organization_id)}
    return pages.show(
        "keys.html",
        shell=shell(person, "settings"),
        tab="keys",
        keys=[
            view.key_shown(record, names=names, used=calls.keys.last_used(record.id), person=person, now=call.now)
            for record in records
        ],
        may_make=person.role != "viewer",
        may_end=rules.may_edit_scopes(person.role),
        done=texts.ApiKeys.done.get(request.query_params.get("done", ""), ""),
    )


async def new_key_form(
    identity: NamedDependency[Identity], pages: NamedDependency[Pages], calls: NamedDependency[Calls]
) -> Page:
    """GET /settings/keys/new."""
    return _form(pages, calls, _person(identity), {"reach": "all", "type": "user"})


async def add_key(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """POST /settings/keys/new: make the key and show its secret this once."""
    person, call = _person(identity), calls.by(identity)
    fields = await form_of(request, calls.settings)
    try:
        key, secret = await procedures.make(call, form.wanted(fields, person), person.organization_id)
    except BadRequest as wrong:
        return _form(pages, calls, person, fields, wrong=wrong)
    return await _secret_page(pages, call, person, key.id, secret, title=texts.ApiKeys.made_title)


async def edit_key_form(
    key_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """GET /settings/keys/{id}. Raises NotFound and Conflict."""
    person = _person(identity)
    record = await _record(calls.by(identity), person, key_id, working=True)
    return _form(pages, calls, person, form.fields_of(record, person), record=record)


async def edit_key(
    request: AnyRequest,
    key_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page | Next:
    """POST /settings/keys/{id}. Raises NotFound and Conflict."""
    person, call = _person(identity), calls.by(identity)
    fields = await form_of(request, calls.settings)
    record = await _record(call, person, key_id, working=True)
    try:
        await procedures.change_as(call, key_id, lambda before: form.wanted(fields, person, before))
    except BadRequest as wrong:
        return _form(pages, calls, person, fields, record=record, wrong=wrong)
    return go(f"{HOME}?done=updated")


async def confirm(
    key_id: FromPath[str],
    ending: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """GET /settings/keys/{id}/{rotate, revoke or delete}: what will happen, and to which key. Raises NotFound."""
    person, call = _person(identity), calls.by(identity)
    wanted = _ending(ending)
    record = await _record(call, person, key_id, working=wanted != "delete")
    names = {site.id: site.name for site in calls.websites.of(person.organization_id)}
    return pages.show(
        "key_confirm.html",
        shell=shell(person, "settings"),
        tab="keys",
        key=view.key_shown(record, names=names, used=calls.keys.last_used(key_id), person=person, now=call.now),
        ending=wanted,
        words=texts.ApiKeys.endings[wanted],
    )


async def end_key(
    key_id: FromPath[str],
    ending: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page | Next:
    """POST /settings/keys/{id}/{rotate, revoke, delete, disable or enable}. Raises NotFound and Conflict.

    Disabling can be undone, so nobody is asked twice.
    """
    person, call, given = _person(identity), calls.by(identity), ById(key_id)
    if ending in {"disable", "enable"}:
        await procedures.update(call, ChangedKey(key_id, enabled=ending == "enable"))
        return go(f"{HOME}?done={ending}d#key-{key_id}")
    match _ending(ending):
        case "rotate":
            rotated = await procedures.rotate(call, given)
            return await _secret_page(pages, call, person, key_id, rotated.secret, title=texts.ApiKeys.rotated_title)
        case "revoke":
            await procedures.revoke(call, given)
            return go(f"{HOME}?done=revoked")
        case "delete":
            await procedures.delete(call, given)
            return go(f"{HOME}?done=deleted")


async def _secret_page(pages: Pages, call: Call, person: Person, key_id: str, secret: str, *, title: str) -> Page:
    record = await _record(call, person, key_id, working=False)
    key, sites = rules.key_of(record), call.parts.websites.of(person.organization_id)
    reached = next((site.id for site in sites if key.reaches(site.id)), "")
    base = call.parts.settings
    examples = []
    if key.has("track:events"):
        examples.append(("track", texts.ApiKeys.example_track, track_example(base.tracker_url, reached, secret)))
    if key.has("read:data") and reached:
        examples.append(("query", texts.ApiKeys.example_query, query_example(base.public_url, reached, secret)))
    return pages.show(
        "key_secret.html",
        shell=shell(person, "settings"),
        tab="keys",
        title=title,
        name=record.name,
        secret=secret,
        examples=examples,
    )


def track_example(base_url: str, website_id: str, secret: str) -> str:
    """A command that sends an event."""
    body = f'{{"name": "signup", "websiteId": "{website_id}"}}' if website_id else '{"name": "signup"}'
    return f"curl '{base_url}/track' -H 'x-api-key: {secret}' -H 'content-type: application/json' -d '{body}'"


def query_example(base_url: str, website_id: str, secret: str) -> str:
    """A command that asks for the website's last seven days."""
    body = '{"parameters": ["summary_metrics"], "preset": "last_7d"}'
    return (
        f"curl '{base_url}/v1/query?website_id={website_id}' -H 'x-api-key: {secret}' "
        f"-H 'content-type: application/json' -d '{body}'"
    )


def _form(
    pages: Pages,
    calls: Calls,
    person: Person,
    fields: dict[str, str],
    *,
    record: Record | None = None,
    wrong: BadRequest | None = None,
) -> Page:
    """The form of a new key, or of one that there is."""
    return pages.show(
        "key_form.html",
        code=400 if wrong is not None else 200,
        shell=shell(person, "settings"),
        tab="keys",
        key=record,
        values=fields,
        form=form.offered(fields, calls.websites.of(person.organization_id), person.role, record),
        types=rules.TYPES,
        errors=_errors(wrong) if wrong is not None else {},
        zone=person.time_zone,
        usual=calls.settings.limit_key,
    )


def _errors(wrong: BadRequest) -> dict[str, str]:
    """What is wrong by field of the form."""
    fields = {"expiresAt": "expires", "resources": "websites", "ratelimit": "max"}
    return {fields.get(name, name): message for name, message in field_errors(wrong).items()}


async def _record(call: Call, person: Person, key_id: str, *, working: bool) -> Record:
    find = change.changeable if working else change.find
    _, record = await call.read(lambda db: find(db, key_id, person.organization_id))
    return record


def _ending(text: str) -> Ending:
    for ending in ("rotate", "revoke", "delete"):
        if text == ending:
            return ending
    raise errors.NotFound("There is nothing at this address")


def _person(identity: Identity) -> Person:
    if identity.person is None:
        raise errors.AuthRequired("Sign in to see this page")
    return identity.person
