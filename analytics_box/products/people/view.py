"""A person in plain words, for the pages."""

from collections.abc import Mapping
from urllib.parse import urlencode

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson as Reader
from analytics_box.base.texts import People
from analytics_box.ingest.profile_rules import Value
from analytics_box.products.people.reading import ProfilePerson
from analytics_box.web.page.dates import moment


class PersonLine(Struct, frozen=True):
    """A person in the list. `email` is empty where it is the id or unknown."""

    name: str
    profile_id: str
    email: str
    when: str
    href: str


class PersonView(Struct, frozen=True):
    """A person on their own page. `traits` are names and values in words."""

    name: str
    profile_id: str
    email: str
    first: str
    last: str
    traits: tuple[tuple[str, str], ...]
    readable: bool
    query: str


def line(person: ProfilePerson, reader: Reader, home: str) -> PersonLine:
    """A row of the list."""
    name = person.display_name or person.profile_id
    return PersonLine(
        name=name,
        profile_id=person.profile_id if name != person.profile_id else "",
        email=person.email if person.email not in {name, person.profile_id} else "",
        when=moment(person.updated_at, reader),
        href=f"{home}/profile?{query_of('profile', person.profile_id)}",
    )


def person_view(person: ProfilePerson, reader: Reader) -> PersonView:
    """A whole person."""
    return PersonView(
        name=person.display_name or person.profile_id,
        profile_id=person.profile_id,
        email=person.email,
        first=moment(person.created_at, reader),
        last=moment(person.updated_at, reader),
        traits=_traits(person.traits),
        readable=person.readable,
        query=query_of("profile", person.profile_id),
    )


def query_of(name: str, value: str) -> str:
    """A parameter for an address."""
    return urlencode({name: value})


def _traits(traits: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _text(value)) for name, value in sorted(traits.items()))


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return People.yes if value else People.no
    return str(value)
