"""Nobody gets anything of an organization that they do not belong to: every procedure, page and form, by every role.

Eve's organization is full of words that stand nowhere else. Whoever belongs to Ada's asks for them in every way, and
nothing that comes back may hold one, say that they exist, or change anything.
"""

import base64
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import PAGES_AND_API
from analytics_box.base.identity import Role
from analytics_box.base.settings import Settings
from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.organizations.pictures import PNG, form, png
from tests.tenants.organizations.world import World

ASKING: tuple[Role, ...] = ("owner", "admin", "member", "viewer")
THEIRS = png(shade=99)
PICTURE = base64.b64encode(PNG).decode()

# procedure → what is given beside the organization. {member}, {invitation}, {token} and {actor} are eve's; what names
# none of them is only asked with her organization.
GIVEN: dict[str, dict[str, Any]] = {
    "organizations.list": {},
    "organizations.getById": {},
    "organizations.create": {"name": "New", "slug": "eves-secret-slug"},
    "organizations.update": {"name": "Taken over", "slug": "eves-secret-slug", "metadata": {}},
    "organizations.getMyRole": {},
    "organizations.setActive": {},
    "organizations.uploadLogo": {"image": PICTURE},
    "organizations.deleteLogo": {},
    "organizations.delete": {},
    "organizations.restore": {},
    "organizations.listDeleted": {},
    "organizations.listMembers": {},
    "organizations.updateMemberRole": {"userId": "{member}", "role": "viewer"},
    "organizations.updateMemberAccess": {"userId": "{member}", "resources": None},
    "organizations.removeMember": {"userId": "{member}"},
    "organizations.leave": {},
    "organizations.transferOwnership": {"userId": "{member}"},
    "organizations.createInvitation": {"email": "friend@example.com"},
    "organizations.getPendingInvitations": {"includeExpired": True},
    "organizations.revokeInvitation": {"invitationId": "{invitation}"},
    "organizations.acceptInvitation": {"token": "{token}"},
    "audit.list": {"actor": "{actor}"},
}
TAKES_NO_INPUT = {"organizations.list", "organizations.listDeleted"}
TAKES_NO_ORGANIZATION = {"organizations.create", "organizations.acceptInvitation"}
ONLY_AN_ID = {
    "organizations.updateMemberRole",
    "organizations.updateMemberAccess",
    "organizations.removeMember",
    "organizations.transferOwnership",
    "organizations.revokeInvitation",
    "organizations.acceptInvitation",
    "audit.list",
}
PAGES = (
    "/settings/organization",
    "/settings/members",
    "/settings/audit",
    "/settings/audit?actor={actor}",
    "/settings/audit?subject=secret_subject&before=100000",
    "/settings/members/remove?member={member}",
    "/settings/organization/delete",
    "/settings/organization/transfer",
    "/logos/{organization}/{logo}",
)
FORMS: tuple[tuple[str, dict[str, str]], ...] = (
    ("/organizations/switch", {"organization": "{organization}"}),
    ("/settings/organization", {"organization": "Ada", "slug": "eves-secret-slug", "timeZone": ""}),
    ("/settings/organization/restore", {"organization": "{organization}"}),
    ("/settings/organization/transfer", {"member": "{member}", "confirmation": "Ada"}),
    ("/settings/members/role", {"member": "{member}", "role": "viewer"}),
    ("/settings/members/access", {"member": "{member}", "access": "all"}),
    ("/settings/members/remove", {"member": "{member}"}),
    ("/settings/members/confirm", {"member": "{member}"}),
    ("/settings/members/invitations/revoke", {"invitation": "{invitation}"}),
    ("/invitation?token={token}", {"password": "a long and quiet sentence"}),
)


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_sign_in=0, limit_rpc=0)


