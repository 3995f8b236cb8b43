"""Databases of other link shorteners: links keep their addresses, and their visits become clicks at their own times."""

import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.products.links.bulk import databases
from analytics_box.products.links.bulk.databases import read_links_database
from analytics_box.products.links.clicks import waiting
from tests.inprocess import Answer, whole_box
from tests.products.links import shortener_databases
from tests.products.links.conftest import unlimited
from tests.products.links.shortener_databases import NAMES
from tests.products.links.world import DOMAIN, IPHONE, PageWorld, World, name_of

ADDRESSES = {"shlink": {"map", "faq"}, "yourls": {"wiki"}, "kutt": {"tea"}}
# People and bots.
CLICKS = {"shlink": (3, 1), "yourls": (1, 1), "kutt": (3, 0)}


def service(name: str) -> str:
    return name.rstrip("0123456789") if "." not in name else service(name.partition(".")[0])


@pytest.fixture
def world(world: World) -> World:
    world.link_domain()
    return world


def content_of(name: str, folder: Path) -> str:
    return msgspec.json.encode(read_links_database(shortener_databases.write(name, folder))).decode()


def imported(world: World, content: str, **given: Any) -> Answer:
    answer = world.call("links.import", content=content, format="json", **{"domain": DOMAIN} | given)
    assert answer.status == 200, answer.body
    return answer


def links(world: World) -> dict[str, dict[str, Any]]:
    return {link["slug"]: link for link in world.call("links.list").json}


@pytest.mark.parametrize("name", NAMES)
def test_database_is_imported_with_its_visits_once(name: str, world: World, tmp_path: Path) -> None:
    content = content_of(name, tmp_path)
    people, bots = CLICKS[service(name)]
    dry = imported(world, content, dryRun=True)
    assert (dry.json["clicks"], world.clicks("id")) == (people + bots, [])
    done = imported(world, content)
    assert (done.json["created"], done.json["clicks"]) == (len(ADDRESSES[service(name)]), people + bots)
    assert set(links(world)) == ADDRESSES[service(name)]
    assert sorted(world.counted()) == ["bot"] * bots + ["click"] * people
    assert sum(link["clicks"] for link in links(world).values()) == people
    again = imported(world, content)
    assert (again.json["created"], again.json["clicks"], again.json["unchanged"]) == (0, 0, done.json["created"])
    assert len(world.clicks("id")) == people + bots
    for link in links(world).values():
        world.call("links.delete", id=link["id"])
    assert (world.clicks("id"), world.rows("select * from link_totals")) == ([], [])


def test_visit_of_shlink_keeps_time_place_browser_and_referrer(world: World, tmp_path: Path) -> None:
    imported(world, content_of("shlink3.sqlite", tmp_path))
    columns = ("referrer", "source", "country", "region", "city", "browser", "system", "device", "agent")
    rows = world.clicks(f"time, visitor, {', '.join(map(name_of, columns))}")
    at = 1_777_629_600_000  # 2026-05-01 10:00 UTC
    assert (rows[0][0], *rows[0][2:]) == (
        *(at, "https://news.example/today", "news.example", "Netherlands", "North Holland", "Amsterdam"),
        *("Safari", "iOS", "mobile", ""),
    )
    assert (rows[1][0], rows[1][1]) == (at + 1, rows[0][1])  # the same visitor in the same second
    assert (rows[2][0], rows[2][-1]) == (at + DAY + 3_600_000, "Googlebot")
    assert len({row[1] for row in rows}) == 3
    assert "192.0.2" not in repr(world.rows("select value from strings"))


def test_link_of_shlink_keeps_tags_expiry_devices_and_remaining_visits(world: World, tmp_path: Path) -> None:
    done = imported(world, content_of("shlink3.sqlite", tmp_path))
    found = links(world)
    assert (found["map"]["tags"], found["map"]["name"]) == (["office", "print"], "Way to us")
    assert found["faq"]["expiresAt"] == "2027-01-31T10:00:00.000Z"
    assert found["faq"]["iosUrl"] == "https://example.com/ios"
    assert done.json["ignoredColumns"] == []
    assert [world.follow("map", host=DOMAIN).status for _ in range(4)] == [302, 302, 302, 410]  # 2 people came before


def test_redirect_rules_of_shlink_are_named_as_lost(world: World, tmp_path: Path) -> None:
    assert imported(world, content_of("shlink5.pgsql", tmp_path)).json["ignoredColumns"] == ["hasRedirectRules"]


