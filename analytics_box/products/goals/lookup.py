"""Goals in box.db: creating, changing and finding them, for pages, filters of queries, and the palette."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import figures, ids
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection, Db
from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.goals import KeptGoals
from analytics_box.products.goals.goal import Goal, GoalDefinition
from analytics_box.products.goals.messages import ChangedGoal, NewGoal
from analytics_box.products.goals.rules import check_goal, selecting
from analytics_box.query.named import Meant
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import values_of
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.findable import owned_hits
from analytics_box.tenants.websites.reach import own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

GOALS: Final = AuditedTable(
    "goals", Goal, "goal", "goal", about=lambda goal: {"name": goal.name, "websiteId": goal.website_id}
)


def these(db: Connection, goal_ids: Iterable[str]) -> list[Goal]:
    """The goals with these ids that are there."""
    wanted = msgspec.json.encode(list(goal_ids)).decode()
    return GOALS.all(db, "id in (select value from json_each(?)) order by created_at, id", wanted)


def of_website(db: Connection, website_id: str) -> list[Goal]:
    """The goals of a website, oldest first."""
    return GOALS.all(db, "website_id = ? order by created_at, id", website_id)


def kept_goals() -> KeptGoals:
    """The goals as pages of figures look them up."""
    return KeptGoals(_find, _of)


async def active_goals(db: Db, website_id: str) -> tuple[GoalTarget, ...]:
    """The goals of a website that are active, oldest first."""
    found = await db.read(lambda db: of_website(db, website_id))
    return tuple(_target(goal) for goal in found if goal.is_active)


async def _find(call: Call, number: int, goal_ids: Collection[str]) -> Sequence[GoalTarget]:
    websites = call.parts[Directory]
    found = await call.read(lambda db: these(db, goal_ids))
    return [
        _target(goal)
        for goal in found
        if (website := websites.find(goal.website_id)) is not None and website.site == number
    ]


async def _of(call: Call, number: int) -> Sequence[GoalTarget]:
    website = next((one for one in call.parts[Directory].all() if one.site == number), None)
    found = () if website is None else await call.read(lambda db: of_website(db, website.id))
    return [_target(goal) for goal in found]


def _target(goal: Goal) -> GoalTarget:
    return GoalTarget(goal.id, figures.visible(goal.name), selecting(goal.definition))


class NamedGoals:
    """The goals of box.db."""

    def __init__(self, db: Db, websites: Directory) -> None:
        self._db = db
        self._websites = websites

    async def meant(self, site: int, goal_ids: Iterable[str]) -> Mapping[str, Meant]:
        """The filters that select the sessions which reached these goals, if they are this website's."""
        wanted = tuple(goal_ids)
        found = await self._db.read(lambda db: these(db, wanted))
        websites = {goal.website_id: self._websites.find(goal.website_id) for goal in found}
        return {
            goal.id: selecting(goal.definition)
            for goal in found
            if (website := websites[goal.website_id]) is not None and website.site == site
        }


async def goal_hits(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Goals by name, the latest changed first."""
    return await owned_hits(call, asked, GOALS, "goal", "goal", lambda one: f"/sites/{one.website_id}?goal={one.id}")


async def find_goal(call: Call, goal_id: str, website_id: str | None = None) -> tuple[Website, Goal]:
    """A goal that the caller may see, with its website. Raises NotFound for it, or for the website it must be of."""
    return await own_row(call, GOALS.find, "goal", goal_id, website_id)


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