class Strangers:
    """Ada's people, and what is Eve's: its names, and words that nobody else may see."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.people = World(box)
        theirs = box.foreign_organization_id
        for role in ASKING:
            self.people.add(f"own-{role}", role)
        self.people.add("eve-secret", "owner", theirs)
        self.people.add("mallory-secret", "member", theirs)
        eve = self.people
        invited = eve.call("eve-secret", "organizations.createInvitation", email="secret-guest@example.com").json
        metadata = {"secret": "secret-metadata"}
        changed = eve.call("eve-secret", "organizations.update", name="Secret name", slug="eves-secret-slug")
        assert changed.status == 200
        eve.call("eve-secret", "organizations.update", metadata=metadata)
        eve.send_bytes("eve-secret", "/settings/organization/logo", form(THEIRS))
        logo = eve.call("eve-secret", "organizations.getById").json["logo"].rsplit("/", 1)[1]
        self.names = {
            "organization": theirs,
            "member": eve.ids["mallory-secret"],
            "invitation": invited["invitation"]["id"],
            "token": invited["url"].partition("token=")[2],
            "actor": f"user:{eve.ids['eve-secret']}",
            "logo": logo,
        }
        self.forbidden = (
            theirs,
            "Secret name",
            "eve-secret@",
            "mallory-secret",
            "secret-guest",
            "secret-metadata",
            eve.ids["eve-secret"],
            self.names["member"],
            self.names["invitation"],
            logo,
            "foreign.example",
            box.sites["foreign"],
        )

    def state(self) -> list[Any]:
        """All that box.db has of Eve's organization."""
        statements = (
            "select name, slug, plan, logo, metadata, deleted_at from organizations where id = ?",
            "select user_id, role from members where organization_id = ? order by user_id",
            "select id, revoked_at, accepted_at from invitations where organization_id = ? order by id",
            "select digest, image from logos where organization_id = ?",
            "select count(*) from audit where organization_id = ?",
        )
        theirs = self.names["organization"]
        return [
            self.box.box.box_db.read_now(lambda db, one=statement: db.execute(one, (theirs,)).fetchall())  # type: ignore[misc]  # a lambda with a default
            for statement in statements
        ]

    def filled(self, text: str) -> str:
        for name, value in self.names.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def given(self, procedure: str) -> dict[str, Any]:
        return {
            name: self.filled(value) if isinstance(value, str) else value for name, value in GIVEN[procedure].items()
        }

    def check(self, answer: Answer, sent: Any) -> None:
        """Nothing forbidden stands in an answer, but for what was sent itself."""
        said = answer.body.decode("utf-8", errors="replace") + str(answer.headers)
        for word in self.forbidden:
            if word not in str(sent):
                assert word not in said, (word, sent, answer.status)


@pytest.fixture(scope="module", params=["open", "deleted"])
def strangers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strangers]:
    with whole_box(tmp_path_factory.mktemp("leaks") / "data", adjust=unlimited) as inside:
        found = Strangers(inside)
        if request.param == "deleted":
            found.people.call("eve-secret", "organizations.create", name="Elsewhere")
            answer = found.people.call(
                "eve-secret", "organizations.delete", organizationId=inside.foreign_organization_id
            )
            assert answer.status == 200
        yield found


def test_every_procedure_of_these_rooms_is_asked() -> None:
    there = {line.name for line in PROCEDURES if line.name.partition(".")[0] in {"organizations", "audit"}}
    assert there == set(GIVEN)


def test_every_form_of_these_rooms_that_names_something_is_sent() -> None:
    """What is not in FORMS takes no id: it is about the session's own organization, or makes something new."""
    starts = ("/organizations/", "/settings/organization", "/settings/members", "/invitation")
    there = {route.path for route in PAGES_AND_API if route.method == "POST" and route.path.startswith(starts)}
    names_nothing = {
        "/settings/organization/new",
        "/settings/organization/logo",
        "/settings/organization/logo/delete",
        "/settings/organization/leave",
        "/settings/organization/delete",
        "/settings/members/invite",
    }
    assert there == {target.partition("?")[0] for target, _ in FORMS} | names_nothing


