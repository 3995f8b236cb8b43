"""What visitors get of a whole box: nothing that is hidden, whatever they ask for, and something while it struggles."""

from collections.abc import Iterator

import pytest

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.uptime import DOWN, UP, UptimeSpan
from analytics_box.base.store.db import Db
from analytics_box.products.status_pages import incident_rows
from tests.inprocess import NOON, whole_box
from tests.products.monitors.conftest import unlimited
from tests.products.status_pages.view.world import PAGE, StatusWorld, incident

HOST = "secret-host.example.com"
DOCUMENTS = (
    "summary",
    "status",
    "components",
    "incidents",
    "incidents/unresolved",
    "scheduled-maintenances",
    "scheduled-maintenances/upcoming",
    "scheduled-maintenances/active",
)
PATHS = (
    "",
    "/history",
    "/incidents/incident-told",
    "/components/component-shown",
    "/components/component-hidden",
    "/history.atom",
    "/history.rss",
    "/badge.svg",
    "/badge/component-shown.svg",
    "/badge/component-hidden.svg",
    "/subscribe",
    *(f"/api/v2/{name}.json" for name in DOCUMENTS),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StatusWorld]:
    """A page with a component that hides all it can, one that does not, and an incident beside a draft."""
    with whole_box(tmp_path_factory.mktemp("serving") / "data", adjust=unlimited) as box:
        made = StatusWorld(box)
        for name in ("shown", "hidden"):
            hides = name == "hidden"
            monitor = made.made(f"https://{HOST if hides else 'plain.example.com'}/health?token=t0k3n")
            made.live(monitor, "up")
            bad = NOON - 5 * DAY
            made.spans(monitor, UptimeSpan(UP, NOON - 20 * DAY, bad), UptimeSpan(DOWN, bad, bad + 7 * MINUTE))
            made.checks(monitor, *((NOON - day * DAY - 1, 1, 123_456) for day in range(1, 10)))
            made.add(
                f"component-{name}", monitor, name=name.title(), hide_url=hides, hide_uptime=hides, hide_latency=hides
            )
        _save(made, incident("incident-told", ("component-shown", "Shown", "degraded"), title="What everybody knows"))
        _save(
            made,
            incident("incident-draft", ("component-shown", "Shown", "down"), title="A private thought", is_draft=True),
        )
        yield made


def _save(world: StatusWorld, one: object) -> None:
    world._save(PAGE, lambda db: incident_rows.insert(db, one))  # type: ignore[arg-type]


def test_every_path_answers(world: StatusWorld) -> None:
    found = {path: world.box.get(f"/status/acme{path}").status for path in PATHS}
    assert found == dict.fromkeys(PATHS, 200)


def test_visible_values_are_in_every_answer(world: StatusWorld) -> None:
    page = world.box.get("/status/acme").body.decode()
    for said in ("plain.example.com", "uptime", "123\N{NO-BREAK SPACE}ms", "What everybody knows"):
        assert said in page, said


def test_while_the_databases_do_not_answer_it_says_what_was_known_and_how_old_that_is(
    world: StatusWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.box.get("/status/acme").body.decode()
    assert "could not be brought up to date" not in before

    async def busy(*_: object, **__: object) -> None:
        raise Unavailable("The disk is full")

    monkeypatch.setattr(Db, "read", busy)
    world.box.clock.advance(seconds=180)
    for path in ("", "/history", "/history.atom", "/badge.svg", "/api/v2/summary.json", "/subscribe"):
        assert world.box.get(f"/status/acme{path}").status == 200, path
    shown = world.box.get("/status/acme").body.decode()
    assert "It shows the status of 3\N{NO-BREAK SPACE}min ago" in shown
    assert "What everybody knows" in shown
    world.box.clock.advance(seconds=-180)


def test_hidden_values_are_in_no_answer(world: StatusWorld) -> None:
    for path in PATHS:
        said = world.box.get(f"/status/acme{path}").body.decode()
        for secret in (HOST, "t0k3n", "/health", "A private thought"):
            assert secret not in said, (path, secret)
    alone = world.box.get("/status/acme/components/component-hidden").body.decode()
    assert " ms" not in alone.replace("\N{NO-BREAK SPACE}", " ")
    assert "%" not in alone
    assert world.box.get("/status/acme/incidents/incident-draft").status == 404
