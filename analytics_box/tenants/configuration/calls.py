"""The procedures `config.get`, `update` and `testEmail`: an organization's defaults, and what the box is connected to.

The mail server is a matter of the whole box and is set in its settings file; here one sees whether it is set up and
can try it. Its address is for administrators of the box; its user and password are never shown.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.resource.reach import acting
from analytics_box.tenants.configuration import channels
from analytics_box.tenants.organizations import change
from analytics_box.tenants.organizations.change import OrganizationUpdate, in_memory
from analytics_box.tenants.tenancy import defaults, members
from analytics_box.tenants.tenancy.defaults import OrganizationDefaults, VisitorIds
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.messages import OrganizationInput, Text
from analytics_box.tenants.tenancy.rules import InvitedRole, StoredOrganization
from analytics_box.web.call import Call

_NAMES = {
    "invitation_role": "invitationRole",
    "visitor_id_mode": "visitorIdMode",
    "data_retention_days": "dataRetentionDays",
}


class DefaultsUpdate(Struct, frozen=True):
    """New defaults; omitted fields keep their values. Retention is in days; None keeps events for ever."""

    invitation_role: InvitedRole | None = None
    visitor_id_mode: VisitorIds | None = None
    data_retention_days: int | UnsetType | None = UNSET


def change_defaults(db: Connection, organization_id: str, by: By, wanted: DefaultsUpdate) -> OrganizationDefaults:
    """Other defaults, with an audit entry if anything changed. Raises Forbidden."""
    members.check(db, organization_id, by, "update")
    before = defaults.of(db, organization_id)
    days = wanted.data_retention_days
    after = replace(
        before,
        invitation_role=wanted.invitation_role or before.invitation_role,
        visitor_id_mode=wanted.visitor_id_mode or before.visitor_id_mode,
        data_retention_days=before.data_retention_days if isinstance(days, UnsetType) else days,
    )
    changes = audit.difference(before, after, _NAMES, names=_NAMES)
    if changes:
        defaults.store_defaults(db, organization_id, after)
        audit.record(db, by, organization_id, "updated", "defaults", organization_id, changes)
    return after


Days = Annotated[int, Meta(ge=1, le=3_650)]


class GivenDefaults(Struct, frozen=True, forbid_unknown_fields=True):
    """New defaults; omitted fields keep their values. `timeZone` is an IANA name; empty for UTC.

    `dataRetentionDays` of null keeps the events of new websites for ever.
    """

    timeZone: Text | None = None
    invitationRole: InvitedRole | None = None
    visitorIdMode: VisitorIds | None = None
    dataRetentionDays: Days | UnsetType | None = UNSET


class UpdateConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.update; omitted fields keep their values."""

    organizationId: Text | None = None
    defaults: GivenDefaults | None = None


class TestEmail(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.testEmail. `to` is a member's address; a person's own if it is left out."""

    organizationId: Text | None = None
    to: Text | None = None


class ConfigDefaults(Struct, frozen=True):
    """Defaults for members, invitations and websites."""

    timeZone: str
    invitationRole: InvitedRole
    visitorIdMode: VisitorIds
    dataRetentionDays: int | None


class Smtp(Struct, frozen=True):
    """The mail server. `sender` is empty if none is set up; `server` is null except for administrators of the box."""

    configured: bool
    sender: str
    server: str | None = None
    security: str | None = None


class ConfigIntegrations(Struct, frozen=True):
    smtp: Smtp


class Configuration(Struct, frozen=True):
    """Output of config.get and config.update."""

    organizationId: str
    plan: str
    defaults: ConfigDefaults
    integrations: ConfigIntegrations


class _State(Struct, frozen=True):
    """The stored settings of an organization, and whether the caller administers the box."""

    stored: StoredOrganization
    defaults: defaults.OrganizationDefaults
    administers: bool


async def get(call: Call, given: OrganizationInput) -> Configuration:
    """config.get: get the organization's defaults. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)

    def find(db: Connection) -> _State:
        members.check(db, organization_id, by, "update")
        return _state(db, organization_id, by)

    return _config_answer(call, await call.read(find))


async def update(call: Call, given: UpdateConfig) -> Configuration:
    """config.update: update the organization's defaults. Raises Forbidden, or BadRequest for an unknown time zone."""
    organization_id, by = acting(call, given.organizationId)
    state = await store(call, organization_id, by, given.defaults or GivenDefaults())
    return _config_answer(call, state)


async def store(call: Call, organization_id: str, by: By, given: GivenDefaults) -> _State:
    """Store new defaults. Raises Forbidden or BadRequest."""

    def work(db: Connection) -> _State:
        change.update(db, organization_id, by, OrganizationUpdate(time_zone=given.timeZone))
        wanted = DefaultsUpdate(given.invitationRole, given.visitorIdMode, given.dataRetentionDays)
        change_defaults(db, organization_id, by, wanted)
        return _state(db, organization_id, by)

    state = await call.write(work)
    call.parts[OrganizationDirectory].remember(in_memory(state.stored))
    return state


async def test_email(call: Call, given: TestEmail) -> channels.TestEmailResult:
    """config.testEmail: send a test email to a member. Raises Forbidden, BadRequest or RateLimited."""
    call.parts.limits.take("test e-mail", call.identity.limit_name, channels.TESTS)
    organization_id, by = acting(call, given.organizationId)
    await call.read(lambda db: members.check(db, organization_id, by, "update"))
    person = call.identity.person
    to = given.to or (person.email if person else "")
    joined = await call.read(lambda db: members.of_organization(db, organization_id))
    known = {member.email.lower() for member in joined if member.confirmed}
    if to.lower() not in known:
        raise errors.BadRequest(_("Send a member's address in `to`"))
    return await channels.send_test(call, to)


def smtp(call: Call, *, administers: bool) -> Smtp:
    """The mail server; its address is only for administrators of the box."""
    mailer, settings = call.parts[Mailer], call.parts.settings
    if not mailer.configured:
        return Smtp(configured=False, sender="")
    if not administers:
        return Smtp(configured=True, sender=mailer.sender)
    return Smtp(True, mailer.sender, f"{settings.smtp_host}:{settings.smtp_port}", settings.smtp_security)


def _state(db: Connection, organization_id: str, by: By) -> _State:
    return _State(
        stored=members.existing_organization(db, organization_id),
        defaults=defaults.of(db, organization_id),
        administers=members.administers(db, by),
    )


def _config_answer(call: Call, state: _State) -> Configuration:
    return Configuration(
        organizationId=state.stored.id,
        plan=state.stored.plan,
        defaults=ConfigDefaults(
            timeZone=state.stored.time_zone,
            invitationRole=state.defaults.invitation_role,
            visitorIdMode=state.defaults.visitor_id_mode,
            dataRetentionDays=state.defaults.data_retention_days,
        ),
        integrations=ConfigIntegrations(smtp(call, administers=state.administers)),
    )
