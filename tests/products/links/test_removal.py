"""An organization that is purged takes its links, their clicks, folders and domains with it, and nobody else's."""

from analytics_box.app.jobs import JOBS, run_job
from analytics_box.base.clock import DAY
from analytics_box.products.links.domains.lookup import LinkDomains
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from tests.products.links.world import DOMAIN, World

TABLES = ("links", "link_folders", "link_tags", "link_domains", "domains")


def left(world: World) -> dict[str, int]:
    def count(table: str) -> int:
        found = world.box.box.box_db.read_now(lambda db: db.execute(f"select count(*) from {table}").fetchall())
        return int(str(found[0][0]))

    return {table: count(table) for table in TABLES}


def test_nothing_of_a_purged_organizations_links_is_left(world: World) -> None:
    world.link_domain()
    folder = world.call("linkFolders.create", name="News").json["id"]
    own = world.link(folderId=folder, tags=["a", "b"], domain=DOMAIN)
    theirs = world.call("links.create", key="foreign", name="A", targetUrl="https://example.com/", tags=["c"]).json
    world.follow(own["slug"], host=DOMAIN)
    world.follow(theirs["slug"])
    assert len(world.clicks("id")) == 2

    box = world.box.box
    now = world.box.clock.now()
    box.box_db.write_now(
        lambda db: (
            db.execute("update organizations set deleted_at = ? where id = ?", (now, world.box.organization_id))
            and None
        )
    )
    box.parts[OrganizationDirectory].close(world.box.organization_id)
    assert world.follow(own["slug"], host=DOMAIN).status in {404, 421}
    world.box.clock.advance(seconds=31 * DAY / 1000)
    world.box.run(run_job(next(job for job in JOBS if job.name == "purge organizations"), box))

    assert left(world) == {"links": 1, "link_folders": 0, "link_tags": 1, "link_domains": 0, "domains": 0}
    assert world.rows("select count(*) from link_clicks") == [(1,)]
    assert world.rows("select count(*) from link_totals") == [(1,)]
    assert world.follow(theirs["slug"]).status == 302
    assert len(box.parts[LinkDirectory]) == 1
    assert not box.parts[LinkDomains].names()
