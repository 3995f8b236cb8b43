"""The procedures `config.*`: an organization's defaults, and what the box is connected to (scope manage:config).

The mail server is a matter of the whole box and is set in its settings file; here one sees whether it is set up and
can try it. Its password, user and host are never shown.
"""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box import errors
from analytics_box.http.call import Call
from analytics_box.notify.mail import Mail, NotSent
from analytics_box.organizations import change, members
from analytics_box.organizations.acting import acting
from analytics_box.organizations.change import Given
from analytics_box.organizations.rules import Stored
from analytics_box.organizations.shown import in_memory
from analytics_box.texts import Organizations as Words

Text = Annotated[str, Meta(max_length=255)]

TESTS = 5  # mails that one caller may try per 60 s


class OfOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Text | None = None


class GivenDefaults(Struct, frozen=True, forbid_unknown_fields=True):
    """What new members start with. `timeZone` is an IANA name; empty for UTC."""

    timeZone: Text | None = None


class Changed(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.update; what is not given stays."""

    organizationId: Text | None = None
    defaults: GivenDefaults | None = None


class TestEmail(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.testEmail. `to` is a member's address; a person's own if it is left out."""

    organizationId: Text | None = None
    to: Text | None = None


class Defaults(Struct, frozen=True):
    timeZone: str


class Smtp(Struct, frozen=True):
    """The mail server, as far as an organization needs to know. `sender` is empty where none is set up."""

    configured: bool
    sender: str


class Integrations(Struct, frozen=True):
    smtp: Smtp


class Configuration(Struct, frozen=True):
    """Output of config.get and config.update."""

    organizationId: str
    plan: str
    defaults: Defaults
    integrations: Integrations


class Sent(Struct, frozen=True):
    """Output of config.testEmail. `error` says why nothing was sent; null where it was."""

    success: bool
    to: str
    error: str | None


async def get(call: Call, given: OfOrganization) -> Configuration:
    """config.get. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    await call.read(lambda db: change.check(db, organization_id, by, "update"))
    return _shown(call, await call.read(lambda db: change.existing(db, organization_id)))


async def update(call: Call, given: Changed) -> Configuration:
    """config.update. Raises Forbidden, or BadRequest for an unknown time zone."""
    organization_id, by = acting(call, given.organizationId)
    wanted = Given(time_zone=given.defaults.timeZone if given.defaults else None)
    stored = await call.write(lambda db: change.update(db, organization_id, by, wanted))
    call.parts.organizations.remember(in_memory(stored))
    return _shown(call, stored)


async def test_email(call: Call, given: TestEmail) -> Sent:
    """config.testEmail: send a message to a member. Raises Forbidden, BadRequest or RateLimited."""
    call.parts.limits.take("test e-mail", call.identity.limit_name, TESTS)
    organization_id, by = acting(call, given.organizationId)
    await call.read(lambda db: change.check(db, organization_id, by, "update"))
    person = call.identity.person
    to = given.to or (person.email if person else "")
    known = {member.email.lower() for member in await call.read(lambda db: members.everybody(db, organization_id))}
    if to.lower() not in known:
        raise errors.BadRequest("Name a member's address in `to`")
    try:
        await call.parts.mailer.send(Mail(to, Words.test_subject, Words.test_text.format(url=_url(call))))
    except NotSent as why:
        return Sent(success=False, to=to, error=str(why))
    return Sent(success=True, to=to, error=None)


def _url(call: Call) -> str:
    return call.parts.settings.public_url


def _shown(call: Call, stored: Stored) -> Configuration:
    mailer = call.parts.mailer
    return Configuration(
        organizationId=stored.id,
        plan=stored.plan,
        defaults=Defaults(timeZone=stored.time_zone),
        integrations=Integrations(Smtp(mailer.configured, mailer.sender if mailer.configured else "")),
    )
