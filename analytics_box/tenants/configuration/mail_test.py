"""Test emails, which show whether the mail server works."""

from typing import Final

from msgspec import Struct

from analytics_box.base.notify import mail_limits
from analytics_box.base.notify.mail import Mail, Mailer, NotSent
from analytics_box.base.translation import _
from analytics_box.web.call import Call

TESTS: Final = 5  # a caller can send this many in 60 seconds


class TestEmailResult(Struct, frozen=True):
    """The result of a test email. `error` is the reason why nothing was sent, or null."""

    success: bool
    to: str
    error: str | None


async def send_test(call: Call, to: str) -> TestEmailResult:
    """Send a test email to the address of a known person; the caller limits how often. Raises RateLimited."""
    await call.write(lambda db: mail_limits.take(db, "test", to, call.now))
    text = _("This is a test of the mail server of {url}. You do not need to do anything.\n")
    mail = Mail(to, _("Analytics Box can send email"), text.format(url=call.parts.settings.public_url))
    try:
        await call.parts[Mailer].send(mail)
    except NotSent as why:
        return TestEmailResult(success=False, to=to, error=str(why))
    return TestEmailResult(success=True, to=to, error=None)
