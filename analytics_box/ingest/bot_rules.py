"""What a website wants of bots. Pure."""

from msgspec import Struct


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
