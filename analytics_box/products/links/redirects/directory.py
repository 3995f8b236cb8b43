"""All links in memory, so that a redirect asks no database (performance P12).

Up to `most` links are all here; more than that, and the latest asked for are, the rest being read when it is asked
for. Code that changes a link in box.db notifies the directory after the commit.
"""

import asyncio
import logging
from collections.abc import Iterable, Set
from typing import Final, NamedTuple

from analytics_box.base.cache import BoundedCache
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.links import rows
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.redirects import live
from analytics_box.products.links.redirects.live import RedirectLink
from analytics_box.products.links.rows import LINKS

_IS_PLAIN: Final = """
  redirect_status = 302 and query_forwarding = 'none' and rules = '[]' and variants = '[]' and utm = '{}'
  and coalesce(expires_at, max_clicks, password, og_title, og_description, og_image_url, og_video_url, ios_url,
               android_url, deep_link_app) is null"""


class LoadedLink(NamedTuple):
    """A link and where it is found. The number of its organization in memory is not known yet."""

    organization_id: str
    domain: str
    slug: str
    live: RedirectLink


def page(db: Connection, *, after: int, limit: int) -> tuple[list[LoadedLink], int]:
    """The next links by number, and the number to go on after; -1 at the end."""
    found = db.execute(
        f"""
        -- links.loading.page
        select number, organization_id, domain, slug, target_url, {_IS_PLAIN}
        from links where number > ? order by number limit ?
        """,
        (after, limit),
    ).fetchall()
    if not found:
        return [], -1
    last = int(str(found[-1][0]))
    rich = {}
    if not all(row[5] for row in found):
        found_rich = LINKS.select(
            db,
            f"""
            -- links.loading.page
            select {LINKS.columns} from links where number > ? and number <= ? and not ({_IS_PLAIN})
            """,
            (after, last),
        )
        rich = {link.number: live.live(link, 0) for link in found_rich}
    loaded = [
        LoadedLink(
            str(owner),
            str(domain),
            str(slug),
            RedirectLink(int(str(number)), 0, str(url)) if plain else rich[int(str(number))],
        )
        for number, owner, domain, slug, url, plain in found
    ]
    return loaded, last if len(found) == limit else -1


log = logging.getLogger(__name__)

AT_ONCE: Final = 20_000  # links that are loaded before the box answers; more are loaded next to it
_LATEST: Final = 100_000  # links that are kept of more than fit
_MISSING: Final = 50_000  # slugs that are known to have no link
_PAGE: Final = 2_000  # links that are read at once


