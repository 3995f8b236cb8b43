"""Websites' settings for bots in box.db, and quarantined events in events.db."""

from typing import NamedTuple

from analytics_box.base.facts.layout import stored_table
from analytics_box.base.store.db import Connection
from analytics_box.ingest.bot_rules import Bot, BotRule, Wishes


class BotGroup(NamedTuple):
    """Quarantined events of one bot: how many, and the time of the newest, UTC ms."""

    bot: Bot
    events: int
    last: int


def everything(db: Connection) -> dict[int, Wishes]:
    """Settings for bots by the number of the site; websites that changed nothing are left out."""
    rows = db.execute(
        """
        -- bots.everything
        select site, id from websites
        where id in (select website_id from people_rules union select website_id from bot_options)
        """
    ).fetchall()
    return {int(str(site)): of(db, str(website_id)) for site, website_id in rows}


def of(db: Connection, website_id: str) -> Wishes:
    """The bot settings of a website, the newest rule first."""
    rules = db.execute(
        """
        -- bots.of
        select reason, agent, created_at, created_by from people_rules where website_id = ?
        order by created_at desc, reason, agent
        """,
        (website_id,),
    ).fetchall()
    option = db.execute(
        "-- bots.of\nselect data_centres from bot_options where website_id = ?", (website_id,)
    ).fetchone()
    return Wishes(
        people=tuple(
            BotRule(Bot(str(reason), str(agent)), int(str(at)), str(actor)) for reason, agent, at, actor in rules
        ),
        data_centres=option is not None and bool(option[0]),
    )


def insert(db: Connection, website_id: str, rule: BotRule) -> None:
    """Count this bot as people."""
    db.execute(
        """
        -- bots.insert
        insert into people_rules (website_id, reason, agent, created_at, created_by) values (?, ?, ?, ?, ?)
        """,
        (website_id, rule.bot.reason, rule.bot.agent, rule.created_at, rule.created_by),
    )


def delete(db: Connection, website_id: str, bot: Bot) -> None:
    """Stop counting this bot as people."""
    db.execute(
        "-- bots.delete\ndelete from people_rules where website_id = ? and reason = ? and agent = ?",
        (website_id, bot.reason, bot.agent),
    )


def set_data_centres(db: Connection, website_id: str, on: bool) -> None:
    """Set whether IP addresses of data centres are bots'."""
    db.execute(
        """
        -- bots.set_data_centres
        insert into bot_options (website_id, data_centres) values (?, ?)
        on conflict (website_id) do update set data_centres = excluded.data_centres
        """,
        (website_id, int(on)),
    )


def groups(db: Connection, site: int, since: int, most: int) -> list[BotGroup]:
    """Quarantined events of a site since this instant (UTC ms), the most frequent bot first."""
    rows = db.execute(
        f"""
        -- bots.groups
        select reason.value, agent.value, quarantined.count, quarantined.last
        from (
          select bot, agent, count(*) as count, max(time) as last
          from {stored_table("events")} indexed by events_flagged
          where site = :site and bot <> 0 and time >= :since
          group by bot, agent
          order by count desc, last desc
          limit :most
        ) as quarantined
        join strings as reason on reason.id = quarantined.bot
        join strings as agent on agent.id = quarantined.agent
        order by quarantined.count desc, quarantined.last desc, agent.value
        """,
        {"site": site, "since": since, "most": most},
    ).fetchall()
    return [
        BotGroup(Bot(str(reason), str(agent)), int(str(count)), int(str(last))) for reason, agent, count, last in rows
    ]


def total(db: Connection, site: int, since: int) -> int:
    """The number of quarantined events of a site since this instant (UTC ms)."""
    found = db.execute(
        f"""
        -- bots.total
        select count(*) from {stored_table("events")} indexed by events_flagged where site = ? and bot <> 0 and time >=
        ?
        """,
        (site, since),
    ).fetchone()
    return int(str(found[0])) if found else 0


def older(db: Connection, before: int, most: int) -> list[int]:
    """Ids of quarantined events from before this instant (UTC ms)."""
    rows = db.execute(
        f"""
        -- bots.older
        select id from {stored_table("events")} indexed by events_flagged where bot <> 0 and time < ? limit ?
        """,
        (before, most),
    ).fetchall()
    return [int(str(found)) for (found,) in rows]
