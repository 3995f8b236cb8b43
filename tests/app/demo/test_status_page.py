"""The demo's status page: the incident of an outage, and a maintenance that is planned."""

from pathlib import Path

from analytics_box.base.clock import DAY
from analytics_box.base.store import schema
from tests.app.demo.asking import ask
from tests.app.demo.conftest import NOW

Started = tuple[Path, int]


def test_there_is_one_page_after_two_starts_with_its_components(twice: Started) -> None:
    pages = ask(twice[0], "select slug, version > 0 from status_pages", file=schema.BOX_FILE)
    shown = ask(
        twice[0],
        "select one.name, one.hide_url, monitors.name, status_page_groups.name from status_page_components as one"
        " left join monitors on monitors.id = one.monitor_id"
        " left join status_page_groups on status_page_groups.id = one.group_id order by one.position",
        file=schema.BOX_FILE,
    )
    assert pages == [("inkwell", 1)]
    assert shown == [
        ("Shop", 1, "Shop: website", "Online shop"),
        ("Partner API", 1, "Shop: API", "Online shop"),
        ("Server", 1, "Shop: server", "Online shop"),
        ("Customer service", 0, None, None),
    ]


def test_its_incident_was_told_from_the_outage_to_what_was_learned(twice: Started) -> None:
    said = ask(
        twice[0],
        "select incident_updates.status from incident_updates join incidents on incidents.id = incident_id"
        " where kind = 'incident' order by at",
        file=schema.BOX_FILE,
    )
    assert [status for (status,) in said] == ["investigating", "identified", "monitoring", "resolved", "postmortem"]


def test_its_maintenance_lies_ahead_of_the_first_start(twice: Started) -> None:
    planned = ask(
        twice[0],
        "select status, scheduled_for between ? and ? from incidents where kind = 'maintenance'",
        NOW + DAY,
        NOW + 4 * DAY,
        file=schema.BOX_FILE,
    )
    assert planned == [("scheduled", 1)]
