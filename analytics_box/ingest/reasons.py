"""Reasons why events were not counted, in words."""

from analytics_box.base.texts import Drops
from analytics_box.web.recognition.bots import REASONS


def words(reason: str) -> tuple[str, str]:
    """A reason in words, and what it means and what to do."""
    return Drops.reasons.get(reason, (reason.replace("_", " ").capitalize(), Drops.other))


def is_quarantined(reason: str) -> bool:
    """Whether events with this reason are kept for 30 days, so that they can be counted after all (semantics 19)."""
    return reason in REASONS
