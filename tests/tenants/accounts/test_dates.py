"""Wherever a signed-in person reads a date, it is in their time zone and in the formats that they have chosen."""

import re
from collections.abc import Iterator

import pytest

from tests.inprocess import WholeBox, whole_box
from tests.tenants.accounts.world import send

ANY_DAY = re.compile(r"\b\d{1,2} Ju[nl] 2026|Ju[nl] \d{1,2}, 2026|\d\d[./]\d\d[./]2026|2026-0[67]-\d\d\b")
ANY_TIME = re.compile(r"\b\d{1,2}:\d\d(?: [ap]m)?")
PAGES = (
    "/settings/security",
    "/settings/members",
    "/settings/keys",
    "/settings/audit",
    "/sites",
    "/sites/{shop}/settings/tracking",
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """With something of everything that has a date: an invitation, an old client id, a deleted website."""
    with whole_box(tmp_path_factory.mktemp("dates") / "data") as made:
        cookie = made.cookie
        assert send(made, "/settings/members/invite", cookie, email="grace@example.com", role="viewer").status == 200
        assert made.post("/websites/rotateTracking", {"id": made.sites["shop"]}, cookie=cookie).status == 200
        assert made.post("/websites/delete", {"id": made.sites["idle"]}, cookie=cookie).status == 200
        yield made


def text_of(box: WholeBox, cookie: str, path: str) -> str:
    """What a page says, without its markup and the fields that browsers show in their own way."""
    answer = box.get(path.format(**box.sites), cookie=cookie)
    assert answer.status == 200
    page = answer.body.decode()
    return re.sub(r"<script.*?</script>|<[^>]*>", " ", page[page.index("<main") :], flags=re.DOTALL)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("date_format", "time_format", "day", "time"),
    [
        ("DD.MM.YYYY", "h:mm a", r"\d\d\.0[67]\.2026", r"\d{1,2}:\d\d [ap]m"),
        ("YYYY-MM-DD", "HH:mm", r"2026-0[67]-\d\d", r"\d\d:\d\d"),
    ],
)
def test_a_page_writes_dates_as_its_reader_wants_them(
    box: WholeBox, path: str, date_format: str, time_format: str, day: str, time: str
) -> None:
    cookie = box.cookie
    send(box, "/settings/profile", cookie, date_format=date_format, time_format=time_format)
    text = text_of(box, cookie, path)
    days, times = ANY_DAY.findall(text), ANY_TIME.findall(text)
    assert days, "there is a date on this page"
    assert [found for found in days if not re.fullmatch(day, found)] == []
    assert [found for found in times if not re.fullmatch(time, found)] == []


def test_dates_follow_the_time_zone(box: WholeBox) -> None:
    cookie = box.cookie
    send(box, "/settings/profile", cookie, timezone="Pacific/Kiritimati", date_format="YYYY-MM-DD", time_format="HH:mm")
    for path in ("/settings/security", "/settings/audit", "/settings/members"):
        assert "2026-06-18, 02:00" in text_of(box, cookie, path)
        assert "2026-06-17" not in text_of(box, cookie, path)
