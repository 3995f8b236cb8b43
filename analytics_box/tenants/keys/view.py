"""API keys as the list shows them. Pure but for the person's time zone."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from analytics_box.base import texts
from analytics_box.base.identity import SCOPES, SignedInPerson
from analytics_box.tenants.keys import rules
from analytics_box.tenants.keys.rules import StoredKey
from analytics_box.web.page import dates


class Further(Struct, frozen=True):
    """The scopes of a key on one website only."""

    where: str
    may: tuple[str, ...]


class KeyListItem(Struct, frozen=True):
    """A key in the list. `further` is what it may do on single websites beyond `may`; `switch` is the verb that turns
    it off or on, empty where neither is possible."""

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
    words = texts.ApiKeys
    state = rules.state_of(record, now)
    key = rules.key_of(record)
    where = words.everywhere
    if key.websites is not None:
        where = ", ".join(sorted(names.get(website, words.gone) for website in key.websites))
    return KeyListItem(
        id=record.id,
        name=record.name,
        start=record.start,
        type=words.types[record.type],
        description=record.description,
        tags=record.tags,
        state=state,
        state_text=words.states[state],
        may=_in_words(key.scopes),
        where=where,
        further=tuple(
            sorted(
                (Further(names.get(website, words.gone), _in_words(scopes)) for website, scopes in key.own.items()),
                key=lambda one: one.where,
            )
        ),
        rate=_rate(record),
        used=words.used.format(when=dates.moment(used, person)) if used else words.unused,
        made=words.made.format(when=dates.moment(record.created_at, person)),
        ends=_ends(record, person, now),
        switch="" if record.revoked_at is not None else "disable" if record.enabled else "enable",
    )


def _in_words(scopes: Collection[str]) -> tuple[str, ...]:
    if len(scopes) == len(SCOPES):
        return (texts.ApiKeys.everything,)
    return tuple(texts.ApiKeys.scopes[scope] for scope in SCOPES if scope in scopes)


def _rate(record: StoredKey) -> str:
    rate, words = record.ratelimit, texts.ApiKeys
    if rate is None or not rate.enabled:
        return ""
    return words.rate.format(most=f"{rate.max:,}", window=f"{rate.window:,}")


def _ends(record: StoredKey, person: SignedInPerson, now: int) -> str:
    words = texts.ApiKeys
    if record.revoked_at is not None:
        return words.revoked_at.format(when=dates.moment(record.revoked_at, person))
    if record.expires_at is None:
        return words.endless
    text = words.ended if record.expires_at <= now else words.ends
    return text.format(when=dates.moment(record.expires_at, person))
