"""A website's settings for bots. Pure."""

from msgspec import Struct


class Bot(Struct, frozen=True):
    """Why an event was quarantined, and what the bot called itself (recognition.bots)."""

    reason: str
    agent: str


class Rule(Struct, frozen=True):
    """A bot that counts as people. `created_at` is UTC ms, `created_by` as the audit log names them."""

    bot: Bot
    created_at: int
    created_by: str


class Wishes(Struct, frozen=True):
    """One website's settings. With `data_centres`, IP addresses of data centres are bots', too."""

    people: tuple[Rule, ...] = ()
    data_centres: bool = False

    def has(self, bot: Bot) -> bool:
        """Whether this bot counts as people."""
        return any(rule.bot == bot for rule in self.people)
