"""Outcomes of events, in the words of the header X-Analytics-Box and of the counts per website.

The header is a list: `stored=3, held=1; reason=known_bot_user_agent, dropped=2; reason=duplicate`. Stored events count;
held ones are quarantined for 30 days, because a bot sent them; dropped ones are gone. Folded is the number of stored
and held events with "(other)" instead of new texts, which were over the website's budget.
"""

from collections.abc import Mapping
from functools import lru_cache

from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.ingest.dropped import FOLDED as FOLDED_REASON

DROPPED = b"dropped=%d; reason=%s"
HELD = b"held=%d; reason=%s"
FOLDED = b"folded=%d; reason=" + FOLDED_REASON.encode()
NOT_STORED = b"stored=0; reason=%s"

# A refusal's reason → what the website's owner is told (names as in wire 4.7). Other refusals lose nothing: the sender
# is told to send again, or nobody knows which website was meant.
REASONS = {
    "INGEST_ORIGIN_NOT_AUTHORIZED": "origin_not_authorized",
    "INGEST_IP_NOT_AUTHORIZED": "ip_not_authorized",
    "INVALID_EVENT_SCHEMA": "invalid_schema",
    "TRACK_INVALID_BODY": "invalid_schema",
    "INGEST_BATCH_NOT_ARRAY": "invalid_schema",
    "INGEST_BATCH_TOO_LARGE": "batch_too_large",
    "INGEST_UNKNOWN_EVENT_TYPE": "unknown_event_type",
    "INGEST_MISSING_CLIENT_ID": "missing_client_id",
    "INGEST_INVALID_CLIENT_ID": "invalid_client_id",
    "TRACK_WEBSITE_NOT_FOUND": "invalid_client_id",
}


def reason_of(error: BoxError, *, origin: bool) -> str | None:
    """The reason why a refused request does not count; None if it may be sent again, or had no website."""
    if isinstance(error, errors.RateLimited):
        return "rate_limited"
    if isinstance(error, errors.PayloadTooLarge):
        return "payload_too_large"
    found = REASONS.get(error.reason or "")
    return "origin_missing" if found == "origin_not_authorized" and not origin else found


@lru_cache(maxsize=256)
def all_stored(count: int) -> bytes:
    """The header's value if all events are stored."""
    return b"stored=%d" % count


def sentence(stored_count: int, held: Mapping[str, int], dropped: Mapping[str, int], folded: int = 0) -> bytes:
    """The header's value."""
    parts = [all_stored(stored_count)] if stored_count or not (held or dropped) else []
    parts += [HELD % (count, reason.encode()) for reason, count in held.items()]
    parts += [DROPPED % (count, reason.encode()) for reason, count in dropped.items()]
    if folded:
        parts.append(FOLDED % folded)
    return b", ".join(parts)
