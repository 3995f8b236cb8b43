"""Share links at the root of a domain: on which domains, what is there, and when it ends."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.inprocess import Answer, WholeBox
from tests.products.overview.filtered import PEOPLE, box_of_visitors, visitors
from tests.products.shares.test_dashboards import call, share

DOMAIN = "stats.example.org"


@pytest.fixture
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("domains")) as made:
        prove(made, DOMAIN)
        yield made


def prove(box: WholeBox, domain: str, organization_id: str = "") -> None:
    now = box.clock.now()
    values = (f"domain-{domain}", organization_id or box.organization_id, domain, "x" * 32, now, now)
    statement = """
        insert into domains (id, organization_id, domain, token, created_at, proven_at, proven_by)
        values (?, ?, ?, ?, ?, ?, 'dns')
    """
    box.box.box_db.write_now(lambda db: db.execute(statement, values).fetchall())


def on_domain(box: WholeBox, path: str, **headers: str) -> Answer:
    return box.get(path, host=DOMAIN, accept="text/html", **headers)


def create(box: WholeBox, **given: Any) -> Answer:
    return box.post("/shares/create", {"websiteId": box.sites["shop"], "name": "x", **given}, key="all")


def test_dashboard_is_at_the_root_of_its_domain_and_leads_nowhere_else(box: WholeBox) -> None:
    made = share(box, domain=DOMAIN, accent="#c2410c")
    assert made["url"] == f"http://{DOMAIN}"
    page = on_domain(box, "/?range=today&wait=all")
    assert visitors(page.body.decode()) == len(PEOPLE)
    links = re.findall(r'(?:href|action|data-part)="([^"]*)"', page.body.decode())
    assert not [link for link in links if "/share/" in link], links
    for path in {
        link.partition("?")[0]
        for link in links
        if link.startswith("/") and "/static/" not in link and link != "/sign-in"
    }:
        answer = on_domain(box, f"{path}?range=today")
        if path.startswith("/docs/"):
            assert answer.headers["location"].startswith("http://localhost"), path
        else:
            assert answer.status == 200, path
    assert "/docs" in on_domain(box, "/details/pages?range=today").body.decode()
    assert on_domain(box, "/parts/pages?range=today").status == 200
    assert on_domain(box, "/colors.css").status == 200
    assert on_domain(box, "/export/json?range=today").json["pages"]


@pytest.mark.parametrize(
    "path", ["/sign-in", "/sites", "/share/x", "/v1/query", "/docs", "/settings", "/../sites", "/embed/x", "/health"]
)
def test_domain_of_a_share_has_nothing_else(box: WholeBox, path: str) -> None:
    share(box, domain=DOMAIN)
    assert on_domain(box, path, cookie=box.cookie).status == 404


def test_password_of_a_link_is_entered_on_its_domain(box: WholeBox) -> None:
    share(box, domain=DOMAIN, password="open sesame")
    assert 'action="/"' in on_domain(box, "/").body.decode()
    headers = {"host": DOMAIN, "content_type": "application/x-www-form-urlencoded", "origin": f"https://{DOMAIN}"}
    answer = box.ask("POST", "/", headers=headers, body=b"password=open+sesame")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert "Path=/;" in answer.headers["set-cookie"]
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert visitors(on_domain(box, "/?range=today&wait=all", cookie=cookie).body.decode()) == len(PEOPLE)
    assert on_domain(box, "/parts/pages").status == 403


def test_domain_ends_when_the_link_gives_it_up_or_is_deleted_and_survives_a_restart(box: WholeBox) -> None:
    made = share(box, domain=DOMAIN)
    assert "tile-visitors" in on_domain(box, "/?range=today&wait=all").body.decode()
    box.reopen()
    assert "tile-visitors" in on_domain(box, "/?range=today&wait=all").body.decode()
    call(box, "shares.update", id=made["id"], domain=None)
    assert "tile-visitors" not in on_domain(box, "/?range=today&wait=all").body.decode()
    call(box, "shares.update", id=made["id"], domain=DOMAIN)
    assert "tile-visitors" in on_domain(box, "/?range=today&wait=all").body.decode()
    call(box, "shares.delete", id=made["id"])
    assert "tile-visitors" not in on_domain(box, "/?range=today&wait=all").body.decode()


def test_transferred_website_leaves_the_domain_of_its_former_organization(box: WholeBox) -> None:
    share(box, domain=DOMAIN)
    moved = "update websites set organization_id = ? where id = ?"
    values = (box.foreign_organization_id, box.sites["shop"])
    box.box.box_db.write_now(lambda db: db.execute(moved, values).fetchall())
    box.reopen()
    assert "tile-visitors" not in on_domain(box, "/?range=today&wait=all").body.decode()


def test_domain_must_be_verified_by_the_organization_and_serve_nothing_else(box: WholeBox) -> None:
    assert create(box, domain="unknown.example.org").status == 400
    prove(box, "foreign.example.org", box.foreign_organization_id)
    assert create(box, domain="foreign.example.org").status == 400
    share(box, domain=DOMAIN, name="x")
    assert create(box, domain=DOMAIN).status == 409
    page = box.post("/statusPage/create", {"name": "Status", "slug": "status-x"}, key="all").json
    refused = box.post("/statusPage/update", {"statusPageId": page["id"], "domain": DOMAIN}, key="all")
    assert (refused.status, "share link x" in refused.body.decode()) == (409, True)
    refused = box.post("/links/addDomain", {"domain": DOMAIN}, key="all")
    assert (refused.status, "share link x" in refused.body.decode()) == (409, True)
    refused = box.post("/config/removeDomain", {"domainId": f"domain-{DOMAIN}"}, key="all")
    assert (refused.status, "share link x" in refused.body.decode()) == (409, True)


@pytest.mark.parametrize("first", ["links", "status page"])
def test_domain_of_another_product_is_refused(box: WholeBox, first: str) -> None:
    if first == "links":
        assert box.post("/links/addDomain", {"domain": DOMAIN}, key="all").status == 200
    else:
        page = box.post("/statusPage/create", {"name": "Status", "slug": "status-x"}, key="all").json
        changed = {"statusPageId": page["id"], "domain": DOMAIN}
        assert box.post("/statusPage/update", changed, key="all").status == 200
    answer = create(box, domain=DOMAIN)
    assert answer.status == 409
    assert "domain" in answer.body.decode()
