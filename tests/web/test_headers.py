"""Long headers of strangers cost no memory and little work, and mean what they say otherwise."""

from analytics_box.web import compression
from analytics_box.web.asgi import names_tag
from tests.cases import each


@each(
    ("known", "is_named"),
    (
        (b'"abc"', True),
        (b'W/"abc"', True),
        (b'"x", W/"abc" , "y"', True),
        (b" * ", True),
        (b'"abcd"', False),
        (b'"xabc"', False),
        (b"abc", False),
        (b"", False),
        (b'"x",' * 15_000 + b'"abc"', True),
    ),
)
def test_tag_is_found_among_those_that_a_client_has(known: bytes, is_named: bool) -> None:
    assert names_tag(known, b'"abc"') is is_named


def test_very_long_accept_encoding_is_not_remembered_and_takes_no_coding() -> None:
    before = compression._known_codings.cache_info().currsize
    assert compression.accepted_codings(",".join(map(str, range(10_000))) + ",gzip") == frozenset()
    assert compression._known_codings.cache_info().currsize == before
    assert "gzip" in compression.accepted_codings("gzip, deflate, br;q=0.9, zstd")
