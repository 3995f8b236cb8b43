"""The manual: pages of web/manual as a tree of headings, each with an anchor. GET /docs/definitions is one of them."""

from functools import cached_property
from itertools import pairwise
from pathlib import Path

from litestar import Response
from litestar.di import NamedDependency
from markupsafe import Markup
from msgspec import Struct

from analytics_box.http.call import Parts
from analytics_box.http.reference_view import slug_of
from analytics_box.http.templates import Pages


class Section(Struct, frozen=True):
    """A heading, the HTML up to the next one, and the headings below it. `id` is its anchor."""

    id: str
    title: str
    text: Markup
    parts: tuple["Section", ...] = ()


class Manual:
    """The pages of a folder, made when somebody first asks for them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def definitions(self) -> Section:
        """What every figure means."""
        return read((self._folder / "definitions.md").read_text(encoding="utf-8"))


def read(text: str) -> Section:
    """A page of our own in Markdown: it begins with its title, and no heading skips a level."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  20 ms and 1 MB that only readers pay

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    starts = [number for number, token in enumerate(tokens) if token.type == "heading_open"]
    headings = []
    for start, end in pairwise((*starts, len(tokens))):
        title = tokens[start + 1].content
        html = markdown.renderer.render(tokens[start + 3 : end], markdown.options, {})
        headings.append((tokens[start].tag, Section(slug_of(title), title, Markup(html))))  # noqa: S704  our own text
    return _tree(headings)


def _tree(headings: list[tuple[str, Section]]) -> Section:
    """The first heading with all others below it."""
    (_, first), *others = headings
    level = others[0][0] if others else ""
    starts = [number for number, (tag, _) in enumerate(others) if tag == level]
    parts = tuple(_tree(others[start:end]) for start, end in pairwise((*starts, len(others))))
    return Section(first.id, first.title, first.text, parts)


async def definitions(parts: NamedDependency[Parts], pages: NamedDependency[Pages]) -> Response[str]:
    """GET /docs/definitions: what every figure means."""
    return pages.show("docs/manual.html", groups=(), here="definitions", page=parts[Manual].definitions)
