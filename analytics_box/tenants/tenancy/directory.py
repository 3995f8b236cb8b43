"""All organizations in memory: their plan, their number among the facts, their private networks, and which of them are
closed."""

from collections.abc import Iterable, Mapping, Set

from analytics_box.tenants.tenancy.rules import Organization


class OrganizationDirectory:
    """The organizations of this box. Code that changes one in box.db updates the directory after the commit.

    `closed` are the deleted ones that can be restored. Keys and websites look into the same set, so that one line
    here closes and reopens everything of an organization immediately.
    """

    def __init__(
        self,
        organizations: Iterable[Organization] = (),
        closed: Iterable[str] = (),
        private_targets: Mapping[str, str] | None = None,
    ) -> None:
        self._by_id = {organization.id: organization for organization in organizations}
        self._closed = set(closed)
        self._private_targets = dict(private_targets or {})

    @property
    def closed(self) -> Set[str]:
        """The ids of deleted organizations; the set changes as they are deleted and restored."""
        return self._closed

    def find(self, organization_id: str) -> Organization | None:
        """The organization with this id."""
        return self._by_id.get(organization_id)

    def site_of(self, organization_id: str) -> int:
        """The number under which an organization's events without a website are kept."""
        return self._by_id[organization_id].site

    def plan_of(self, organization_id: str) -> str:
        """Its plan, which says whether error tracking is part of it."""
        return self._by_id[organization_id].plan

    def private_targets_of(self, organization_id: str) -> str:
        """The private networks that an organization may reach, as they are stored; empty for none."""
        return self._private_targets.get(organization_id, "")

    def open(self, organization_id: str, private_targets: str) -> None:
        """Take over the private networks that an administrator has set for an organization."""
        self._private_targets[organization_id] = private_targets

    def remember(self, organization: Organization) -> None:
        """An organization was made or changed."""
        self._by_id[organization.id] = organization

    def replace(self, organizations: Iterable[Organization], closed: Iterable[str]) -> None:
        """Replace all organizations; `closed` are those that are closed."""
        self._by_id = {organization.id: organization for organization in organizations}
        wanted = set(closed)
        self._closed.difference_update(self._closed - wanted)
        self._closed.update(wanted)

    def close(self, organization_id: str) -> None:
        """An organization was deleted: its keys and websites no longer answer."""
        self._closed.add(organization_id)

    def reopen(self, organization_id: str) -> None:
        """An organization was restored."""
        self._closed.discard(organization_id)

    def forget(self, organization_id: str) -> None:
        """An organization is gone; its keys and websites have been forgotten before."""
        self._by_id.pop(organization_id, None)
        self._private_targets.pop(organization_id, None)
        self._closed.discard(organization_id)

    def all(self) -> list[Organization]:
        """Every organization that is not deleted, oldest first."""
        return [organization for organization in self._by_id.values() if organization.id not in self._closed]
