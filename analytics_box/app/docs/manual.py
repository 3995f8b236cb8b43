"""The manual: the pages of web/manual, each a tree of headings with anchors; and its search, with that of the API."""

import re
import threading
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.app.docs.reference import Reference, slug_of
from analytics_box.app.docs.search import DocsEntry, Index
from analytics_box.base import errors, settings
from analytics_box.base.translation import _
from analytics_box.web.page.rendered import RenderedPages

if TYPE_CHECKING:
    from markdown_it.token import Token

# The pages by task, in the order in which a user needs them.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    _("Get started"): (
        "get-started",
        "install",
        "script",
        "frameworks",
        "website-builders",
        "first-party",
        "server-events",
        "import",
        "import-history",
    ),
    _("Analytics"): (
        "dashboard",
        "goals",
        "funnels",
        "error-groups",
        "journeys",
        "retention",
        "revenue",
        "payments",
        "ai-traffic",
        "mcp-analytics",
        "notes",
        "dropped-events",
        "website-settings",
        "share",
        "reports",
    ),
    _("Links"): ("links",),
    _("Monitors and status pages"): ("monitors", "status-pages"),
    _("Feature flags"): ("flags", "flag-rollouts", "flag-files", "flags-api", "openfeature"),
    _("Alerts and integrations"): ("alerts", "integrations"),
    _("Team and security"): ("members", "api-keys", "visitors"),
    _("Run the server"): (
        "production",
        "proxies",
        "backup",
        "commands",
        "setup-file",
        "move-out",
        "settings",
        "abuse-protection",
        "capacity",
        "clickhouse",
        "several-machines",
    ),
    _("API and reference"): ("queries", "mcp", "compatible-clients", "definitions", "limits", "errors", "changelog"),
}
PAGES: Final = tuple(chain.from_iterable(GROUPS.values()))

# the former name of a page → its name; former addresses redirect
MOVED: Final[Mapping[str, str]] = {
    "alarms": "alerts",
    "first-site": "get-started",
    "floods": "abuse-protection",
    "keys": "api-keys",
    "not-counted": "dropped-events",
    "overview": "dashboard",
    "people": "visitors",
    "running": "production",
    "websites": "website-settings",
}


_EXAMPLE = "https://stats.example.com"  # the box in every example
_TO_COPY = re.compile(r'(?<!base_url = ")(?<!such as )' + re.escape(_EXAMPLE))  # but not where a setting is explained
_OTHER_PAGE = re.compile(r"([a-z-]+)\.md(#.*)?")
_SEARCHED = re.compile(r"<!-- search: (.*?) -->")  # other words for what a section is about, for the search only
_COMMENTS = re.compile(r"<!--.*?-->\n+", re.DOTALL)
_SETTINGS = re.compile(r"<!-- settings: (.*?) -->")  # Replaced by the table of a section of settings.
_BUTTON = re.compile(r"<button.*?</button>", re.DOTALL)
_FENCE = Markup(
    '<div class="copy"><pre tabindex="0" role="region" aria-label="{label}"><code id="{id}">{content}</code></pre>'
    '<button class="button needs-script" type="button" data-copies="{id}" data-done="{done}">'
    '<span aria-live="polite">{copy}</span></button></div>\n'
)


class Section(Struct, frozen=True):
    """A heading, the HTML up to the next one, and the headings below it. `id` is its anchor, `terms` are other words
    for what it is about.
    """

    id: str
    title: str
    text: Markup
    parts: tuple["Section", ...] = ()
    terms: str = ""


class Cover(Struct, frozen=True):
    """A page in a list: its name in the address, its title, its first paragraph, and other words for its topics."""

    name: str
    title: str
    lead: str
    terms: str


class ManualPages:
    """The pages of a folder, each made when somebody first asks for it. Their examples name this box's address."""

    def __init__(self, folder: Path, address: str = _EXAMPLE) -> None:
        self.folder = folder
        self._address = address
        self._read: dict[str, Section] = {}

    @cached_property
    def covers(self) -> tuple[Cover, ...]:
        """All pages, without their text."""
        covers = []
        for name in PAGES:
            source = self.source(name)
            title, lead, *_rest = source.split("\n\n", 2)
            terms = " ".join(_SEARCHED.findall(source))
            covers.append(Cover(name, title.removeprefix("# "), lead.replace("`", ""), terms))
        return tuple(covers)

    @cached_property
    def groups(self) -> tuple[tuple[str, tuple[Cover, ...]], ...]:
        """All pages by task."""
        covers = {cover.name: cover for cover in self.covers}
        return tuple((title, tuple(covers[name] for name in names)) for title, names in GROUPS.items())

    def page(self, name: str) -> Section:
        """The page with this name. Raises NotFound."""
        if name not in PAGES:
            raise errors.NotFound(_("This page of the manual does not exist"))
        if name not in self._read:
            self._read[name] = read_markdown(self.source(name))
        return self._read[name]

    def markdown(self, name: str) -> str:
        """The Markdown of a page, for programs. Raises NotFound."""
        if name not in PAGES:
            raise errors.NotFound(_("This page of the manual does not exist"))
        return _COMMENTS.sub("", self.source(name))

    @cached_property
    def contents(self) -> str:
        """The list of all pages, for assistants (llms.txt)."""
        about = _("The manual of this server")
        lines = [f"# Analytics Box\n\n> {about}: {self._address}/docs\n"]
        for title, covers in self.groups:
            pages = (f"- [{one.title}]({self._address}/docs/{one.name}.md): {one.lead}" for one in covers)
            lines += [f"## {title}\n", *(" ".join(line.split()) for line in pages), ""]
        return "\n".join(lines)

    @cached_property
    def entries(self) -> tuple[DocsEntry, ...]:
        """Every heading of every page, to be searched."""
        return tuple(entry for name in PAGES for entry in _entries(self.page(name), f"/docs/{name}"))

    def source(self, name: str) -> str:
        """The Markdown of a page, with this box's address and tables of settings."""
        text = (self.folder / f"{name}.md").read_text(encoding="utf-8")
        return _SETTINGS.sub(_table_of_settings, _TO_COPY.sub(lambda _match: self._address, text))


