"""Paths of pages as they are stored (semantics 16)."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analytics_box.ingest.paths import LONGEST, clean, page

# What comes in, and the path and query string that are kept of it.
ADDRESSES = (
    ("https://shop.example/", "/", ""),
    ("https://shop.example", "/", ""),
    ("https://shop.example/a/b", "/a/b", ""),
    ("https://shop.example/a/b/", "/a/b", ""),
    ("https://shop.example/a//", "/a", ""),
    ("https://shop.example/A/b", "/A/b", ""),
    ("https://user:secret@shop.example/a", "/a", ""),
    ("https://shop.example:8443/a", "/a", ""),
    ("/a", "/a", ""),
    ("/a/", "/a", ""),
    (" /a ", "/a", ""),
    ("a/b", "/a/b", ""),
    ("", "/", ""),
    ("/", "/", ""),
    ("//", "/", ""),
    ("?q=1", "/", "q=1"),
    ("/a%20b", "/a b", ""),
    ("/%C3%BCber", "/über", ""),
    ("/über", "/über", ""),
    ("/%e4%bd%a0", "/你", ""),
    ("/100%", "/100%", ""),
    ("/%zz", "/%zz", ""),
    ("/a%2Fb", "/a/b", ""),
    ("/a;b=1", "/a;b=1", ""),
    ("/a?b=1", "/a", "b=1"),
    ("/a/?b=1&c=2", "/a", "b=1&c=2"),
    ("/a?b", "/a", "b="),
    ("/a?utm_source=x&utm_medium=y&utm_campaign=z&utm_term=t&utm_content=c&utm_id=7", "/a", ""),
    ("/a?b=1&utm_source=x&c=2", "/a", "b=1&c=2"),
    ("/a?gclid=1&fbclid=2&msclkid=3&ttclid=4&twclid=5&li_fat_id=6&gbraid=7&wbraid=8", "/a", ""),
    ("/a?ref=hn", "/a", "ref=hn"),
    ("/a#top", "/a", ""),
    ("/a?b=1#top", "/a", "b=1"),
    ("/a#/route", "/a#/route", ""),
    ("/#/route/2", "/#/route/2", ""),
    ("/#!/route", "/#!/route", ""),
    ("/a\x00b\x1fc\x7f", "/abc", ""),
    ("/a%00%0A%0Db", "/ab", ""),
    ("/a\u202eb\u2066c\u200e", "/abc", ""),
    ("/a%E2%80%AEb", "/ab", ""),
    ("/a\ud800b", "/ab", ""),
    ("/a  b", "/a b", ""),
    ("http://[::1/a", "/", ""),
    ("http://[::1]:8000/a", "/a", ""),
    ("/x" * 3_000, ("/x" * 3_000)[:LONGEST], ""),
)


@pytest.mark.parametrize(("address", "path", "query"), ADDRESSES)
def test_of_an_address_its_path_and_query_are_kept(address: str, path: str, query: str) -> None:
    found = page(address)
    assert (found.path, found.query) == (path, query)


def test_what_tells_the_source_is_kept_apart() -> None:
    found = page("https://shop.example/?utm_source=news&q=1&ref=hn&source=x&gclid=7&igshid=8")
    assert dict(found.parameters) == {"utm_source": "news", "ref": "hn", "source": "x", "gclid": "7", "igshid": "8"}
    assert found.host == "shop.example"


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet=st.characters(exclude_categories=())))
@example("http://[")
@example("https://\u2100.example/")
@example("/%F0%9F%98%80")
def test_any_text_becomes_a_path_that_can_be_shown(address: str) -> None:
    found = page(address)
    assert found.path.startswith("/")
    assert len(found.path) <= LONGEST
    for text in (found.path, found.query, found.host):
        text.encode("utf-8")
    assert clean(found.path) == found.path


CLEANED = (
    ("plain", "plain"),
    ("  a  b ", "a b"),
    ("a\tb\nc", "abc"),
    ("a\u202eb", "ab"),
    ("\u2067x\u2069", "x"),
    ("\ud83d", ""),
    ("👩‍💻", "👩‍💻"),
    ("a\u00a0\u00a0b", "a b"),
    ("\x00", ""),
    ("'\"<>&", "'\"<>&"),
)


@pytest.mark.parametrize(("text", "kept"), CLEANED)
def test_text_loses_what_cannot_be_seen(text: str, kept: str) -> None:
    assert clean(text) == kept


def test_text_is_cut_to_its_length() -> None:
    assert clean("é" * 100, 64) == "é" * 64
