"""A website's settings for bots. Pure."""

from msgspec import Struct


class Bot(Struct, frozen=True):
    """The reason why an event was quarantined, and the bot's name for itself (recognition.bots)."""

    reason: str
    agent: str


class BotRule(Struct, frozen=True):
    """A bot that counts as people. `created_at` is UTC ms, `created_by` as the audit log names them."""

    bot: Bot
    created_at: int
    created_by: str


class Wishes(Struct, frozen=True):
    """Bot settings of a website. With `data_centres`, IP addresses of data centres are bots' as well."""

    people: tuple[BotRule, ...] = ()
    data_centres: bool = False

    def has(self, bot: Bot) -> bool:
        """Whether this bot counts as people."""
        return any(rule.bot == bot for rule in self.people)
