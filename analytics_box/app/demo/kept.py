"""Resources of the demo besides its figures: goals, a funnel, notes and a segment. Created at its first start."""

from datetime import UTC, datetime
from typing import Final, NamedTuple

from msgspec import convert

from analytics_box.base.acting import By
from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.products.funnels import change as funnels
from analytics_box.products.funnels import rows as funnel_rows
from analytics_box.products.funnels.messages import NewFunnel
from analytics_box.products.goals import change as goals
from analytics_box.products.goals import lookup
from analytics_box.products.goals.goal import Type
from analytics_box.products.goals.messages import NewGoal
from analytics_box.products.notes import change as notes
from analytics_box.products.notes.draft import draft_note
from analytics_box.products.notes.messages import NewAnnotation
from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.saved import change as saved
from analytics_box.tenants.websites.rules import Website


class PlannedGoal(NamedTuple):
    """A goal."""

    name: str
    type: Type
    target: str


class PlannedNote(NamedTuple):
    """A note on a day after so many since the first, and on how many more."""

    age: int
    text: str
    color: str
    lasts: int = 0


GOALS: Final = (PlannedGoal("Sign-up", "EVENT", "signup"), PlannedGoal("Contact page", "PAGE_VIEW", "/contact"))
FUNNEL: Final = {
    "name": "Pricing to sign-up",
    "steps": [
        {"type": "PAGE_VIEW", "target": "/", "name": "Home page"},
        {"type": "PAGE_VIEW", "target": "/pricing", "name": "Pricing"},
        {"type": "EVENT", "target": "signup", "name": "Sign-up"},
    ],
}
NOTES: Final = (
    PlannedNote(24, "Inkwell 2 is here", "#16A34A"),
    PlannedNote(70, "On the front page of Hacker News", "#D97706", lasts=1),
    PlannedNote(83, "A new price for teams", "#3B82F6"),
)
SEGMENT: Final = "Found by search, reads the docs"
_FILTERS: Final = (
    QueryFilterInput("channel", "eq", "Organic Search"),
    QueryFilterInput("path", "starts_with", "/docs"),
)


def make(db: Connection, website: Website, first_day: int) -> None:
    """Create the resources that are missing."""
    by = By("demo", first_day * DAY)
    if not lookup.GOALS.count(db, "website_id = ?", website.id):
        for goal in GOALS:
            given = {"websiteId": website.id, "type": goal.type, "target": goal.target, "name": goal.name}
            goals.create(db, by, website, convert(given, NewGoal))
    if not funnel_rows.FUNNELS.count(db, "website_id = ?", website.id):
        funnels.create(db, by, website, convert({"websiteId": website.id, **FUNNEL}, NewFunnel))
    if not notes.NOTES.count(db, "website_id = ?", website.id):
        for note in NOTES:
            notes.create(
                db, website, By("demo", (first_day + note.age) * DAY), *draft_note(_note(note, first_day), by.now)
            )
    if not saved.of_website(db, SEGMENTS, website.id, ""):
        saved.create(db, SEGMENTS, website, by, SEGMENT, _FILTERS, is_shared=True)


def _note(planned: PlannedNote, first_day: int) -> NewAnnotation:
    first = first_day + planned.age
    return NewAnnotation(
        websiteId="",
        text=planned.text,
        xValue=_date(first),
        xEndValue=_date(first + planned.lasts) if planned.lasts else None,
        color=planned.color,
    )


def _date(day: int) -> str:
    """A day of clock.utc_day, as notes of whole days are written."""
    return datetime.fromtimestamp(day * DAY / 1000, UTC).date().isoformat()
