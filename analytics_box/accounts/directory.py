"""All organizations in memory: their plan and their number among the facts."""

from collections.abc import Iterable

from analytics_box.accounts.rules import Organization


class Organizations:
    """The organizations of this box. Whoever changes one in box.db tells the directory after the commit."""

    def __init__(self, organizations: Iterable[Organization] = ()) -> None:
        self._by_id = {organization.id: organization for organization in organizations}

    def site_of(self, organization_id: str) -> int:
        """The number under which an organization's events without a website are kept."""
        return self._by_id[organization_id].site

    def plan_of(self, organization_id: str) -> str:
        """Its plan, which says whether error tracking is part of it."""
        return self._by_id[organization_id].plan

    def remember(self, organization: Organization) -> None:
        """An organization was made or changed."""
        self._by_id[organization.id] = organization

    def all(self) -> list[Organization]:
        """Every organization, oldest first."""
        return list(self._by_id.values())
