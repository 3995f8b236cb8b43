"""Pages of API keys under /settings/keys: list, form, switching off and on, the secret shown once, confirmations.

They do what the procedures do, by the same functions.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import SCOPES, ApiKey, SignedInPerson
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.tenants.keys import calls as procedures
from analytics_box.tenants.keys import change, form, rules
from analytics_box.tenants.keys.calls import ChangedKey, KeyId
from analytics_box.tenants.keys.form import SCOPE_LABELS
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.keys.rules import StoredKey
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.page import dates
from analytics_box.web.page.edits import FIELD, check_version, version_of
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

TYPE_LABELS = {"user": _("A person"), "sdk": _("An SDK"), "automation": _("An automation")}
_STATES = {"works": _("Active"), "expired": _("Expired"), "disabled": _("Disabled"), "revoked": _("Revoked")}
_DONE = {
    "updated": _("Saved."),
    "disabled": _("Key disabled. Its requests are refused until you enable it again."),
    "enabled": _("Key enabled."),
    "revoked": _("Key revoked."),
    "deleted": _("Key deleted."),
}
ENDINGS = {
    "rotate": {
        "button": _("Rotate"),
        "title": _("Rotate {name}?"),
        "text": _("The key gets a new secret. Requests with the old one are refused immediately."),
        "submit": _("Rotate {name}"),
    },
    "revoke": {
        "button": _("Revoke"),
        "title": _("Revoke {name}?"),
        "text": _("Requests with this key are refused immediately. This cannot be undone."),
        "submit": _("Revoke {name}"),
    },
    "delete": {
        "button": _("Delete"),
        "title": _("Delete {name}?"),
        "text": _("The key stops working and is removed from this list. The audit log keeps its history."),
        "submit": _("Delete {name}"),
    },
}


class Further(Struct, frozen=True):
    """The scopes of a key on one website only."""

    where: str
    may: tuple[str, ...]


class KeyListItem(Struct, frozen=True):
    """A key in the list. `further` is what it may do on single websites beyond `may`; `switch` is the verb that turns
    it off or on, empty if neither is possible."""

    id: str
    name: str
    start: str
    type: str
    description: str
    tags: tuple[str, ...]
    state: str
    state_text: str
    may: tuple[str, ...]
    where: str
    further: tuple[Further, ...]
    rate: str
    used: str
    made: str
    ends: str
    switch: str


def key_shown(
    record: StoredKey, *, names: Mapping[str, str], used: int | None, person: SignedInPerson, now: int
) -> KeyListItem:
    """A key in words. `names` are the organization's websites by id; `used` is UTC ms, five minutes coarse."""
    state = rules.state_of(record, now)
    key = rules.key_of(record)
    where = _("All websites")
    if key.websites is not None:
        where = ", ".join(sorted(names.get(website, _("Deleted website")) for website in key.websites))
    return KeyListItem(
        id=record.id,
        name=record.name,
        start=record.start,
        type=TYPE_LABELS[record.type],
        description=record.description,
        tags=record.tags,
        state=state,
        state_text=_STATES[state],
        may=_in_words(key.scopes),
        where=where,
        further=tuple(
            sorted(
                (
                    Further(names.get(website, _("Deleted website")), _in_words(scopes))
                    for website, scopes in key.own.items()
                ),
                key=lambda one: one.where,
            )
        ),
        rate=_rate(record),
        used=_("Last used {when}").format(when=dates.moment(used, person)) if used else _("Never used"),
        made=_("Created {when}").format(when=dates.moment(record.created_at, person)),
        ends=_ends(record, person, now),
        switch="" if record.revoked_at is not None else "disable" if record.enabled else "enable",
    )


def _in_words(scopes: Collection[str]) -> tuple[str, ...]:
    if len(scopes) == len(SCOPES):
        return (_("Full access"),)
    return tuple(SCOPE_LABELS[scope] for scope in SCOPES if scope in scopes)


def _rate(record: StoredKey) -> str:
    rate = record.ratelimit
    if rate is None or not rate.enabled:
        return ""
    return _("Up to {most} requests in {window} s").format(most=f"{rate.max:,}", window=f"{rate.window:,}")


def _ends(record: StoredKey, person: SignedInPerson, now: int) -> str:
    if record.revoked_at is not None:
        return _("Revoked {when}").format(when=dates.moment(record.revoked_at, person))
    if record.expires_at is None:
        return _("Never expires")
    text = _("Expired {when}") if record.expires_at <= now else _("Expires {when}")
    return text.format(when=dates.moment(record.expires_at, person))


