"""Shared parts of all commands: the actor and the organization."""

from analytics_box.base import errors
from analytics_box.base.acting import COMMAND_LINE, By
from analytics_box.base.identity import Identity, Operator
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import Organization
from analytics_box.web.call import Call, Parts


def command_line(parts: Parts) -> By:
    """The command line as who changes something."""
    return By(COMMAND_LINE, parts.clock.now())


def acting_in(parts: Parts, organization_id: str) -> Call:
    """A call of procedures by the command line, which may do there what an admin may."""
    return parts.by(Identity(address="", operator=Operator(organization_id)))


def organization_of(parts: Parts, given: str | None) -> Organization:
    """The organization with this id or slug, or the only one. Raises NotFound or BadRequest."""
    known = parts[OrganizationDirectory].all()
    if given is None:
        if len(known) == 1:
            return known[0]
        names = ", ".join(sorted(organization.slug for organization in known))
        raise errors.BadRequest(f"Name the organization: {names}" if known else "Set up the box first")
    for organization in known:
        if given in {organization.id, organization.slug}:
            return organization
    raise errors.NotFound(f"There is no organization {given}")