@each(("role", "procedure"), product(ASKING, sorted(set(GIVEN) - TAKES_NO_INPUT - TAKES_NO_ORGANIZATION)))
def test_naming_their_organization_gives_nothing(strangers: Strangers, procedure: str, role: str) -> None:
    before = strangers.state()
    field = "id" if procedure == "organizations.getById" else "organizationId"
    sent = {**strangers.given(procedure), field: strangers.names["organization"]}
    answer = strangers.people.call(f"own-{role}", procedure, **sent)
    unknown = strangers.people.call(f"own-{role}", procedure, **{**sent, field: "nowhere"})
    assert answer.status in {403, 404}, answer.body
    assert (answer.status, answer.json["code"]) == (unknown.status, unknown.json["code"])
    assert answer.json["error"] == unknown.json["error"]
    strangers.check(answer, sent)
    assert strangers.state() == before


@each(("role", "procedure"), product(ASKING, sorted(ONLY_AN_ID)))
def test_naming_something_of_theirs_gives_nothing(strangers: Strangers, procedure: str, role: str) -> None:
    before = strangers.state()
    sent = strangers.given(procedure)
    answer = strangers.people.call(f"own-{role}", procedure, **sent)
    if procedure == "audit.list" and role in {"owner", "admin"}:
        assert answer.json["entries"] == []
    else:
        assert answer.status in {403, 404}, answer.body
    strangers.check(answer, sent)
    assert strangers.state() == before


@pytest.mark.parametrize("role", ASKING)
def test_procedures_without_an_organization_show_nothing_of_others(strangers: Strangers, role: str) -> None:
    before = strangers.state()
    for procedure in sorted(set(GIVEN) - ONLY_AN_ID - {"organizations.leave", "organizations.delete"}):
        if procedure in {"organizations.create", "organizations.update"}:
            sent: dict[str, Any] = {"slug": "eves-secret-slug", "name": "Ada"}
            assert strangers.people.call(f"own-{role}", procedure, **sent).status in {403, 409}, procedure
            continue
        sent = strangers.given(procedure)
        strangers.check(strangers.people.call(f"own-{role}", procedure, **sent), sent)
    assert strangers.state() == before


@each(("role", "target"), product(ASKING, PAGES))
def test_no_page_shows_anything_of_theirs(strangers: Strangers, target: str, role: str) -> None:
    address = strangers.filled(target)
    answer = strangers.people.see(f"own-{role}", address)
    assert answer.status in ({404} if target.startswith("/logos") else {200, 403, 404})
    assert THEIRS not in answer.body
    strangers.check(answer, address)


@each(("role", "target", "fields"), [(role, target, fields) for role in ASKING for target, fields in FORMS])
def test_no_form_changes_anything_of_theirs(
    strangers: Strangers, target: str, fields: dict[str, str], role: str
) -> None:
    before = strangers.state()
    sent = {name: strangers.filled(value) for name, value in fields.items()}
    address = strangers.filled(target)
    answer = strangers.people.send(f"own-{role}", address, **sent)
    assert answer.status in {400, 403, 404, 409}, answer.headers
    strangers.check(answer, (address, sent))
    assert strangers.state() == before


@each("procedure", sorted(GIVEN))
def test_an_api_key_of_others_gets_nothing_either(strangers: Strangers, procedure: str) -> None:
    before = strangers.state()
    for key in ("all", "restricted"):
        sent = strangers.given(procedure)
        if procedure not in TAKES_NO_INPUT | TAKES_NO_ORGANIZATION:
            sent["organizationId"] = strangers.names["organization"]
        target = f"/{procedure.replace('.', '/')}"
        answer = strangers.box.post(target, sent, key=key)
        assert answer.status == (200 if (procedure, key) == ("organizations.list", "all") else 403), procedure
        strangers.check(answer, sent)
    assert strangers.state() == before
