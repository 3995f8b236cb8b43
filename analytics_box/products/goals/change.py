"""Creating and changing goals in the caller's transaction."""

from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.products.goals.goal import Goal, GoalDefinition
from analytics_box.products.goals.lookup import GOALS
from analytics_box.products.goals.messages import ChangedGoal, NewGoal
from analytics_box.products.goals.rules import check_goal
from analytics_box.resource.fields import values_of
from analytics_box.tenants.websites.rules import Website

MOST_GOALS: Final = 100  # of a website
UNKNOWN: Final = "There is no goal with this id"


def create(db: Connection, by: By, website: Website, given: NewGoal) -> Goal:
    """A new goal of a website. Raises BadRequest or Conflict."""
    full = f"A website can have up to {MOST_GOALS} goals; delete one first"
    GOALS.check_room(db, MOST_GOALS, full, "website_id = ?", website.id)
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
    detail = {"definition": msgspec.to_builtins(blank.definition)}
    return GOALS.create(db, by, website.organization_id, replace(blank, **values), detail)


def definition_of(given: NewGoal) -> GoalDefinition:
    """The definition of a new goal. Raises BadRequest."""
    return check_goal(GoalDefinition(**values_of(given, GoalDefinition)))


def update(db: Connection, by: By, website: Website, given: ChangedGoal) -> Goal:
    """Update a goal; omitted fields keep their values. Raises NotFound or BadRequest."""
    before = GOALS.existing(db, given.id)
    values = values_of(given, Goal)
    definition = check_goal(replace(before.definition, **values_of(given, GoalDefinition)))
    after = replace(before, **values, definition=definition)
    return GOALS.change(db, by, website.organization_id, before, after)
