"""Members with access to selected resources: they reach these and what belongs to them, and nothing says what else
there is.
"""

import re
from collections.abc import Iterator

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import PAGES_AND_API
from analytics_box.base.identity import Identity, Role
from analytics_box.products.monitors.page_frame import Reporting
from analytics_box.resource.reach import GRANTED
from tests.resources.declared import BY_NAME, RESOURCES, Resource
from tests.resources.test_access import WITH_PAGES, buttons, pages_of
from tests.resources.world import World
from tests.rooms import Form

ROLES: tuple[Role, ...] = ("viewer", "member")
GRANTABLE = {"website": "website", "link": "link", "monitor": "monitor", "status page": "status page", "flag": "flag"}


@pytest.fixture
def full(world: World) -> World:
    """A box with resources of every kind in the first organization, all of the same website or of none."""
    for resource in RESOURCES:
        world.need(resource, world.rooms.own)
        world.ids[world.rooms.own].setdefault(resource.name, world.plain(resource, world.rooms.own))
    return world


@pytest.fixture
def garden(full: World) -> str:
    """Another website of this organization, of which there is nothing else."""
    return str(full.rooms.good("websites.create", {"name": "Garden", "domain": "garden.example.com"})["id"])


def hidden_ids(world: World) -> set[str]:
    """The ids of everything but the garden."""
    own = world.rooms.own
    ids = {one for name, one in world.ids[own].items() if re.fullmatch(r"[A-Za-z0-9]{20}", one) and one != own}
    assert len(ids) > len(GRANTED)
    return ids


def leaks(body: bytes, ids: set[str], asked: str = "") -> set[str]:
    """The ids that an answer says though its request did not."""
    return {one for one in ids if one.encode() in body and one not in asked}


@pytest.mark.parametrize("role", ROLES)
def test_pages_show_nothing_of_other_resources(full: World, garden: str, role: Role) -> None:
    person, ids = full.rooms.person({full.rooms.own: role}, [garden]), hidden_ids(full)
    opened = 0
    for route in PAGES_AND_API:
        if route.method != "GET" or not route.page or "{" in route.path.replace("{website_id:str}", ""):
            continue
        for website in (garden, full.ids[full.rooms.own]["website"]):
            path = route.path.replace("{website_id:str}", website)
            answer = full.rooms.page(path, person)
            opened += answer.status == 200
            found = leaks(answer.body, ids, path)
            assert not found, (path, [answer.body[answer.body.find(one.encode()) - 90 :][:180] for one in found])
            if website in path and website != garden and route.access != "public":
                assert answer.status in {403, 404}, path
    assert opened > 20


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("resource", WITH_PAGES, ids=lambda one: one.name)
def test_page_of_another_resource_is_not_found(full: World, garden: str, resource: Resource, role: Role) -> None:
    person = full.rooms.person({full.rooms.own: role}, [garden])
    full.ids[full.rooms.own]["id"] = full.plain(resource, full.rooms.own)
    for path in pages_of(resource):
        address = str(full.filled(path, full.rooms.own))
        answer = full.rooms.page(address, person)
        assert answer.status in {403, 404}, address
        assert not leaks(answer.body, hidden_ids(full), address), address


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.name)
def test_procedures_neither_answer_with_nor_change_another_resource(
    full: World, garden: str, resource: Resource
) -> None:
    own, ids = full.rooms.own, hidden_ids(full)
    person = full.rooms.person({own: "member"}, [garden])
    one = full.plain(resource, own)
    before = full.rooms.rows("select count(*) from audit")
    listed = full.rooms.call(resource.listed, full.filled(resource.list_place, own), person)
    assert listed.status in {200, 403, 404}
    assert not leaks(listed.body, ids | {one}, str(resource.list_place)), listed.body
    for procedure, place in (
        (resource.get, resource.get_place),
        (resource.update, resource.update_place),
        (resource.delete, resource.delete_place),
    ):
        if procedure:
            answer = full.rooms.call(procedure, full.filled({**place, resource.key: one}, own), person)
            assert answer.status in {400, 403, 404}, (procedure, answer.body)
    assert full.rooms.rows("select count(*) from audit") == before


def test_every_procedure_without_an_id_is_refused_or_answers_by_reach(full: World, garden: str) -> None:
    person, ids = full.rooms.person({full.rooms.own: "member"}, [garden]), hidden_ids(full)
    answered = set()
    for line in PROCEDURES:
        if line.name == "organizations.leave":
            continue
        answer = full.rooms.call(line.name, {}, person)
        assert not leaks(answer.body, ids), line.name
        if answer.status == 200:
            answered.add(line.name)
    assert {"websites.list", "links.list", "uptime.listSchedules", "statusPage.list", "flags.list"} <= answered


