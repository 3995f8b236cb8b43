"""Changes of a website's settings for bots: each verb writes its rows and its audit entry in the caller's transaction.

The caller tells the classification after the commit.
"""

from analytics_box.base.acting import By
from analytics_box.base.errors import NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.ingest.bot_rules import Bot, BotRule, Wishes
from analytics_box.ingest.bots import rows, rules
from analytics_box.tenants.websites.change import record
from analytics_box.tenants.websites.rules import Website


def allow(db: Connection, website: Website, by: By, bot: Bot) -> Wishes:
    """Count this bot as people. Raises Conflict when there are too many such rules."""
    wanted = rows.of(db, website.id)
    if wanted.has(bot):
        return wanted
    rules.refuse_too_many(wanted)
    rows.insert(db, website.id, BotRule(bot, by.now, by.actor))
    record(db, website, by, "updated", {"countedAsPeople": {"before": None, "after": _bot_name(bot)}})
    return rows.of(db, website.id)


def take_back(db: Connection, website: Website, by: By, bot: Bot) -> Wishes:
    """Stop counting this bot as people; events already counted stay counted. Raises NotFound."""
    if not rows.of(db, website.id).has(bot):
        raise NotFound(_("This rule does not exist on this website"))
    rows.delete(db, website.id, bot)
    record(db, website, by, "updated", {"countedAsPeople": {"before": _bot_name(bot), "after": None}})
    return rows.of(db, website.id)


def data_centres(db: Connection, website: Website, by: By, *, on: bool) -> Wishes:
    """Set whether IP addresses of data centres are bots'."""
    wanted = rows.of(db, website.id)
    if wanted.data_centres == on:
        return wanted
    rows.set_data_centres(db, website.id, on)
    record(db, website, by, "updated", {"flagDataCentres": {"before": wanted.data_centres, "after": on}})
    return rows.of(db, website.id)


def _bot_name(bot: Bot) -> str:
    return f"{bot.agent} ({bot.reason})" if bot.agent else bot.reason