class LinkDirectory:
    """The links of this box by domain (empty: the box's own host) and slug."""

    def __init__(self, db: Db, closed: Set[str], *, most: int) -> None:
        self._db = db
        self._closed = closed
        self._most = most
        self._known: dict[bytes, bytes] = {}
        self._latest: BoundedCache[bytes, bytes] = BoundedCache(min(_LATEST, most))
        self._missing: BoundedCache[bytes, bool] = BoundedCache(_MISSING)
        self._domains: dict[str, bytes] = {"": b""}
        self._organizations: list[str] = []
        self._organization_numbers: dict[str, int] = {}
        self._changed: set[bytes] | None = None  # while links are loaded
        self._gone: set[str] = set()  # organizations that were removed in the meantime
        self._changes = 0
        self.complete = False

    def load_now(self) -> None:
        """Load the links of a box that has few, before it answers."""
        if self._db.read_now(lambda db: rows.are_few(db, min(AT_ONCE, self._most))):
            self._take(self._db.read_now(lambda db: page(db, after=0, limit=AT_ONCE))[0])
            self.complete = True

    async def load(self) -> None:
        """Load all links next to the box's other work, unless they are here or do not fit."""
        if self.complete or self._changed is not None or await self._db.read(rows.LINKS.count) > self._most:
            return
        self._changed, after = set(), 0
        try:
            while after >= 0:
                loaded, after = await self._page(after)
                self._take(loaded)
            self.complete = True
            self._latest.clear()
            self._missing.clear()
            log.info("%d short links are in memory", len(self._known))
        finally:
            self._changed = None
            self._gone.clear()
            if not self.complete:  # some of them alone would not follow changes
                self._known.clear()

    async def _page(self, after: int) -> tuple[list[LoadedLink], int]:
        start = after
        return await self._db.read(lambda db: page(db, after=start, limit=_PAGE))

    def _take(self, loaded: Iterable[LoadedLink]) -> None:
        for one in loaded:
            key = self._key(one.domain, one.slug)
            if (self._changed is None or key not in self._changed) and one.organization_id not in self._gone:
                self._known[key] = live.pack(live.with_organization_number(one.live, self._number(one.organization_id)))

    def find(self, domain: str, slug: str) -> RedirectLink | None:
        """The link as far as it is in memory."""
        key = self._key(domain, slug)
        packed = self._known.get(key) or self._latest.get(key)
        return self._open(packed) if packed is not None else None

    def is_missing(self, domain: str, slug: str) -> bool:
        """Whether it is known that there is no such link."""
        return self.complete or self._key(domain, slug) in self._missing

    async def look_up(self, domain: str, slug: str) -> RedirectLink | None:
        """The link, read from box.db. What was changed in the meantime is not kept."""
        key, before = self._key(domain, slug), self._changes
        link = await self._db.read(lambda db: rows.find_by_slug(db, domain, slug))
        if link is None:
            if self._changes == before:
                self._missing.put(key, value=True)
            return None
        found = live.live(link, self._number(link.organization_id))
        if self._changes == before and not self.complete:
            self._latest.put(key, live.pack(found))
        return None if link.organization_id in self._closed else found

    def organization_of(self, found: RedirectLink) -> str:
        """The organization that a link belongs to."""
        return self._organizations[found.organization]

    def remember(self, link: ShortLink) -> None:
        """A link was made or changed."""
        key = self._key(link.domain, link.slug)
        self._note_change(key)
        packed = live.pack(live.live(link, self._number(link.organization_id)))
        if self.complete or self._changed is not None:
            self._known[key] = packed
            self._latest.drop(key)
            if self.complete and len(self._known) > self._most:
                self._spill()
        else:
            self._latest.put(key, packed)

    def forget(self, domain: str, slug: str) -> None:
        """A link was removed, or has another slug now."""
        key = self._key(domain, slug)
        self._note_change(key)
        self._known.pop(key, None)
        self._latest.drop(key)

    def forget_organization(self, organization_id: str) -> None:
        """An organization and all its links are gone; those that are being read now are not kept either."""
        self._changes += 1
        if self._changed is not None:
            self._gone.add(organization_id)
        number = self._organization_numbers.get(organization_id)
        for kept in (self._known, self._latest):
            for key in [key for key, packed in kept.items() if live.owner(packed) == number]:
                self._note_change(key)
                kept.pop(key)

    def __len__(self) -> int:
        """The number of links in memory."""
        return len(self._known) + len(self._latest)

    def _open(self, packed: bytes) -> RedirectLink | None:
        found = live.unpack(packed)
        return None if self._closed and self._organizations[found.organization] in self._closed else found

    def _spill(self) -> None:
        """There are more links than fit: from now on only the latest asked for are kept."""
        self.complete = False
        for key, packed in list(self._known.items())[-min(_LATEST, self._most) :]:
            self._latest.put(key, packed)
        self._known = {}
        log.warning("There are more than %d short links (links_in_memory); the others are read when needed", self._most)

    def _note_change(self, key: bytes) -> None:
        self._changes += 1
        self._missing.drop(key)
        if self._changed is not None:
            self._changed.add(key)

    def _key(self, domain: str, slug: str) -> bytes:
        place = self._domains.get(domain)
        if place is None:
            place = self._domains[domain] = b"/%d" % len(self._domains)
        return slug.encode() + place

    def _number(self, organization_id: str) -> int:
        number = self._organization_numbers.get(organization_id)
        if number is None:
            number = self._organization_numbers[organization_id] = len(self._organizations)
            self._organizations.append(organization_id)
        return number


async def load_beside(directory: LinkDirectory) -> None:
    """Load all links; a failure is logged, for every link can still be read by itself."""
    try:
        await directory.load()
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("Short links could not be loaded into memory")