@pytest.mark.parametrize("name", ["kutt2.pgsql", "kutt3.sqlite"])
def test_hours_of_kutt_become_as_many_clicks_of_each_kind(name: str, world: World, tmp_path: Path) -> None:
    done = imported(world, content_of(name, tmp_path))
    assert [(row["row"], row.get("field")) for row in done.json["rows"] if row["status"] == "failed"] == [
        (2, "password"),
        (3, None),
    ]
    assert links(world)["tea"]["expiresAt"] == "2027-01-31T00:00:00.000Z"
    rows = world.clicks(", ".join(map(name_of, ("browser", "system", "country", "source"))))
    assert [sorted(column) for column in zip(*rows, strict=True)] == [
        ["Chrome", "Chrome", "Safari"],
        ["Windows", "Windows", "iOS"],
        ["", "Germany", "Germany"],
        ["Direct", "news.example", "news.example"],
    ]


def test_clicks_before_retention_are_neither_imported_nor_kept(tmp_path: Path) -> None:
    with whole_box(
        tmp_path / "data", adjust=lambda settings: replace(unlimited(settings), link_clicks_days=1_000)
    ) as box:
        world = World(box)
        world.link_domain()
        world.link(slug="live")
        world.follow("live")
        content = content_of("shlink3.sqlite", tmp_path)
        assert imported(world, content).json["clicks"] == 4
        old = box.run(waiting.erase_older(box.box.events.db, 1_777_680_000_000))  # 2026-05-02
        assert (old, len(world.clicks("id"))) == (2, 3)
        assert box.run(waiting.count_older(box.box.events.db, 1_777_680_000_000)) == 0


def test_link_with_many_visits_is_several_rows(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_IN_A_ROW", 100)
    content = content_of("shlink3.sqlite", tmp_path)
    done = imported(world, content)
    assert (done.json["total"], done.json["created"], done.json["clicks"]) == (4, 2, 4)
    assert [world.follow("map", host=DOMAIN).status for _ in range(4)] == [302, 302, 302, 410]


def test_database_that_grew_adds_its_new_visits(world: World, tmp_path: Path) -> None:
    imported(world, content_of("yourls110.sqlite", tmp_path))
    with sqlite3.connect(tmp_path / "yourls110.sqlite") as db:
        db.execute(
            "insert into yourls_log values (4, '2026-05-01 10:00:00', 'wiki', 'direct', ?, '203.0.113.1', 'FR')",
            (IPHONE,),
        )
    content = msgspec.json.encode(read_links_database(tmp_path / "yourls110.sqlite")).decode()
    assert imported(world, content).json["clicks"] == 1


def test_history_that_names_no_origin_is_an_error_of_its_row(world: World) -> None:
    history = {"origins": [], "clicks": [[1_777_629_600_000, 0, 1]]}
    row = {"targetUrl": "https://example.com/", "slug": "odd", "clickHistory": history}
    (found,) = imported(world, msgspec.json.encode([row]).decode()).json["rows"]
    assert (found["status"], found["field"]) == ("failed", "clickHistory")


def test_unknown_and_oversized_databases_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect(tmp_path / "other.db") as db:
        db.execute("create table links (id, name)")
        db.execute("insert into links values (1, 'x')")
    with pytest.raises(BadRequest, match="no links of Shlink"):
        read_links_database(tmp_path / "other.db")
    monkeypatch.setattr(databases, "_MOST_VISITS", 2)
    for name in ("shlink5.pgsql", "kutt3.sqlite"):
        with pytest.raises(BadRequest, match="up to 2 visits"):
            content_of(name, tmp_path)


@pytest.mark.parametrize("name", ["shlink3.sqlite", "yourls17.mysql"])
def test_page_checks_a_database_and_imports_its_visits(name: str, pages: PageWorld, tmp_path: Path) -> None:
    content = shortener_databases.write(name, tmp_path).read_bytes()
    body = b'--b\r\ncontent-disposition: form-data; name="file"; filename="links"\r\n\r\n' + content + b"\r\n--b--\r\n"
    headers = {
        "content_type": "multipart/form-data; boundary=b",
        "cookie": pages.box.cookie,
        "sec_fetch_site": "same-origin",
    }
    answer = pages.box.ask("POST", "/links/bulk/file", headers=headers, body=body)
    assert answer.status == 303, answer.body
    path = answer.headers["location"]
    people, bots = CLICKS[service(name)]
    if service(name) == "shlink":
        assert "Links on other domains" in pages.over(path)
        assert pages.sent(path, {"domain": ""}).status == 303
    assert f"{people + bots} earlier clicks" in pages.over(path)
    before = len(pages.clicks("id"))
    assert pages.sent(path, {}).status == 303
    assert f"{people + bots} earlier clicks" in pages.over(path)
    assert len(pages.clicks("id")) - before == people + bots
