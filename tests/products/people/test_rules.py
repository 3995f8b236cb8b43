"""What may be said of people, what is known after it was said, and which visitor was whom."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.errors import BadRequest
from analytics_box.ingest import profile_rules
from analytics_box.ingest.profile_rules import ProfileLink
from analytics_box.products.people import rules
from analytics_box.products.people.rules import FIRST, LAST, Stay


@pytest.mark.parametrize(
    ("known", "said", "after"),
    [
        ({}, {"plan": "pro", "seats": 3}, {"plan": "pro", "seats": 3}),
        ({"plan": "pro"}, {"plan": "free"}, {"plan": "free"}),
        ({"plan": "pro", "seats": 3}, {"plan": None}, {"seats": 3}),
        ({}, {"plan": None}, {}),
        ({"plan": "pro"}, {}, {"plan": "pro"}),
        ({"ratio": 0.5}, {"trial": False}, {"ratio": 0.5, "trial": False}),
    ],
)
def test_traits_are_merged_and_null_deletes(known: Any, said: Any, after: Any) -> None:
    assert profile_rules.merge(known, said) == after


@pytest.mark.parametrize(
    ("traits", "email", "name"),
    [
        ({}, "", ""),
        ({"email": " Ada@Example.COM "}, "ada@example.com", ""),
        ({"email": 7, "name": True}, "", ""),
        ({"name": "Ada Lovelace"}, "", "Ada Lovelace"),
        ({"name": "Ada Lovelace", "username": "ada"}, "", "ada"),
        ({"name": "Ada Lovelace", "username": "  "}, "", "Ada Lovelace"),
    ],
)
def test_some_traits_say_what_to_call_a_person(traits: Any, email: str, name: str) -> None:
    assert (profile_rules.email(traits), rules.display_name(traits)) == (email, name)


@pytest.mark.parametrize(
    ("traits", "field"),
    [
        ({f"t{number}": 1 for number in range(51)}, "traits"),
        ({"": 1}, "traits"),
        ({"x" * 65: 1}, "traits"),
        ({"bio": "x" * 256}, "traits.bio"),
        ({f"t{number}": "x" * 250 for number in range(9)}, "traits"),
    ],
)
def test_traits_beyond_the_limit_are_refused(traits: Any, field: str) -> None:
    with pytest.raises(BadRequest) as refused:
        profile_rules.check(traits)
    assert refused.value.details[0].field == field
    assert refused.value.reason == "INVALID_EVENT_SCHEMA"


def test_as_much_as_is_allowed_is_taken() -> None:
    profile_rules.check({f"t{number}": None for number in range(50)})
    profile_rules.check({"x" * 64: "y" * 255})


def test_a_person_is_not_filled_up_without_end() -> None:
    known: profile_rules.Traits = {f"t{number}": "x" for number in range(100)}
    assert len(profile_rules.merge(known, {"t0": "y"})) == 100
    with pytest.raises(BadRequest):
        profile_rules.merge(known, {"one more": "x"})
    with pytest.raises(BadRequest):
        profile_rules.merge({f"t{number}": "x" * 200 for number in range(40)}, {"one more": "x" * 200})


def test_earlier_activity_belongs_to_the_first_profile() -> None:
    links = [ProfileLink(1, 50, 9), ProfileLink(1, 80, 8), ProfileLink(1, 90, 9), ProfileLink(2, 10, 8)]
    assert rules.stays(links, 9) == [Stay(1, FIRST, 80), Stay(1, 90, LAST)]
    assert rules.stays(links, 8) == [Stay(1, 80, 90), Stay(2, FIRST, LAST)]
    assert rules.stays(links, 7) == []


_links = st.lists(
    st.builds(ProfileLink, visitor=st.integers(1, 3), time=st.integers(0, 12), profile=st.integers(1, 3)),
    max_size=8,
    unique_by=lambda link: (link.visitor, link.time),
)


@given(links=_links, visitor=st.integers(1, 3), time=st.integers(-2, 15))
def test_every_moment_of_a_visitor_belongs_to_one_person(links: list[ProfileLink], visitor: int, time: int) -> None:
    own = sorted(link for link in links if link.visitor == visitor)
    owner = next((link.profile for link in reversed(own) if link.time <= time), own[0].profile if own else None)
    found = [
        profile
        for profile in (1, 2, 3)
        for stay in rules.stays(links, profile)
        if stay.visitor == visitor and stay.since <= time < stay.until
    ]
    assert found == ([owner] if owner is not None else [])