def _table_of_settings(match: re.Match[str]) -> str:
    """The settings of a section as a table in Markdown. Raises KeyError for an unknown section."""
    rows = {row.name: row for row in settings.table()}
    lines = ["| Setting | Default | Description |", "|---|---|---|"]
    for name in settings.sections()[match[1]]:
        default = rows[name].default
        if isinstance(default, tuple):
            default = ", ".join(default)
        shown = "the user's data folder" if isinstance(default, Path) else f"`{default}`" if default != "" else "none"
        lines.append(f"| `{name}` | {shown} | {rows[name].help} |")
    return "\n".join(lines)


def read_markdown(text: str) -> Section:
    """A page of our own in Markdown: it begins with its title, and no heading skips a level."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  20 ms and 1 MB that only readers pay

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("fence", _fence)
    tokens = markdown.parse(text)
    _lead_to_pages(tokens)
    starts = [number for number, token in enumerate(tokens) if token.type == "heading_open"]
    headings = []
    counted: dict[str, int] = {}
    for start, end in pairwise((*starts, len(tokens))):
        title = tokens[start + 1].content
        terms, body = _without_terms(tokens[start + 3 : end])
        html = markdown.renderer.render(body, markdown.options, counted)
        section = Section(slug_of(title), title, Markup(html), terms=terms)  # noqa: S704  our own text
        headings.append((tokens[start].tag, section))
    return _tree(headings)


def _without_terms(tokens: "list[Token]") -> "tuple[str, list[Token]]":
    """The words to search for in the comment of a section, and its other tokens."""
    for number, token in enumerate(tokens):
        if token.type == "inline" and (match := _SEARCHED.fullmatch(token.content)):
            return match[1], tokens[: number - 1] + tokens[number + 2 :]
    return "", tokens


def _fence(_rest: Any, tokens: "list[Token]", number: int, __: Any, counted: dict[str, int]) -> str:
    """A block of code, with a button that copies it."""
    counted["code"] = counted.get("code", 0) + 1
    return _FENCE.format(
        id=f"code-{counted['code']}",
        label=_("Example {number}").format(number=counted["code"]),
        content=tokens[number].content.rstrip("\n"),
        done=_("Copied"),
        copy=_("Copy"),
    )


def _lead_to_pages(tokens: "list[Token]") -> None:
    """Links between the files of the folder become links between the pages."""
    for token in (child for block in tokens for child in block.children or ()):
        if token.type == "link_open" and (found := _OTHER_PAGE.fullmatch(str(token.attrs["href"]))):
            token.attrs["href"] = f"/docs/{found[1]}{found[2] or ''}"


def _tree(headings: list[tuple[str, Section]]) -> Section:
    """The first heading with all others below it."""
    (_rest, first), *others = headings
    level = others[0][0] if others else ""
    starts = [number for number, (tag, _rest) in enumerate(others) if tag == level]
    parts = tuple(_tree(others[start:end]) for start, end in pairwise((*starts, len(others))))
    return replace(first, parts=parts)


def _words(html: Markup) -> str:
    """The text of a section without its buttons."""
    return Markup(_BUTTON.sub("", html)).striptags()  # noqa: S704  our own text


def _entries(page: Section, address: str) -> Iterator[DocsEntry]:
    yield DocsEntry(address, page.title, "", _words(page.text), page.terms)
    for section in page.parts:
        for part in (section, *section.parts):
            yield DocsEntry(f"{address}#{part.id}", part.title, page.title, _words(part.text), part.terms)


MOST_PAGES: Final = 500  # there are far fewer; their addresses are those of a table, and not what callers type
MOST_SEARCHES: Final = 200  # of some 6 KB each


class Documentation:
    """The pages of the manual and the API, and how they are searched."""

    def __init__(self, manual: ManualPages, reference: Reference) -> None:
        self._manual = manual
        self._reference = reference
        self._making = threading.Lock()
        self.pages = RenderedPages(MOST_PAGES)
        self.searches = RenderedPages(MOST_SEARCHES)

    @property
    def index(self) -> Index:
        """The index, made once, by the thread of the first search; others wait for it."""
        with self._making:
            return self._index

    @cached_property
    def _index(self) -> Index:
        return Index((*self._manual.entries, *self._entries_of_api()))

    def _entries_of_api(self) -> Iterator[DocsEntry]:
        """Operations and query types."""
        from analytics_box.figures.explorer.families import FAMILIES  # noqa: PLC0415  examples that only readers need

        for group in self._reference.groups:
            for one in group.operations:
                href = f"/docs/api/{group.slug}#{one.id}"
                text = f"{one.summary}. {one.text}".replace("`", "")
                yield DocsEntry(href, f"{one.method} {one.path}", _("API reference"), text, reference=True)
        for family in FAMILIES:
            for kind in family.types:
                href = f"/docs/query-types/{family.slug}#{kind.name}"
                text = f"{kind.title}. {kind.description}"
                yield DocsEntry(href, kind.name, _("Query types"), text, reference=True)