_MASKED: Final = "svc_…"


class KeyExample(Struct, frozen=True):
    """A command, and what it does."""

    id: str
    label: str
    command: str


def of(key: ApiKey, websites: Sequence[str], secret: str, settings: Settings) -> list[KeyExample]:
    """Example commands for this key, each for the first website of the organization that it has access to."""
    found = []
    counts = next((website for website in websites if key.may("track:events", website)), "")
    if counts or ("track:events" in key.scopes and key.websites is None):
        found.append(KeyExample("track", _("Send an event"), track(settings.tracker_url, counts, secret)))
    reads = next((website for website in websites if key.may("read:data", website)), "")
    if reads:
        found.append(KeyExample("query", _("Query the last 7 days"), query(settings.public_url, reads, secret)))
    return found if key.scopes <= {"track:events"} and not reads else [*found, *for_assistants(settings, secret)]


def for_assistants(settings: Settings, secret: str = _MASKED) -> list[KeyExample]:
    """Commands and files that connect an assistant to the MCP server with a key."""
    url, bearer = f"{settings.public_url}/v1/mcp", f"Authorization: Bearer {secret}"
    headers = {"Authorization": f"Bearer {secret}"}
    claude = f'claude mcp add --transport http analytics-box {url} --header "{bearer}"'
    code = {"name": "analytics-box", "type": "http", "url": url, "headers": headers}
    file = {"mcpServers": {"analytics-box": {"url": url, "headers": headers}}}
    desktop = {"command": "npx", "args": ["mcp-remote", url, "--header", bearer]}
    return [
        KeyExample("claude", _("Connect Claude Code"), claude),
        KeyExample("cursor", _("Connect Cursor (~/.cursor/mcp.json)"), json.dumps(file, ensure_ascii=False)),
        KeyExample("vscode", _("Connect VS Code"), f"code --add-mcp '{json.dumps(code, ensure_ascii=False)}'"),
        KeyExample(
            "desktop",
            _("Connect Claude Desktop (claude_desktop_config.json)"),
            json.dumps({"mcpServers": {"analytics-box": desktop}}, ensure_ascii=False),
        ),
    ]


def track(base_url: str, website_id: str, secret: str) -> str:
    """A command that sends an event."""
    body = f'{{"name": "signup", "websiteId": "{website_id}"}}' if website_id else '{"name": "signup"}'
    return f"curl '{base_url}/track' -H 'x-api-key: {secret}' -H 'content-type: application/json' -d '{body}'"


def query(base_url: str, website_id: str, secret: str) -> str:
    """A command that asks for the website's last seven days."""
    body = '{"parameters": ["summary_metrics"], "preset": "last_7d"}'
    return (
        f"curl '{base_url}/v1/query?website_id={website_id}' -H 'x-api-key: {secret}' "
        f"-H 'content-type: application/json' -d '{body}'"
    )


Ending = Literal["rotate", "revoke", "delete"]

HOME = "/settings/keys"
_CHANGED_BY_USE = ("last_used_at",)
FIELDS = {"expiresAt": "expires", "resources": "websites", "ratelimit": "max"}  # where the form shows what is wrong


async def key_list(visit: Visitor) -> Page:
    """GET /settings/keys."""
    keys = await procedures.keys_of(visit.call, visit.person.organization_id)
    return visit.settings_page(
        "keys.html",
        "keys",
        keys=[_key_page(visit, key) for key in keys],
        may_make=visit.person.may("member"),
        may_end=rules.may_edit_scopes(visit.person.role),
        done=_DONE.get(visit.asked("done"), ""),
        endings=ENDINGS,
        assistants=for_assistants(visit.parts.settings),
    )


async def new_key_form(visit: Visitor) -> Page:
    """GET /settings/keys/new."""
    return _form(visit, Again(values={"reach": "all", "type": "user"}))


async def add_key(visit: Visitor) -> Page:
    """POST /settings/keys/new: make the key and show its secret this once."""
    fields = await visit.form()
    try:
        visit.saves()
        wanted = form.parse_key_form(fields, visit.person)
        key, secret = await procedures.make(visit.call, wanted, visit.person.organization_id)
    except BadRequest as wrong:
        errors = field_errors(wrong)
        return _form(visit, Again(wrong.status, fields, errors, "" if errors else wrong.message))
    return await _secret_page(visit, key.id, secret, title=_("Your new API key"))


