"""Pages for a forgotten password: how to get a link, and the form that the link leads to."""

import logging

from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, BoxError, Conflict
from analytics_box.base.notify.mail import Mail, Mailer
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import password_reset, rows, rules
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.rules import User
from analytics_box.tenants.accounts.second_factor import SecondSteps
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.web.call import Parts
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_EXPIRED = (
    _("This link is no longer valid"),
    _("Password links work once, for a limited time."),
    _("Ask for a new one."),
)


log = logging.getLogger(__name__)


async def reset_form(visit: Visitor) -> Page:
    """GET /reset-password?token=…, for users with a valid link."""
    user = await _user(visit)
    return _expired_page(visit) if user is None else _reset_page(visit, user, Again())


async def reset(visit: Visitor) -> Answer:
    """POST /reset-password?token=…: set the password, end all sessions, and lead to the sign-in."""
    parts, now, token = visit.parts, visit.call.now, visit.asked("token")
    parts.limits.take("sign-in", visit.call.identity.address, parts.settings.limit_sign_in)
    form, user = await visit.form(), await _user(visit)
    if user is None:
        return _expired_page(visit)
    try:
        rules.check_password(form.get("password", ""), user.email)
    except BadRequest as wrong:
        return _reset_page(visit, user, Again(wrong.status, wrong=field_errors(wrong)))
    hashed = await parts[Passwords].hash(form["password"])
    try:
        await visit.call.write(lambda db: password_reset.use(db, token, hashed, now))
    except Conflict:
        return _expired_page(visit)
    parts[SecondSteps].forget(user.id)
    return visit.go("/sign-in?done=password", cookie=parts[SignIns].cookie(""))


async def forgot_form(visit: Visitor) -> Page:
    """GET /forgot-password; a box without a mail server says what to do instead."""
    return visit.pages.show("forgot.html", mail=visit.parts[Mailer].configured, sent=False)


async def forgot(visit: Visitor) -> Page:
    """POST /forgot-password: the same immediate answer for all; the email is sent in the background."""
    parts = visit.parts
    parts.limits.take("forgot", visit.call.identity.address, parts.settings.limit_sign_in)
    email = (await visit.form()).get("email", "")[:254].strip().lower()
    parts.limits.take("forgot for", ids.digest(email).hex(), parts.settings.limit_sign_in)
    if parts[Mailer].configured:
        parts[Mailer].soon(_send_link(parts, email, visit.call.now))
    return visit.pages.show("forgot.html", mail=parts[Mailer].configured, sent=parts[Mailer].configured)


async def _send_link(parts: Parts, email: str, now: int) -> None:
    """Send a link to an account's own address, if there is one; failures are logged by the mailer."""
    base_url = parts.settings.public_url
    try:
        link = await parts.box_db.write(
            lambda db: password_reset.mailed_link(db, email, base_url=base_url, by=By("forgotten password", now))
        )
    except BoxError as refused:
        log.info("The password reset email was not sent: %s", type(refused).__name__)
        return
    text = _(
        "A password reset was requested for {email}.\n\nOpen this link "
        "within an hour to choose a new one. It works once:\n\n{link}\n\nIf this wasn't you, "
        "ignore this email. Your password stays the same.\n"
    ).format(email=email, link=link)
    await parts[Mailer].try_to_send(Mail(email, _("Reset your Analytics Box password"), text))


async def _user(visit: PageRequest) -> User | None:
    """The user whose password the link of this address sets, if it is still valid."""
    token, now = visit.asked("token"), visit.call.now
    return await visit.call.read(lambda db: rows.user_of(db, ids.digest(token), now=now))


def _reset_page(visit: PageRequest, user: User, again: Again) -> Page:
    return visit.pages.show(
        "reset.html",
        code=again.code,
        token=visit.asked("token"),
        email=user.email,
        first=not user.password,
        errors=again.wrong,
    )


def _expired_page(visit: PageRequest) -> Page:
    return visit.pages.explain(_EXPIRED, code=403)
