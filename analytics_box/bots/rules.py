"""What a website wants of events that look like a program's. Pure."""

from msgspec import Struct

from analytics_box.clock import DAY
from analytics_box.errors import BadRequest, Conflict, Detail
from analytics_box.recognition.bots import REASONS

KEPT = 30 * DAY  # ms for which held events are there (semantics 19)
MOST = 100  # rules of one website
LONGEST = 128  # characters of a program's name


class Program(Struct, frozen=True):
    """Why something was held for a program, and what the program called itself (recognition.bots)."""

    reason: str
    agent: str


class Rule(Struct, frozen=True):
    """This program is people. `created_at` is UTC ms, `created_by` as the audit log names them."""

    program: Program
    created_at: int
    created_by: str


class Wishes(Struct, frozen=True):
    """All that one website wants. With `data_centres` addresses of data centres are programs, too."""

    people: tuple[Rule, ...] = ()
    data_centres: bool = False

    def has(self, program: Program) -> bool:
        """Whether this program is people."""
        return any(rule.program == program for rule in self.people)


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
