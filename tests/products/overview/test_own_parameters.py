"""Parameters that a page of figures has alone stay when its range or its filters change."""

import re
from html import unescape

import pytest

from tests.inprocess import WholeBox


@pytest.mark.parametrize(
    "given", ["errors?state=resolved", "performance?vital=CLS", "performance?rank=p90", "performance?split=country"]
)
def test_own_parameter_of_a_page_stays_when_the_range_changes(box: WholeBox, given: str) -> None:
    path, _mark, own = given.partition("?")
    address = f"/sites/{box.sites['shop']}/{path}"
    page = box.get(f"{address}?range=last_7d&{own}", cookie=box.cookie, accept="text/html").body.decode()
    ranges = [unescape(link) for link in re.findall(rf'href="({address}\?[^"]*range=today[^"]*)"', page)]
    assert ranges
    assert all(own in link for link in ranges)
    name, value = own.split("=")
    assert f'<input type="hidden" name="{name}" value="{value}">' in page
