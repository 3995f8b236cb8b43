"""The feeds of a status page: an entry for each update of an incident or a maintenance, newest first. Pure."""

from collections.abc import Callable
from email.utils import formatdate
from typing import Final
from uuid import UUID, uuid5

from msgspec import Struct

from analytics_box.base.texts import StatusPublic as Words
from analytics_box.products.status_pages import markdown
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.serving import times
from analytics_box.products.status_pages.serving.xml_text import clean

MOST: Final = 50  # entries
_OURS: Final = UUID("5f0e5a0e-6c4e-5a1b-9d3e-3a7c1b2f4d60")  # under which ids become addresses


class FeedEntry(Struct, frozen=True):
    """An update. `id` never changes, also when the page moves to another address; `html` is its text."""

    id: str
    url: str
    title: str
    html: str
    published: str
    updated: str
    published_rfc822: str


class Feed(Struct, frozen=True):
    """A whole feed."""

    id: str
    title: str
    url: str
    author: str
    updated: str
    built: str
    entries: tuple[FeedEntry, ...]


def feed(seen: PageSeen) -> Feed:
    """The feed of a page."""
    said = [(one, update) for one in (*seen.incidents, *seen.maintenances) for update in one.updates]
    said.sort(key=lambda pair: (-pair[1].at, pair[1].id))
    latest = max((update.updated_at for _, update in said), default=seen.created_at)
    entries = tuple(
        FeedEntry(
            id=_urn(update.id),
            url=f"{seen.url}/incidents/{one.id}#{update.id}",
            title=clean(Words.feed_entry.format(title=one.title, status=Words.statuses[update.status])),
            html=clean(str(markdown.html(update.message))),
            published=times.iso(update.at),
            updated=times.iso(max(update.updated_at, update.at)),
            published_rfc822=formatdate(update.at // 1000, usegmt=True),
        )
        for one, update in said[:MOST]
    )
    return Feed(
        id=_urn(seen.id),
        title=clean(Words.feed.format(name=seen.name)),
        url=seen.url,
        author=clean(seen.organization),
        updated=times.iso(latest),
        built=formatdate(latest // 1000, usegmt=True),
        entries=entries,
    )


def atom(render: Callable[..., str], seen: PageSeen) -> str:
    """The feed as Atom (RFC 4287)."""
    return render("status/atom.xml", feed=feed(seen))


def rss(render: Callable[..., str], seen: PageSeen) -> str:
    """The feed as RSS 2.0."""
    return render("status/rss.xml", feed=feed(seen))


def _urn(known: str) -> str:
    return f"urn:uuid:{uuid5(_OURS, known)}"
