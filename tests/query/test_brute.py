"""The engine against brute force over the stored facts: made-up stories, random questions, equal rows in order."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.query.catalog import registry
from tests.examples import examples
from tests.query import brute
from tests.query.brute.facts import RAW, Row
from tests.query.brute.order import in_order
from tests.query.questions import Asked, ask, questions
from tests.query.stories import Story, tell
from tests.query.world import World

STORIES = 24
# Types about other facts than those of websites, with oracles of their own.
OF_LINKS = frozenset(name for name in registry.TYPES if name.startswith("link_"))
OF_MONITORS = frozenset(name for name in registry.TYPES if name.startswith("uptime_"))


def test_every_type_has_an_oracle() -> None:
    assert set(brute.ANSWERS) | OF_LINKS | OF_MONITORS == set(registry.TYPES)


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    return tuple(tell(world, seed) for seed in range(STORIES))


@pytest.mark.parametrize("name", sorted(brute.ANSWERS))
@examples(12, unchecked=HealthCheck)
@given(data=st.data())
def test_every_answer_is_what_brute_force_finds(stories: tuple[Story, ...], name: str, data: st.DataObject) -> None:
    story = data.draw(st.sampled_from(stories))
    asked = data.draw(questions(story, name))
    assert ask(story, asked).data == wanted(asked, brute.ANSWERS[name](asked.facts(story), asked.question)), asked


def wanted(asked: Asked, rows: list[Row]) -> list[Row]:
    """The rows sorted by what they show, and cut, as they were asked for."""
    if asked.sort_by == "date":
        instants = {slot.label: slot.begins for slot in asked.question.slots}
        rows = sorted(rows, key=lambda row: instants[row["date"]], reverse=asked.descending)
    elif asked.sort_by is not None:
        rows = in_order(rows, asked.sort_by, descending=asked.descending)
    shown = rows[(asked.page - 1) * asked.limit :][: asked.limit]
    return [{key: value for key, value in row.items() if key != RAW} for row in shown]
