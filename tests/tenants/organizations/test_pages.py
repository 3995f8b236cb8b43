"""Pages of an organization over the whole box: what they offer to whom, forms, hostile names, other organizations."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from tests.inprocess import whole_box
from tests.rooms import seen
from tests.tenants.organizations.world import World

HOSTILE = '<script>x</script>"><img src=x onerror=x> {{7*7}}'
PAGES = ("/settings/organization", "/settings/members", "/settings/organization/leave")


def patient(settings: Settings) -> Settings:
    return replace(settings, limit_sign_in=0)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[World]:
    """ada is the owner, grace an admin, ken a member, lin a viewer; eve owns another organization."""
    with whole_box(tmp_path / "data", adjust=patient) as inside:
        found = World(inside)
        found.add("grace", "admin")
        found.add("ken", "member")
        found.add("lin", "viewer")
        found.add("eve", "owner", inside.foreign_organization_id)
        yield found


def text(people: World, name: str, target: str) -> str:
    answer = people.see(name, target)
    assert answer.status == 200, answer.body
    return answer.body.decode()


def test_strangers_are_sent_to_sign_in(people: World) -> None:
    for target in PAGES:
        answer = people.box.get(target, accept="text/html")
        assert (answer.status, answer.headers["location"][:8]) == (303, "/sign-in")


@pytest.mark.parametrize("name", ["ada", "grace", "ken", "lin"])
def test_navigation_lists_only_pages_that_the_role_can_open(people: World, name: str) -> None:
    page = text(people, name, "/settings/members")
    nav = page[page.index('class="side"') : page.index('class="settings-body"')]
    for target in {*re.findall(r'href="(/[^"#]*)"', nav)}:
        assert people.see(name, target).status == 200, target
    assert 'href="/settings/members" aria-current="page"' in nav
    assert ("/settings/audit" in nav) == (name in {"ada", "grace"})


def test_settings_menu_of_phones_names_the_current_page_and_its_group(people: World) -> None:
    page = text(people, "ada", "/settings/organization")
    summary = page[page.index('class="settings-menu"') :].split("</summary>")[0]
    assert re.findall("<span[^>]*>([^<]+)", summary) == ["Organization", "General"]


def test_name_and_short_name_can_be_changed(people: World) -> None:
    answer = people.send("ada", "/settings/organization", organization="Ada & Co", slug="ada-co", timeZone="Asia/Tokyo")
    assert (answer.status, answer.headers["location"]) == (303, "/settings/organization?done=saved")
    page = text(people, "ada", "/settings/organization?done=saved")
    assert 'value="Ada &amp; Co"' in page
    assert 'value="ada-co"' in page
    assert "Saved." in page
    assert people.call("ada", "config.get").json["defaults"]["timeZone"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"organization": ""}, 400), ({"slug": "No spaces"}, 400), ({"slug": "eve"}, 409), ({"timeZone": "Mars"}, 400)],
)
def test_invalid_input_is_reported_at_its_field(people: World, fields: dict[str, str], status: int) -> None:
    before = people.call("ada", "organizations.getById").json
    answer = people.send("ada", "/settings/organization", **{"organization": "Ada", "slug": "ada", **fields})
    assert answer.status == status
    field = next(iter(fields))
    assert f'id="{field}-error"' in answer.body.decode()
    assert people.call("ada", "organizations.getById").json == before


def test_pages_offer_what_the_role_allows(people: World) -> None:
    assert 'action="/settings/members/invite"' in text(people, "grace", "/settings/members")
    for name in ("ken", "lin"):
        page = text(people, name, "/settings/members")
        assert 'action="/settings/members' not in page
        assert "<select" not in page
        assert 'action="/settings/organization"' not in text(people, name, "/settings/organization")
    grace = text(people, "grace", "/settings/members")
    assert f"remove?member={people.ids['ken']}" in grace
    assert f"remove?member={people.ids['ada']}" not in grace  # an admin does not touch owners


@pytest.mark.parametrize("name", ["ken", "lin"])
def test_forms_that_were_not_offered_are_refused(people: World, name: str) -> None:
    before = people.roles()
    for target, fields in (
        ("/settings/organization", {"organization": "Mine"}),
        ("/settings/members/invite", {"email": "new@example.com"}),
        ("/settings/members/role", {"member": people.ids[name], "role": "owner"}),
        ("/settings/members/remove", {"member": people.ids["ada"]}),
        ("/settings/members/invitations/revoke", {"invitation": "none"}),
    ):
        assert people.send(name, target, **fields).status == 403, target
    assert people.roles() == before


def test_a_role_is_changed_and_a_member_removed_after_a_question(people: World) -> None:
    answer = people.send("ada", "/settings/members/role", member=people.ids["ken"], role="admin")
    assert answer.status == 303
    assert people.roles()["ken"] == "admin"
    question = text(people, "ada", f"/settings/members/remove?member={people.ids['ken']}")
    assert "ken@example.com will lose access" in question
    assert people.see("ken", "/sites").status == 200
    assert people.send("ada", "/settings/members/remove", member=people.ids["ken"]).status == 303
    assert "ken" not in people.roles()
    assert people.see("ken", "/sites").status == 303  # signed out at once


def test_a_link_is_shown_once_and_its_invitation_can_be_revoked(people: World) -> None:
    answer = people.send("ada", "/settings/members/invite", email="new@example.com", role="viewer")
    assert "/invitation?token=" in answer.body.decode()
    page = text(people, "ada", "/settings/members")
    assert "/invitation?token=" not in page
    assert "new@example.com" in page
    chosen = re.search(r'name="invitation" value="([^"]+)"', page)
    assert chosen
    assert people.send("ada", "/settings/members/invitations/revoke", invitation=chosen[1]).status == 303
    assert "new@example.com" not in text(people, "ada", "/settings/members")


def test_a_wrong_address_is_said_at_the_field(people: World) -> None:
    answer = people.send("ada", "/settings/members/invite", email="nonsense")
    assert answer.status == 400
    assert 'id="email-error"' in answer.body.decode()


def test_member_of_two_organizations_can_switch(people: World) -> None:
    people.join("eve", "viewer")
    page = text(people, "eve", "/sites")
    assert page.count('action="/organizations/switch"') == 2
    assert "foreign.example" in page
    answer = people.send("eve", "/organizations/switch", organization=people.box.organization_id)
    assert (answer.status, answer.headers["location"]) == (303, "/sites")
    page = text(people, "eve", "/sites")
    assert "shop.example" in page
    assert "foreign.example" not in page
    assert people.send("eve", "/settings/members/invite", email="a@example.com").status == 403  # a viewer here
    assert people.send("eve", "/settings/organization/leave").status == 303
    assert "foreign.example" in text(people, "eve", "/sites")  # and goes on in the other


def test_foreign_organization_cannot_be_selected(people: World) -> None:
    for organization_id in (people.box.foreign_organization_id, "nowhere", ""):
        assert people.send("ada", "/organizations/switch", organization=organization_id).status == 403
    assert "shop.example" in text(people, "ada", "/sites")


def test_a_new_organization_is_apart_and_active(people: World) -> None:
    assert people.send("ken", "/settings/organization/new", new="Ken's own").status == 303
    page = text(people, "ken", "/settings/organization")
    assert "Ken&#39;s own" in page
    assert 'action="/settings/organization"' in page  # its owner
    assert "shop.example" not in text(people, "ken", "/sites")
    assert people.call("ken", "organizations.getById").json["plan"] == "hobby"
    assert people.send("ken", "/settings/organization/new", new=" ").status == 400


class Tags(HTMLParser):
    """The scripts and handlers that a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script" and not dict(attrs).get("src")
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


