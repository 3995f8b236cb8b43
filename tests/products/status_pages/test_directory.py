"""Status pages in memory: what is looked up there, and that only newer states count."""

from msgspec.structs import replace

from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole, new_component, new_page

PAGE = new_page(
    id="page-one", organization_id="organization-1", slug="one", name="One", domain="status.example", version=3
)
COMPONENT = new_component(id="component-1", page_id="page-one", monitor_id="monitor-1")
WHOLE = Whole(PAGE, components=(COMPONENT,))


def test_a_page_is_found_by_its_id_slug_domain_organization_and_monitor() -> None:
    pages = StatusPages([WHOLE])
    assert pages.find("page-one") is pages.by_slug("one") is pages.by_domain("status.example") is WHOLE
    assert pages.of("organization-1") == pages.all() == pages.with_monitor("monitor-1") == [WHOLE]
    assert pages.find("other") is pages.by_slug("") is pages.by_domain("") is None
    assert pages.of("organization-2") == pages.with_monitor("monitor-2") == []


def test_a_newer_state_replaces_what_was_known_and_an_older_one_is_ignored() -> None:
    pages = StatusPages([WHOLE])
    newer = Whole(replace(PAGE, slug="two", domain=None, version=5))
    pages.remember(newer)
    pages.remember(Whole(replace(PAGE, version=4)))
    assert pages.find("page-one") is pages.by_slug("two") is newer
    assert pages.by_slug("one") is pages.by_domain("status.example") is None
    assert pages.with_monitor("monitor-1") == []


def test_a_slug_that_another_page_took_meanwhile_stays_with_it() -> None:
    pages = StatusPages([WHOLE])
    other = Whole(replace(PAGE, id="page-two", version=1))
    pages.remember(other)
    pages.remember(Whole(replace(PAGE, slug="two", domain="two.example", version=4)))
    assert pages.by_slug("one") is pages.by_domain("status.example") is other


def test_pages_of_a_closed_organization_are_not_there_until_it_is_restored() -> None:
    closed = {"organization-1"}
    pages = StatusPages([WHOLE], closed)
    assert pages.find("page-one") is pages.by_slug("one") is pages.by_domain("status.example") is None
    assert pages.all() == pages.with_monitor("monitor-1") == []
    closed.clear()
    assert pages.find("page-one") is WHOLE


def test_a_page_that_is_gone_does_not_come_back_by_what_was_said_of_it_before() -> None:
    pages = StatusPages([WHOLE])
    pages.forget_organization("organization-1")
    pages.remember(WHOLE)
    assert len(pages) == 0
    assert pages.by_slug("one") is None
    assert pages.with_monitor("monitor-1") == []
