"""Every answer of Statuspage's read API against its shape, told a second time from Atlassian's documentation."""

from collections.abc import Iterable
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from analytics_box.products.status_pages.seen import AffectedSeen, PageSeen
from analytics_box.products.status_pages.statuspage import ANSWERS
from tests.cases import each
from tests.products.status_pages.serving.examples import API, BUSY, CALM, ENDED, ONGOING, PLANNED, update

TEXT = {"type": "string", "minLength": 1}
MAYBE = {"type": ["string", "null"]}
INSTANT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}
MAYBE_INSTANT = {"anyOf": [INSTANT, {"type": "null"}]}
YES_OR_NO = {"type": "boolean"}
STATUS = {
    "enum": ["operational", "degraded_performance", "partial_outage", "major_outage", "under_maintenance"],
}


def thing(more: Iterable[str] = (), /, **fields: Any) -> dict[str, Any]:
    """An object with exactly these fields; those in `more` may be missing."""
    required = [name for name in fields if name not in more]
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def many(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


PAGE = thing(id=TEXT, name=TEXT, url={"type": "string", "pattern": "^https?://"}, time_zone=TEXT, updated_at=INSTANT)
OVERALL = thing(indicator={"enum": ["none", "minor", "major", "critical", "maintenance"]}, description=TEXT)
COMPONENT = thing(
    ("components",),
    id=TEXT,
    name=TEXT,
    status=STATUS,
    created_at=INSTANT,
    updated_at=INSTANT,
    position={"type": "integer", "minimum": 0},
    description=MAYBE,
    showcase=YES_OR_NO,
    start_date={"type": ["string", "null"], "pattern": r"^\d{4}-\d\d-\d\d$"},
    group_id=MAYBE,
    page_id=TEXT,
    group=YES_OR_NO,
    only_show_if_degraded=YES_OR_NO,
    components=many(TEXT),
)
UPDATE = thing(
    id=TEXT,
    status=TEXT,
    body={"type": "string"},
    incident_id=TEXT,
    created_at=INSTANT,
    updated_at=INSTANT,
    display_at=INSTANT,
    affected_components={
        "anyOf": [many(thing(code=TEXT, name=TEXT, old_status=STATUS, new_status=STATUS)), {"type": "null"}]
    },
    deliver_notifications=YES_OR_NO,
    custom_tweet={"type": "null"},
    tweet_id={"type": "null"},
)
BASE: dict[str, Any] = {
    **{"id": TEXT, "name": TEXT, "created_at": INSTANT, "updated_at": INSTANT, "monitoring_at": MAYBE_INSTANT},
    **{"resolved_at": MAYBE_INSTANT, "shortlink": {"type": "string", "pattern": "^https?://.*/incidents/"}},
    **{"started_at": INSTANT, "page_id": TEXT, "incident_updates": many(UPDATE), "components": many(COMPONENT)},
}
INCIDENT = thing(
    **BASE,
    status={"enum": ["investigating", "identified", "monitoring", "resolved", "postmortem"]},
    impact={"enum": ["minor", "major", "critical"]},
)
MAINTENANCE = thing(
    **BASE,
    status={"enum": ["scheduled", "in_progress", "verifying", "completed"]},
    impact={"const": "maintenance"},
    scheduled_for=INSTANT,
    scheduled_until=INSTANT,
)
INCIDENTS, MAINTENANCES = many(INCIDENT), many(MAINTENANCE)
SHAPES = {
    "summary": thing(
        page=PAGE,
        status=OVERALL,
        components=many(COMPONENT),
        incidents=INCIDENTS,
        scheduled_maintenances=MAINTENANCES,
    ),
    "status": thing(page=PAGE, status=OVERALL),
    "components": thing(page=PAGE, components=many(COMPONENT)),
    "incidents": thing(page=PAGE, incidents=INCIDENTS),
    "incidents/unresolved": thing(page=PAGE, incidents=INCIDENTS),
    "scheduled-maintenances": thing(page=PAGE, scheduled_maintenances=MAINTENANCES),
    "scheduled-maintenances/upcoming": thing(page=PAGE, scheduled_maintenances=MAINTENANCES),
    "scheduled-maintenances/active": thing(page=PAGE, scheduled_maintenances=MAINTENANCES),
}
UNDER_WAY = replace(PLANNED, id="maintenance-2", status="in_progress")
DONE = replace(PLANNED, id="maintenance-3", status="completed", is_open=False, resolved_at=PLANNED.created_at)
FULL = replace(BUSY, incidents=(ONGOING, ENDED), maintenances=(PLANNED, UNDER_WAY, DONE))


def answer(seen: PageSeen, name: str) -> Any:
    """What goes over the wire."""
    return msgspec.json.decode(msgspec.json.encode(ANSWERS[name](seen)))


def test_there_is_an_answer_for_each_shape_and_no_other() -> None:
    assert ANSWERS.keys() == SHAPES.keys()


@each(("name", "seen"), [(name, seen) for name in SHAPES for seen in (CALM, FULL, replace(CALM, components=()))])
def test_every_answer_has_the_shape_that_clients_know(name: str, seen: PageSeen) -> None:
    jsonschema.validate(answer(seen, name), SHAPES[name])


@each(
    ("name", "field", "ids"),
    [
        ("summary", "incidents", ["incident-1"]),
        ("summary", "scheduled_maintenances", ["maintenance-1", "maintenance-2"]),
        ("incidents", "incidents", ["incident-1", "incident-0"]),
        ("incidents/unresolved", "incidents", ["incident-1"]),
        ("scheduled-maintenances", "scheduled_maintenances", ["maintenance-1", "maintenance-2", "maintenance-3"]),
        ("scheduled-maintenances/upcoming", "scheduled_maintenances", ["maintenance-1"]),
        ("scheduled-maintenances/active", "scheduled_maintenances", ["maintenance-2"]),
    ],
)
def test_each_list_has_what_its_name_says(name: str, field: str, ids: list[str]) -> None:
    assert [one["id"] for one in answer(FULL, name)[field]] == ids


def test_lists_end_after_fifty() -> None:
    many_of_them = tuple(replace(ENDED, id=f"incident-{number}") for number in range(60))
    assert len(answer(replace(CALM, incidents=many_of_them), "incidents")["incidents"]) == 50


def test_open_incidents_are_listed_beyond_the_limit() -> None:
    ended = tuple(replace(ENDED, id=f"ended-{number}") for number in range(51))
    seen = replace(CALM, incidents=(*ended, replace(ONGOING, id="open")))
    listed = [one["id"] for one in answer(seen, "incidents")["incidents"]]
    assert listed == [*(one.id for one in ended[:49]), "open"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("operational", "operational"),
        ("under_maintenance", "under_maintenance"),
        ("major_outage", "major_outage"),
        (None, "degraded_performance"),  # they have no word for it
    ],
)
def test_a_component_has_one_of_their_states(status: Any, said: str) -> None:
    (found,) = answer(replace(CALM, groups=(), components=(replace(API, status=status),)), "components")["components"]
    assert found["status"] == said


