"""Rows of goals in box.db."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import msgspec

from analytics_box.base.store.db import Connection
from analytics_box.products.goals.goal import Goal, GoalDefinition

_COLUMNS = "id, website_id, name, description, definition, is_active, created_by, created_at, updated_at"


def insert(db: Connection, goal: Goal) -> None:
    """A new goal."""
    db.execute(
        f"""
        -- goals.insert
        insert into goals ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        _values(goal),
    )


def update(db: Connection, goal: Goal) -> None:
    """Another state of a goal."""
    db.execute(
        """
        -- goals.update
        update goals set name = ?, description = ?, definition = ?, is_active = ?, updated_at = ? where id = ?
        """,
        (goal.name, goal.description, _json(goal.definition), int(goal.is_active), goal.updated_at, goal.id),
    )


def delete(db: Connection, goal_id: str) -> None:
    """The goal is gone."""
    db.execute("-- goals.delete\ndelete from goals where id = ?", (goal_id,))


def find(db: Connection, goal_id: str) -> Goal | None:
    """The goal with this id."""
    found = db.execute(f"-- goals.find\nselect {_COLUMNS} from goals where id = ?", (goal_id,)).fetchone()
    return None if found is None else _goal(found)


def fitting(
    db: Connection, organization_id: str, fits: Callable[[str, str], bool], most: int
) -> list[tuple[str, str, str]]:
    """The goals of an organization whose name and website's id fit: their ids, websites and names, at most so many,
    the latest changed first."""
    found = db.execute(
        """
        -- goals.fitting
        select goals.id, goals.website_id, goals.name from goals join websites on websites.id = goals.website_id
        where websites.organization_id = ? order by goals.updated_at desc, goals.id
        """,
        (organization_id,),
    )
    named = ((str(goal_id), str(website_id), str(name)) for goal_id, website_id, name in found)
    return list(islice((one for one in named if fits(one[2], one[1])), most))


def these(db: Connection, goal_ids: Iterable[str]) -> tuple[Goal, ...]:
    """The goals with these ids, as far as they are there."""
    found = db.execute(
        f"""
        -- goals.these
        select {_COLUMNS} from goals where id in (select value from json_each(?)) order by created_at, id
        """,
        (msgspec.json.encode(list(goal_ids)).decode(),),
    ).fetchall()
    return tuple(_goal(row) for row in found)


def of_website(db: Connection, website_id: str) -> tuple[Goal, ...]:
    """The goals of a website, oldest first."""
    found = db.execute(
        f"""
        -- goals.of_website
        select {_COLUMNS} from goals where website_id = ? order by created_at, id
        """,
        (website_id,),
    ).fetchall()
    return tuple(_goal(row) for row in found)


def count_of(db: Connection, website_id: str) -> int:
    """The number of a website's goals."""
    (found,) = db.execute("-- goals.count\nselect count(*) from goals where website_id = ?", (website_id,)).fetchall()
    return int(str(found[0]))


def _values(goal: Goal) -> tuple[str | int, ...]:
    return (
        goal.id,
        goal.website_id,
        goal.name,
        goal.description,
        _json(goal.definition),
        int(goal.is_active),
        goal.created_by,
        goal.created_at,
        goal.updated_at,
    )


def _json(definition: GoalDefinition) -> str:
    return msgspec.json.encode(definition).decode()


def _goal(row: Sequence[object]) -> Goal:
    return Goal(
        id=str(row[0]),
        website_id=str(row[1]),
        name=str(row[2]),
        description=str(row[3]),
        definition=msgspec.json.decode(str(row[4]), type=GoalDefinition),
        is_active=bool(row[5]),
        created_by=str(row[6]),
        created_at=int(str(row[7])),
        updated_at=int(str(row[8])),
    )
