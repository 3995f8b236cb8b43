"""The life of an invitation: made, sent, accepted once by whom it is for, revoked, expired."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from analytics_box.clock import DAY
from analytics_box.settings import Settings
from tests.inprocess import EMAIL, WholeBox, whole_box
from tests.notify.mail_server import mail_server
from tests.organizations.world import World

LINK = re.compile(r"http://localhost:8000(/invitation\?token=[\w-]+)")
NEW = "a new and quiet sentence"


def patient(settings: Settings) -> Settings:
    return replace(settings, limit_sign_in=0)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=patient) as inside:
        yield inside


@pytest.fixture
def people(box: WholeBox) -> World:
    return World(box)


def invited(people: World, email: str = "grace@example.com", role: str = "member") -> str:
    """The path of a fresh link."""
    answer = people.call("ada", "organizations.createInvitation", email=email, role=role)
    assert answer.status == 200, answer.body
    return found_in(answer.json["url"])


def found_in(text: str) -> str:
    link = LINK.search(text)
    assert link, text
    return link[1]


def stored(box: WholeBox) -> bytes:
    return (box.box.settings.data_dir / "box.db").read_bytes() + (box.box.settings.data_dir / "box.db-wal").read_bytes()


def test_a_new_person_joins_with_a_password_of_their_own(box: WholeBox, people: World) -> None:
    link = invited(people, role="viewer")
    page = box.get(link, accept="text/html").body.decode()
    assert "Join Ada" in page
    assert "grace@example.com" in page
    box.clock.advance(seconds=1)
    answer = people.send(None, link, password=NEW, zone="Europe/Paris")
    assert (answer.status, answer.headers["location"]) == (303, "/sites")
    cookie = answer.headers["set-cookie"].split(";")[0]
    assert box.get("/sites", cookie=cookie, accept="text/html").status == 200
    member = people.call("ada", "organizations.listMembers").json[1]
    assert (member["email"], member["role"]) == ("grace@example.com", "viewer")
    assert box.run(box.box.sign_ins.check("grace@example.com", NEW)).time_zone == "Europe/Paris"
    assert [entry[:2] for entry in people.audited()] == [
        ("created", "invitation"),
        ("created", "user"),
        ("created", "member"),
        ("updated", "invitation"),
    ]


def test_a_link_works_once(box: WholeBox, people: World) -> None:
    link = invited(people)
    assert people.send(None, link, password=NEW).status == 303
    assert box.get(link, accept="text/html").status == 403
    assert people.send(None, link, password=NEW).status == 403
    assert len(people.roles()) == 2


def test_a_weak_password_is_refused_and_the_link_goes_on_working(people: World) -> None:
    link = invited(people)
    for weak in ("", "short", "passwordpassword", "grace@example.com"):
        assert people.send(None, link, password=weak).status == 400
    assert people.send(None, link, password=NEW).status == 303


def test_a_link_ends_after_seven_days(box: WholeBox, people: World) -> None:
    link = invited(people)
    box.clock.advance(seconds=7 * DAY / 1000 - 1)
    assert box.get(link, accept="text/html").status == 200
    box.clock.advance(seconds=1)
    assert box.get(link, accept="text/html").status == 403
    assert people.send(None, link, password=NEW).status == 403
    fresh = World(box)
    assert fresh.call("ada", "organizations.getPendingInvitations").json == []
    shown = fresh.call("ada", "organizations.getPendingInvitations", includeExpired=True).json
    assert [one["status"] for one in shown] == ["expired"]


def test_a_revoked_link_is_void(box: WholeBox, people: World) -> None:
    link = invited(people)
    waiting = people.call("ada", "organizations.getPendingInvitations").json
    assert people.call("ada", "organizations.revokeInvitation", invitationId=waiting[0]["id"]).status == 200
    assert box.get(link, accept="text/html").status == 403
    assert people.send(None, link, password=NEW).status == 403
    assert people.call("ada", "organizations.getPendingInvitations").json == []
    assert ("revoked", "invitation") in [entry[:2] for entry in people.audited()]


def test_a_second_invitation_of_the_same_person_ends_the_first(box: WholeBox, people: World) -> None:
    first, second = invited(people), invited(people, email="Grace@Example.com")
    assert box.get(first, accept="text/html").status == 403
    assert box.get(second, accept="text/html").status == 200


def test_a_member_cannot_be_invited_again(people: World) -> None:
    answer = people.call("ada", "organizations.createInvitation", email=EMAIL)
    assert (answer.status, answer.json["code"]) == (409, "CONFLICT")


@pytest.mark.parametrize("role", ["owner", "root"])
def test_nobody_is_invited_as_owner(people: World, role: str) -> None:
    assert people.call("ada", "organizations.createInvitation", email="a@example.com", role=role).status == 400


def test_a_known_person_signs_in_and_accepts(box: WholeBox, people: World) -> None:
    people.add("grace", "owner", box.foreign_organization_id)
    link = invited(people)
    page = box.get(link, accept="text/html").body.decode()
    assert "/sign-in?next=/invitation%3Ftoken%3D" in page
    assert 'type="password"' not in page
    assert people.send(None, link, password=NEW).status == 200  # still asks to sign in
    assert "grace" not in people.roles()
    assert people.send("grace", link).headers["location"] == "/sites"
    assert people.roles()["grace"] == "member"
    shown = people.see("grace", "/sites").body.decode()
    assert "shop.example" in shown  # and is there now
    assert "foreign.example" not in shown


def test_who_was_removed_can_be_invited_again(box: WholeBox, people: World) -> None:
    assert people.send(None, invited(people), password=NEW).status == 303
    grace = people.call("ada", "organizations.listMembers").json
    user_id = next(one["userId"] for one in grace if one["email"] == "grace@example.com")
    assert people.call("ada", "organizations.removeMember", userId=user_id).status == 200
    link = invited(people, role="admin")
    assert "Enter its password" in box.get(link, accept="text/html").body.decode()
    assert people.send(None, link, password="not the password at all").status == 400
    assert user_id not in people.roles()
    answer = people.send(None, link, password=NEW)
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in")
    assert "set-cookie" not in answer.headers  # a second factor is not skipped
    assert people.roles()[user_id] == "admin"


def test_a_link_is_for_one_person_only(box: WholeBox, people: World) -> None:
    people.add("eve", "owner", box.foreign_organization_id)
    link = invited(people)
    assert "signed in as eve@example.com" in people.see("eve", link).body.decode()
    assert people.send("eve", link).status == 403
    token = link.partition("token=")[2]
    assert people.call("eve", "organizations.acceptInvitation", token=token).status == 403
    assert "eve" not in people.roles()


def test_accepting_over_rpc(box: WholeBox, people: World) -> None:
    people.add("grace", "owner", box.foreign_organization_id)
    token = invited(people, role="admin").partition("token=")[2]
    answer = people.call("grace", "organizations.acceptInvitation", token=token)
    assert answer.json == {"organizationId": box.organization_id, "role": "admin"}
    assert people.call("grace", "organizations.acceptInvitation", token=token).status == 404
    assert people.call("grace", "organizations.acceptInvitation", token="nonsense").status == 404


def test_there_is_no_other_way_in(box: WholeBox) -> None:
    for target in ("/invitation", "/invitation?token=", "/invitation?token=nonsense", "/setup?token=nonsense"):
        assert box.get(target, accept="text/html").status == 403
    assert box.get("/sign-up", accept="text/html").status == 404


def test_the_secret_is_stored_nowhere(box: WholeBox, people: World) -> None:
    token = invited(people).partition("token=")[2]
    assert len(token) >= 43  # 256 bits
    assert token.encode() not in stored(box)
    assert token not in people.call("ada", "organizations.getPendingInvitations").body.decode()
    assert token not in people.see("ada", "/settings/members").body.decode()


def test_another_site_cannot_accept_for_somebody(box: WholeBox, people: World) -> None:
    link = invited(people)
    people.add("grace", "owner", box.foreign_organization_id)
    answer = box.ask(
        "POST",
        link,
        headers={
            "cookie": people.cookie("grace"),
            "content_type": "application/x-www-form-urlencoded",
            "sec_fetch_site": "cross-site",
        },
    )
    assert answer.status == 403
    assert "grace" not in people.roles()


def test_it_is_sent_where_there_is_a_mail_server(tmp_path: Path) -> None:
    with mail_server() as server:

        def adjust(settings: Settings) -> Settings:
            return replace(
                settings,
                smtp_host="127.0.0.1",
                smtp_port=server.port,
                smtp_security="none",
                smtp_from="box@example.com",
            )

        with whole_box(tmp_path / "data", adjust=adjust) as inside:
            people = World(inside)
            answer = people.call("ada", "organizations.createInvitation", email="grace@example.com").json
            assert answer["emailed"] is True
            letter = server.messages[0].replace("=\r\n", "").replace("=3D", "=")
            assert server.recipients == ["grace@example.com"]
            assert urlsplit(answer["url"]).query in letter
            tried = people.call("ada", "config.testEmail").json
            assert tried == {"success": True, "to": EMAIL, "error": None}
    with whole_box(tmp_path / "deaf", adjust=adjust) as inside:  # the server is gone
        people = World(inside)
        answer = people.call("ada", "organizations.createInvitation", email="grace@example.com")
        assert (answer.status, answer.json["emailed"]) == (200, False)
        assert found_in(answer.json["url"])
        assert people.call("ada", "config.testEmail").json["success"] is False


def test_a_mailbox_gets_three_invitations_an_hour_without_a_text_of_users_in_the_subject(tmp_path: Path) -> None:
    with mail_server() as server:

        def adjust(settings: Settings) -> Settings:
            return replace(settings, smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none")

        with whole_box(tmp_path / "data", adjust=adjust) as inside:
            people = World(inside)
            people.add("eve", "viewer")
            statuses = []
            for number in range(6):
                name = f"http://evil.example/{number}"
                own = people.call("eve", "organizations.create", name=name).json["id"]
                given = {"organizationId": own, "email": f"grace+{number}@example.com"}
                statuses.append(people.call("eve", "organizations.createInvitation", **given).status)
            assert statuses == [200, 200, 200, 429, 429, 429]
            waiting = people.call("eve", "organizations.getPendingInvitations", organizationId=own).json
            assert waiting == []
    subjects = [re.findall(r"^Subject: (.*?)\r?$", message, re.MULTILINE) for message in server.messages]
    assert subjects == [["Invitation to Analytics Box"]] * 3
