"""Access to resources: the same by page, form and procedure, and in every organization of a person.

A person can belong to several organizations, with another role in each. The role in the organization that owns the
resource counts, whichever organization the session is on, and a page shows exactly the buttons that work.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final
from urllib.parse import urlsplit

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import PAGES_AND_API
from analytics_box.base.identity import ROLES, Role, at_least
from analytics_box.resource.reach import OWNERS, id_named
from tests.inprocess import Answer
from tests.resources.declared import RESOURCES, Resource
from tests.resources.examples import fields_of
from tests.resources.world import World
from tests.rooms import Form, seen

SIGNED_IN_ONLY: Final = "signed in"
_PASSED: Final = {200, 303, 400, 409, 415}  # the last for a form with a file, which is sent without it here
_ID: Final = re.compile(r"[A-Za-z0-9]{20}")
_OPPOSITE: Final[dict[Role, Role]] = {"viewer": "owner", "member": "owner", "admin": "viewer", "owner": "viewer"}


class People:
    """People with each role in the other organization: some whose session is there, and some whose session is here."""

    def __init__(self, world: World) -> None:
        own, other = world.rooms.own, world.rooms.other
        self.there = {role: world.rooms.person({other: role, own: _OPPOSITE[role]}) for role in ROLES}
        self.from_here = {role: world.rooms.person({own: _OPPOSITE[role], other: role}) for role in ROLES}
        self.stranger = world.rooms.person({own: "owner"})


@cache
def _routes() -> tuple[tuple[str, re.Pattern[str], Role], ...]:
    found = []
    for route in PAGES_AND_API:
        if route.page and route.access == SIGNED_IN_ONLY:
            pattern = re.sub(r"\{[a-z_]+:str\}", "[^/]+", route.path)
            found.append((route.method, re.compile(f"{pattern}$"), route.role, "{" in route.path))
    # A path without parameters is more specific than one with.
    return tuple((method, pattern, role) for method, pattern, role, _ in sorted(found, key=lambda one: one[3]))


def least_role(method: str, path: str) -> Role | None:
    """The role that the table of routes asks for at this address; None for addresses that are no pages."""
    return next((role for verb, pattern, role in _routes() if verb == method and pattern.match(path)), None)


def template(address: str) -> str:
    """An address without its ids and query, to compare pages of two resources."""
    return _ID.sub("{}", urlsplit(address).path)


def buttons(page: Answer, path: str) -> dict[str, Form | str]:
    """The links and posted forms of a page about one of its resources, by method and address without ids."""
    html = page.body.decode()
    found = seen(html[html.find("<main") :], path)  # the navigation is of the session's organization
    named: dict[str, Form | str] = {f"GET {template(link)}": link for link in found.links if _ID.search(link)}
    return named | {
        f"POST {template(form.action)}": form
        for form in found.forms
        if form.method == "POST" and _ID.search(form.action)
    }


def pages_of(resource: Resource) -> tuple[str, ...]:
    return (*([resource.page] if resource.page else []), *resource.views)


WITH_PAGES = [one for one in RESOURCES if pages_of(one)]


def created(world: World, resource: Resource) -> Iterator[str]:
    """The addresses of the pages of a new resource of the other organization."""
    world.ids[world.rooms.other]["id"] = world.plain(resource, world.rooms.other)
    for path in pages_of(resource):
        yield str(world.filled(path, world.rooms.other))


@pytest.mark.parametrize("resource", WITH_PAGES, ids=lambda one: one.name)
def test_page_opens_by_the_role_in_the_organization_of_the_resource(world: World, resource: Resource) -> None:
    people = People(world)
    for path in created(world, resource):
        least = least_role("GET", path)
        assert least is not None, path
        for role in ROLES:
            expected = 200 if at_least(role, least) else 403
            assert world.rooms.page(path, people.there[role]).status == expected, (path, role, "session there")
            assert world.rooms.page(path, people.from_here[role]).status == expected, (path, role, "session elsewhere")
        assert world.rooms.page(path, people.stranger).status == 404, path
        assert world.rooms.box.get(path, accept="text/html").status == 303, (path, "signed out")


@pytest.mark.parametrize("resource", WITH_PAGES, ids=lambda one: one.name)
def test_page_shows_exactly_the_buttons_that_work(world: World, resource: Resource) -> None:
    people = People(world)
    tried: set[tuple[Role, str]] = set()
    for path in created(world, resource):
        page = {role: world.rooms.page(path, people.from_here[role]) for role in ROLES}
        shown = {role: buttons(answer, path) for role, answer in page.items() if answer.status == 200}
        for role, found in shown.items():
            there = buttons(world.rooms.page(path, people.there[role]), path)
            assert {*found} == {*there}, (path, role, "differs by the session's organization")
            for name, button in found.items():
                address = button.action if isinstance(button, Form) else button
                method = name.split()[0]
                least = least_role(method, urlsplit(address).path)
                assert least is None or at_least(role, least), (path, role, name, "a button that does not work")
                if (role, name) not in tried and isinstance(button, str):
                    tried.add((role, name))
                    status = world.rooms.page(address, people.from_here[role]).status
                    assert status not in {403, 404}, (path, role, name, status, address)
        for role, found in shown.items():
            for name, button in shown["owner"].items():
                if name not in found and isinstance(button, Form):
                    status = world.rooms.send(button.action, button.fields, people.from_here[role]).status
                    assert status == 403, (path, role, name, status, "works without a button")


@pytest.mark.parametrize("resource", WITH_PAGES, ids=lambda one: one.name)
def test_every_form_of_a_page_is_accepted_from_the_least_role_that_sees_it(world: World, resource: Resource) -> None:
    people = People(world)
    tried: set[str] = set()
    for index in range(len(pages_of(resource))):
        for role in ROLES:
            path = list(created(world, resource))[index]
            for name, button in buttons(world.rooms.page(path, people.from_here[role]), path).items():
                if name in tried or not isinstance(button, Form):
                    continue
                tried.add(name)
                fresh = list(created(world, resource))[index]
                form = buttons(world.rooms.page(fresh, people.from_here[role]), fresh)[name]
                assert isinstance(form, Form)
                status = world.rooms.send(form.action, form.fields, people.from_here[role]).status
                assert status in _PASSED, (path, role, name, status)


@pytest.mark.parametrize("path", sorted({path for one in RESOURCES for path in one.lists}))
def test_list_shows_only_buttons_that_work(world: World, path: str) -> None:
    people, other = People(world), world.rooms.other
    for resource in RESOURCES:
        if path in resource.lists:
            world.plain(resource, other)
    for role in ROLES:
        page = world.rooms.page(path, people.there[role])
        assert page.status == 200, (path, role)
        for name, button in buttons(page, path).items():
            address = button.action if isinstance(button, Form) else button
            least = least_role(name.split()[0], urlsplit(address).path)
            assert least is None or at_least(role, least), (role, name)
            if isinstance(button, str):
                assert world.rooms.page(button, people.there[role]).status not in {403, 404}, (role, name)


@pytest.mark.parametrize(
    ("name", "parameter", "asked"),
    [
        ("link", "link_id", "link_total_clicks"),
        ("monitor", "schedule_id", "uptime_overview"),
        ("website", "website_id", "summary_metrics"),
    ],
)
def test_query_of_a_signed_in_member_answers_for_any_of_their_organizations(
    world: World, name: str, parameter: str, asked: str
) -> None:
    people, resource = People(world), next(one for one in RESOURCES if one.name == name)
    one = world.plain(resource, world.rooms.other)
    query = {"parameters": [asked], "preset": "last_7d"}
    for role in ROLES:
        for cookie in (people.there[role], people.from_here[role]):
            answer = world.rooms.box.post(f"/v1/query?{parameter}={one}", query, cookie=cookie)
            assert answer.status == 200, (role, answer.body)
    assert world.rooms.box.post(f"/v1/query?{parameter}={one}", query, cookie=people.stranger).status == 403


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.name)
def test_procedures_ask_for_the_same_role_as_the_form(world: World, resource: Resource) -> None:
    people, other = People(world), world.rooms.other
    lines = {line.name: line for line in PROCEDURES}
    one = world.plain(resource, other)
    world.ids[other]["id"] = one
    given = world.filled({**resource.delete_place, resource.key: one}, other)
    for role in ROLES:
        for cookie in (people.there[role], people.from_here[role]):
            answer = world.rooms.call(resource.listed, world.filled(resource.list_place, other), cookie)
            assert answer.status == (200 if at_least(role, lines[resource.listed].role) else 403), (role, answer.body)
    removed = {role: world.rooms.call(resource.delete, given, people.from_here[role]).status for role in ROLES[:2]}
    same = {role: world.rooms.call(resource.delete, given, people.there[role]).status for role in ROLES[:1]}
    assert removed["viewer"] == same["viewer"] == 403
    assert world.rooms.call(resource.delete, given, people.stranger).status in {403, 404}
    if resource.page and resource.update:
        one = world.plain(resource, other)
        world.ids[other]["id"] = one
        given = world.given(resource, resource.update, 1, other)
        given |= world.filled({**resource.update_place, resource.key: one}, other)
        least = least_role("POST", str(world.filled(resource.page, other)))
        assert least is not None
        for role in ROLES:
            status = world.rooms.call(resource.update, given, people.from_here[role]).status
            assert (status != 403) == at_least(role, least), (role, status, least)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.name)
def test_key_needs_the_scope_and_the_organization(world: World, resource: Resource) -> None:
    lines = {line.name: line for line in PROCEDURES}
    own, other, box = world.rooms.own, world.rooms.other, world.rooms.box
    world.need(resource, own)
    world.need(resource, other)
    access = lines[resource.listed].access
    given = world.filled(resource.list_place, own)
    foreign = world.filled(resource.list_place, other)
    path = "/" + resource.listed.replace(".", "/")
    assert box.post(path, given).status in {401, 404}, "no credential"
    for scope in ("read:data", "read:links", "read:monitors", "read:status_pages", "manage:flags", "manage:config"):
        secret = world.rooms.good("apikeys.create", {"name": scope, "scopes": [scope], "organizationId": own})["secret"]
        status = box.post(path, given, x_api_key=secret).status
        assert status == (200 if scope == access else 403), (scope, status)
        assert box.post(path, foreign, x_api_key=secret).status in {403, 404}, scope


def test_every_id_that_an_address_or_a_procedure_names_has_an_owner() -> None:
    """A new resource needs a line in OWNERS, so that the role in its own organization counts."""
    no_resource = {"name", "form", "action", "do", "kind", "ending", "suffix", "family", "rest"}
    without = {"job_id", "subscriber_id", "group_id"}  # of one user, or behind the id of a status page
    for route in PAGES_AND_API:
        if route.access == SIGNED_IN_ONLY:
            names = {*re.findall(r"\{([a-z_]+):", route.path)} - no_resource
            unknown = {one for one in names if id_named(route.path.split("/")[1], one) is None} - without
            assert not unknown, route.path
    for resource in RESOURCES:
        for procedure in filter(None, (resource.update, resource.delete, resource.get)):
            known = [name for name in fields_of(procedure) if id_named(procedure.split(".")[0], name) in OWNERS]
            assert known, procedure
