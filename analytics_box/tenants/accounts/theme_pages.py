"""The switch of the theme, in the menu of the account. A cookie is for pages without an account."""

from typing import Final

from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.store.db import Connection
from analytics_box.base.urls import url_parts
from analytics_box.tenants.accounts import preferences
from analytics_box.tenants.accounts.preferences import THEMES
from analytics_box.web.page.templates import own_path
from analytics_box.web.page.visit import Next, Visitor

_COOKIE: Final = "theme"  # early_theme.js reads it
_YEAR: Final = 365 * 24 * 3600  # s


async def switch(visit: Visitor) -> Next:
    """POST /settings/theme: light, dark or system, then the page of before. Raises BadRequest."""
    form = await visit.form()
    theme = next((one for one in THEMES if one == form.get("theme")), None)
    if theme is None:
        raise errors.BadRequest.about("theme", f"Choose one of {', '.join(THEMES)}")
    person = visit.person

    def write(db: Connection) -> None:
        wanted = replace(preferences.find(db, person.user_id), theme=theme)
        preferences.store(db, person.user_id, wanted, organization_id=person.organization_id, by=visit.call.by)

    await visit.call.write(write)
    before = url_parts(visit.request.headers.get("referer", ""))
    back = own_path(before.path + (f"?{before.query}" if before.query else ""))
    return visit.go(back or "/sites", cookie=f"{_COOKIE}={theme}; Path=/; Max-Age={_YEAR}; SameSite=Lax")
