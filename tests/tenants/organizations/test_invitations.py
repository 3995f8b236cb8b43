"""The life of an invitation: made, sent, accepted once by whom it is for, revoked, expired."""

import quopri
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.settings import Settings
from tests.app.admin.commanding import beside, result, typed
from tests.base.notify.mail_server import mail_server
from tests.inprocess import EMAIL, WholeBox, whole_box
from tests.tenants.organizations.world import World

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
    assert (answer.status, answer.headers["location"]) == (303, "/")
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
def test_invitation_as_owner_is_refused(people: World, role: str) -> None:
    assert people.call("ada", "organizations.createInvitation", email="a@example.com", role=role).status == 400


def test_a_known_person_signs_in_and_accepts(box: WholeBox, people: World) -> None:
    people.add("grace", "owner", box.foreign_organization_id)
    link = invited(people)
    page = box.get(link, accept="text/html").body.decode()
    assert "/sign-in?next=/invitation%3Ftoken%3D" in page
    assert 'type="password"' not in page
    assert people.send(None, link, password=NEW).status == 200  # still asks to sign in
    assert "grace" not in people.roles()
    assert people.send("grace", link).headers["location"] == "/"
    assert people.roles()["grace"] == "member"
    shown = people.see("grace", "/sites").body.decode()
    assert "shop.example" in shown  # and is there now
    assert "foreign.example" not in shown


def test_removed_member_can_be_invited_again(box: WholeBox, people: World) -> None:
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


def test_cross_site_request_cannot_accept_an_invitation(box: WholeBox, people: World) -> None:
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


def test_with_a_mail_server_only_the_mailbox_gets_the_link_and_the_account_is_confirmed(tmp_path: Path) -> None:
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
            assert (answer["emailed"], answer["url"]) == (True, None)
            assert server.recipients == ["grace@example.com"]
            link = found_in(quopri.decodestring(server.messages[0].encode()).decode())
            token = link.partition("token=")[2]
            shown = people.send("ada", "/settings/members/invite", email="grace@example.org", role="member")
            assert b"emailed to grace@example.org" in shown.body
            assert b"/invitation?token=" not in shown.body
            assert people.send(None, link, password=NEW).status == 303
            (grace,) = (one for one in people.call("ada", "organizations.listMembers").json if "grace" in one["email"])
            assert (grace["email"], grace["confirmed"]) == ("grace@example.com", True)
            assert token.encode() not in stored(inside)
            tried = people.call("ada", "config.testEmail").json
            assert tried == {"success": True, "to": EMAIL, "error": None}
    with whole_box(tmp_path / "deaf", adjust=adjust) as inside:  # the server is gone
        people = World(inside)
        answer = people.call("ada", "organizations.createInvitation", email="grace@example.com")
        assert (answer.status, answer.json["emailed"], answer.json["url"]) == (200, False, None)
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


def joined_by_a_shown_link(people: World, email: str = "grace@example.com") -> str:
    """The id of a new user who used a link that its maker has seen."""
    assert people.send(None, invited(people, email), password=NEW).status == 303
    members = people.call("ada", "organizations.listMembers").json
    return next(str(one["userId"]) for one in members if one["email"] == email)


def confirmed(people: World) -> dict[str, bool]:
    return {one["email"]: one["confirmed"] for one in people.call("ada", "organizations.listMembers").json}


def test_an_account_by_a_link_that_was_shown_is_unconfirmed_until_the_administrator_confirms_it(
    box: WholeBox, people: World
) -> None:
    user_id = joined_by_a_shown_link(people)
    assert confirmed(people) == {EMAIL: True, "grace@example.com": False}
    page = people.see("ada", "/settings/members").body.decode()
    assert "Unconfirmed" in page
    assert 'action="/settings/members/confirm"' in page
    people.add("eve", "owner")
    assert 'action="/settings/members/confirm"' not in people.see("eve", "/settings/members").body.decode()
    assert people.send("eve", "/settings/members/confirm", member=user_id).status == 403
    assert people.send("ada", "/settings/members/confirm", member="somebody-else").status == 404
    assert confirmed(people)["grace@example.com"] is False
    assert people.send("ada", "/settings/members/confirm", member=user_id).status == 303
    assert confirmed(people)["grace@example.com"] is True
    assert "Unconfirmed" not in people.see("ada", "/settings/members").body.decode()


