"""Groups of the document: named by people where they have a name of their own, else by the router."""

import pytest

from analytics_box.app.openapi.described import ROUTES
from analytics_box.app.openapi.described_events import EVENTS
from analytics_box.app.openapi.described_public import LINKS
from analytics_box.app.openapi.document import GROUPS, group_of
from analytics_box.app.procedures import PROCEDURES


@pytest.mark.parametrize(
    ("tag", "group"),
    [
        ("linkFolders", "Short links"),
        ("websites", "Websites"),
        ("monitors", "Monitors"),
        ("statusPages", "Status pages"),
    ],
)
def test_router_without_a_group_becomes_its_own_group(tag: str, group: str) -> None:
    assert group_of(tag) == group


def test_every_name_of_a_group_is_of_something_that_is_there() -> None:
    tags = {line.tag for table in (ROUTES, EVENTS, LINKS) for line in table.values()} | {"Pages"}
    assert set(GROUPS) - tags - {line.name.partition(".")[0] for line in PROCEDURES} == set()
