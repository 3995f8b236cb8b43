"""The parts of a flag's page beside what it does, in a browser without scripts: the tester first."""

import html
import re
from urllib.parse import urlencode

import pytest

from tests.cases import each
from tests.flags.console.world import Console
from tests.flags.world import World

ROLLOUT = {
    "type": "rollout",
    "rolloutPercentage": 40,
    "rules": [
        {"type": "user_id", "operator": "in", "values": ["anna", "ben"], "name": "us"},
        {
            "type": "conditions",
            "enabled": False,
            "conditions": {"all": [{"attribute": "plan", "value": "pro"}, {"none": [{"attribute": "email"}]}]},
        },
    ],
}


def words_of(page: str) -> str:
    """What people read of a page, in one line."""
    text = re.sub(r"<(script|style|template)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


@pytest.fixture(scope="module")
def console(shared: World) -> Console:
    return Console(shared)


@pytest.fixture(scope="module")
def rollout(console: Console) -> str:
    """The path of a flag with rules and a share of users."""
    return f"/flags/{console.world.put('tested', ROLLOUT).id}"


@each(
    ("asked", "expected"),
    [
        (
            {"userId": "anna"},
            ("anna gets → on", "because rule 1 (us) fits", "User ID is one of anna, ben · it is anna"),
        ),
        (
            {"userId": "carl", "properties": '{"plan": "pro"}'},
            ("carl gets → off", "because rule 2 fits", "All of these", "plan is pro · it is pro", "it is not given"),
        ),
        (
            {"email": "x@y.example"},
            ("x@y.example gets →", "who have it", "x@y.example stands at", "from 0 to 40 is in"),
        ),
        ({}, ("Somebody unknown gets →", "Nobody stands at")),
        ({"userId": "anna", "environment": "elsewhere"}, ("anna gets no answer", "There is no active flag")),
    ],
)
def test_the_tester_says_what_somebody_gets_and_why(
    console: Console, rollout: str, asked: dict[str, str], expected: tuple[str, ...]
) -> None:
    page = words_of(console.seen(f"{rollout}/test?{urlencode({'userId': ''} | asked)}"))
    assert [text for text in expected if text not in page] == [], page


def test_the_tester_of_an_inactive_flag_says_what_it_would_give(console: Console) -> None:
    flag = console.world.put("not-yet", {"status": "inactive", "defaultValue": True, "payload": {"deep": [1]}})
    page = words_of(console.seen(f"/flags/{flag.id}/test?userId=anna"))
    assert "anna gets → on" in page
    assert "The flag is not active, so nobody gets this now." in page
    assert '"deep"' in page
    assert "Answer" not in words_of(console.seen(f"/flags/{flag.id}/test"))


@each("properties", ["{", "[]", '"x"', '{"a":' * 3_000, "x" * 9_000])
def test_properties_that_are_no_object_are_told_at_their_field(console: Console, properties: str) -> None:
    flag = console.world.put(f"odd-{len(properties)}-{ord(properties[0])}")
    answer = console.answer(f"/flags/{flag.id}/test?{urlencode({'properties': properties})}")
    assert answer.status == 400
    assert 'id="properties-error"' in answer.body.decode()