def test_a_hostile_name_stays_text(people: World) -> None:
    people.join("eve", "admin")  # so that the switcher is there too
    assert people.send("ada", "/settings/organization", organization=HOSTILE, slug="ada").status == 303
    invited = people.call("ada", "organizations.createInvitation", email="new@example.com").json["url"]
    for name, target in (
        *(("eve", page) for page in PAGES),
        ("eve", "/sites"),
        ("ada", invited.partition(":8000")[2]),
    ):
        page = text(people, name, target)
        tags = Tags()
        tags.feed(page)
        assert (tags.scripts, tags.handlers) == (0, []), target
        assert "49" not in re.findall(r"&gt; (\S+)", page)


def test_other_organizations_are_not_there(people: World) -> None:
    own, foreign = people.box.organization_id, people.box.foreign_organization_id
    invitation = people.call("ada", "organizations.createInvitation", email="new@example.com").json["invitation"]["id"]
    for procedure, given in (
        ("organizations.getById", {"id": own}),
        ("organizations.update", {"name": "Mine"}),
        ("organizations.listMembers", {}),
        ("organizations.updateMemberRole", {"userId": people.ids["ken"], "role": "viewer"}),
        ("organizations.removeMember", {"userId": people.ids["ken"]}),
        ("organizations.leave", {}),
        ("organizations.transferOwnership", {"userId": people.ids["ken"]}),
        ("organizations.createInvitation", {"email": "x@example.com"}),
        ("organizations.getPendingInvitations", {}),
        ("organizations.revokeInvitation", {"invitationId": invitation}),
        ("config.get", {}),
        ("config.update", {"defaults": {"timeZone": "UTC"}}),
        ("config.testEmail", {}),
    ):
        theirs = people.call("eve", procedure, **{"organizationId": own, **given})
        unknown = people.call(
            "eve", procedure, **{**given, "organizationId": "nowhere", **({"id": "nowhere"} if "id" in given else {})}
        )
        assert theirs.status == unknown.status == 403, procedure
        assert theirs.json["error"] == unknown.json["error"], procedure
    for procedure, given in (
        ("organizations.updateMemberRole", {"userId": people.ids["ken"], "role": "viewer"}),
        ("organizations.removeMember", {"userId": people.ids["ken"]}),
        ("organizations.revokeInvitation", {"invitationId": invitation}),
    ):  # in her own organization there is no such person
        assert people.call("eve", procedure, organizationId=foreign, **given).status == 404, procedure
    assert [one["id"] for one in people.call("eve", "organizations.list").json] == [foreign]
    assert people.roles()["ken"] == "member"


