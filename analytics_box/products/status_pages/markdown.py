"""Safe HTML from the Markdown of incidents."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_INLINE: Final = {"br", "strong", "em", "s", "a", "code"}
_BLOCKS: Final = {"p", "pre", "ul", "ol", "li", "blockquote", "hr"}
_ATTRIBUTES: Final = {"a": {"href"}, "ol": {"start"}}
_SCHEMES: Final = {"http", "https", "mailto"}


@lru_cache(maxsize=256)
def html(text: str) -> Markup:
    """Markdown as HTML: paragraphs, lists, links and emphasis. Headings become bold, a new line stays one.

    Without tables, whose empty cells make a megabyte of a message.

    HTML is shown as text; links are nofollow.
    """
    import nh3  # noqa: PLC0415  1.6 MB that only texts with Markdown pay

    clean = nh3.clean(  # no pictures: they would be loaded from elsewhere
        _reader().render(text),
        tags=_INLINE | _BLOCKS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="nofollow noopener",
    )
    return Markup(clean.strip())  # noqa: S704  it was cleaned


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415  20 ms and 1 MB that only readers pay

    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("strikethrough")
    for rule, shown in (("heading_open", "<p><strong>"), ("heading_close", "</strong></p>\n")):
        reader.add_render_rule(rule, _always(shown))
    return reader


def _always(shown: str) -> Any:
    def rendered(_: Any, tokens: "Sequence[Token]", number: int, options: Any, env: Any) -> str:
        return shown

    return rendered
