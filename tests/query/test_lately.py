"""Questions that a random story seldom meets, against brute force: about the minutes before now, and about counters."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.query.brute import people, realtime
from tests.query.brute.facts import Filter
from tests.query.questions import ask, questions
from tests.query.stories import Story, tell
from tests.query.test_brute import wanted
from tests.query.world import World

MINUTE = 60_000


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    return tuple(tell(world, seed) for seed in range(100, 112))


@pytest.mark.parametrize("name", sorted(realtime.ANSWERS))
@examples(60, unchecked=HealthCheck)
@given(data=st.data())
def test_now_is_just_after_something_happened(stories: tuple[Story, ...], name: str, data: st.DataObject) -> None:
    story = data.draw(st.sampled_from(stories))
    asked = data.draw(questions(story, name))
    told = story.facts(asked.scope, owner=False)
    happened = data.draw(st.sampled_from([row["time"] for row in told["events"]]))
    since = data.draw(st.sampled_from((0, 1, 2 * MINUTE - 1, 2 * MINUTE, 5 * MINUTE - 1, 5 * MINUTE, 59 * MINUTE)))
    asked = replace(asked, question=replace(asked.question, now=happened + since))
    assert ask(story, asked).data == wanted(asked, realtime.ANSWERS[name](asked.facts(story), asked.question)), asked


@st.composite
def counters(draw: st.DrawFn) -> Filter:
    operator = draw(st.sampled_from(("eq", "ne", "in", "not_in")))
    numbers = draw(st.lists(st.sampled_from(("0", "1", "2", "3", "1.0", "2.5")), min_size=1, max_size=3))
    return (
        draw(st.sampled_from(sorted(people.COUNTED))),
        operator,
        numbers if operator in {"in", "not_in"} else numbers[:1],
    )


@examples(120, unchecked=HealthCheck)
@given(data=st.data())
def test_people_are_found_by_what_is_counted_of_them(stories: tuple[Story, ...], data: st.DataObject) -> None:
    story = data.draw(st.sampled_from(stories))
    asked = data.draw(questions(story, "profile_list"))
    counted = data.draw(st.lists(counters(), min_size=1, max_size=2))
    asked = replace(asked, question=replace(asked.question, filters=(*asked.question.filters, *counted)))
    found = people.profile_list(asked.facts(story), asked.question)
    assert ask(story, asked).data == wanted(asked, found), asked
