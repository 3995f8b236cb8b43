"""Domains over RPC: claimed, proven by a TXT record or by the administrator, one organization's each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from tests.cases import each
from tests.tenants.configuration.world import World, world_in


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(
        tmp_path / "data", base_url="https://stats.box.example", ingest_url="https://in.box.example"
    ) as found:
        found.people.add("grace", "admin")
        yield found


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One for tests that leave nothing behind."""
    given = {"base_url": "https://stats.box.example", "ingest_url": "https://in.box.example"}
    with world_in(tmp_path_factory.mktemp("domains") / "data", **given) as found:
        found.people.add("grace", "admin")
        yield found


def publish(here: World, record: dict[str, str], *values: str) -> None:
    here.names.records[(record["name"], "TXT")] = [[f'"{value}"' for value in values]]


def test_a_txt_record_proves_a_domain(here: World) -> None:
    made = here.call("grace", "config.addDomain", domain="go.example.com")
    assert (made["status"], made["verifiedAt"], made["error"]) == ("pending", None, None)
    record = made["record"]
    assert (record["type"], record["name"]) == ("TXT", "_analytics-box.go.example.com")
    assert len(record["value"]) == 46
    publish(here, record, "v=spf1 -all", record["value"])
    proven = here.call("grace", "config.verifyDomain", domainId=made["id"])
    assert (proven["status"], proven["verifiedBy"], proven["error"]) == ("verified", "dns", None)
    assert proven["verifiedAt"] == "2026-06-17T12:00:01.000Z"
    assert here.call("grace", "config.listDomains") == [proven]
    assert [(action, subject) for action, subject, _ in here.audited()] == [
        ("created", "domain"),
        ("updated", "domain"),
    ]


def test_invalid_record_is_reported(here: World) -> None:
    made = here.call("grace", "config.addDomain", domain="go.example.com")

    def error() -> str:
        checked = here.call("grace", "config.verifyDomain", domainId=made["id"])
        assert (checked["status"], checked["checkedAt"]) == ("pending", "2026-06-17T12:00:01.000Z")
        return str(checked["error"])

    assert "no TXT record at _analytics-box.go.example.com" in error()
    publish(here, made["record"], made["record"]["value"] + "x", made["record"]["value"][:-1])
    assert "another value" in error()
    here.names.records[("go.example.com", "TXT")] = [[f'"{made["record"]["value"]}"']]  # at the wrong place
    assert "another value" in error()
    assert [action for action, _, _ in here.audited()] == ["created"]


