"""Paths of pages as they are stored (semantics 16)."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analytics_box.web.recognition.paths import LONGEST, clean, page
from analytics_box.web.recognition.source import CLICK_IDS
from tests.cases import each
from tests.examples import examples

# What comes in, and the path and query string that are kept of it.
ADDRESSES: list[tuple[str, str, str]] = json.loads((Path(__file__).parent / "tables" / "paths.json").read_text("utf-8"))


@each(("address", "path", "query"), ADDRESSES)
def test_of_an_address_its_path_and_query_are_kept(address: str, path: str, query: str) -> None:
    found = page(address)
    assert (found.path, found.query) == (path, query)


def test_the_table_is_long_enough() -> None:
    assert len(ADDRESSES) >= 60
    assert len({address for address, _path, _query in ADDRESSES}) == len(ADDRESSES)


@each("address", [address for address, _path, _query in ADDRESSES])
def test_a_path_that_is_kept_stays_what_it_is(address: str) -> None:
    """But for what only an address can write: a percent sign, a question mark, a fragment."""
    kept = page(address).path
    if not set("%?#;&").intersection(kept):
        assert page(kept).path == kept


@examples(200)
@given(
    st.lists(st.sampled_from(["a", "%2e", "..", "", "ü", "%C3%BC", "b c", "x&y", "#/r", "?q=1"]), max_size=6),
    st.lists(st.sampled_from(["utm_source", "UTM_Medium", "utm_x", *CLICK_IDS, "FBCLID"]), min_size=1, max_size=4),
    st.sampled_from(["?", "&", "%3F", "?q=1&", "#/r?", "#!/r?z=1&"]),
)
def test_no_click_id_and_no_utm_is_ever_kept(segments: list[str], names: list[str], joint: str) -> None:
    found = page("https://shop.example/" + "/".join(segments) + joint + "&".join(f"{name}=S3CR3T" for name in names))
    assert "S3CR3T" not in found.path + found.query
    assert dict(found.parameters).get(names[0].lower(), "S3CR3T") == "S3CR3T"


def test_source_parameters_are_kept_separately() -> None:
    found = page("https://shop.example/?utm_source=news&q=1&ref=hn&source=x&gclid=7&igshid=8")
    assert dict(found.parameters) == {"utm_source": "news", "ref": "hn", "source": "x", "gclid": "7", "igshid": "8"}
    assert found.host == "shop.example"


@examples(300)
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
