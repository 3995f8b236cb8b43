"""A part of an overview that misses the budget is computed once: its fragment takes over the query that runs."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.figures import late_parts, page
from analytics_box.figures.late_parts import KEPT_SECONDS, LateParts
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.run import QueryRunner
from tests.inprocess import FixedClock, WholeBox, whole_box


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each query type has been asked for."""
    counted: Counter[str] = Counter()
    answer = QueryRunner.answer

    async def count(self: QueryRunner, request: Any, sites: Any) -> Any:
        counted.update(question.type.name for question in request.questions if question.type is not None)
        return await answer(self, request, sites)

    monkeypatch.setattr(QueryRunner, "answer", count)
    return counted


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WholeBox]:
    """A box whose overviews wait for nothing."""
    monkeypatch.setattr(page, "BUDGET_SECONDS", 0)
    with whole_box(tmp_path / "data") as inside:
        event = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "a"}
        assert inside.post(f"/?client_id={inside.sites['shop']}", event).status == 200
        yield inside


def test_folded_panels_are_asked_for_only_when_they_are_unfolded(box: WholeBox, asked: Counter[str]) -> None:
    path = f"/sites/{box.sites['shop']}"
    page = box.get(path, cookie=box.cookie).body.decode()
    more = page.partition('id="more-panels"')[2].partition("</details>")[0]
    assert f'data-late="{path}/parts/events,links,week?range=today"' in more
    assert asked["custom_events"] == asked["hour_of_week"] == 0
    box.get(f"{path}/parts/events,links,week?range=today", cookie=box.cookie)
    assert asked["custom_events"] == asked["hour_of_week"] == 1


def test_page_without_scripts_loads_every_panel_in_one_request(box: WholeBox) -> None:
    path = f"/sites/{box.sites['shop']}"
    page = box.get(path, cookie=box.cookie).body.decode()
    refresh = f'<noscript><meta http-equiv="refresh" content="0; url={path}?range=today&amp;wait=all"></noscript>'
    assert refresh in page.partition("</head>")[0]
    whole = box.get(f"{path}?wait=all", cookie=box.cookie).body.decode()
    assert "http-equiv" not in whole
    assert "aria-busy" not in whole


def test_a_late_part_is_computed_once(box: WholeBox, asked: Counter[str]) -> None:
    path, cookie = f"/sites/{box.sites['shop']}", box.cookie
    assert b'aria-busy="true"' in box.get(path, cookie=cookie).body
    for name in set(WEBSITE.parts) - {"page", "goals", "uptime"}:  # which need a filter, a goal, and a monitor
        part = box.get(f"{path}/parts/{name}", cookie=cookie)
        assert part.status == 200
        assert b"aria-busy" not in part.body
    assert asked["top_pages"] == asked["traffic_sources"] == asked["browser_name"] == 1
    assert box.get(f"{path}/parts/pages", cookie=cookie).status == 200
    assert asked["top_pages"] == 2, "what was fetched is not kept"


def test_click_waits_for_fast_parts_and_a_self_refresh_for_all(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "CLICK_SECONDS", 0)
    path = f"/sites/{box.sites['shop']}"
    for headers, late in (({"hx_boosted": "true"}, True), ({}, False)):
        answer = box.get(path, cookie=box.cookie, hx_request="true", **headers)
        assert (b'aria-busy="true"' in answer.body) == late


