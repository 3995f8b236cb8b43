"""Where a session came from (semantics 17)."""

import pytest

from analytics_box.ingest.source import DIRECT, Kind, domain_of, kind_of, known, source

OWN = "shop.example"

# The host of a referrer, the name of the source, what kind it is.
HOSTS: tuple[tuple[str, str, Kind], ...] = (
    ("", DIRECT, "direct"),
    ("shop.example", DIRECT, "direct"),
    ("www.shop.example", DIRECT, "direct"),
    ("blog.shop.example", DIRECT, "direct"),
    ("localhost", DIRECT, "direct"),
    ("dev.localhost", DIRECT, "direct"),
    ("nas.local", DIRECT, "direct"),
    ("127.0.0.1", DIRECT, "direct"),
    ("192.168.1.10", DIRECT, "direct"),
    ("10.0.0.1", DIRECT, "direct"),
    ("::1", DIRECT, "direct"),
    ("fd00::1", DIRECT, "direct"),
    ("notshop.example", "notshop.example", "unknown"),
    ("shop.example.evil.test", "shop.example.evil.test", "unknown"),
    ("www.google.com", "Google", "search"),
    ("google.de", "Google", "search"),
    ("www.google.co.uk", "Google", "search"),
    ("google.com.br", "Google", "search"),
    ("google.github.io", "google.github.io", "unknown"),
    ("google.com.evil.example", "google.com.evil.example", "unknown"),
    ("notgoogle.com", "notgoogle.com", "unknown"),
    ("com.google.android.googlequicksearchbox", "Google", "search"),
    ("www.bing.com", "Bing", "search"),
    ("duckduckgo.com", "DuckDuckGo", "search"),
    ("search.brave.com", "Brave", "search"),
    ("www.ecosia.org", "Ecosia", "search"),
    ("yandex.ru", "Yandex", "search"),
    ("www.baidu.com", "Baidu", "search"),
    ("de.search.yahoo.com", "Yahoo!", "search"),
    ("t.co", "Twitter", "social"),
    ("x.com", "Twitter", "social"),
    ("l.facebook.com", "Facebook", "social"),
    ("lm.facebook.com", "Facebook", "social"),
    ("l.instagram.com", "Instagram", "social"),
    ("lnkd.in", "LinkedIn", "social"),
    ("www.linkedin.com", "LinkedIn", "social"),
    ("old.reddit.com", "Reddit", "social"),
    ("out.reddit.com", "Reddit", "social"),
    ("news.ycombinator.com", "Hacker News", "social"),
    ("youtu.be", "YouTube", "social"),
    ("m.youtube.com", "YouTube", "social"),
    ("pinterest.de", "Pinterest", "social"),
    ("mastodon.social", "Mastodon", "social"),
    ("bsky.app", "Bluesky", "social"),
    ("www.threads.net", "Threads", "social"),
    ("vk.com", "VK", "social"),
    ("www.tiktok.com", "TikTok", "social"),
    ("github.com", "GitHub", "social"),
    ("chatgpt.com", "ChatGPT", "ai"),
    ("chat.openai.com", "ChatGPT", "ai"),
    ("www.perplexity.ai", "Perplexity", "ai"),
    ("claude.ai", "Claude", "ai"),
    ("gemini.google.com", "Gemini", "ai"),
    ("copilot.microsoft.com", "Copilot", "ai"),
    ("mail.google.com", "Gmail", "email"),
    ("com.google.android.gm", "Gmail", "email"),
    ("outlook.live.com", "Outlook", "email"),
    ("mail.proton.me", "Proton Mail", "email"),
    ("www.example.org", "example.org", "unknown"),
    ("EXAMPLE.org.", "example.org", "unknown"),
)
# A utm_source (or source, or ref), and the name of the source.
TAGS = (
    ("google", "Google"),
    ("Google", "Google"),
    ("fb", "Facebook"),
    ("ig", "Instagram"),
    ("twitter", "Twitter"),
    ("x", "Twitter"),
    ("hn", "Hacker News"),
    ("ddg", "DuckDuckGo"),
    ("chatgpt.com", "ChatGPT"),
    ("www.google.com", "Google"),
    ("newsletter", "newsletter"),
    ("Spring Sale", "Spring Sale"),
    ("partner.example", "partner.example"),
    ("shop.example", "shop.example"),
)
CLICKS = (
    ("gclid", "Google"),
    ("fbclid", "Facebook"),
    ("ttclid", "TikTok"),
    ("twclid", "Twitter"),
    ("li_fat_id", "LinkedIn"),
    ("msclkid", "Bing"),
)


def of(*, tag: str = "", click: str = "", host: str = "", own: str = OWN) -> str:
    return source(utm_source=tag, click_id=click, referrer_host=host, own_domain=own)


@pytest.mark.parametrize(("host", "name", "kind"), HOSTS)
def test_a_referrer_has_a_name_and_a_kind(host: str, name: str, kind: Kind) -> None:
    assert of(host=host) == name
    assert kind_of(name) == kind


@pytest.mark.parametrize(("tag", "name"), TAGS)
def test_a_tag_has_a_name(tag: str, name: str) -> None:
    assert of(tag=tag) == name


@pytest.mark.parametrize(("click", "name"), CLICKS)
def test_a_click_id_names_its_network(click: str, name: str) -> None:
    assert of(click=click) == name


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
