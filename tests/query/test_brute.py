"""The engine against brute force over the stored facts: made-up stories, random questions, equal rows in order."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics_box.query import catalog
from tests.query import brute
from tests.query.brute.facts import RAW, Row
from tests.query.questions import Asked, ask, questions
from tests.query.stage import Stage
from tests.query.stories import Story, tell

STORIES = 24
# Types about other facts than those of websites, with oracles of their own.
OF_LINKS = frozenset(name for name in catalog.TYPES if name.startswith("link_"))


def test_every_type_has_an_oracle() -> None:
    assert set(brute.ANSWERS) | OF_LINKS == set(catalog.TYPES)


@pytest.fixture(scope="module")
def stories(stage: Stage) -> tuple[Story, ...]:
    return tuple(tell(stage, seed) for seed in range(STORIES))


@pytest.mark.parametrize("name", sorted(brute.ANSWERS))
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_answer_is_what_brute_force_finds(stories: tuple[Story, ...], name: str, data: st.DataObject) -> None:
    story = data.draw(st.sampled_from(stories))
    asked = data.draw(questions(story, name))
    assert ask(story, asked).data == wanted(asked, brute.ANSWERS[name](asked.facts(story), asked.question)), asked


def wanted(asked: Asked, rows: list[Row]) -> list[Row]:
    """The rows sorted and cut as they were asked for; equal ones stay in their order, what is not there comes last."""
    name = asked.sort_by
    if name == "date":
        instants = {slot.label: slot.begins for slot in asked.question.slots}
        rows = sorted(rows, key=lambda row: instants[row["date"]], reverse=asked.descending)
    elif name is not None:
        there = [row for row in rows if _sorted_by(row, name) is not None]
        there.sort(key=lambda row: _sorted_by(row, name), reverse=asked.descending)
        # A stable sort in reverse keeps equal rows in their order, too.
        rows = there + [row for row in rows if _sorted_by(row, name) is None]
    shown = rows[(asked.page - 1) * asked.limit :][: asked.limit]
    return [{key: value for key, value in row.items() if key != RAW} for row in shown]


def _sorted_by(row: Row, name: str) -> Any:
    return row.get(RAW, {}).get(name, row[name])