async def edit_key_form(visit: Visitor, key_id: FromPath[str]) -> Page:
    """GET /settings/keys/{id}. Raises NotFound and Conflict."""
    record = await _record(visit, key_id, working=True)
    return _form(visit, Again(values=form.fields_of(record, visit.person)), record)


async def edit_key(visit: Visitor, key_id: FromPath[str]) -> Answer:
    """POST /settings/keys/{id}. Raises NotFound and Conflict."""
    fields, record = await visit.form(), await _record(visit, key_id, working=True)

    async def save() -> str:
        def want(before: StoredKey) -> dict[str, Any]:
            check_version(fields, before, without=_CHANGED_BY_USE)
            return form.parse_key_form(fields, visit.person, before)

        await procedures.change_as(visit.call, key_id, want)
        return f"{HOME}?done=updated"

    async def page(visit: PageRequest, again: Again) -> Page:
        return _form(visit, again, record)

    return await visit.submit(save, page, values=fields)


async def confirm(visit: Visitor, key_id: FromPath[str], ending: FromPath[str]) -> Page:
    """GET /settings/keys/{id}/{rotate, revoke or delete}: what will happen, and to which key. Raises NotFound."""
    wanted = _ending(ending)
    record = await _record(visit, key_id, working=wanted != "delete")
    return visit.settings_page(
        "key_confirm.html", "keys", key=_key_page(visit, record), ending=wanted, words=ENDINGS[wanted]
    )


async def end_key(visit: Visitor, key_id: FromPath[str], ending: FromPath[str]) -> Answer:
    """POST /settings/keys/{id}/{rotate, revoke, delete, disable or enable}. Raises NotFound and Conflict.

    Disabling can be undone, so it needs no confirmation.
    """
    call, given = visit.call, KeyId(key_id)
    if ending in {"disable", "enable"}:
        await procedures.update(call, ChangedKey(id=key_id, enabled=ending == "enable"))
        return visit.go(f"{HOME}?done={ending}d#key-{key_id}")
    match _ending(ending):
        case "rotate":
            rotated = await procedures.rotate(call, given)
            return await _secret_page(visit, key_id, rotated.secret, title=_("The new secret"))
        case "revoke":
            await procedures.revoke(call, given)
            return visit.go(f"{HOME}?done=revoked")
        case "delete":
            await procedures.delete(call, given)
            return visit.go(f"{HOME}?done=deleted")


async def _secret_page(visit: PageRequest, key_id: str, secret: str, *, title: str) -> Page:
    record = await _record(visit, key_id, working=False)
    websites = [site.id for site in visit.parts[Directory].of(visit.person.organization_id)]
    return visit.settings_page(
        "key_secret.html",
        "keys",
        title=title,
        name=record.name,
        secret=secret,
        examples=of(rules.key_of(record), websites, secret, visit.parts.settings),
    )


def _form(visit: PageRequest, again: Again, record: StoredKey | None = None) -> Page:
    """The form of a new key, or of one that there is."""
    person, websites = visit.person, visit.parts[Directory].of(visit.person.organization_id)
    wrong = {FIELDS.get(name, name): message for name, message in again.wrong.items()}
    return visit.settings_page(
        "key_form.html",
        "keys",
        again=Again(again.code, again.values, wrong, again.general),
        values={FIELD: version_of(record, without=_CHANGED_BY_USE) if record is not None else ""},
        key=record,
        form=form.scope_choices(again.values, websites, person.role, record),
        types=rules.TYPES,
        zone=person.time_zone,
        usual=visit.parts.settings.limit_key,
        type_labels=TYPE_LABELS,
    )


async def _record(visit: PageRequest, key_id: str, *, working: bool) -> StoredKey:
    find, organization_id = (change.changeable if working else change.find), visit.person.organization_id
    return await visit.call.read(lambda db: find(db, key_id, organization_id))


def _key_page(visit: PageRequest, record: StoredKey) -> KeyListItem:
    parts, person = visit.parts, visit.person
    names = {site.id: site.name for site in parts[Directory].of(person.organization_id)}
    return key_shown(record, names=names, used=parts[KeyRing].last_used(record.id), person=person, now=visit.call.now)


def _ending(text: str) -> Ending:
    for ending in ("rotate", "revoke", "delete"):
        if text == ending:
            return ending
    raise errors.NotFound(_("There is nothing at this address"))
