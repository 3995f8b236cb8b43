"""All links in memory: loading them beside other work, having more than fit, and never showing what was before."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.errors import DeadlineExceeded
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection
from analytics_box.products.links import rows
from analytics_box.products.links.link import new_link
from analytics_box.products.links.redirects import directory as directories
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from tests.inprocess import WholeBox, whole_box
from tests.products.links.conftest import unlimited
from tests.products.links.world import TARGET, World


def many(box: WholeBox, count: int, start: int = 0, owner: str = "") -> None:
    """So many links in the database, behind the box's back."""
    plain = new_link(
        id="",
        organization_id=owner or box.organization_id,
        created_by="me",
        now=0,
        name="A",
        target_url=TARGET,
        target_domain="example.com",
    )

    def write(db: Connection) -> None:
        for number in range(start, start + count):
            more = {"max_clicks": 5} if number % 3 == 0 else {}
            rows.LINKS.insert(db, replace(plain, id=f"link-{number:06}", slug=f"s-{number:06}", **more))

    box.box.box_db.write_now(write)


@contextmanager
def box_of(directory: Path, **more: int) -> Iterator[WholeBox]:
    def adjust(settings: Settings) -> Settings:
        return replace(unlimited(settings), **more)

    with whole_box(directory, adjust=adjust) as box:
        yield box


def test_few_links_are_in_memory_before_the_box_answers(tmp_path: Path) -> None:
    with box_of(tmp_path / "data") as box:
        many(box, 300)
        box.reopen()
        directory = box.box.parts[LinkDirectory]
        assert (directory.complete, len(directory)) == (True, 300)
        found = directory.find("", "s-000003")
        assert found is not None
        assert (found.target_url, found.max_clicks) == (TARGET, 5)
        assert directory.find("", "s-999999") is None


def test_many_links_are_loaded_beside_it_and_each_works_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with box_of(tmp_path / "data") as box:
        many(box, 50)
        monkeypatch.setattr(directories, "AT_ONCE", 10)
        box.reopen()
        world, directory = World(box), box.box.parts[LinkDirectory]
        assert not directory.complete
        assert world.follow("s-000001").status == 302
        assert world.follow("s-999999").status == 404
        assert len(directory) == 1
        box.run(directory.load())
        assert (directory.complete, len(directory)) == (True, 50)
        assert world.follow("s-000002").status == 302


def test_changes_during_loading_are_not_overwritten(tmp_path: Path) -> None:
    with box_of(tmp_path / "data") as box:
        many(box, 20)
        db = box.box.box_db
        directory = LinkDirectory(db, frozenset(), most=1_000)

        async def load_while_changing() -> None:
            old = await db.read(lambda connection: rows.LINKS.find(connection, "link-000001"))
            gone = await db.read(lambda connection: rows.LINKS.find(connection, "link-000002"))
            assert old is not None
            assert gone is not None
            original = directory._page

            async def page(after: int) -> object:
                read = await original(after)
                directory.remember(replace(old, target_url="https://example.com/new"))  # after it was read
                directory.forget("", gone.slug)
                return read

            directory._page = page  # type: ignore[method-assign, assignment]  # changes come between two pages
            await directory.load()

        box.run(load_while_changing())
        found = directory.find("", "s-000001")
        assert found is not None
        assert found.target_url == "https://example.com/new"
        assert directory.find("", "s-000002") is None
        assert len(directory) == 19


@pytest.mark.parametrize("pages_before", [0, 1, 2])
def test_links_of_an_organization_that_is_purged_while_links_are_loaded_do_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages_before: int
) -> None:
    """A page is read, then the organization is purged, then the page is taken; whether or not others were before."""
    monkeypatch.setattr(directories, "_PAGE", 10)
    with box_of(tmp_path / "data") as box:
        many(box, 20)
        many(box, 5, 20, box.foreign_organization_id)
        directory = LinkDirectory(box.box.box_db, frozenset(), most=1_000)
        original, pages = directory._page, 0

        async def page(after: int) -> object:
            nonlocal pages
            read = await original(after)
            if pages == pages_before:
                directory.forget_organization(box.organization_id)
            pages += 1
            return read

        directory._page = page  # type: ignore[method-assign, assignment]  # the purge comes after a page was read
        box.run(directory.load())
        assert directory.complete
        assert len(directory) == 5
        assert directory.find("", "s-000001") is None
        assert directory.find("", "s-000015") is None
        assert directory.find("", "s-000020") is not None


