"""The documentation as a whole: its rendered pages, the answers to recent searches, and the index that they use."""

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from analytics_box.app.docs.manual import ManualPages
from analytics_box.app.docs.reference import Reference
from analytics_box.app.docs.search import DocsEntry, Index
from analytics_box.base.translation import _
from analytics_box.web.page.rendered import RenderedPages

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
