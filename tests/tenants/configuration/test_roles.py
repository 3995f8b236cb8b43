"""Who may use which procedure of config.*: every role, keys with and without manage:config, other organizations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.base.identity import ROLES, SCOPES, Role
from tests.base.outgoing.places import plain
from tests.cases import each
from tests.tenants.configuration.world import World, world_in
from tests.tenants.keys.world import make

# procedure, input, the roles that may; {channel}, {spare}, {delivery}, {domain}, {other} are the organization's
MATRIX: tuple[tuple[str, dict[str, object], str], ...] = (
    ("config.get", {}, "owner admin"),
    ("config.update", {"defaults": {"invitationRole": "viewer"}}, "owner admin"),
    ("config.testEmail", {"to": "ada@example.com"}, "owner admin"),
    ("config.listChannels", {}, "owner admin member viewer"),
    ("config.createChannel", {"type": "webhook", "name": "N", "config": {"url": "{hook}"}}, "owner admin"),
    ("config.updateChannel", {"channelId": "{channel}", "name": "Renamed"}, "owner admin"),
    ("config.rotateChannelSecret", {"channelId": "{channel}"}, "owner admin"),
    ("config.testChannel", {"channelId": "{channel}"}, "owner admin"),
    ("config.deleteChannel", {"channelId": "{spare}"}, "owner admin"),
    ("config.listDeliveries", {"channelId": "{channel}"}, "owner admin member viewer"),
    ("config.retryDelivery", {"deliveryId": "{delivery}"}, "owner admin"),
    ("config.listDomains", {}, "owner admin member viewer"),
    ("config.addDomain", {"domain": "{new}.example"}, "owner admin"),
    ("config.verifyDomain", {"domainId": "{domain}"}, "owner admin"),
    ("config.removeDomain", {"domainId": "{other}"}, "owner admin"),
)


class Stage:
    """An organization with a channel and a domain, and fresh things to delete for each try."""

    def __init__(self, here: World) -> None:
        self.here = here
        self.count = 0
        self.channel = str(here.channel()["channel"]["id"])
        self.domain = str(here.call("ada", "config.addDomain", domain="kept.example")["id"])
        self.cookie = here.box.cookie

    def filled(self, given: dict[str, object]) -> dict[str, object]:
        """The input with names for its things."""
        self.count += 1
        self.here.box.clock.advance(seconds=61)
        spare = self.here.channel()["channel"]["id"] if "{spare}" in given.values() else ""
        other = ""
        if "{other}" in given.values():
            other = self.here.call("ada", "config.addDomain", domain=f"other{self.count}.example")["id"]
        names = {
            "{hook}": self.here.hook,
            "{channel}": self.channel,
            "{spare}": spare,
            "{delivery}": self._given_up() if "{delivery}" in given.values() else "",
            "{domain}": self.domain,
            "{other}": other,
            "{new}.example": f"new{self.count}.example",
        }

        def one(value: object) -> object:
            if isinstance(value, dict):
                return {key: one(inner) for key, inner in value.items()}
            return names.get(value, value) if isinstance(value, str) else value

        return {key: one(value) for key, value in given.items()}

    def _given_up(self) -> str:
        """A delivery that was given up."""
        self.here.web.reply = lambda _: plain(b"", "404 Not Found")
        self.here.tell(f"incident {self.count}")
        self.here.box.run(self.here.box.box.deliveries.run())
        self.here.web.reply = lambda _: plain()
        return str(self.here.call("ada", "config.listDeliveries", channelId=self.channel)["deliveries"][0]["id"])


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with world_in(tmp_path_factory.mktemp("roles") / "data", limit_key=0) as here:
        for role in ROLES:
            here.people.add(f"some-{role}", role)
        here.people.add("stranger", "owner", here.box.foreign_organization_id)
        yield Stage(here)


def test_the_table_is_complete() -> None:
    assert {line[0] for line in MATRIX} == {line.name for line in PROCEDURES if line.name.startswith("config.")}
    assert {line.access for line in PROCEDURES if line.name.startswith("config.")} == {"manage:config"}


@each(
    ("role", "procedure", "given", "allowed"),
    [(role, procedure, given, allowed) for role in ROLES for procedure, given, allowed in MATRIX],
)
def test_roles(stage: Stage, procedure: str, given: dict[str, object], allowed: str, role: Role) -> None:
    answer = stage.here.people.call(f"some-{role}", procedure, **stage.filled(given))
    if role in allowed.split():
        assert answer.status == 200, answer.body
    else:
        assert (answer.status, answer.json["code"]) == (403, "FORBIDDEN")


@pytest.mark.parametrize(("procedure", "given", "allowed"), MATRIX)
def test_keys(stage: Stage, procedure: str, given: dict[str, object], allowed: str) -> None:
    box, path = stage.here.box, procedure.replace(".", "/")
    with_scope = make(box, stage.cookie, scopes=["manage:config"])["secret"]
    without = make(box, stage.cookie, scopes=[scope for scope in SCOPES if scope != "manage:config"])["secret"]
    site = {f"website:{box.sites['shop']}": ["manage:config"]}
    restricted = make(box, stage.cookie, scopes=["manage:config"], resources=site)["secret"]

    def status(secret: str, /, **more: object) -> int:
        return box.post(f"/{path}", {**stage.filled(given), **more}, x_api_key=secret).status

    assert status(with_scope) == 200
    assert status(without) == 403
    assert status(restricted) == 403
    assert status(with_scope, organizationId=box.foreign_organization_id) == 403
    assert box.post(f"/{path}", stage.filled(given)).status == 401


@pytest.mark.parametrize(("procedure", "given", "allowed"), MATRIX)
def test_other_organizations(stage: Stage, procedure: str, given: dict[str, object], allowed: str) -> None:
    here = stage.here
    ours = {**stage.filled(given), "organizationId": here.box.organization_id}
    assert here.refused("stranger", procedure, **ours)[:2] == (403, "FORBIDDEN")
    if {"channelId", "domainId", "deliveryId"} & given.keys():
        assert here.refused("stranger", procedure, **stage.filled(given))[:2] == (404, "NOT_FOUND")
        key = here.box.post(f"/{procedure.replace('.', '/')}", stage.filled(given), key="foreign")
        assert (key.status, key.json["code"]) == (404, "NOT_FOUND")


def test_destination_of_a_channel_is_visible_to_its_editors_only(stage: Stage) -> None:
    here = stage.here
    for role in ("owner", "admin"):
        listed = here.call(f"some-{role}", "config.listChannels")
        assert "very-secret" in str(listed)
    for role in ("member", "viewer"):
        listed = here.call(f"some-{role}", "config.listChannels")
        assert {one["config"] for one in listed} == {None}
        assert "very-secret" not in str(listed)
        assert b"very-secret" not in here.people.see(f"some-{role}", "/settings/integrations").body


def test_mail_server_is_visible_to_box_administrators_only(tmp_path: Path) -> None:
    with world_in(tmp_path / "data", smtp_host="mail.intern.example", smtp_from="box@example.com") as here:
        here.people.add("grace", "admin")
        assert here.call("ada", "config.get")["integrations"]["smtp"] == {
            "configured": True,
            "sender": "box@example.com",
            "server": "mail.intern.example:587",
            "security": "starttls",
        }
        shown = here.call("grace", "config.get")["integrations"]["smtp"]
        assert (shown["sender"], shown["server"], shown["security"]) == ("box@example.com", None, None)
        assert b"mail.intern.example" in here.people.see("ada", "/settings/box/email").body
        assert here.people.see("grace", "/settings/box/email").status == 403
        key = here.box.post("/config/get", {}, key="all").json["integrations"]["smtp"]
        assert key["server"] is None
