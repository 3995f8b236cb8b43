"""The page /settings/profile, and the switch between light and dark."""

from datetime import UTC, datetime
from typing import Final

from msgspec import ValidationError, convert, to_builtins
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.tenants.accounts import preferences, rows, users
from analytics_box.tenants.accounts.preferences import THEMES, Preferences
from analytics_box.web.page import dates
from analytics_box.web.page.templates import own_path
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

_HOME = "/settings/profile"
_EXAMPLE = datetime(2026, 11, 20, 14, 5, tzinfo=UTC)
_CHOICES = ("date_format", "time_format", "week_start", "theme")


async def profile(visit: Visitor) -> Page:
    """GET /settings/profile."""
    return await _profile_page(visit, Again())


async def save(visit: Visitor) -> Answer:
    """POST /settings/profile. What the form does not say stays."""
    form = await visit.form()

    def write(db: Connection) -> None:
        before = preferences.find(db, visit.person.user_id)
        wanted = preferences.with_zone(before, form.get("timezone", before.zone_shown))
        chosen = {name: form[name] for name in _CHOICES if name in form}
        preferences.store(
            db,
            visit.person.user_id,
            _validated({**to_builtins(wanted), **chosen}),
            organization_id=visit.person.organization_id,
            by=visit.call.by,
        )
        if "name" in form:
            users.rename(
                db,
                visit.person.user_id,
                form["name"],
                organization_id=visit.person.organization_id,
                by=visit.call.by,
            )

    async def change() -> str:
        await visit.call.write(write)
        return f"{_HOME}?done=saved"

    return await visit.submit(change, _profile_page, values={"name": form.get("name", "")})


def _validated(fields: dict[str, object]) -> Preferences:
    try:
        return convert(fields, Preferences)
    except ValidationError as wrong:
        raise BadRequest(_("Choose one of the values on the page")) from wrong


async def _profile_page(visit: PageRequest, again: Again) -> Page:
    user_id = visit.person.user_id
    found = await visit.call.read(lambda db: preferences.find(db, user_id))
    return visit.settings_page(
        "profile.html",
        "profile",
        again=again,
        values={"name": await visit.call.read(lambda db: rows.name_of(db, user_id))},
        email=visit.person.email,
        done=_("Saved.") if visit.asked("done") == "saved" else "",
        found=found,
        zones=preferences.zone_groups(found.time_zone),
        date_formats=[(form, dates.day_text(_EXAMPLE, form)) for form in preferences.DATE_FORMATS],
        time_formats=[(form, dates.time_text(_EXAMPLE, form)) for form in preferences.TIME_FORMATS],
    )


_COOKIE: Final = "theme"  # early_theme.js reads it
_YEAR: Final = 365 * 24 * 3600  # s


async def switch_theme(visit: Visitor) -> Next:
    """POST /settings/theme: light, dark or system, then the page of before. Raises BadRequest."""
    form = await visit.form()
    theme = next((one for one in THEMES if one == form.get("theme")), None)
    if theme is None:
        raise errors.BadRequest.about("theme", _("Choose one of {themes}").format(themes=", ".join(THEMES)))
    person = visit.person

    def write(db: Connection) -> None:
        wanted = replace(preferences.find(db, person.user_id), theme=theme)
        preferences.store(db, person.user_id, wanted, organization_id=person.organization_id, by=visit.call.by)

    await visit.call.write(write)
    before = url_parts(visit.request.headers.get("referer", ""))
    back = own_path(before.path + (f"?{before.query}" if before.query else ""))
    return visit.go(back or "/sites", cookie=f"{_COOKIE}={theme}; Path=/; Max-Age={_YEAR}; SameSite=Lax")
