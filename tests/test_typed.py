"""Web addresses are completed as they are typed, and only they."""

from analytics_box.base.urls import web_address
from tests.cases import each


@each(
    ("typed", "address"),
    [
        ("example.org/page", "https://example.org/page"),
        ("  example.org ", "https://example.org"),
        ("example.org:8443/x?a=b#c", "https://example.org:8443/x?a=b#c"),
        ("bücher.example?x=/y", "https://bücher.example?x=/y"),
        ("http://example.org", "http://example.org"),
        ("mailto:jo@example.org", "mailto:jo@example.org"),
        ("spotify:track:1.x", "spotify:track:1.x"),
        ("jo@example.org", "jo@example.org"),
        ("localhost:3000", "localhost:3000"),
        ("10.0.0.1/x", "10.0.0.1/x"),
        ("javascript:alert(1)//x.y", "javascript:alert(1)//x.y"),
        ("no address.", "no address."),
        ("", ""),
    ],
)
def test_a_host_first_gets_https(typed: str, address: str) -> None:
    assert web_address(typed) == address
