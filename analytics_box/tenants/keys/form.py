"""The form of an API key: from what is typed and ticked to what is wanted, and back. Pure but for the time zone.

Fields: name, description, tags, type (of a new key), scope:<scope>, reach (all or some), website:<id>,
own:<id>:<scope> (what the key may do on that website beyond the rest), expires and expires_at (a day and a time of the
person's zone), max, window and unlimited (its own limit, and whether that rests).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.errors import BadRequest, check_together
from analytics_box.base.identity import SCOPES, Role, Scope, SignedInPerson
from analytics_box.base.translation import _
from analytics_box.tenants.keys import rules
from analytics_box.tenants.keys.rules import RateLimit, StoredKey
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.route import OF_ORGANIZATION

SCOPE_LABELS = {
    "read:data": _("Read analytics"),
    "track:events": _("Send events"),
    "read:links": _("View short links"),
    "write:links": _("Edit short links"),
    "read:monitors": _("View monitors"),
    "write:monitors": _("Edit monitors"),
    "read:status_pages": _("View status pages"),
    "write:status_pages": _("Edit status pages"),
    "manage:websites": _("Add, edit and delete websites"),
    "manage:flags": _("Edit feature flags"),
    "manage:config": _("Edit organization settings"),
}
_GROUPS: tuple[tuple[str, tuple[Scope, ...]], ...] = (
    (_("Analytics"), ("read:data", "track:events")),
    (_("Websites and settings"), ("manage:websites", "manage:config", "manage:flags")),
    (_("Links"), ("read:links", "write:links")),
    (_("Monitors"), ("read:monitors", "write:monitors")),
    (_("Status pages"), ("read:status_pages", "write:status_pages")),
)


SCOPE_FIELD, WEBSITE_FIELD, OWN_FIELD = "scope:", "website:", "own:"  # followed by what the checkbox stands for
OF_ONE_WEBSITE = tuple(scope for scope in SCOPES if scope not in OF_ORGANIZATION)
MINUTE = 60  # seconds


class ScopeChoice(Struct, frozen=True):
    """A checkbox of the form."""

    field: str
    name: str
    text: str
    on: bool
    open: bool = True


class ScopeGroup(Struct, frozen=True):
    """Checkboxes that belong together."""

    title: str
    choices: tuple[ScopeChoice, ...]

    @property
    def any_on(self) -> bool:
        """Whether one of them is ticked."""
        return any(choice.on for choice in self.choices)


class KeyForm(Struct, frozen=True):
    """The choices of the form: scopes in groups, the websites, and further scopes for each of these."""

    groups: tuple[ScopeGroup, ...]
    sites: tuple[ScopeChoice, ...]
    own: tuple[ScopeGroup, ...]


def scope_choices(
    fields: Mapping[str, str], websites: Sequence[Website], role: Role, record: StoredKey | None
) -> KeyForm:
    """The checkboxes, ticked as these fields say; what the role may not give is closed.

    A website that the key names and that is gone stays a choice, because it may be restored.
    """
    named = {site.id: (site.domain, site.name) for site in websites}
    if record is not None:
        named |= {
            gone: (gone, _("a deleted website")) for gone in rules.websites_of(record.resources) if gone not in named
        }

    def choice(field: str, scope: Scope) -> ScopeChoice:
        grant = rules.may_edit_scopes(role) or scope in rules.MEMBER_SCOPES
        return ScopeChoice(field, scope, SCOPE_LABELS[scope], on=field in fields, open=grant)

    return KeyForm(
        groups=tuple(
            ScopeGroup(title, tuple(choice(f"{SCOPE_FIELD}{scope}", scope) for scope in scopes))
            for title, scopes in _GROUPS
        ),
        sites=tuple(
            ScopeChoice(f"{WEBSITE_FIELD}{site}", domain, name, on=f"{WEBSITE_FIELD}{site}" in fields)
            for site, (domain, name) in named.items()
        ),
        own=tuple(
            ScopeGroup(domain, tuple(choice(f"{OWN_FIELD}{site}:{scope}", scope) for scope in OF_ONE_WEBSITE))
            for site, (domain, _rest) in named.items()
        ),
    )


def fields_of(record: StoredKey, person: SignedInPerson) -> dict[str, str]:
    """A form filled in with what a key is."""
    key = rules.key_of(record)
    fields = {
        "name": record.name,
        "description": record.description,
        "tags": ", ".join(record.tags),
        "type": record.type,
        "reach": "all" if key.websites is None else "some",
        **{f"{SCOPE_FIELD}{scope}": "on" for scope in key.scopes},
        **{f"{WEBSITE_FIELD}{website}": "on" for website in key.websites or ()},
        **{f"{OWN_FIELD}{website}:{scope}": "on" for website, scopes in key.own.items() for scope in scopes},
        **_expiry_fields(record.expires_at, person),
    }
    rate = record.ratelimit
    if rate is not None:
        fields |= {"max": str(rate.max), "window": str(rate.window)} | ({} if rate.enabled else {"unlimited": "on"})
    return fields


def parse_key_form(
    fields: Mapping[str, str], person: SignedInPerson, before: StoredKey | None = None
) -> dict[str, Any]:
    """The values of a posted form by the fields of a key; `before` is the key that it edits. Raises BadRequest, which
    names each wrong field.
    """
    scopes = tuple(scope for scope in SCOPES if f"{SCOPE_FIELD}{scope}" in fields)
    some = fields.get("reach") == "some"
    own = _own_scopes(fields)
    websites = {name.removeprefix(WEBSITE_FIELD) for name in fields if name.startswith(WEBSITE_FIELD)}
    tags = tuple(tag for tag in (each.strip() for each in fields.get("tags", "").split(",")) if tag)
    check_together(
        lambda: rules.clean_name(fields.get("name", "")),
        lambda: rules.clean_tags(tags),
        lambda: rules.check_scopes(bool(scopes or (some and own))),
        lambda: _check_websites(websites, own) if some else None,
        lambda: _expiry(fields, person, before),
        lambda: _rate(fields),
    )
    further = {f"{rules.WEBSITE}{website}": held for website, held in own.items()}
    return {
        "name": fields.get("name", ""),
        "description": fields.get("description", "").strip(),
        "type": before.type
        if before is not None
        else next((one for one in rules.TYPES if one == fields.get("type")), "user"),
        "scopes": scopes,
        "resources": {**rules.resources_for(scopes, websites if some else None), **further},
        "tags": tags,
        "ratelimit": _rate(fields),
        "expires_at": _expiry(fields, person, before),
    }


def _check_websites(websites: Collection[str], own: Mapping[str, tuple[Scope, ...]]) -> None:
    if not websites:
        raise BadRequest.about("websites", _("Select at least one website, or all of them."))
    if own.keys() - websites:
        raise BadRequest.about("own", _("Select a website above before you add permissions for it."))


def _own_scopes(fields: Mapping[str, str]) -> dict[str, tuple[Scope, ...]]:
    """The scopes ticked for single websites, by website id."""
    websites = {name.split(":", 2)[1] for name in fields if name.startswith(OWN_FIELD) and name.count(":") >= 2}
    ticked = {
        website: tuple(scope for scope in OF_ONE_WEBSITE if f"{OWN_FIELD}{website}:{scope}" in fields)
        for website in websites
    }
    return {website: scopes for website, scopes in ticked.items() if scopes}


def _rate(fields: Mapping[str, str]) -> RateLimit | None:
    most, window = fields.get("max", "").strip(), fields.get("window", "").strip() or str(MINUTE)
    if not most:
        return None
    if not (most.isascii() and most.isdigit() and window.isascii() and window.isdigit()):
        raise BadRequest.about("ratelimit", _("Enter whole numbers."))
    return RateLimit(enabled="unlimited" not in fields, max=int(most[:9]), window=int(window[:9]))


def _expiry_fields(expires_at: int | None, person: SignedInPerson) -> dict[str, str]:
    """The end of a key as a day and a time; midnight is the end of the day before."""
    if expires_at is None:
        return {}
    end = datetime.fromtimestamp(expires_at / 1000, UTC).astimezone(ZoneInfo(person.time_zone))
    if end.time() == time():
        return {"expires": (end.date() - timedelta(days=1)).isoformat()}
    return {"expires": end.date().isoformat(), "expires_at": f"{end:%H:%M}"}


def _expiry(fields: Mapping[str, str], person: SignedInPerson, before: StoredKey | None) -> int | None:
    """A time of that day in the person's zone, or its end. What is left as it was stays to the millisecond."""
    given = {name: fields.get(name, "").strip() for name in ("expires", "expires_at")}
    given = {name: text for name, text in given.items() if text}
    if before is not None and given == _expiry_fields(before.expires_at, person):
        return before.expires_at
    if not given:
        return None
    try:
        day = date.fromisoformat(given.get("expires", ""))
        at = time.fromisoformat(given["expires_at"]) if "expires_at" in given else None
        when = datetime.combine(day + timedelta(days=1), time()) if at is None else datetime.combine(day, at)
        return int(when.replace(tzinfo=ZoneInfo(person.time_zone)).timestamp() * 1000)
    except (ValueError, OverflowError) as wrong:
        raise BadRequest.about("expires", _("Enter a date such as 2027-01-31. The time is optional.")) from wrong
