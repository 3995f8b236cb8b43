"""Changing what a website wants of programs: each verb writes its rows and its audit entry in the caller's transaction.

Whoever calls one tells the classification after the commit.
"""

from analytics_box.acting import By
from analytics_box.bots import rows, rules
from analytics_box.errors import NotFound
from analytics_box.ingest.bot_rules import Program, Rule, Wishes
from analytics_box.store.db import Connection
from analytics_box.websites.change import record
from analytics_box.websites.rules import Website


def allow(db: Connection, website: Website, by: By, program: Program) -> Wishes:
    """This program is people. Raises Conflict when there are too many such rules."""
    wanted = rows.of(db, website.id)
    if wanted.has(program):
        return wanted
    rules.refuse_too_many(wanted)
    rows.insert(db, website.id, Rule(program, by.now, by.actor))
    record(db, website, by, "updated", {"countedAsPeople": {"before": None, "after": _named(program)}})
    return rows.of(db, website.id)


def take_back(db: Connection, website: Website, by: By, program: Program) -> Wishes:
    """It is a program after all; what was counted stays counted. Raises NotFound."""
    if not rows.of(db, website.id).has(program):
        raise NotFound("This website has no such rule")
    rows.delete(db, website.id, program)
    record(db, website, by, "updated", {"countedAsPeople": {"before": _named(program), "after": None}})
    return rows.of(db, website.id)


def data_centres(db: Connection, website: Website, by: By, *, on: bool) -> Wishes:
    """Whether addresses of data centres are programs."""
    wanted = rows.of(db, website.id)
    if wanted.data_centres == on:
        return wanted
    rows.set_data_centres(db, website.id, on)
    record(db, website, by, "updated", {"flagDataCentres": {"before": wanted.data_centres, "after": on}})
    return rows.of(db, website.id)


def _named(program: Program) -> str:
    return f"{program.agent} ({program.reason})" if program.agent else program.reason
