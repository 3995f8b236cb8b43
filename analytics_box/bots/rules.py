"""What a website wants of events that look like a program's. Pure."""

from analytics_box.clock import DAY
from analytics_box.errors import BadRequest, Conflict, Detail
from analytics_box.ingest.bot_rules import Program, Wishes
from analytics_box.recognition.bots import REASONS

KEPT = 30 * DAY  # ms for which held events are there (semantics 19)
MOST = 100  # rules of one website
LONGEST = 128  # characters of a program's name


def checked(reason: str, agent: str) -> Program:
    """A program as somebody named it. Raises BadRequest."""
    if reason not in REASONS:
        raise BadRequest("There is no such reason", details=(Detail("reason", f"One of {', '.join(REASONS)}"),))
    if len(agent) > LONGEST:
        raise BadRequest("This name is too long", details=(Detail("agent", f"At most {LONGEST} characters"),))
    return Program(reason, agent)


def refuse_too_many(wishes: Wishes) -> None:
    """Raises Conflict when a website has as many rules as it may have."""
    if len(wishes.people) >= MOST:
        raise Conflict(f"A website may have {MOST} such rules; take one back first")
