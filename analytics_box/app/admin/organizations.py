"""The commands `organization …`: the organizations of the box, and the private networks that they may reach."""

from msgspec import Struct

from analytics_box.app.admin.asking import command_line, organization_of
from analytics_box.app.admin.given.organizations import EditedOrganization, ListedOrganizations
from analytics_box.base.outgoing.client import Clients
from analytics_box.tenants.organizations import change
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import Organization
from analytics_box.web.call import Parts


class OrganizationListed(Struct, frozen=True):
    """An organization. `privateTargets` is all, none, or a list of the private networks that it may reach."""

    id: str
    slug: str
    name: str
    privateTargets: str


async def organization_list(parts: Parts, given: ListedOrganizations) -> list[OrganizationListed]:
    """organization list: by slug."""
    return [_list_item(parts, one) for one in sorted(parts[OrganizationDirectory].all(), key=lambda one: one.slug)]


async def organization_edit(parts: Parts, given: EditedOrganization) -> OrganizationListed:
    """organization edit: set the private networks. Raises NotFound, or BadRequest for networks that are not allowed."""
    organization, allowed = organization_of(parts, given.organization), parts[Clients].fences.allowed
    stored = await parts.box_db.write(
        lambda db: change.open_networks(db, organization.id, command_line(parts), given.private_targets, allowed)
    )
    parts[OrganizationDirectory].open(organization.id, stored)
    return _list_item(parts, organization)


def _list_item(parts: Parts, one: Organization) -> OrganizationListed:
    networks = change.shown_networks(parts[OrganizationDirectory].private_targets_of(one.id))
    return OrganizationListed(one.id, one.slug, one.name, networks)
