"""The demo's feature flags: the list, the overview and the page of results say the same of them."""

import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app.box import open_box
from analytics_box.app.demo.flags import BUTTON, CONTROL, CONVERSION, DONE, EXPERIMENT, ROLLOUT
from analytics_box.base.clock import DAY
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from tests.app.demo.asking import ask
from tests.app.demo.conftest import LATER, NOW
from tests.cases import each
from tests.inprocess import FixedClock, RunningBox

Started = tuple[Path, int]


@pytest.fixture(scope="module")
def box(twice: Started, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBox]:
    """The demo's box after its second start."""
    directory = tmp_path_factory.mktemp("open") / "demo"
    shutil.copytree(twice[0], directory)
    clock = FixedClock(LATER)
    running = RunningBox(open_box(Settings(data_dir=directory), clock), clock, {})
    try:
        yield running
    finally:
        running.close()


def page(box: RunningBox, path: str) -> str:
    """The words of a page; of the path {site}, {flag} and {user} are those of the demo."""
    directory = box.box.settings.data_dir
    ((user,),) = ask(directory, "select id from users", file=schema.BOX_FILE)
    ((site,),) = ask(directory, "select id from websites", file=schema.BOX_FILE)
    flags = dict(ask(directory, "select replace(key, '-', '_'), id from flags", file=schema.BOX_FILE))
    answer = box.get(path.format(site=site, **flags), cookie=box.sign_in(user), accept="text/html")
    assert answer.status == 200
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", answer.body.decode())).split())


def query(box: RunningBox, kind: str, *filters: dict[str, str]) -> list[dict[str, Any]]:
    """The rows of a type over the last 30 days."""
    directory = box.box.settings.data_dir
    ((site,),) = ask(directory, "select id from websites", file=schema.BOX_FILE)
    ((user,),) = ask(directory, "select id from users", file=schema.BOX_FILE)
    asked = {"parameters": [kind], "preset": "last_30d", "timezone": "UTC", "filters": list(filters)}
    answer = box.post(f"/v1/query?website_id={site}", asked, cookie=box.sign_in(user))
    assert answer.status == 200, answer.body
    rows: list[dict[str, Any]] = answer.json["data"][0]["data"]
    return rows


def test_there_are_three_flags_after_two_starts_and_a_target_group(twice: Started) -> None:
    flags = ask(
        twice[0],
        "select key, version, created_at < updated_at from flags order by key",
        file=schema.BOX_FILE,
    )
    assert flags == [(DONE, 3, 1), (EXPERIMENT, 1, 0), (ROLLOUT, 3, 1)]
    assert ask(twice[0], "select name from target_groups", file=schema.BOX_FILE) == [("Beta testers",)]
    planned = ask(
        twice[0],
        "select type, next_at > ?, json_array_length(steps) from flag_schedules",
        NOW + DAY,
        file=schema.BOX_FILE,
    )
    assert planned == [("update_rollout", 1, 7)]


def test_a_second_start_counts_evaluations_of_its_own_days_only(twice: Started, once: Path) -> None:
    counted = "select sum(count) from flag_counts join flags on flags.id = flag_id where key = ? and day < ?"
    first = [ask(where, counted, DONE, NOW // DAY, file=schema.BOX_FILE) for where in (twice[0], once)]
    assert first[0] == first[1]
    seen = (
        "select count(*) from events where kind = 1 and bot = 0"
        " and path in (select id from strings where value like '/docs/%')"
    )
    ((views,),) = ask(once, seen)
    ((counts,),) = ask(
        once,
        "select sum(count) from flag_counts join flags on flags.id = flag_id where key = ?",
        DONE,
        file=schema.BOX_FILE,
    )
    assert 0.98 * views <= counts <= views


def test_list_overview_and_result_agree(box: RunningBox) -> None:
    variants = {row["name"]: row["visitors"] for row in query(box, "flag_variants")}
    by_flag = [
        {"field": "flag", "op": "eq", "value": EXPERIMENT},
        {"field": "conversion", "op": "eq", "value": CONVERSION},
    ]
    control, button = query(box, "flag_exposures", *by_flag)
    assert (control["variant"], button["variant"]) == (CONTROL, BUTTON)
    for row in (control, button):
        assert row["visitors"] == variants[f"{EXPERIMENT}={row['variant']}"] > 500
        assert row["mixed_visitors"] == 0
        assert (row["expected_share"], abs(row["share"] - 50) < 5) == (50, True)
    assert control["sample_ratio_p_value"] > 0.05
    assert 3 < button["difference"] < 12
    assert button["p_value"] < 0.01

    shown = page(box, f"/flags/{{{EXPERIMENT.replace('-', '_')}}}/results?wait=all")
    overview = page(box, "/sites/{site}?range=last_30d&wait=all")
    for row in (control, button):
        assert f"{row['visitors']:,}" in shown
        assert f"{EXPERIMENT} {row['variant']} {row['visitors']:,}" in overview


@each(
    ("path", "words"),
    [
        ("/flags?website={site}", "Stale"),
        ("/flags/{faster_search}", "Stale"),
        ("/flags/{new_checkout}", "Beta testers"),
    ],
)
def test_pages_of_flags_show_it(box: RunningBox, path: str, words: str) -> None:
    assert words.lower() in page(box, path).lower()
