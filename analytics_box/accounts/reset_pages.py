"""Pages for a forgotten password: how to get a link, and the form that the link leads to."""

import logging
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency

from analytics_box import ids, texts
from analytics_box.accounts import password_reset, rules
from analytics_box.accounts.passwords import Passwords
from analytics_box.accounts.second_step import SecondSteps
from analytics_box.accounts.sign_in import SignIns
from analytics_box.clock import Clock
from analytics_box.errors import BadRequest, BoxError, Conflict
from analytics_box.http.pages import Pages, field_errors, form_of, go
from analytics_box.identity import Identity
from analytics_box.limits import Limits
from analytics_box.notify.mail import Mail, Mailer
from analytics_box.settings import Settings
from analytics_box.store.db import Db

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]

log = logging.getLogger(__name__)


async def forgot_form(pages: NamedDependency[Pages], mailer: NamedDependency[Mailer]) -> Page:
    """GET /forgot-password; a box without a mail server says what to do instead."""
    return pages.show("forgot.html", mail=mailer.configured, sent=False)


async def reset_form(
    request: AnyRequest,
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    clock: NamedDependency[Clock],
) -> Page:
    """GET /reset-password?token=…, for whoever has a link that works."""
    token = request.query_params.get("token", "")
    user = await box_db.read(lambda db: password_reset.user_of(db, token, clock.now()))
    if user is None:
        return pages.explain(texts.Reset.expired, code=403)
    return pages.show("reset.html", token=token, email=user.email, first=not user.password, errors={})


async def reset(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    sign_ins: NamedDependency[SignIns],
    second_steps: NamedDependency[SecondSteps],
    passwords: NamedDependency[Passwords],
    limits: NamedDependency[Limits],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /reset-password?token=…: set the password, end all sessions, and lead to the sign-in."""
    limits.take("sign-in", identity.address, settings.limit_sign_in)
    token, now = request.query_params.get("token", ""), clock.now()
    form = await form_of(request, settings)
    user = await box_db.read(lambda db: password_reset.user_of(db, token, now))
    if user is None:
        return pages.explain(texts.Reset.expired, code=403)
    try:
        rules.check_password(form.get("password", ""), user.email)
    except BadRequest as wrong:
        first, refused = not user.password, field_errors(wrong)
        return pages.show("reset.html", code=400, token=token, email=user.email, first=first, errors=refused)
    hashed = await passwords.hash(form["password"])
    try:
        await box_db.write(lambda db: password_reset.use(db, token, hashed, now))
    except Conflict:
        return pages.explain(texts.Reset.expired, code=403)
    second_steps.forget(user.id)
    return go("/sign-in?done=password", cookie=sign_ins.cookie(""))


async def forgot(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    mailer: NamedDependency[Mailer],
    limits: NamedDependency[Limits],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page:
    """POST /forgot-password: the same answer at once for everybody; the e-mail goes its own way."""
    limits.take("forgot", identity.address, settings.limit_sign_in)
    email = (await form_of(request, settings)).get("email", "")[:254]
    limits.take("forgot for", ids.digest(email.strip().lower()).hex(), settings.limit_sign_in)
    if mailer.configured:
        mailer.soon(_send_link(box_db, mailer, settings, email, clock.now()))
    return pages.show("forgot.html", mail=mailer.configured, sent=mailer.configured)


async def _send_link(box_db: Db, mailer: Mailer, settings: Settings, email: str, now: int) -> None:
    """Send a link to an account's own address, if there is one; failures are logged by the mailer."""
    try:
        link = await box_db.write(
            lambda db: password_reset.new_link(
                db, email, base_url=settings.public_url, actor="forgotten password", now=now
            )
        )
    except BoxError as refused:
        log.info("No link for a new password was sent: %s", type(refused).__name__)
        return
    text = texts.Reset.mail_text.format(email=email.strip().lower(), link=link)
    await mailer.try_to_send(Mail(email.strip().lower(), texts.Reset.mail_subject, text))
