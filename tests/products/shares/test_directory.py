"""Share links in memory: answers of changes can come late, and never bring back what is over."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from analytics_box.products.shares import directory
from analytics_box.products.shares.directory import OwnedShare, ShareDirectory
from tests.inprocess import WholeBox
from tests.products.overview.filtered import box_of_visitors
from tests.products.shares.test_dashboards import call, open_link, share


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("shares")) as made:
        yield made


def shares(box: WholeBox) -> ShareDirectory:
    return box.box.parts[ShareDirectory]


def stored(box: WholeBox, share_id: str) -> OwnedShare:
    return next(one for one in box.box.box_db.read_now(directory.everything) if one.link.id == share_id)


def test_late_answer_of_a_change_does_not_bring_a_deleted_link_back(box: WholeBox) -> None:
    made = share(box)
    late = stored(box, made["id"])
    call(box, "shares.delete", id=made["id"])
    shares(box).remember(late)
    assert open_link(box, made["url"]).status == 404


def test_late_answer_of_an_older_change_does_not_undo_a_newer_one(box: WholeBox) -> None:
    made = share(box, slug="before-it")
    late = stored(box, made["id"])
    call(box, "shares.update", id=made["id"], slug="after-it", password="open sesame")
    shares(box).remember(late)
    assert shares(box).find("before-it") is None
    found = shares(box).find("after-it")
    assert found is not None
    assert found.password is not None


def test_slug_and_domain_of_a_changed_link_are_free_for_another(box: WholeBox) -> None:
    first = stored(box, share(box, slug="first-it")["id"])
    second = stored(box, share(box)["id"])
    shares(box).remember(replace(first, link=replace(first.link, domain="a.example.org", updated_at=2**50)))
    moved = replace(second.link, domain="a.example.org", updated_at=2**50)
    shares(box).remember(replace(second, link=moved))
    shares(box).remember(replace(first, link=replace(first.link, domain=None, slug="moved-it", updated_at=2**51)))
    assert "a.example.org" in shares(box).domains(), "the other link has it now"
    assert shares(box).find("first-it") is None
    shares(box).forget(second.link.id)
    assert "a.example.org" not in shares(box).domains()


def test_links_of_a_removed_website_are_forgotten(box: WholeBox) -> None:
    made = share(box)
    shares(box).forget_website(box.sites["shop"])
    assert shares(box).find(made["slug"]) is None
