"""Creating, changing and deleting goals: each verb writes the row and its audit entry in the caller's transaction."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.products.goals.goal import Goal, GoalDefinition
from analytics_box.products.goals.lookup import GOALS
from analytics_box.products.goals.messages import ChangedGoal, NewGoal
from analytics_box.products.goals.rules import check_goal
from analytics_box.resource.fields import difference, values_of
from analytics_box.tenants.websites.rules import Website

MOST_GOALS: Final = 100  # of a website
SUBJECT: Final = "goal"
UNKNOWN: Final = "There is no goal with this id"


def create(db: Connection, by: By, website: Website, given: NewGoal) -> Goal:
    """A new goal of a website. Raises BadRequest or Conflict."""
    if GOALS.count(db, "website_id = ?", website.id) >= MOST_GOALS:
        raise Conflict.full("goals", MOST_GOALS, f"A website can have up to {MOST_GOALS} goals; delete one first")
    values = values_of(given, Goal)
    blank = Goal(
        id=ids.new_id(),
        website_id=website.id,
        name="",
        description="",
        definition=definition_of(given),
        is_active=True,
        created_by=by.actor,
        created_at=by.now,
        updated_at=by.now,
    )
    made = GOALS.insert(db, replace(blank, **values))
    _record(db, by, website, made, "created", {"definition": msgspec.to_builtins(made.definition)})
    return made


def definition_of(given: NewGoal) -> GoalDefinition:
    """The definition of a new goal. Raises BadRequest."""
    return check_goal(GoalDefinition(**values_of(given, GoalDefinition)))


def update(db: Connection, by: By, website: Website, given: ChangedGoal) -> Goal:
    """Update a goal; omitted fields keep their values. Raises NotFound or BadRequest."""
    before = existing(db, given.id)
    values = values_of(given, Goal)
    definition = check_goal(replace(before.definition, **values_of(given, GoalDefinition)))
    after = replace(before, **values, definition=definition)
    if after != before:
        after = replace(after, updated_at=max(by.now, before.updated_at + 1))
        GOALS.update(db, after)
        _record(db, by, website, after, "updated", difference(before, after))
    return after


def delete(db: Connection, by: By, website: Website, goal_id: str) -> None:
    """Delete a goal; facts are kept. Raises NotFound."""
    gone = existing(db, goal_id)
    GOALS.delete(db, goal_id)
    _record(db, by, website, gone, "deleted", {})


def existing(db: Connection, goal_id: str) -> Goal:
    """The goal with this id. Raises NotFound."""
    found = GOALS.find(db, goal_id)
    if found is None:
        raise NotFound.of("goal", goal_id)
    return found


def _record(
    db: Connection, by: By, website: Website, goal: Goal, action: audit.Action, detail: Mapping[str, object]
) -> None:
    about = {"name": goal.name, "websiteId": website.id, **detail}
    audit.record(db, by, website.organization_id, action, SUBJECT, goal.id, about)
