"""What the pages of API keys show, and what their form says. Pure but for the person's time zone."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box import texts
from analytics_box.errors import BadRequest, Detail
from analytics_box.http import dates
from analytics_box.identity import SCOPES, Person, Role, Scope
from analytics_box.keys import rules
from analytics_box.keys.rules import RateLimit, Record, Wanted
from analytics_box.websites.rules import Website

SCOPE_FIELD, WEBSITE_FIELD = "scope:", "website:"  # followed by what the checkbox stands for
MINUTE = 60  # seconds


class KeyShown(Struct, frozen=True):
    """A key in the list."""

    id: str
    name: str
    start: str
    description: str
    state: str
    state_text: str
    may: tuple[str, ...]
    where: str
    used: str
    made: str
    ends: str


class Choice(Struct, frozen=True):
    """A checkbox of the form."""

    field: str
    name: str
    text: str
    on: bool
    open: bool = True


class Group(Struct, frozen=True):
    """Checkboxes that belong together."""

    title: str
    choices: tuple[Choice, ...]


def key_shown(record: Record, *, names: Mapping[str, str], used: int | None, person: Person, now: int) -> KeyShown:
    """A key in words. `names` are the organization's websites by id; `used` is UTC ms, five minutes coarse."""
    words = texts.ApiKeys
    state = rules.state_of(record, now)
    key = rules.key_of(record)
    held = key.scopes.union(*key.own.values())
    where = words.everywhere
    if key.websites is not None:
        where = ", ".join(sorted(names.get(website, words.gone) for website in key.websites))
    return KeyShown(
        id=record.id,
        name=record.name,
        start=record.start,
        description=record.description,
        state=state,
        state_text=words.states[state],
        may=tuple(words.scopes[scope] for scope in SCOPES if scope in held),
        where=where,
        used=words.used.format(when=dates.moment(used, person)) if used else words.unused,
        made=words.made.format(when=dates.moment(record.created_at, person)),
        ends=_ends(record, person, now),
    )


def _ends(record: Record, person: Person, now: int) -> str:
    words = texts.ApiKeys
    if record.revoked_at is not None:
        return words.revoked_at.format(when=dates.moment(record.revoked_at, person))
    if record.expires_at is None:
        return words.endless
    text = words.ended if record.expires_at <= now else words.ends
    return text.format(when=dates.moment(record.expires_at, person))


def fields_of(record: Record, person: Person) -> dict[str, str]:
    """A form filled in with what a key is."""
    key = rules.key_of(record)
    fields = {"name": record.name, "description": record.description, "reach": "all"}
    fields |= {f"{SCOPE_FIELD}{scope}": "on" for scope in key.scopes}
    if key.websites is not None:
        fields["reach"] = "some"
        fields |= {f"{WEBSITE_FIELD}{website}": "on" for website in key.websites}
    if record.expires_at is not None:
        last = datetime.fromtimestamp((record.expires_at - 1) / 1000, UTC).astimezone(ZoneInfo(person.time_zone))
        fields["expires"] = last.date().isoformat()
    if record.ratelimit is not None and record.ratelimit.enabled:
        fields |= {"max": str(record.ratelimit.max), "window": str(record.ratelimit.window)}
    return fields


def groups(fields: Mapping[str, str], role: Role) -> tuple[Group, ...]:
    """The scopes as checkboxes in plain words; those that the person may not give are closed."""
    words = texts.ApiKeys

    def choice(scope: Scope) -> Choice:
        name = f"{SCOPE_FIELD}{scope}"
        grant = rules.may_edit_scopes(role) or scope in rules.MEMBER_SCOPES
        return Choice(name, scope, words.scopes[scope], on=name in fields, open=grant)

    return tuple(Group(title, tuple(choice(scope) for scope in scopes)) for title, scopes in words.groups)


def sites(fields: Mapping[str, str], websites: Sequence[Website]) -> tuple[Choice, ...]:
    """The organization's websites as checkboxes."""
    return tuple(
        Choice(f"{WEBSITE_FIELD}{site.id}", site.domain, site.name, on=f"{WEBSITE_FIELD}{site.id}" in fields)
        for site in websites
    )


def wanted(fields: Mapping[str, str], person: Person, before: Record | None = None) -> Wanted:
    """What a posted form asks for; `before` is the key that it edits. Raises BadRequest, which names the field.

    The form gives the same scopes everywhere: what the key may do beyond that on single websites is taken away.
    """
    scopes = tuple(scope for scope in SCOPES if f"{SCOPE_FIELD}{scope}" in fields)
    if not scopes:
        raise _wrong("scopes", texts.ApiKeys.no_scope)
    some = {name.removeprefix(WEBSITE_FIELD) for name in fields if name.startswith(WEBSITE_FIELD)}
    if fields.get("reach") == "some" and not some:
        raise _wrong("websites", texts.ApiKeys.no_website)
    return Wanted(
        name=fields.get("name", ""),
        description=fields.get("description", ""),
        scopes=scopes,
        resources=rules.resources_for(scopes, some if fields.get("reach") == "some" else None),
        tags=before.tags if before is not None else (),
        ratelimit=_rate(fields),
        expires_at=_expiry(fields.get("expires", ""), person),
    )


def _rate(fields: Mapping[str, str]) -> RateLimit | None:
    most, window = fields.get("max", "").strip(), fields.get("window", "").strip() or str(MINUTE)
    if not most:
        return None
    if not (most.isascii() and most.isdigit() and window.isascii() and window.isdigit()):
        raise _wrong("ratelimit", texts.ApiKeys.no_number)
    return RateLimit(enabled=True, max=int(most[:9]), window=int(window[:9]))


def _expiry(text: str, person: Person) -> int | None:
    """The end of that day in the person's time zone."""
    if not text:
        return None
    try:
        after = date.fromisoformat(text) + timedelta(days=1)
        return int(datetime.combine(after, time(), ZoneInfo(person.time_zone)).timestamp() * 1000)
    except (ValueError, OverflowError) as wrong:
        raise _wrong("expires", texts.ApiKeys.no_date) from wrong


def _wrong(field: str, message: str) -> BadRequest:
    return BadRequest(message, details=(Detail(field, message),))
