"""The page /settings/security, and a new password on it."""

from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts import password_reset, rules
from analytics_box.tenants.accounts.device import describe
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.second_step import SecondSteps
from analytics_box.tenants.accounts.security_page import HOME, after_password, security_page
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.web.page.visit import Answer, Page, Visitor


async def security(visit: Visitor) -> Page:
    """GET /settings/security."""
    return await security_page(visit, done=visit.asked("done"))


async def change_password(visit: Visitor) -> Answer:
    """POST /settings/security/password: all other sessions end, and this one gets a new id."""
    person, parts = visit.person, visit.parts

    async def change(form: dict[str, str]) -> Answer:
        rules.check_password(form.get("new", ""), person.email, field="new")
        hashed = await parts[Passwords].hash(form["new"])

        def write(db: Connection) -> str:
            password_reset.set_password(db, person.user_id, hashed, by=visit.call.by)
            return parts[SignIns].replace(db, person, device=describe(visit.browser()))

        token = await visit.call.write(write)
        parts[SecondSteps].forget(person.user_id)
        return visit.go(f"{HOME}?done=password", cookie=parts[SignIns].cookie(token))

    return await after_password(visit, change, field="current")
