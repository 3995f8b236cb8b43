"""The page of a website before its first event: traffic that arrived and does not count, and the remedy."""

from typing import Final

from msgspec import Struct

from analytics_box.base.texts import Bots, Drops, figures
from analytics_box.base.texts import RefusedPageTexts as Words
from analytics_box.ingest.dropped import FOLDED, DroppedTraffic
from analytics_box.ingest.reasons import is_quarantined, words
from analytics_box.ingest.refusals import REASON, Refusals, RefusedOrigin
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.visit import PageRequest

DAYS: Final = 2  # UTC days back, today included: somebody may wait at midnight
MOST: Final = 3  # reasons


class MissedTraffic(Struct, frozen=True):
    """A reason why something does not count, in words, and the page of the website where that can be changed."""

    text: str
    explanation: str
    leads: str
    label: str


class WaitingWebsite(Struct, frozen=True):
    """`allowed` is the origin that was just allowed, or empty."""

    website: Website
    origins: list[RefusedOrigin]
    others: list[MissedTraffic]
    may_allow: bool
    allowed: str


async def waiting(visit: PageRequest, website: Website) -> WaitingWebsite:
    """The traffic of this website that does not count, the most frequent reason first."""
    dropped = await visit.parts[DroppedTraffic].of(website.site, days=DAYS)
    origins = visit.parts[Refusals].of(website.site)
    allowed = visit.asked("allowed") if visit.asked("allowed") in website.tracking.allowedOrigins else ""
    counts: dict[str, int] = {}
    for one in dropped:
        if one.reason != FOLDED and not (one.reason == REASON and (origins or allowed)):
            counts[one.reason] = counts.get(one.reason, 0) + one.times
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    return WaitingWebsite(
        website=website,
        origins=origins,
        others=[_missed_traffic(reason, times) for reason, times in ranked],
        may_allow=visit.person.may("member"),
        allowed=allowed,
    )


def _missed_traffic(reason: str, times: int) -> MissedTraffic:
    label, explanation = words(reason)
    said = Words.other_one if times == 1 else Words.other
    leads, link = ("bots", Bots.heading) if is_quarantined(reason) else ("not-counted", Drops.heading)
    return MissedTraffic(said.format(count=figures.count(times), reason=label), explanation, leads, link)
