"""What people write of an incident becomes HTML that does nothing, and not much more than they wrote."""

from analytics_box.products.status_pages.incident import LONGEST_MESSAGE
from analytics_box.products.status_pages.markdown import html
from tests.cases import each


@each(
    ("text", "shown"),
    (
        ("a **bold** word", "<p>a <strong>bold</strong> word</p>"),
        ("# Heading", "<p><strong>Heading</strong></p>"),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>"),
        ("[a](https://x.example)", '<p><a href="https://x.example" rel="nofollow noopener">a</a></p>'),
        ("![a](https://x.example/a.png)", "<p></p>"),
    ),
)
def test_markdown_becomes_harmless_html(text: str, shown: str) -> None:
    assert str(html(text)) == shown


@each(
    "piece",
    ("|a" * 200 + "\n" + "|-" * 200 + "\n" + "a\n" * 2_000, "-\n", ">", "> a\n\n", "[a](b)", "<http://a.b>", "&", "*a"),
)
def test_a_message_grows_by_a_bounded_factor(piece: str) -> None:
    text = (piece * LONGEST_MESSAGE)[:LONGEST_MESSAGE]

    assert len(html(text)) <= 12 * LONGEST_MESSAGE
