"""Clicks of links and histories of monitors that are exported and loaded into an empty server give the same answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from analytics_box.app.admin import commands
from analytics_box.base.errors import BadRequest, BoxError, Conflict
from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.monitors.directory import Monitors
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.values import instant_text
from analytics_box.query.exported import HISTORIES
from tests.app.admin.commanding import beside, typed
from tests.contract.conftest import unlimited
from tests.inprocess import NOON, WholeBox, whole_box
from tests.query.checks_of_all_kinds import check, store_a_monitor, store_checks
from tests.query.clicks_of_all_kinds import click

DAY = 86_400_000
ORGANIZATION = ("--organization", "ada")
PREFIX = "analytics-box-export-"
SLUGS = ("spring", "summer", "unused")


class Moved:
    """A server with short links and monitors, whose ids and numbers differ from those of another one."""

    def __init__(self, box: WholeBox, *, others: int = 0) -> None:
        self.box = box
        for number in range(others):
            self.link(f"other-{number}")
            self.monitor(f"https://other-{number}.example/")
        self.links = {slug: self.link(slug) for slug in SLUGS}
        self.monitors = {name: self.monitor(f"https://{name}.example/") for name in ("shop", "blog")}

    def link(self, slug: str) -> str:
        given = {"name": slug, "slug": slug, "targetUrl": "https://shop.example/"}
        return str(self.good("/links/create", given)["id"])

    def monitor(self, url: str) -> str:
        given = {"url": url, "name": url[8:12], "granularity": "minute", "isPaused": True}
        return str(self.good("/uptime/createSchedule", given)["scheduleId"])

    def good(self, path: str, given: Any) -> Any:
        answer = self.box.post(path, given, key="all")
        assert answer.status == 200, answer.body
        return answer.json

    def fill(self) -> None:
        draw, events = Random(11), self.box.box.events.db
        found = self.box.box.box_db.read_now(lambda db: db.execute("select slug, number from links").fetchall())
        own = {str(slug): int(str(number)) for slug, number in found}
        site = self.box.numbers["shop"]
        clicks = [
            click(
                own[draw.choice(SLUGS[:2])],
                NOON - DAY - number * 3_600_000,
                kind=draw.choice((1, 1, 1, 2, 3, 4, 5)),
                visitor=draw.randrange(1, 1 << 60),
                landing=draw.choice((0, site)),
                landing_visitor=draw.choice((0, 1 << 50)),
                country=draw.choice(("Germany", "France", "")),
                variant=draw.choice(("", "b")),
                rule=draw.choice(("", "ios")),
                agent=draw.choice(("", "Googlebot")),
            )
            for number in range(700)
        ]
        events.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=clicks, orphans={}))
        shop = self.number("shop")
        remove = "delete from monitor_spans where monitor = ?"
        events.write_now(lambda db: db.execute(remove, (shop,)).fetchall())
        store_a_monitor(events, shop, NOON - DAY)
        days = [check(shop, NOON - day * DAY, 90_000 + day, count=144, data='{"a": [1, null]}') for day in range(2, 40)]
        store_checks(events, days)

    def number(self, name: str) -> int:
        found = self.box.box.parts[Monitors].find(self.monitors[name])
        assert found is not None
        return found.number

    def command(self, name: str, **given: Any) -> Any:
        return self.box.run(commands.run_command(self.box.box.parts, name, json.dumps(given).encode(), "ada"))

    def ask(self, name: str) -> Any:
        """The answer of a query type, about a link or a monitor."""
        subject = "link_id" if name.startswith("link_") else "schedule_id"
        owner = self.links["spring"] if name.startswith("link_") else self.monitors["shop"]
        given = {"parameters": [name], "preset": "last_90d", "limit": 1_000}
        [answer] = self.good(f"/v1/query?{subject}={owner}", given)["data"]
        rows = answer.get("data") or []
        if name == "uptime_spans":  # The state that is open lasts until the export, and a new one begins here.
            rows = [row | {"end": row["end"] or instant_text(NOON)} for row in rows if row["duration"]]
        return {key: value for key, value in answer.items() if key != "meta"} | {"data": rows}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    with whole_box(tmp_path_factory.mktemp("first") / "data", adjust=unlimited) as box:
        moved = Moved(box)
        moved.fill()
        yield moved


@pytest.fixture(scope="module")
def exported(first: Moved, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    with beside(first.box) as directory:
        ended = typed("export", str(folder), *ORGANIZATION, data=directory)
    assert ended.exit_code == 0, ended.stderr
    return folder


@pytest.fixture(scope="module")
def second(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    with whole_box(tmp_path_factory.mktemp("second") / "data", adjust=unlimited) as box:
        moved = Moved(box, others=3)
        assert "Error" not in load(moved, exported)
        yield moved


def load(moved: Moved, folder: Path) -> str:
    with beside(moved.box) as directory:
        ended = typed("load", str(folder), *ORGANIZATION, data=directory)
    return ended.stdout + ended.stderr


NAMES = [name for name in TYPES if name.startswith(("link_", "uptime_"))]


@pytest.mark.parametrize("name", NAMES)
def test_every_query_type_of_links_and_monitors_answers_the_same_after_a_move(
    first: Moved, second: Moved, name: str
) -> None:
    assert second.ask(name) == first.ask(name)


def test_totals_of_links_are_the_same_after_a_move(first: Moved, second: Moved) -> None:
    def totals(moved: Moved) -> dict[str, int]:
        links = moved.good("/links/paginated", {"limit": 100, "offset": 0})["items"]
        return {one["slug"]: one["clicks"] for one in links if one["slug"] in SLUGS}

    assert totals(second) == totals(first)
    assert totals(first)["spring"] > 0
    assert first.ask("uptime_overview")["data"], "it is about something"


def test_second_load_stores_nothing(second: Moved, exported: Path) -> None:
    assert "Loaded rows: 0" in load(second, exported)


def test_missing_links_and_monitors_are_named_and_everything_else_is_loaded(exported: Path, tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        moved = Moved(box)
        moved.good("/links/delete", {"id": moved.links["spring"]})
        moved.good("/uptime/deleteSchedule", {"scheduleId": moved.monitors["shop"]})
        shown = load(moved, exported)
        assert "Left out:" in shown
        assert "link_clicks.ndjson: There is no /spring. Create it" in shown
        assert "checks.ndjson: There is no shop. Create it" in shown
        links = moved.good("/links/paginated", {"limit": 100, "offset": 0})["items"]
        assert next(one["clicks"] for one in links if one["slug"] == SLUGS[1]) > 0
        moved.links["spring"] = moved.link("spring")
        assert "/spring" not in load(moved, exported)


def test_interrupted_load_of_a_history_goes_on_and_another_history_is_refused(exported: Path, tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        moved = Moved(box)
        for table in HISTORIES:
            lines = (exported / f"{PREFIX}{table}.ndjson").read_text().splitlines(keepends=True)
            owner = json.loads(lines[0])[HISTORIES[table][0]]
            own = [line for line in lines if json.loads(line)[HISTORIES[table][0]] == owner]
            ids = {f"/{slug}": found for slug, found in moved.links.items()} | {
                name[:4]: found for name, found in moved.monitors.items()
            }
            given = {"table": table, "id": ids[owner]}
            assert moved.command("history load", **given, skip=0, content="".join(own[:3])) == {"stored": 3}
            assert moved.command("history state", **given) == {"stored": 3}
            with pytest.raises(Conflict, match="another history"):
                moved.command("history load", **given, skip=0, content="".join(own[:3]))
            rest = moved.command("history load", **given, skip=3, content="".join(own[3:]))
            assert rest == {"stored": len(own)} == moved.command("history state", **given)


@pytest.mark.parametrize("line", ["{}", "[]", "nothing", "[" * 5_000, '{"time": "yesterday", "start": 7}'])
@pytest.mark.parametrize("table", [*HISTORIES, "nothing"])
def test_broken_row_of_a_history_is_refused(first: Moved, table: str, line: str) -> None:
    owner = first.links["unused"] if table == "link_clicks" else first.monitors["blog"]
    with pytest.raises(BoxError):
        first.command("history load", table=table, id=owner, skip=0, content=line)


def test_span_of_an_unknown_state_is_refused(first: Moved) -> None:
    row = {"state": 9, "start": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
    with pytest.raises(BadRequest, match="unknown state"):
        first.command("history load", table="monitor_spans", id=first.monitors["blog"], skip=0, content=json.dumps(row))
