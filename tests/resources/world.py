"""Resources of every kind in a box with two organizations."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from msgspec import UNSET

from tests.resources.declared import BY_NAME, Resource
from tests.resources.examples import example, fields_of, items_in
from tests.rooms import Rooms


class World:
    """A box, and the ids of what is in each of its organizations."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self._number = count()
        self.ids: dict[str, dict[str, str]] = {
            organization: {"organization": organization, "website": website}
            for organization, website in rooms.websites.items()
        }

    def filled(self, value: Any, organization: str) -> Any:
        """Input or an address with ids in place of their names."""
        if isinstance(value, str):
            for name, one in self.ids[organization].items():
                value = value.replace(f"{{{name}}}", one)
            return value.replace("{next}", str(next(self._number))) if "{next}" in value else value
        if isinstance(value, Mapping):
            return {name: self.filled(one, organization) for name, one in value.items()}
        return [self.filled(one, organization) for one in value] if isinstance(value, list) else value

    def given(
        self, resource: Resource, procedure: str, number: int, organization: str, *, only_required: bool = False
    ) -> dict[str, Any]:
        """Example input of a procedure, without where the resource is: the first (0) or the second (1) values."""
        self.need(resource, organization)
        special = (resource.first, resource.second)[number]
        excluded = {*resource.place, *resource.update_place, resource.key, "organizationId", "websiteId"} - {*special}
        found = {}
        for name, field in fields_of(procedure).items():
            if (
                name in excluded
                or name in resource.alone
                or (only_required and not field.required and name not in resource.least)
            ):
                continue
            value = special[name] if name in special else example(field, number)
            if value is not UNSET:
                found[name] = self.filled(value, organization)
        return found

    def create(self, resource: Resource, organization: str, given: Mapping[str, Any]) -> str:
        """A new resource; its id."""
        self.need(resource, organization)
        answer = self.rooms.good(resource.create, self.filled({**resource.place, **given}, organization))
        for part in resource.made.split("."):
            answer = answer[part]
        return str(answer)

    def need(self, resource: Resource, organization: str) -> None:
        """Create what the resource needs, unless it is there."""
        for name in resource.needs:
            if name not in self.ids[organization]:
                self.ids[organization][name] = self.plain(BY_NAME[name], organization)

    def plain(self, resource: Resource, organization: str) -> str:
        """A new resource with no more than it has to have; its id."""
        return self.create(
            resource, organization, self.given(resource, resource.create, 0, organization, only_required=True)
        )

    def answer(self, resource: Resource, organization: str, one: str) -> Mapping[str, Any]:
        """The answer of the procedure for one resource; of that for all if there is none."""
        if not resource.get:
            return self.listed(resource, organization, one)
        key = "incidentId" if resource.get == "statusPage.getIncident" else resource.key
        place = resource.update_place if resource.update_place else {}
        found: Mapping[str, Any] = self.rooms.good(resource.get, self.filled({**place, key: one}, organization))
        return found

    def listed(self, resource: Resource, organization: str, one: str) -> Mapping[str, Any]:
        """A resource as the list of all shows it."""
        answer = self.rooms.good(resource.listed, self.filled(resource.list_place or {}, organization))
        return next(item for item in items_in(answer) if item["id"] == one)

    def delete(self, resource: Resource, organization: str, one: str) -> None:
        place = resource.update_place if resource.delete_place is None else resource.delete_place
        self.rooms.good(resource.delete, self.filled({**place, resource.key: one}, organization))