@pytest.mark.parametrize("name", sorted(GRANTABLE))
@pytest.mark.parametrize("role", ROLES)
def test_granted_resource_opens_with_buttons_that_work(full: World, name: str, role: Role) -> None:
    own = full.rooms.own
    resource = BY_NAME[name]
    one = full.ids[own]["website"] if name == "website" else full.plain(resource, own)
    full.ids[own]["id"] = one
    person = full.rooms.person({own: role}, [one])
    for address in _opened(full, resource, role):
        page = full.rooms.page(address, person)
        assert page.status == 200, address
        for title, button in buttons(page, address).items():
            if isinstance(button, str):
                assert full.rooms.page(button, person).status not in {403, 404}, (address, title, button)


def _opened(world: World, resource: Resource, role: Role) -> Iterator[str]:
    for path in (*pages_of(resource), *resource.lists):
        address = str(world.filled(path, world.rooms.own))
        if world.rooms.page(address, world.rooms.person({world.rooms.own: role})).status == 200:
            yield address


def test_website_includes_what_belongs_to_it(full: World) -> None:
    own = full.rooms.own
    person = full.rooms.person({own: "member"}, [full.ids[own]["website"]])
    for name in ("goal", "funnel", "note"):
        resource = BY_NAME[name]
        listed = full.rooms.call(resource.listed, full.filled(resource.list_place, own), person)
        assert listed.status == 200
        assert full.ids[own][name].encode() in listed.body, name
    assert isinstance(full.rooms.good("websites.list", {}, person), list)


def test_query_answers_for_selected_websites_only(full: World, garden: str) -> None:
    own, query = full.rooms.own, {"parameters": ["summary_metrics"], "preset": "last_7d"}
    person = full.rooms.person({own: "viewer"}, [garden])
    shop = full.ids[own]["website"]
    assert full.rooms.box.post(f"/v1/query?website_id={garden}", query, cookie=person).status == 200
    assert full.rooms.box.post(f"/v1/query?website_id={shop}", query, cookie=person).status in {403, 404}
    answer = full.rooms.box.get("/v1/query/websites", cookie=person)
    assert answer.status == 200
    assert shop.encode() not in answer.body
    assert garden.encode() in answer.body


@pytest.mark.parametrize("name", sorted(GRANTABLE))
def test_forms_of_a_granted_resource_are_accepted(full: World, name: str) -> None:
    own = full.rooms.own
    resource = BY_NAME[name]
    tried = 0
    for path in pages_of(resource):
        one = full.ids[own]["website"] if name == "website" else full.plain(resource, own)
        full.ids[own]["id"] = one
        address = str(full.filled(path, own))
        person = full.rooms.person({own: "member"}, [one])
        for title, button in buttons(full.rooms.page(address, person), address).items():
            if isinstance(button, Form) and "/delete" not in button.action:
                status = full.rooms.send(button.action, button.fields, person).status
                assert status in {200, 303, 400, 409, 415}, (address, title, status)
                tried += 1
    assert tried


def test_other_monitor_cannot_be_added_to_a_granted_status_page(full: World) -> None:
    own = full.rooms.own
    page, monitor = full.plain(BY_NAME["status page"], own), full.ids[own]["monitor"]
    person = full.rooms.person({own: "member"}, [page])
    given = {"statusPageId": page, "uptimeScheduleId": monitor}
    assert full.rooms.call("statusPage.addMonitor", given, person).status == 404
    sent = {"add": "monitor", "monitor": monitor}
    assert full.rooms.send(f"/status-pages/{page}/components", sent, person).status in {400, 404}
    shown = full.rooms.good("statusPage.get", {"statusPageId": page})
    assert monitor not in str(shown)
    assert full.rooms.call("statusPage.addMonitor", given).status == 200


def test_outage_of_a_granted_monitor_is_reported_only_on_granted_status_pages(full: World) -> None:
    own, rooms = full.rooms.own, full.rooms
    page, monitor = full.plain(BY_NAME["status page"], own), full.ids[own]["monitor"]
    assert rooms.call("statusPage.addMonitor", {"statusPageId": page, "uptimeScheduleId": monitor}).status == 200
    box = rooms.box.box

    def reported(resources: list[str] | None) -> bool:
        token = rooms.person({own: "member"}, resources).partition("=")[2]
        identity = Identity("127.0.0.1", person=rooms.box.run(box.sign_ins.find(token)))
        found = box.parts[Reporting].of(box.parts.by(identity), monitor, own)
        return any(page in one.href for one in found)

    assert reported(None)
    assert reported([monitor, page])
    assert not reported([monitor])
