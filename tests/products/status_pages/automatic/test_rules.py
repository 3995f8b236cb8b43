"""What each transition of a monitor means for status pages, and which incident it belongs to."""

from typing import Any, Final, get_args

from analytics_box.base.clock import MINUTE
from analytics_box.products.monitors.running.notices import Muted, NoticeDetail, What
from analytics_box.products.monitors.running.states import Base
from analytics_box.products.status_pages.automatic import rules
from analytics_box.products.status_pages.incident import AffectedComponent, Incident, IncidentUpdate
from tests.cases import each

NOW: Final = 1_780_000_000_000

# A row is what happened, a column what the monitor is then: it opens an incident, recovers, or means nothing.
MEANINGS: Final = """
                new      up        degraded  down
down            .        .         .         opens
recovered       .        recovers  recovers  .
degraded        .        .         .         .
flapping        .        .         .         opens
stable          .        recovers  recovers  opens
certificate     .        .         .         .
"""


def meanings() -> list[tuple[str, str, str | None]]:
    head, *lines = MEANINGS.strip().splitlines()
    return [
        (line.split()[0], state, None if mark == "." else mark)
        for line in lines
        for state, mark in zip(head.split(), line.split()[1:], strict=True)
    ]


@each(("what", "state", "meaning"), meanings())
def test_each_transition_means_what_the_table_says_unless_it_is_muted(what: Any, state: Any, meaning: Any) -> None:
    assert rules.meaning(what, NoticeDetail(state)) == meaning
    for muted in get_args(Muted)[1:]:
        assert rules.meaning(what, NoticeDetail(state, muted=muted)) is None


def test_the_table_has_everything_that_happens_to_monitors() -> None:
    assert {what for what, _, _ in meanings()} == set(get_args(What))
    assert {state for _, state, _ in meanings()} == set(get_args(Base))


def incident(name: str = "one", impact: str = "", **given: Any) -> Incident:
    affected = (AffectedComponent(component_id="api", name="API", impact=impact),) if impact else ()  # type: ignore[arg-type]
    fields: dict[str, Any] = {"kind": "incident", "status": "investigating", "origin": "monitor"}
    return Incident(id=name, page_id="page", title="It broke", affected=affected, **fields | given)


# An incident that there is already, and whether it says all there is to say of the component `api` that goes down.
EXPLANATIONS = (
    ("one of a monitor", incident(impact="down"), True),
    ("its draft", incident(impact="down", is_draft=True), True),
    ("one of a person", incident(impact="degraded", origin="person"), True),
    ("a draft of a person", incident(impact="down", origin="person", is_draft=True), False),
    ("one in which it is well again", incident(impact="operational"), False),
    ("one that has ended", incident(impact="down", status="resolved"), False),
    ("one about others", incident(), False),
    ("a maintenance", incident(impact="maintenance", kind="maintenance", status="in_progress"), False),
)


@each(("what", "known", "explains"), EXPLANATIONS, ids=lambda what, _known, _explains: what)
def test_a_component_has_one_incident_at_a_time(what: str, known: Incident, *, explains: bool) -> None:
    assert what
    assert rules.explaining_incident([known], "api") == (known if explains else None)


# Seconds between the first monitor of an incident and the next one, and whether they belong together.
JOINS = ((0, True), (119, True), (120, True), (121, False), (-120, True), (-121, False))


@each(("seconds", "joins"), JOINS)
def test_outages_within_two_minutes_are_grouped(seconds: int, *, joins: bool) -> None:
    known = incident()
    found = rules.to_join([known], {"one": NOW}, "web", NOW + seconds * 1000)
    assert found == (known if joins else None)


NOT_JOINED = (
    incident(origin="person"),
    incident(status="resolved"),
    incident(kind="maintenance", status="in_progress"),
)


@each("known", NOT_JOINED, ids=lambda known: f"{known.kind} {known.origin} {known.status}")
def test_manual_and_resolved_incidents_are_not_joined(known: Incident) -> None:
    assert rules.to_join([known], {"one": NOW}, "web", NOW) is None


def test_a_component_goes_on_with_the_open_incident_that_named_it() -> None:
    own, other = incident("own", "operational"), incident("other")
    assert rules.to_join([other, own], {"own": NOW, "other": NOW + 60 * MINUTE}, "api", NOW + 60 * MINUTE) == own


def test_edited_incident_is_manual_and_a_published_one_was_seen() -> None:
    update = IncidentUpdate(
        id="u", incident_id="one", status="investigating", message="", at=0, created_at=0, updated_at=0
    )
    draft = incident(is_draft=True, updates=(update,))
    assert rules.is_unseen(draft)
    assert not rules.is_unseen(incident(updates=(update,)))
    assert not rules.is_unseen(incident(is_draft=True, updates=(update, update)))
    by_person = IncidentUpdate(
        id="u", incident_id="one", status="identified", message="", at=0, created_at=0, updated_at=0, author="user:1"
    )
    assert not rules.is_untouched(incident(updates=(by_person, update)))
    assert rules.is_untouched(draft)
