"""The answers to all paths below a status page, built only from the page's visible state."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from email.utils import formatdate
from typing import Any, Final
from uuid import UUID, uuid5

import msgspec
from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.products.status_pages import markdown, statuspage
from analytics_box.products.status_pages.incident import STATUS_LABELS
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import IncidentSeen, PageSeen
from analytics_box.products.status_pages.serving import badges, history, shown, times
from analytics_box.products.status_pages.serving.history import Month
from analytics_box.products.status_pages.serving.kept import RenderedAnswer
from analytics_box.products.status_pages.serving.shown import ComponentView
from analytics_box.products.status_pages.serving.times import month as month_in_words
from analytics_box.web.badge import clean

MOST: Final = 50  # entries
_OURS: Final = UUID("5f0e5a0e-6c4e-5a1b-9d3e-3a7c1b2f4d60")  # The namespace of ids in feeds.


class FeedEntry(Struct, frozen=True):
    """An update. `id` never changes, not even when the page moves to another address; `html` is its text."""

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
    latest = max((update.updated_at for _rest, update in said), default=seen.created_at)
    entries = tuple(
        FeedEntry(
            id=_urn(update.id),
            url=f"{seen.url}/incidents/{one.id}#{update.id}",
            title=clean(f"{one.title}: {STATUS_LABELS[update.status]}"),
            html=clean(str(markdown.html(update.message))),
            published=times.iso(update.at),
            updated=times.iso(max(update.updated_at, update.at)),
            published_rfc822=formatdate(update.at // 1000, usegmt=True),
        )
        for one, update in said[:MOST]
    )
    return Feed(
        id=_urn(seen.id),
        title=clean(_("{name}: incidents and maintenance").format(name=seen.name)),
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


Render = Callable[..., str]  # a template's name and its context → a page
Between = Callable[[Whole, int, int, int, int], Awaitable[Sequence[IncidentSeen]]]
"""The incidents that began between two instants (UTC ms), newest first: how many to skip, and at most how many."""
Find = Callable[[Whole, str], Awaitable[IncidentSeen | None]]  # an incident that is not among the latest

API: Final = "api/v2/"
TEMPLATES: Final = (
    "status/layout.html",
    "status/parts.html",
    "status/page.html",
)  # Of the page with the most visitors.
EVERYWHERE: Final = (
    (b"access-control-allow-origin", b"*"),
    (b"cross-origin-resource-policy", b"cross-origin"),
)
HTML: Final = b"text/html; charset=utf-8"
NO_INDEX: Final = (b"x-robots-tag", b"noindex")
_TYPES: Final = {
    "json": b"application/json",
    "atom": b"application/atom+xml; charset=utf-8",
    "rss": b"application/rss+xml; charset=utf-8",
    "ics": b"text/calendar; charset=utf-8",
    "svg": b"image/svg+xml",
}
# Shared caches can serve a page while the box is away. Protected pages are cached by the visitor's browser only.
_PUBLIC: Final = (b"cache-control", b"public, max-age=10, stale-while-revalidate=30, stale-if-error=86400")
_PRIVATE: Final = (b"cache-control", b"private, max-age=10")
_ENCODER: Final = msgspec.json.Encoder()


def is_for_programs(rest: str) -> bool:
    """Return whether a path below a page is JSON, a feed, a calendar or a badge, which other websites can load."""
    return rest.startswith(API) or rest.endswith((".atom", ".rss", ".ics", ".svg"))


class Maker:
    """Builds answers. Callers cache them."""

    def __init__(self, render: Render, between: Between, find: Find, clock: Clock) -> None:
        self._render = render
        self._between = between
        self._find = find
        self._clock = clock

    async def make(self, whole: Whole, seen: PageSeen, base: str, rest: str) -> RenderedAnswer | None:
        """Return the answer to a path, or None if there is none. Raises Unavailable."""
        headers = [_PRIVATE if whole.page.password else _PUBLIC]
        if not (seen.indexed and whole.page.is_listed):
            headers.append(NO_INDEX)
        if is_for_programs(rest):
            body = self._for_programs(seen, rest)
            return (
                RenderedAnswer(body, _TYPES[rest.rpartition(".")[2]], (*headers, *EVERYWHERE))
                if body is not None
                else None
            )
        page = await self._page(whole, seen, base, rest)
        return RenderedAnswer(page.encode(), HTML, tuple(headers)) if page is not None else None

    def page(self, template: str, seen: PageSeen, base: str, **context: Any) -> str:
        """Render a page in the layout of this status page. Its images come from the same host."""
        return self._render(
            f"status/{template}.html",
            page=seen,
            base=base,
            logo=_here(seen.logo_url, seen, base),
            favicon=_here(seen.favicon_url, seen, base),
            **context,
        )

    def _for_programs(self, seen: PageSeen, rest: str) -> bytes | None:
        if rest.startswith(API):
            document = statuspage.ANSWERS.get(rest[len(API) :].removesuffix(".json"))
            return _ENCODER.encode(document(seen)) if document is not None and rest.endswith(".json") else None
        match rest.split("/"):
            case ["history.atom"]:
                return atom(self._render, seen).encode()
            case ["history.rss"]:
                return rss(self._render, seen).encode()
            case ["history.ics"]:
                return badges.calendar(seen, _urn).encode()
            case ["badge.svg"]:
                return badges.of_page(self._render, seen).encode()
            case ["badge", file]:
                found = badges.of_component(self._render, seen, file.removesuffix(".svg"))
                return found.encode() if found is not None and file.endswith(".svg") else None
        return None

    async def _page(self, whole: Whole, seen: PageSeen, base: str, rest: str) -> str | None:
        match rest.split("/"):
            case [""]:
                drawn = await _component_views(seen)
                return self.page("page", seen, base, shown=shown.page(seen, self._clock.now(), drawn))
            case ["history", *address] if len(address) < 3:
                return await self._history(whole, seen, base, *address)
            case ["incidents", incident_id, *number] if len(number) < 2:
                return await self._incident(whole, seen, base, incident_id, *number)
            case ["components", component_id]:
                return self._component(seen, base, component_id)
        return None

    async def _history(
        self, whole: Whole, seen: PageSeen, base: str, address: str = "", number: str = "1"
    ) -> str | None:
        """A part of a month's history; part 1 has the latest incidents."""
        now = self._clock.now()
        month, part = history.parse_month(address, seen, now), history.part(number)
        if month is None or not part:
            return None
        found, refused = await self._began(whole, seen, month, (part - 1) * history.MOST)
        if part > 1 and not found:
            if refused is not None:
                raise refused
            return None
        older, newer = month.moved(-1), month.moved(1)
        return self.page(
            "history",
            seen,
            base,
            month=month_in_words(month.year, month.number),
            address=month.address if part == 1 else f"{month.address}/{part}",
            found=[shown.incident(one, seen.zone) for one in found[: history.MOST]],
            earlier=f"{month.address}/{part + 1}" if len(found) > history.MOST else None,
            older=older.address if older >= history.first(seen) else None,
            newer=newer.address if newer <= history.last(seen, now) else None,
            incomplete=refused is not None,
        )

    async def _began(
        self, whole: Whole, seen: PageSeen, month: Month, skipped: int
    ) -> tuple[list[IncidentSeen], BoxError | None]:
        """The incidents that began in a month, one more than a part shows. While box.db is unavailable: the
        latest ones, which are in memory, and the error.
        """
        most = history.MOST + 1
        try:
            start, end = month.start(seen.zone), month.moved(1).start(seen.zone)
            return history.newest_first(await self._between(whole, start, end, skipped, most)), None
        except BoxError as refused:
            latest = history.within((*seen.incidents, *seen.maintenances), month, seen.zone)
            return latest[skipped : skipped + most], refused

    async def _incident(
        self, whole: Whole, seen: PageSeen, base: str, incident_id: str, number: str = "1"
    ) -> str | None:
        """An incident with a part of its updates; part 1 has the latest."""
        part = history.part(number)
        known = (one for one in (*seen.incidents, *seen.maintenances) if one.id == incident_id)
        found = (next(known, None) or await self._find(whole, incident_id)) if part else None
        skipped = (part - 1) * shown.MOST_SAID
        if found is None or (part > 1 and len(found.updates) <= skipped):
            return None
        one = shown.incident(found, seen.zone, shown.MOST_SAID, skipped)
        return self.page("incident", seen, base, one=one, earlier=part + 1 if one.has_more else None)

    def _component(self, seen: PageSeen, base: str, component_id: str) -> str | None:
        found = next((one for one in seen.components if one.id == component_id), None)
        if found is None:
            return None
        return self.page(
            "component",
            seen,
            base,
            one=shown.component(found, alone=True),
            days=shown.day_rows(found),
            columns=shown.columns(found),
        )


async def _component_views(seen: PageSeen) -> dict[str, ComponentView]:
    """The components of a page. Other requests have their turn between two components."""
    drawn = {}
    for one in seen.components:
        drawn[one.id] = shown.component(one)
        await asyncio.sleep(0)
    return drawn


def _here(url: str | None, seen: PageSeen, base: str) -> str | None:
    """The address of a file on this host: no page loads anything from another one."""
    return f"{base}{url.removeprefix(seen.url)}" if url is not None else None
