"""All websites in memory, so that an event costs no look-up in box.db."""

from collections.abc import Iterable

from analytics_box.websites.rules import Website


class Directory:
    """The websites of this box. Whoever changes one in box.db tells the directory after the commit."""

    def __init__(self, websites: Iterable[Website] = ()) -> None:
        self._by_id = {website.id: website for website in websites}

    def find(self, website_id: str) -> Website | None:
        """The website with this id, whoever owns it."""
        return self._by_id.get(website_id)

    def of(self, organization_id: str) -> list[Website]:
        """The websites of an organization, oldest first."""
        return [website for website in self._by_id.values() if website.organization_id == organization_id]

    def remember(self, website: Website) -> None:
        """A website was made or changed."""
        self._by_id[website.id] = website

    def forget(self, website_id: str) -> None:
        """A website was deleted."""
        self._by_id.pop(website_id, None)
