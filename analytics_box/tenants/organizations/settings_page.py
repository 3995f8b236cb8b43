"""The page /settings/organization: settings, logo, restorable organizations, leaving and deleting."""

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson, logo_path
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.organizations import deletion
from analytics_box.tenants.organizations.change import shown_networks
from analytics_box.tenants.organizations.deletion_calls import restorable
from analytics_box.tenants.organizations.rules import DeletedOrganization
from analytics_box.tenants.tenancy import access, rules
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import StoredOrganization
from analytics_box.web.page import dates
from analytics_box.web.page.edits import FIELD, version_of
from analytics_box.web.page.visit import Again, Page, PageRequest

_DONE = {
    "saved": _("Saved."),
    "made": _("Organization created. Add its first website."),
    "logo": _("The logo was uploaded."),
    "logo-deleted": _("The logo was removed."),
    "deleted": _("The organization was deleted. It can be restored below."),
    "restored": _("The organization was restored."),
}


HOME = "/settings/organization"


class RestorableOrganization(Struct, frozen=True):
    """A deleted organization that the reader can restore."""

    id: str
    name: str
    until: str


async def organization_page(visit: PageRequest, again: Again) -> Page:
    """The page, with what is wrong with a form of it."""
    person, by = visit.person, visit.call.by

    def find(db: Connection) -> tuple[StoredOrganization, bool]:
        return access.existing(db, person.organization_id), access.administers(db, by)

    stored, administers = await visit.call.read(find)
    days = visit.parts.settings.organization_grace_days
    return visit.settings_page(
        "organization.html",
        "organization",
        again=again,
        values={
            "organization": stored.name,
            "slug": stored.slug,
            "timeZone": stored.time_zone,
            "plan": stored.plan,
            "privateTargets": shown_networks(visit.parts[OrganizationDirectory].private_targets_of(stored.id)),
            "new": "",
            FIELD: version_of(stored),
        },
        done=_DONE.get(visit.asked("done"), "") if again.code == 200 else "",
        editable=rules.may(person.role, "update"),
        owns=rules.may(person.role, "delete"),
        administers=administers,
        has_networks=bool(visit.parts.settings.allowed_private_targets),
        role=person.role,
        logo=logo_path(stored.id, stored.logo),
        days=days,
        deleted=[_restorable(one, person, days) for one in await restorable(visit.call)],
    )


def _restorable(deleted: DeletedOrganization, person: SignedInPerson, days: int) -> RestorableOrganization:
    return RestorableOrganization(deleted.id, deleted.name, dates.moment(deletion.ends_at(deleted, days), person))