def test_a_link_that_is_read_while_its_organization_is_purged_is_not_kept(tmp_path: Path) -> None:
    with box_of(tmp_path / "data") as box:
        many(box, 3)
        db = box.box.box_db
        directory = LinkDirectory(db, frozenset(), most=1_000)

        class Purging:
            """The database, and a purge after each read of it."""

            async def read(self, work: Callable[[Connection], Any]) -> Any:
                found = await db.read(work)
                directory.forget_organization(box.organization_id)
                return found

        directory._db = Purging()  # type: ignore[assignment]  # the real one, with a purge that happens meanwhile
        box.run(directory.look_up("", "s-000001"))
        assert directory.find("", "s-000001") is None
        assert len(directory) == 0
        box.run(directory.look_up("", "nothing"))
        assert not directory.is_missing("", "nothing")


def test_links_that_could_not_all_be_loaded_follow_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directories, "_PAGE", 10)
    with box_of(tmp_path / "data") as box:
        many(box, 20)
        db = box.box.box_db
        directory = LinkDirectory(db, frozenset(), most=1_000)
        original = directory._page
        box.run(directory.look_up("", "s-000002"))

        async def page(after: int) -> object:
            if not after:
                return await original(after)
            raise DeadlineExceeded("too slow")

        directory._page = page  # type: ignore[method-assign, assignment]  # the second page cannot be read
        with pytest.raises(DeadlineExceeded):
            box.run(directory.load())
        assert not directory.complete
        old = db.read_now(lambda connection: rows.LINKS.find(connection, "link-000001"))
        assert old is not None
        directory.remember(replace(old, target_url="https://example.com/new"))
        found = directory.find("", "s-000001")
        assert found is not None
        assert found.target_url == "https://example.com/new"
        looked_up = box.run(directory.look_up("", "s-000003"))
        assert looked_up is not None
        assert looked_up.target_url == TARGET


def test_of_more_links_than_fit_the_latest_asked_for_are_kept(tmp_path: Path) -> None:
    with box_of(tmp_path / "data", links_in_memory=1_000) as box:
        many(box, 1_200)
        box.reopen()
        world, directory = World(box), box.box.parts[LinkDirectory]
        box.run(directory.load())
        assert not directory.complete
        for number in range(1_100):
            assert box.run(directory.look_up("", f"s-{number:06}")) is not None
        assert len(directory) == 1_000
        assert directory.find("", "s-000000") is None
        assert directory.find("", "s-001099") is not None
        assert world.follow("s-000000").status == 302
        made = world.link(slug="s-new")
        assert world.follow("s-new").status == 302
        world.call("links.delete", id=made["id"])
        assert world.follow("s-new").status == 404


def test_a_box_that_grows_past_what_fits_goes_on(tmp_path: Path) -> None:
    with box_of(tmp_path / "data", links_in_memory=1_000) as box:
        many(box, 999)
        box.reopen()
        world, directory = World(box), box.box.parts[LinkDirectory]
        assert directory.complete
        for slug in ("one-more", "two-more", "three-more"):
            world.link(slug=slug)
        assert not directory.complete
        for slug in ("one-more", "three-more", "s-000000", "s-000998"):
            assert world.follow(slug).status == 302
        assert world.follow("nothing").status == 404


def test_an_unknown_slug_is_remembered_until_it_is_made(tmp_path: Path) -> None:
    with box_of(tmp_path / "data", links_in_memory=1_000) as box:
        many(box, 1_001)
        box.reopen()
        world, directory = World(box), box.box.parts[LinkDirectory]
        assert world.follow("later").status == 404
        assert directory.is_missing("", "later")
        world.link(slug="later")
        assert not directory.is_missing("", "later")
        assert world.follow("later").status == 302


def test_links_of_a_deleted_organization_lead_nowhere_until_it_is_restored(tmp_path: Path) -> None:
    with box_of(tmp_path / "data") as box:
        world = World(box)
        made = world.link()
        closed = box.box.parts[OrganizationDirectory]
        closed.close(box.organization_id)
        assert world.follow(made["slug"]).status == 404
        closed.reopen(box.organization_id)
        assert world.follow(made["slug"]).status == 302
        box.box.parts[LinkDirectory].forget_organization(box.organization_id)
        assert world.follow(made["slug"]).status == 404


def test_strangers_may_only_guess_so_many_addresses(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        world = World(box)
        made = world.link()
        statuses = [world.follow(f"guess-{number}").status for number in range(61)]
        assert statuses == [404] * 60 + [429]
        assert world.follow(made["slug"]).status == 302  # what is there costs no guess
        assert box.ask("GET", "/l/guess-1", address="198.51.100.1").status == 404


def test_without_the_database_known_links_work_and_others_say_to_come_again(tmp_path: Path) -> None:
    with box_of(tmp_path / "data", links_in_memory=1_000) as box:
        many(box, 1_001)
        box.reopen()
        world = World(box)
        assert world.follow("s-000005").status == 302
        box.box.box_db.close()
        assert world.follow("s-000005").status == 302
        refused = world.follow("s-000006")
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