def test_the_command_line_confirms_an_account(box: WholeBox, people: World) -> None:
    joined_by_a_shown_link(people)
    with beside(box) as data:
        listed = {row["email"]: row["isConfirmed"] for row in result("user", "list", data=data)}
        assert listed == {EMAIL: True, "grace@example.com": False}
        assert result("user", "confirm", "Grace@example.com", data=data) == {"email": "Grace@example.com"}
        assert typed("user", "confirm", "nobody@example.com", data=data).exit_code != 0
    assert confirmed(people)["grace@example.com"] is True


def test_no_mail_goes_to_an_unconfirmed_address_of_a_member(people: World) -> None:
    joined_by_a_shown_link(people)
    people.add("eve", "admin")
    given = {"type": "email", "name": "Mail", "config": {"to": "grace@example.com"}}
    assert people.call("eve", "config.createChannel", **given).status == 400
    assert people.call("eve", "config.testEmail", to="grace@example.com").status == 400


def test_a_password_by_an_emailed_link_confirms_an_account_and_takes_it_from_who_squats_it(tmp_path: Path) -> None:
    with mail_server() as server:

        def adjust(settings: Settings) -> Settings:
            return replace(settings, smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none")

        with whole_box(tmp_path / "data", adjust=adjust) as box:
            people = World(box)
            people.add("grace", "member")
            squatters = people.cookie("grace")
            box.box.box_db.write_now(
                lambda db: db.execute("update users set is_unconfirmed = 1 where email like 'grace%'") and None
            )
            assert confirmed(people)["grace@example.com"] is False
            people.send(None, "/forgot-password", email="grace@example.com")
            box.run(box.box.parts[Mailer].settled())
            text = quopri.decodestring(server.messages[0].encode()).decode()
            link = re.findall(r"http://localhost:8000(/reset-password\?token=[\w-]+)", text)[0]
            assert people.send(None, link, password=NEW).status == 303
            assert confirmed(people)["grace@example.com"] is True
            assert box.get("/sites", cookie=squatters, accept="text/html").status != 200


def test_a_user_has_at_most_so_many_organizations_and_the_administrator_any_number(tmp_path: Path) -> None:
    def few(settings: Settings) -> Settings:
        return replace(settings, organizations_per_user=2)

    with whole_box(tmp_path / "data", adjust=few) as inside:
        people = World(inside)
        people.add("eve", "viewer")
        people.add("mallory", "viewer")
        made = [people.call("eve", "organizations.create", name=f"Eve {number}") for number in range(3)]
        assert [one.status for one in made] == [200, 200, 409]
        assert "organizations_per_user" in made[2].json["error"]
        assert people.send("eve", "/settings/organization/new", new="Eve's").status == 409
        own = made[0].json["id"]
        people.join("mallory", "member", own)
        given = {"organizationId": own, "userId": people.ids["mallory"]}
        assert people.call("eve", "organizations.transferOwnership", **given).status == 200
        assert people.call("eve", "organizations.create", name="One more").status == 409  # she created two
        assert people.call("mallory", "organizations.create", name="His").status == 200
        assert people.call("mallory", "organizations.create", name="His second").status == 409  # he owns two
        assert [people.call("ada", "organizations.create", name=f"Ada {n}").status for n in range(4)] == [200] * 4


def test_a_user_cannot_mail_any_number_of_strangers_by_inviting_and_revoking(tmp_path: Path) -> None:
    with mail_server() as server:

        def adjust(settings: Settings) -> Settings:
            return replace(settings, smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none", limit_rpc=0)

        with whole_box(tmp_path / "data", adjust=adjust) as inside:
            people = World(inside)
            people.add("eve", "admin")

            def invites(name: str, email: str) -> int:
                answer = people.call(name, "organizations.createInvitation", email=email)
                if answer.status == 200:
                    people.call(name, "organizations.revokeInvitation", invitationId=answer.json["invitation"]["id"])
                return answer.status

            statuses = [invites("eve", f"stranger{number}@example.org") for number in range(32)]
            assert statuses == [200] * 30 + [429] * 2
            assert invites("ada", "stranger31@example.org") == 200  # who was refused is not counted as a receiver
            assert len(server.messages) == 31
