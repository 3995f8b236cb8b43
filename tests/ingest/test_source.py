"""Where a session came from, and by which channel (semantics 17 and 18)."""

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics_box.ingest.channel import CHANNELS, channel
from analytics_box.ingest.clicks import CLICK_IDS
from analytics_box.ingest.known_sources import DIRECT, known
from analytics_box.ingest.source import domain_of, is_spam, kind_of, source

OWN = "shop.example"

TABLE = Path(__file__).parent / "tables" / "sources.tsv"


class Row(NamedTuple):
    """What an event says of where its session came from, and what is made of it."""

    tag: str
    medium: str
    campaign: str
    click: str
    host: str
    source: str
    kind: str
    channel: str


LINES = [line for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#")]
ROWS = [Row(*line.split("\t")) for line in LINES]


def of(*, tag: str = "", click: str = "", host: str = "", own: str = OWN) -> str:
    return source(utm_source=tag, click_id=click, referrer_host=host, own_domain=own)


@pytest.mark.parametrize("row", ROWS, ids=["|".join(row) for row in ROWS])
def test_a_session_has_a_source_of_a_kind_and_a_channel(row: Row) -> None:  # semantics 17 and 18
    name = of(tag=row.tag, click=row.click, host=row.host)
    found = channel(name=name, medium=row.medium, campaign=row.campaign, click_id=row.click, tag=row.tag)
    assert (name, kind_of(name), found) == (row.source, row.kind, row.channel)


def test_the_table_is_long_enough_and_knows_every_channel() -> None:
    assert len(ROWS) >= 150
    assert len(set(ROWS)) == len(ROWS)
    assert {row.channel for row in ROWS} == set(CHANNELS)
    assert {row.click for row in ROWS} - {"", "nonsense"} >= {
        name for name, click in CLICK_IDS.items() if click.source not in {"Marketo", "Vero", "Klaviyo"}
    } - {"mc_cid", "igsh"}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20), st.sampled_from(["", "x", *CLICK_IDS]))
def test_whatever_is_said_has_one_of_the_channels(name: str, medium: str, campaign: str, click: str) -> None:
    for tag in ("", name):
        assert channel(name=name, medium=medium, campaign=campaign, click_id=click, tag=tag) in CHANNELS


@pytest.mark.parametrize(
    ("host", "spam"),
    [
        ("0-0.fr", True),
        ("www.0-0.fr", True),
        ("QIWI.xyz", True),
        ("a.b.qiwi.xyz.", True),
        ("not-qiwi.xyz", False),
        ("google.com", False),
        ("xyz", False),
        ("", False),
    ],
)
def test_hosts_that_send_false_referrers_are_known(host: str, spam: bool) -> None:
    assert is_spam(host) is spam


def test_no_source_that_people_come_from_is_called_spam() -> None:
    assert [row.host for row in ROWS if is_spam(row.host)] == []
    both = {host for host in known().hosts if "{" not in host and is_spam(host)}
    assert both == {"search.fbdownloader.com", "search.iminent.com"}  # search engines that came with unwanted software


def test_a_tag_goes_before_a_click_id_and_that_before_the_referrer() -> None:
    assert of(tag="hn", click="gclid", host="bing.com") == "Hacker News"
    assert of(click="gclid", host="bing.com") == "Google"
    assert of(host="bing.com") == "Bing"
    assert of(click="nonsense", host="bing.com") == "Bing"


def test_every_subdomain_of_the_own_domain_is_direct_however_it_is_written() -> None:
    for own in ("shop.example", "www.shop.example", "SHOP.example"):
        for host in ("shop.example", "WWW.shop.example", "a.b.shop.example"):
            assert of(host=host, own=own) == DIRECT


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        (DIRECT, ""),
        ("Google", "google.com"),
        ("Twitter", "x.com"),
        ("Pinterest", "pinterest.com"),
        ("Yahoo!", "yahoo.com"),
        ("Mastodon", "mastodon.social"),
        ("Gmail", "mail.google.com"),
        ("ChatGPT", "chatgpt.com"),
        ("Hacker News", "news.ycombinator.com"),
        ("example.org", "example.org"),
        ("Spring Sale", ""),
        ("newsletter", ""),
        ("v1.2 beta", ""),
    ],
)
def test_a_source_has_the_domain_that_people_know(name: str, domain: str) -> None:
    assert domain_of(name) == domain


def test_every_listed_host_leads_to_a_name_that_has_a_kind() -> None:
    lists = known()
    assert len(lists.hosts) > 500
    assert {name for name in lists.hosts.values() if name not in lists.kinds} == set()
