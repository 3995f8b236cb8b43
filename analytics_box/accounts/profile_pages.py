"""The page /settings/profile: time zone, formats and theme."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import ValidationError, convert, to_builtins

from analytics_box import texts
from analytics_box.accounts import preferences
from analytics_box.accounts.preferences import Preferences
from analytics_box.clock import Clock
from analytics_box.errors import AuthRequired, BadRequest
from analytics_box.http import dates
from analytics_box.http.pages import Pages, form_of, go
from analytics_box.identity import Identity, Person
from analytics_box.settings import Settings
from analytics_box.store.db import Connection, Db
from analytics_box.websites.shell import shell

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]

_EXAMPLE = datetime(2026, 11, 20, 14, 5, tzinfo=UTC)


async def profile(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
) -> Page:
    """GET /settings/profile."""
    person = _person(identity)
    found = await box_db.read(lambda db: preferences.find(db, person.user_id))
    return pages.show(
        "profile.html",
        shell=shell(person, "settings"),
        tab="profile",
        email=person.email,
        done=texts.Profile.saved if request.query_params.get("done") == "saved" else "",
        found=found,
        zones=list(_zones()),
        date_formats=[(form, dates.day_text(_EXAMPLE, form)) for form in preferences.DATE_FORMATS],
        time_formats=[(form, dates.time_text(_EXAMPLE, form)) for form in preferences.TIME_FORMATS],
        themes=[(theme, texts.Profile.themes[theme]) for theme in preferences.THEMES],
    )


async def save(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    box_db: NamedDependency[Db],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Next:
    """POST /settings/profile. Raises BadRequest for what the page does not offer."""
    person = _person(identity)
    form = await form_of(request, settings)
    now = clock.now()

    def write(db: Connection) -> None:
        before = preferences.find(db, person.user_id)
        wanted = preferences.with_zone(before, form.get("timezone", before.zone_shown))
        fields: dict[str, object] = to_builtins(wanted)
        fields |= {name: form[name] for name in ("date_format", "time_format", "theme") if name in form}
        try:
            checked = convert(fields, Preferences)
        except ValidationError as wrong:
            raise BadRequest("Choose one of the values on the page") from wrong
        preferences.store(
            db,
            person.user_id,
            checked,
            organization_id=person.organization_id,
            actor=identity.limit_name,
            now=now,
        )

    await box_db.write(write)
    return go("/settings/profile?done=saved")


def _zones() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Every zone with its name, by region, for a list that is searched by typing."""
    for region, names in groupby(preferences.zones(), key=lambda name: name.partition("/")[0]):
        yield region, [(name, (name.partition("/")[2] or name).replace("_", " ")) for name in names]


def _person(identity: Identity) -> Person:
    if identity.person is None:
        raise AuthRequired("Sign in to see this page")
    return identity.person
