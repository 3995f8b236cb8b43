"""What a website that waits for its first event is told: what came and does not count, and how to mend that."""

from typing import Final

from msgspec import Struct

from analytics_box.base.texts import Bots, Drops, figures
from analytics_box.base.texts import Refused as Words
from analytics_box.ingest.dropped import FOLDED, DroppedTraffic
from analytics_box.ingest.reasons import is_quarantined, words
from analytics_box.ingest.refusals import REASON, Refusals, Refused
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.visit import Visit

DAYS: Final = 2  # UTC days back, today included: somebody may wait at midnight
MOST: Final = 3  # reasons


class Missed(Struct, frozen=True):
    """Why something does not count, in words, and the page of the website where that can be changed."""

    text: str
    explanation: str
    leads: str
    label: str


class Waiting(Struct, frozen=True):
    """`allowed` is the origin that was just allowed, or empty."""

    website: Website
    origins: list[Refused]
    others: list[Missed]
    may_allow: bool
    allowed: str


async def waiting(visit: Visit, website: Website) -> Waiting:
    """What came of this website and does not count, the commonest reason first."""
    dropped = await visit.parts[DroppedTraffic].of(website.site, days=DAYS)
    origins = visit.parts[Refusals].of(website.site)
    allowed = visit.asked("allowed") if visit.asked("allowed") in website.tracking.allowedOrigins else ""
    counts: dict[str, int] = {}
    for one in dropped:
        if one.reason != FOLDED and not (one.reason == REASON and (origins or allowed)):
            counts[one.reason] = counts.get(one.reason, 0) + one.times
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    return Waiting(
        website=website,
        origins=origins,
        others=[_missed(reason, times) for reason, times in ranked],
        may_allow=visit.person.may("member"),
        allowed=allowed,
    )


def _missed(reason: str, times: int) -> Missed:
    label, explanation = words(reason)
    said = Words.other_one if times == 1 else Words.other
    leads, link = ("bots", Bots.heading) if is_quarantined(reason) else ("not-counted", Drops.heading)
    return Missed(said.format(count=figures.count(times), reason=label), explanation, leads, link)
