"""Making, changing and deleting goals: each verb writes the row and its audit entry in the caller's transaction."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from analytics_box.base import audit, ids, names
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.products.goals import rows
from analytics_box.products.goals.goal import Goal, GoalDefinition
from analytics_box.products.goals.messages import ChangedGoal, NewGoal, goal_filters, properties
from analytics_box.products.goals.rules import check_goal
from analytics_box.tenants.websites.rules import Website

MOST_GOALS: Final = 100  # of a website
SUBJECT: Final = "goal"
UNKNOWN: Final = "There is no goal with this id"


def create(db: Connection, by: By, website: Website, given: NewGoal) -> Goal:
    """A new goal of a website. Raises BadRequest or Conflict."""
    if rows.count_of(db, website.id) >= MOST_GOALS:
        raise Conflict.full("goals", MOST_GOALS, f"A website can have up to {MOST_GOALS} goals; delete one first")
    made = Goal(
        id=ids.new_id(),
        website_id=website.id,
        name=_name(given.name),
        description=(given.description or "").strip(),
        definition=definition_of(given),
        is_active=given.isActive,
        created_by=by.actor,
        created_at=by.now,
        updated_at=by.now,
    )
    rows.insert(db, made)
    _record(db, by, website, made, "created", {"definition": msgspec.to_builtins(made.definition)})
    return made


def definition_of(given: NewGoal) -> GoalDefinition:
    """The definition of a new goal. Raises BadRequest."""
    filters, conditions = goal_filters(given.filters), properties(given.conditions)
    return check_goal(
        GoalDefinition(given.type, given.target, filters, conditions, (given.revenueProperty or "").strip())
    )


def update(db: Connection, by: By, website: Website, given: ChangedGoal) -> Goal:
    """Another state of a goal; what is not given stays. Raises NotFound or BadRequest."""
    before = existing(db, given.id)
    after = _update_goal(before, given)
    if after != before:
        after = replace(after, updated_at=max(by.now, before.updated_at + 1))
        rows.update(db, after)
        _record(db, by, website, after, "updated", audit.difference(before, after))
    return after


def delete(db: Connection, by: By, website: Website, goal_id: str) -> None:
    """The goal is gone; what happened stays. Raises NotFound."""
    gone = existing(db, goal_id)
    rows.delete(db, goal_id)
    _record(db, by, website, gone, "deleted", {})


def existing(db: Connection, goal_id: str) -> Goal:
    """The goal with this id. Raises NotFound."""
    found = rows.find(db, goal_id)
    if found is None:
        raise NotFound.of("goal", goal_id)
    return found


def _update_goal(before: Goal, given: ChangedGoal) -> Goal:
    fields: dict[str, object] = {}
    if given.type is not UNSET:
        fields["type"] = given.type
    if given.target is not UNSET:
        fields["target"] = given.target
    if given.filters is not UNSET:
        fields["filters"] = goal_filters(given.filters)
    if given.conditions is not UNSET:
        fields["conditions"] = properties(given.conditions)
    if given.revenueProperty is not UNSET:
        fields["amount"] = (given.revenueProperty or "").strip()
    return replace(
        before,
        name=before.name if given.name is UNSET else _name(given.name),
        description=before.description if given.description is UNSET else (given.description or "").strip(),
        definition=check_goal(replace(before.definition, **fields)),
        is_active=before.is_active if given.isActive is UNSET else given.isActive,
    )


def _record(
    db: Connection, by: By, website: Website, goal: Goal, action: audit.Action, detail: Mapping[str, object]
) -> None:
    about = {"name": goal.name, "websiteId": website.id, **detail}
    audit.record(db, by, website.organization_id, action, SUBJECT, goal.id, about)


def _name(given: str) -> str:
    name = names.one_line(given)
    if not names.is_name(name):
        raise BadRequest.about("name", f"Enter a name of 1 to {names.LONGEST} characters")
    return name
