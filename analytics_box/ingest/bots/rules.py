"""Limits of a website's settings for bots. Pure."""

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest, Conflict, ErrorDetail
from analytics_box.base.translation import _
from analytics_box.ingest.bot_rules import Bot, Wishes
from analytics_box.web.recognition.bots import REASONS

DAYS = 30
KEPT = DAYS * DAY  # ms for which quarantined events are kept (semantics 19)
MOST = 100  # rules of one website
LONGEST = 128  # characters of a bot's name


def check_bot(reason: str, agent: str) -> Bot:
    """Check a bot that a caller named. Raises BadRequest."""
    if reason not in REASONS:
        raise BadRequest(
            _("Unknown reason"),
            details=(ErrorDetail("reason", _("One of {reasons}").format(reasons=", ".join(REASONS))),),
        )
    if len(agent) > LONGEST:
        raise BadRequest(
            _("The name is too long"),
            details=(ErrorDetail("agent", _("Use up to {longest} characters").format(longest=LONGEST)),),
        )
    return Bot(reason, agent)


def refuse_too_many(wishes: Wishes) -> None:
    """Raises Conflict when a website has as many rules as it may have."""
    if len(wishes.people) >= MOST:
        raise Conflict.full(
            "botRules", MOST, _("A website can have up to {most} such rules; remove one first").format(most=MOST)
        )
