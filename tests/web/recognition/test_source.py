"""Where a session came from, and by which channel (semantics 17 and 18)."""

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.web.recognition.channel import CHANNELS, channel
from analytics_box.web.recognition.known_sources import DIRECT, known_sources, plain
from analytics_box.web.recognition.source import (
    CLICK_IDS,
    domain_of,
    host_of,
    is_spam,
    kind_of,
    name_of_host,
    name_of_tag,
    source,
)
from tests.cases import each
from tests.examples import examples

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


@each("row", ROWS, ids="|".join)
def test_a_session_has_a_source_of_a_kind_and_a_channel(row: Row) -> None:  # semantics 17 and 18
    name = of(tag=row.tag, click=row.click, host=row.host)
    found = channel(name=name, medium=row.medium, campaign=row.campaign, click_id=row.click, tag=row.tag)
    assert (name, kind_of(name), found) == (row.source, row.kind, row.channel)


def test_the_table_is_long_enough_and_knows_every_channel() -> None:
    assert len(ROWS) >= 500
    assert len(set(ROWS)) == len(ROWS)
    assert {row.channel for row in ROWS} == set(CHANNELS)
    assert {row.click for row in ROWS} - {"", "nonsense"} >= {
        name for name, click in CLICK_IDS.items() if click.source not in {"Marketo", "Vero", "Klaviyo"}
    } - {"mc_cid", "igsh"}


@examples(300)
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
    both = {host for host in known_sources().hosts if "{" not in host and is_spam(host)}
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
    lists = known_sources()
    assert len(lists.hosts) > 500
    assert {name for name in lists.hosts.values() if name not in lists.kinds} == set()


@each(
    ("referrer", "name"),
    [
        ("https://www.google.com/", "Google"),
        ("HTTPS://WWW.GOOGLE.COM:443/search?q=x", "Google"),
        ("https://google.com./", "Google"),
        ("http://somebody:secret@www.google.com/", "Google"),
        ("https://docs.google.com:443/document/d/1", "docs.google.com"),
        ("https://www.google.com@example.net/", "example.net"),
        ("https://example.net/www.google.com", "example.net"),
        ("https://example.net/?from=https://www.google.com/", "example.net"),
        ("https://example.net#www.google.com", "example.net"),
        ("android-app://com.google.android.gm/", "Gmail"),
        ("android-app://com.google.android.googlequicksearchbox/https/www.google.com", "Google"),
        ("android-app://com.google.android.apps.docs", "com.google.android.apps.docs"),
        ("android-app://com.example.reader/", "com.example.reader"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("https://bücher.example/", "bücher.example"),
        ("https://gооgle.com/", "gооgle.com"),  # with two Cyrillic letters
        ("https://shop.example:8443/cart", DIRECT),
        ("https://shop.example./", DIRECT),
        ("http://[::1]:8000/", DIRECT),
        ("http://192.168.1.10:8080/", DIRECT),
        ("about:blank", DIRECT),
        ("https://", DIRECT),
        ("https://[", DIRECT),
    ],
)
def test_only_the_host_of_a_referrer_counts(referrer: str, name: str) -> None:
    assert of(host=host_of(referrer)) == name


def test_no_two_sources_are_spelled_alike_and_each_is_found_by_its_name() -> None:
    kinds = known_sources().kinds
    assert len({plain(name) for name in kinds}) == len(kinds)
    for name in kinds:
        for tag in (name, name.upper(), name.replace(" ", "-"), f" {name}"):
            assert name_of_tag(tag) == name


def test_every_listed_host_has_its_name_in_every_form() -> None:
    for host, name in known_sources().hosts.items():
        if "{" not in host and "*" not in host:
            for form in (host, f"www.{host}", f"WWW.{host.upper()}.", f"m.{host}", f"mobile.{host}", f"search.{host}"):
                assert name_of_host(form) == name


PRODUCTS = (
    "docs",
    "drive",
    "calendar",
    "accounts",
    "login",
    "signin",
    "console",
    "cloud",
    "admin",
    "ads",
    "help",
    "tv",
)
COMPANIES = (
    *("google.com", "google.co.uk", "yahoo.com", "bing.com", "yandex.ru", "baidu.com", "amazon.com", "amazon.com.br"),
    *("ebay.de", "facebook.com", "x.com", "vk.com", "reddit.com", "github.com", "linkedin.com", "discord.com"),
)


@pytest.mark.parametrize("company", COMPANIES)
def test_no_other_product_of_a_company_is_its_search_its_feed_or_its_shop(company: str) -> None:
    assert of(host=company) != company
    for product in PRODUCTS if company not in {"bing.com", "linkedin.com"} else PRODUCTS[:-1]:  # their Tuvalu
        name = of(host=f"{product}.{company}")
        assert (name, kind_of(name)) == (f"{product}.{company}", "unknown")
        assert channel(name=name, medium="", campaign="", click_id="", tag="") == "Referral"


@examples(300)
@given(
    st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789-", min_size=3, max_size=12), st.sampled_from(["com", "de"])
)
def test_host_that_contains_a_known_one_is_not_that_source(label: str, last: str) -> None:
    for host in (f"{label}-google.{last}", f"google{label}.{last}", f"google.{last}.{label}x.{last}"):
        assert name_of_host(host) == host