def test_a_group_stands_among_the_components_and_names_its_own() -> None:
    found = answer(FULL, "components")["components"]
    assert [one["position"] for one in found] == sorted(one["position"] for one in found)
    groups = {one["id"]: one for one in found if one["group"]}
    assert groups.keys() == {group.id for group in FULL.groups}
    for one in found:
        assert ("components" in one) == one["group"]
        if one["group_id"] is not None:
            assert one["id"] in groups[one["group_id"]]["components"]


def test_an_incident_says_what_it_changed_of_which_component() -> None:
    first = AffectedSeen(API.id, "API", "degraded")
    down = (AffectedSeen(API.id, "API", "down"), AffectedSeen(None, "Gone", "down"))
    updates = (
        update(3, "resolved", "It works.", 3, affected=(replace(first, impact="operational"),)),
        update(2, "identified", "Worse.", 2, affected=down, notified=False),
        update(1, "investigating", "We look.", 1, affected=(first,)),
    )
    seen = replace(CALM, components=(API,), incidents=(replace(ONGOING, updates=updates, affected=down),))
    (found,) = answer(seen, "incidents")["incidents"]
    assert [one["id"] for one in found["components"]] == [API.id]  # what is gone has no place there
    changes = [
        [(each["old_status"], each["new_status"]) for each in one["affected_components"]]
        for one in found["incident_updates"]
    ]
    assert changes == [
        [("major_outage", "operational")],
        [("degraded_performance", "major_outage")],
        [("operational", "degraded_performance")],
    ]
    assert [one["deliver_notifications"] for one in found["incident_updates"]] == [True, False, True]


def test_the_page_has_changed_when_anything_on_it_has() -> None:
    late = replace(CALM, updated_at=1_000, components=(replace(API, updated_at=5_000),))
    assert answer(late, "status")["page"]["updated_at"] == "1970-01-01T00:00:05.000Z"
    assert answer(replace(late, updated_at=9_000), "status")["page"]["updated_at"] == "1970-01-01T00:00:09.000Z"
