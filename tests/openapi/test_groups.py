"""Groups of the document: named by people where they have a name of their own, else by the router."""

import pytest

from analytics_box.openapi.groups import group_of


@pytest.mark.parametrize(
    ("tag", "group"),
    [
        ("linkFolders", "Short links"),
        ("websites", "Websites"),
        ("monitors", "Monitors"),
        ("statusPages", "Status pages"),
    ],
)
def test_a_router_that_nobody_has_named_is_a_group_of_its_own(tag: str, group: str) -> None:
    assert group_of(tag) == group
