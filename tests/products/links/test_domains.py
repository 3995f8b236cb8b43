"""Short links at the root of domains of their own."""

import pytest

from tests.products.links.world import DOMAIN, TARGET, World


def test_a_link_lives_at_the_root_of_its_domain_and_nowhere_else(world: World) -> None:
    world.link_domain()
    made = world.link(domain=DOMAIN, slug="spring")
    assert made["shortUrl"] == f"http://{DOMAIN}/spring"
    assert world.follow("spring", host=DOMAIN).headers["location"] == TARGET
    assert world.follow("spring", host=f"{DOMAIN.upper()}:8000").headers["location"] == TARGET
    assert world.follow("spring").status == 404  # not under /l/ of the box
    own = world.link(slug="spring", targetUrl="https://example.com/own")
    assert world.follow("spring").headers["location"] == "https://example.com/own"
    assert world.follow("spring", host=DOMAIN).headers["location"] == TARGET
    assert world.follow("l/spring", host=DOMAIN).status == 404
    assert own["id"] != made["id"]


@pytest.mark.parametrize("path", ["robots.txt", "favicon.ico", "sitemap.xml", ".well-known/security.txt"])
def test_reserved_paths_do_not_exist_on_link_domains(world: World, path: str) -> None:
    world.link_domain()
    answer = world.follow(path, host=DOMAIN)
    assert (answer.status, answer.body) == (404, b"")
    assert world.call("links.listOrphans").json == []


@pytest.mark.parametrize(
    "path", ["sites", "sign-in", "v1/query/types", "track", "openapi.json", "docs", "rpc/links/list"]
)
def test_a_link_domain_shows_nothing_else_of_the_box(world: World, path: str) -> None:
    world.link_domain()
    assert world.follow(path, host=DOMAIN, accept="text/html").status == 404
    assert world.box.ask("POST", f"/{path}", headers={"host": DOMAIN}).status in {404, 405}


def test_pages_of_links_find_their_style_there(world: World) -> None:
    world.link_domain()
    page = world.follow("nothing-here", host=DOMAIN).body.decode()
    style = page.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
    assert style.startswith("/static/")
    assert world.follow(style[1:], host=DOMAIN).headers["content-type"].startswith("text/css")


def test_the_bare_domain_and_unknown_slugs(world: World) -> None:
    world.link_domain()
    assert (world.follow("", host=DOMAIN).status, world.follow("nothing", host=DOMAIN).status) == (404, 404)
    assert world.follow("health", host=DOMAIN).json == {"status": "ok"}
    world.call(
        "links.updateDomain", domain=DOMAIN, homeUrl="https://example.com/", notFoundUrl="https://example.com/lost"
    )
    assert world.follow("", host=DOMAIN).headers["location"] == "https://example.com/"
    lost = world.follow("nothing", host=DOMAIN)
    assert (lost.status, lost.headers["location"]) == (302, "https://example.com/lost")
    assert lost.headers["cache-control"] == "private, no-store"
    world.link(domain=DOMAIN, slug="health")
    assert world.follow("health", host=DOMAIN).headers["location"] == TARGET
    assert {one["domain"] for one in world.call("links.listOrphans").json} == {DOMAIN}


def test_links_do_not_lead_in_circles(world: World) -> None:
    toward = world.link(targetUrl=f"https://{DOMAIN}/abc")
    world.box.box.box_db.write_now(
        lambda db: (
            db.execute(
                "insert into domains (id, organization_id, domain, token, created_at, proven_at, proven_by)"
                " values ('domain-1', ?, ?, ?, 1, 1, 'dns')",
                (world.box.organization_id, DOMAIN, "x" * 32),
            )
            and None
        )
    )
    refused = world.call("links.addDomain", domain=DOMAIN)
    assert refused.status == 409
    assert toward["slug"] in refused.json["error"]
    world.call("links.delete", id=toward["id"])
    assert world.call("links.addDomain", domain=DOMAIN, homeUrl=f"http://{DOMAIN}/x").status == 200
    assert world.call("links.create", name="A", targetUrl=f"https://{DOMAIN}/abc").status == 400


def test_a_domain_belongs_to_who_has_proven_it(world: World) -> None:
    world.link_domain()
    assert world.call("links.listDomains").json[0]["domain"] == DOMAIN
    assert world.call("links.listDomains", key="foreign").json == []
    assert world.call("links.addDomain", domain=DOMAIN, key="foreign").status == 400
    assert world.call("links.create", key="foreign", name="A", targetUrl=TARGET, domain=DOMAIN).status == 400
    assert world.call("links.removeDomain", domain=DOMAIN, key="foreign").status == 404


def test_a_domain_goes_when_no_link_lives_there(world: World) -> None:
    world.link_domain()
    made = world.link(domain=DOMAIN)
    refused = world.call("links.removeDomain", domain=DOMAIN)
    assert (refused.status, refused.json["code"]) == (409, "CONFLICT")
    kept = world.box.post("/config/removeDomain", {"domainId": f"dom-{DOMAIN}"}, key="all")
    assert kept.status == 409
    world.call("links.update", id=made["id"], domain="")
    assert world.follow(made["slug"]).status == 302
    assert world.call("links.removeDomain", domain=DOMAIN).json == {"success": True}
    assert world.box.get("/sign-in", host=DOMAIN).status == 200  # a host like any other again
    assert world.box.post("/config/removeDomain", {"domainId": f"dom-{DOMAIN}"}, key="all").status == 200


def test_hosts_that_are_not_the_boxes_stay_refused(tmp_path: object, world: World) -> None:
    world.link_domain()
    made = world.link(domain=DOMAIN)
    world.box.reopen()
    assert world.follow(made["slug"], host=DOMAIN).status == 302