def test_keys_read_and_change_their_own_organization_only(people: World) -> None:
    box = people.box
    assert box.post("/organizations/getById", {}, key="all").json["id"] == box.organization_id
    assert [one["id"] for one in box.post("/organizations/list", {}, key="all").json] == [box.organization_id]
    assert box.post("/organizations/update", {"name": "By key"}, key="all").json["name"] == "By key"
    assert box.post("/config/update", {"defaults": {"timeZone": "Europe/Oslo"}}, key="all").status == 200
    assert box.post("/config/get", {}, key="all").json["defaults"]["timeZone"] == "Europe/Oslo"
    assert box.post("/organizations/update", {"plan": "free"}, key="all").status == 403
    for procedure in ("getById", "update"):
        answer = box.post(f"/organizations/{procedure}", {"organizationId": box.foreign_organization_id}, key="all")
        assert answer.status == 403
        assert box.post(f"/organizations/{procedure}", {}, key="reading").status == 403
    for procedure, given in (
        ("listMembers", {}),
        ("create", {"name": "Other"}),
        ("createInvitation", {"email": "x@example.com"}),
        ("leave", {}),
    ):
        assert box.post(f"/organizations/{procedure}", given, key="all").status == 403, procedure


def test_configuration_shows_no_secret(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("a mail secret")

    def adjust(settings: Settings) -> Settings:
        return replace(
            settings,
            smtp_host="mail.internal",
            smtp_user="box-user",
            smtp_password_file=str(secret),
            smtp_from="box@example.com",
        )

    with whole_box(tmp_path / "data", adjust=adjust) as inside:
        body = inside.post("/config/get", {}, key="all").body.decode()
    assert '"sender":"box@example.com"' in body
    for hidden in ("a mail secret", "box-user", "mail.internal", str(secret)):
        assert hidden not in body


def test_mail_test_is_limited_and_for_members_only(people: World) -> None:
    assert people.call("ada", "config.testEmail", to="stranger@example.com").status == 400
    assert people.call("ada", "config.testEmail", to="ken@example.com").json["success"] is False  # no server
    statuses = [people.call("ada", "config.testEmail").status for _ in range(6)]
    assert 429 in statuses


@pytest.mark.parametrize("path", ["/settings/organization", "/sites/{shop}/settings/sharing"])
def test_settings_that_someone_else_changed_in_the_meantime_are_not_overwritten_unasked(
    people: World, path: str
) -> None:
    path = path.format(shop=people.box.sites["shop"])
    form = next(one for one in seen(text(people, "ada", path), path).forms if "version" in one.names)
    assert people.send("ada", path, **dict(form.fields)).status == 303
    changes = {"isPublic": "on"} if path.endswith("sharing") else {"organization": "Grace"}
    assert people.send("ada", path, **dict(form.fields) | changes).status == 303
    refused = people.send("ada", path, **dict(form.fields))
    assert refused.status == 409
    again = next(one for one in seen(refused.body.decode(), path).forms if "version" in one.names)
    assert people.send("ada", path, **dict(again.fields)).status == 303
