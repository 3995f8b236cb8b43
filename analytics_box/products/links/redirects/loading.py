"""Links on their way from box.db into memory: most have nothing but a target, and cost next to nothing."""

from typing import Final, NamedTuple

from analytics_box.base.store.db import Connection
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
