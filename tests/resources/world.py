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
        self._number = count(1)
        self.ids: dict[str, dict[str, str]] = {
            organization: {"organization": organization, "website": website}
            for organization, website in rooms.websites.items()
        }
        for name, domain in {
            "domain": "go.example.org",
            "status domain": "status.example.org",
            "share domain": "stats.example.org",
        }.items():
            self._prove(domain)
            self.ids[rooms.own][name] = domain
        rooms.good("links.addDomain", {"domain": "go.example.org"})

    def _prove(self, domain: str) -> None:
        """A domain of the first organization, as if its TXT record had been found."""
        now = self.rooms.box.clock.now()
        values = (f"domain-{domain}", self.rooms.own, domain, "x" * 32, now, now)
        statement = """
            insert into domains (id, organization_id, domain, token, created_at, proven_at, proven_by)
            values (?, ?, ?, ?, ?, ?, 'dns')
        """
        self.rooms.box.box.box_db.write_now(lambda db: db.execute(statement, values).fetchall())

    def filled(self, value: Any, organization: str) -> Any:
        """Input or an address with ids in place of their names."""
        if isinstance(value, str):
            for name, one in self.ids[organization].items():
                value = value.replace(f"{{{name}}}", one)
            return value.replace("{next}", str(next(self._number))) if "{next}" in value else value
        if isinstance(value, Mapping):
            return {self.filled(name, organization): self.filled(one, organization) for name, one in value.items()}
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
                or name in {*resource.alone, *resource.unset}
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
            if name in self.ids[organization]:
                continue
            if name == "needed flag":
                given = {"key": "needed", "environment": "production"}
                self.ids[organization][name] = "needed"
                self.rooms.good("flags.create", {"websiteId": self.ids[organization]["website"], **given})
                continue
            found = {"parent": BY_NAME["monitor"], "affected": BY_NAME["component"]}.get(name) or BY_NAME[name]
            self.ids[organization][name] = ""
            self.ids[organization][name] = self.plain(found, organization)

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
        place = resource.get_place
        found: Mapping[str, Any] = self.rooms.good(resource.get, self.filled({**place, key: one}, organization))
        return found

    def listed(self, resource: Resource, organization: str, one: str) -> Mapping[str, Any]:
        """A resource as the list of all shows it."""
        return next(item for item in self.all(resource, organization) if item["id"] == one)

    def all(self, resource: Resource, organization: str) -> list[Mapping[str, Any]]:
        """All resources of a kind, as the list shows them."""
        answer = self.rooms.good(resource.listed, self.filled(resource.list_place, organization))
        return [*items_in(answer)]

    def remove(self, resource: Resource, organization: str, one: str) -> None:
        """Delete a resource unless its state forbids that."""
        self.rooms.call(resource.delete, self.filled({**resource.delete_place, resource.key: one}, organization))

    def delete(self, resource: Resource, organization: str, one: str) -> None:
        self.rooms.good(resource.delete, self.filled({**resource.delete_place, resource.key: one}, organization))
