"""URLs from clients, taken apart."""

from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.urls import url_parts


def test_a_url_has_its_parts() -> None:
    parts = url_parts("https://shop.example:8443/a?b=c#d")
    assert (parts.scheme, parts.netloc, parts.path, parts.query, parts.fragment) == (
        "https",
        "shop.example:8443",
        "/a",
        "b=c",
        "d",
    )


@given(st.text() | st.from_regex(r"(https?:)?//[\[\]:@./?#a-f0-9℀ﬀ]{0,20}", fullmatch=True))
def test_no_text_raises(text: str) -> None:
    parts = url_parts(text)
    assert isinstance(parts.hostname, str | None)