def test_a_page_whose_parts_were_late_is_sent_without_them_when_its_facts_have_changed(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BUDGET_SECONDS", "NEXT_SECONDS"):
        monkeypatch.setattr(page, name, 60)
    monkeypatch.setattr(late_parts, "BUDGET_SECONDS", -1)  # any time is too long
    path, event = f"/sites/{box.sites['shop']}", {"name": "screen_view", "path": "https://shop.example/b"}
    busy = [b'aria-busy="true"' in box.get(path, cookie=box.cookie).body for _ in range(2)]
    assert box.post(f"/?client_id={box.sites['shop']}", event).status == 200
    busy.append(b'aria-busy="true"' in box.get(path, cookie=box.cookie).body)
    assert box.get(f"{path}?wait=all", cookie=box.cookie).status == 200
    busy.append(b'aria-busy="true"' in box.get(path, cookie=box.cookie).body)
    assert busy == [False, False, True, False]


def test_a_script_gets_no_more_than_what_it_takes_over(box: WholeBox) -> None:
    path = f"/sites/{box.sites['shop']}"
    shell, table = b'<nav class="nav"', b'class="chart-table'
    for rest, headers, there in (
        ("?wait=all", {}, {shell, table}),
        ("", {"hx_request": "true"}, set()),
        ("?show=table", {"hx_request": "true"}, {table}),
        ("/parts/figures", {"hx_request": "true"}, set()),
    ):
        body = box.get(path + rest, cookie=box.cookie, **headers).body
        assert {part for part in (shell, table) if part in body} == there, rest
        assert (b"<title>Shop" in body) == ("/parts" not in rest), rest
        assert b'id="figures"' in body, rest


def test_parts_that_are_ready_come_together_and_the_others_are_asked_for_again(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, released, part = f"/sites/{box.sites['shop']}", asyncio.Event(), page._part

    async def slow(asking: Any, view: Any, name: str) -> Any:
        if name == "browsers":
            await released.wait()
        return await part(asking, view, name)

    monkeypatch.setattr(page, "_part", slow)
    monkeypatch.setattr(page, "TOGETHER_SECONDS", 0.2)
    first = box.get(f"{path}/parts/pages,figures,browsers", cookie=box.cookie).body.decode()
    assert 'id="panel-pages"' in first
    assert 'id="panel-browsers"' not in first
    assert "/parts/browsers" in first
    released.set()
    second = box.get(f"{path}/parts/browsers", cookie=box.cookie).body.decode()
    assert 'id="panel-browsers"' in second
    assert "data-late" not in second
    assert box.get(f"{path}/parts/pages,nothing", cookie=box.cookie).status == 404


def test_a_late_list_keeps_the_place_that_was_kept_for_it_until_its_height_is_known(box: WholeBox) -> None:
    path = f"/sites/{box.sites['shop']}"

    def ghosts(name: str) -> int:
        page = box.get(path, cookie=box.cookie).body.decode()
        return page.partition(f'id="panel-{name}"')[2].partition("</section>")[0].count("ghost ")

    def part(name: str) -> str:
        return box.get(f"{path}/parts/{name}", cookie=box.cookie).body.decode()

    assert ghosts("browsers") == 3, "a website that is new"
    assert "list list-kept-few" in part("browsers")
    assert ghosts("browsers") == 1
    assert "list-kept" not in part("browsers")
    box.clock.advance(seconds=86_400)
    assert ghosts("pages") == 6
    assert "list list-kept" in part("pages")


def test_notes_below_a_late_chart_have_their_place_at_once(box: WholeBox) -> None:
    made = box.post("/annotations/create", {"websiteId": box.sites["shop"], "text": "Version 2"}, key="all")
    assert made.status == 200
    seen = box.get(f"/sites/{box.sites['shop']}", cookie=box.cookie).body.decode()
    waiting = seen.partition('id="figures"')[2].partition('id="late"')[0]
    assert "ghost-chart" in waiting
    assert "Version 2" in waiting


@pytest.mark.parametrize("rest", ["?range=yesterday", "?zone=Asia/Kathmandu", "?show=table"])
def test_another_view_is_another_part(box: WholeBox, asked: Counter[str], rest: str) -> None:
    path, cookie = f"/sites/{box.sites['shop']}", box.cookie
    box.get(path, cookie=cookie)
    box.get(f"{path}/parts/pages{rest}", cookie=cookie)
    assert asked["top_pages"] == 2


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


async def sleeping() -> str:
    await asyncio.Event().wait()
    return "never"


def test_unfetched_parts_are_canceled_after_a_while() -> None:
    async def scene() -> None:
        clock = FixedClock()
        late, first, second = LateParts(clock), asyncio.create_task(sleeping()), asyncio.create_task(sleeping())
        late.keep("first", first)
        clock.advance(seconds=KEPT_SECONDS)
        late.keep("second", second)
        await asyncio.wait((first,))
        assert first.cancelled()
        assert late.take("first") is None
        assert late.take("second") is second
        assert late.take("second") is None
        second.cancel()

    run(scene())


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        monkeypatch.setattr(late_parts, "MOST", 2)
        late, tasks = LateParts(FixedClock()), [asyncio.create_task(sleeping()) for _ in range(3)]
        for number, task in enumerate(tasks):
            late.keep(number, task)
        await asyncio.wait(tasks[:1])
        assert [task.cancelled() for task in tasks] == [True, False, False]
        assert (late.take(0), late.take(1)) == (None, tasks[1])

    run(scene())


def test_part_requested_again_replaces_the_old_one() -> None:
    async def scene() -> None:
        clock = FixedClock()
        late, old, new = LateParts(clock), asyncio.create_task(sleeping()), asyncio.create_task(sleeping())
        late.keep("part", old)
        late.keep("part", new)
        await asyncio.wait((old,))
        assert old.cancelled()
        clock.advance(seconds=KEPT_SECONDS)
        assert late.take("part") is None
        await asyncio.wait((new,))
        assert new.cancelled()

    run(scene())