def test_name_servers_that_do_not_answer_prove_nothing(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.base.outgoing.resolve.SECONDS", 0.05)
    made = here.call("grace", "config.addDomain", domain="go.example.com")
    here.names.silent = True
    checked = here.call("grace", "config.verifyDomain", domainId=made["id"])
    assert checked["error"] == "The name servers do not answer in time"


def test_internal_names_are_looked_up_only_for_organizations_with_an_open_network(here: World) -> None:
    made = here.call("grace", "config.addDomain", domain="go.shop.lan")
    publish(here, made["record"], made["record"]["value"])
    organizations, own = here.box.box.parts[OrganizationDirectory], here.box.organization_id
    organizations.open(own, "")
    checked = here.call("grace", "config.verifyDomain", domainId=made["id"])
    assert (checked["status"], here.names.asked) == ("pending", [])
    assert "private networks" in checked["error"]
    organizations.open(own, "all")
    assert here.call("grace", "config.verifyDomain", domainId=made["id"])["status"] == "verified"


def test_a_long_record_in_pieces_is_put_together(here: World) -> None:
    made = here.call("grace", "config.addDomain", domain="go.example.com")
    value = made["record"]["value"]
    here.names.records[(made["record"]["name"], "TXT")] = [[f'"{value[:20]}" "{value[20:]}"']]
    assert here.call("grace", "config.verifyDomain", domainId=made["id"])["status"] == "verified"


def test_a_proven_domain_belongs_to_one_organization(here: World) -> None:
    here.people.add("eve", "owner", here.box.foreign_organization_id)
    ours = here.call("grace", "config.addDomain", domain="go.example.com")
    theirs = here.call("eve", "config.addDomain", domain="GO.example.com.")
    assert theirs["domain"] == "go.example.com"
    assert theirs["record"]["value"] != ours["record"]["value"]
    publish(here, ours["record"], ours["record"]["value"], theirs["record"]["value"])
    assert here.call("eve", "config.verifyDomain", domainId=theirs["id"])["status"] == "verified"
    assert here.refused("grace", "config.verifyDomain", domainId=ours["id"])[:2] == (409, "CONFLICT")
    here.call("grace", "config.removeDomain", domainId=ours["id"])
    assert here.refused("grace", "config.addDomain", domain="go.example.com")[:2] == (409, "CONFLICT")
    for procedure in ("verifyDomain", "removeDomain"):
        assert here.refused("grace", f"config.{procedure}", domainId=theirs["id"])[:2] == (404, "NOT_FOUND")
    here.call("eve", "config.removeDomain", domainId=theirs["id"])
    assert here.call("grace", "config.addDomain", domain="go.example.com")["status"] == "pending"


def test_a_proof_of_another_organization_is_none(here: World) -> None:
    here.people.add("eve", "owner", here.box.foreign_organization_id)
    ours = here.call("grace", "config.addDomain", domain="go.example.com")
    theirs = here.call("eve", "config.addDomain", domain="go.example.com")
    publish(here, ours["record"], theirs["record"]["value"])
    assert here.call("grace", "config.verifyDomain", domainId=ours["id"])["status"] == "pending"


def test_only_the_administrator_adds_a_domain_without_proof(here: World) -> None:
    made = here.call("ada", "config.addDomain", domain="intern.example", withoutProof=True)
    assert (made["status"], made["verifiedBy"]) == ("verified", "administrator")
    assert here.refused("grace", "config.addDomain", domain="x.example", withoutProof=True)[:2] == (403, "FORBIDDEN")
    key = here.box.post("/config/addDomain", {"domain": "x.example", "withoutProof": True}, key="all")
    assert (key.status, key.json["code"]) == (403, "FORBIDDEN")
    asked = len(here.names.asked)
    assert here.call("ada", "config.verifyDomain", domainId=made["id"])["status"] == "verified"
    assert len(here.names.asked) == asked


@pytest.mark.parametrize(
    ("given", "domain"),
    [
        ("Go.Example.COM", "go.example.com"),
        (" https://go.example.com/path ", "go.example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("a_b.example", "a_b.example"),
    ],
)
def test_a_domain_has_one_spelling(shared: World, given: str, domain: str) -> None:
    made = shared.call("grace", "config.addDomain", domain=given)
    assert made["domain"] == domain
    assert shared.refused("grace", "config.addDomain", domain=given)[:2] == (409, "CONFLICT")
    shared.call("grace", "config.removeDomain", domainId=made["id"])


@each(
    "given",
    [
        "",
        "example",
        "localhost",
        "box.local",
        "127.0.0.1",
        "[::1]",
        "1.2.3.4",
        "go..example",
        "-go.example",
        "go.example:8080",
        "user@go.example",
        "*.example.com",
        "go example.com",
        "stats.box.example",
        "IN.box.example.",
        "https://stats.box.example/",
        "x" * 64 + ".example",
        "a." * 125 + "example",
    ],
)
def test_reserved_domain_is_refused(shared: World, given: str) -> None:
    assert shared.refused("grace", "config.addDomain", domain=given) in {
        (400, "BAD_REQUEST", "domain"),
        (400, "BAD_REQUEST", ""),
    }
    assert shared.call("grace", "config.listDomains") == []


def test_checks_are_ten_a_minute(here: World) -> None:
    made = here.call("grace", "config.addDomain", domain="go.example.com")
    answers = [here.people.call("grace", "config.verifyDomain", domainId=made["id"]).status for _ in range(11)]
    assert answers == [200] * 10 + [429]


def test_an_organization_has_at_most_fifty(here: World) -> None:
    for number in range(50):
        here.call("grace", "config.addDomain", domain=f"d{number}.example")
    assert here.refused("grace", "config.addDomain", domain="one.more.example")[:2] == (409, "CONFLICT")
