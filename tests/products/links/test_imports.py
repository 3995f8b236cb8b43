"""Many links from a file: each row by itself, the same in a dry run, and there and back again."""

import asyncio
import csv
import io
import json
import threading
from typing import Any

import pytest

from analytics_box.base.identity import Identity
from analytics_box.products.links.bulk import imports
from analytics_box.products.links.bulk.files import Form
from analytics_box.products.links.bulk.imports import ImportLinks, LinkImportAnswer
from analytics_box.tenants.keys.ring import KeyRing
from tests.products.links.world import World

SHEET = """name,targetUrl,slug,tags,folder,externalId,utmSource,maxClicks
One,https://example.com/1,one,x;y,News,e1,mail,5
Bad,javascript:alert(1),bad,,,,,
Two,https://example.com/2,one,,,,,
,https://example.com/3,,,news,,,
"""


def done(answer: Any) -> list[tuple[int, str]]:
    return [(row["row"], row["status"]) for row in answer.json["rows"]]


def test_each_row_succeeds_or_fails_by_itself(world: World) -> None:
    answer = world.call("links.import", content=SHEET)
    assert answer.status == 200, answer.body
    assert done(answer) == [(1, "created"), (2, "failed"), (3, "failed"), (4, "created")]
    assert {name: answer.json[name] for name in ("total", "created", "updated", "unchanged", "failed")} == {
        "total": 4,
        "created": 2,
        "updated": 0,
        "unchanged": 0,
        "failed": 2,
    }
    bad, taken = answer.json["rows"][1:3]
    assert bad["field"] == "targetUrl"
    assert "http" in bad["error"]
    assert (taken["field"], taken["error"]) == ("slug", "This slug is already taken")
    assert world.follow("one").headers["location"] == "https://example.com/1?utm_source=mail"
    (folder,) = world.call("linkFolders.list").json
    first, last = world.call("links.paginated", sort="oldest").json["items"]
    assert (first["tags"], first["maxClicks"], first["folderId"]) == (["x", "y"], 5, folder["id"])
    assert (last["name"], last["folderId"]) == ("https://example.com/3", folder["id"])


def test_a_dry_run_says_the_same_and_keeps_nothing(world: World) -> None:
    dry = world.call("links.import", content=SHEET, dryRun=True)
    assert dry.json["dryRun"] is True
    assert world.call("links.list").json == []
    assert world.call("linkFolders.list").json == []
    assert world.follow("one").status == 404
    assert world.box.box.box_db.read_now(
        lambda db: db.execute("select count(*) from audit where subject like 'link%'").fetchall()
    ) == [(0,)]
    real = world.call("links.import", content=SHEET)
    assert done(dry) == done(real)


def test_an_external_id_changes_the_link_that_has_it(world: World) -> None:
    world.call("links.import", content=SHEET)
    again = world.call("links.import", content="externalId,url,title\ne1,https://example.com/new,Renamed\n")
    assert done(again) == [(1, "updated")]
    assert world.follow("one").headers["location"] == "https://example.com/new?utm_source=mail"
    same = world.call("links.import", content="externalId,url,title\ne1,https://example.com/new,Renamed\n")
    assert done(same) == [(1, "unchanged")]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_exported_file_can_be_imported(world: World, form: str) -> None:
    condition = {"property": "country", "operator": "in", "values": ["DE", "FR"]}
    world.call("linkFolders.create", name='News, and "more"')
    folder = world.call("linkFolders.list").json[0]["id"]
    made = world.link(
        name='=1+1 "quoted", ü\n',
        slug="full",
        folderId=folder,
        externalId="e1",
        tags=["b", "a"],
        expiresAt="2027-01-01T10:00:00Z",
        expiredRedirectUrl="https://example.com/over",
        maxClicks=9,
        redirectStatus=307,
        queryForwarding="keep",
        utm={"source": "s", "content": "c"},
        ogTitle="T",
        iosUrl="https://apps.apple.com/1",
        deepLinkApp="youtube",
        rules=[{"name": "r", "targetUrl": "https://example.com/r", "conditions": [condition]}],
        variants=[{"name": name, "targetUrl": f"https://example.com/{name}", "weight": 1} for name in "ab"],
    )
    content = world.call("links.export", format=form).json["content"]
    back = world.call("links.import", content=content, format=form)
    assert done(back) == [(1, "unchanged")], back.body
    world.call("links.delete", id=made["id"])
    assert done(world.call("links.import", content=content, format=form)) == [(1, "created")]
    (again,) = world.call("links.list").json
    changing = {"id", "createdBy", "createdAt", "updatedAt"}
    assert {name: again[name] for name in made if name not in changing} == {
        name: made[name] for name in made if name not in changing
    }


def test_a_sheet_runs_nothing_in_a_spreadsheet(world: World) -> None:
    world.link(name="=cmd()", ogTitle="@sum", tags=["+1"])
    content = world.call("links.export").json["content"]
    (row,) = list(csv.DictReader(io.StringIO(content)))
    assert (row["name"], row["ogTitle"], row["tags"]) == ("'=cmd()", "'@sum", "'+1")


def test_a_file_over_http(world: World) -> None:
    world.link(slug="abc")
    key = world.box.keys["linking"]
    answer = world.box.get("/links/export/csv", x_api_key=key)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="links.csv"'
    assert b"abc" in answer.body
    assert json.loads(world.box.get("/links/export/json", x_api_key=key).body)[0]["slug"] == "abc"
    assert world.box.get("/links/export/xml", x_api_key=key).status == 404
    assert json.loads(world.box.get("/links/export/json", x_api_key=world.box.keys["foreign"]).body) == []


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("", "csv"),
        ("name\nA\n", "csv"),
        ("name,targetUrl\n", "csv"),
        ("not json", "json"),
        ('{"name": "A"}', "json"),
        ("[]", "json"),
        ("targetUrl\n" + "https://example.com/\n" * 10_001, "csv"),
    ],
)
def test_file_without_links_is_refused(world: World, content: str, form: str) -> None:
    answer = world.call("links.import", content=content, format=form)
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")


@pytest.mark.parametrize(
    "row",
    [
        {"targetUrl": "https://example.com/", "maxClicks": "many"},
        {"targetUrl": "https://example.com/", "rules": "[{"},
        {"targetUrl": "https://example.com/", "expiresAt": "soon"},
        {"targetUrl": "https://example.com/", "domain": "go.example.org"},
        {"targetUrl": "https://example.com/", "folder": "x" * 81},
        {"targetUrl": "https://example.com/", "nonsense": 1},
        {"targetUrl": 7},
        {"name": "no target"},
    ],
)
def test_a_row_that_is_wrong_says_why(world: World, row: dict[str, Any]) -> None:
    content = json.dumps([row, {"targetUrl": "https://example.com/good", "name": "Good"}])
    answer = world.call("links.import", content=content, format="json")
    assert done(answer) == [(1, "failed"), (2, "created")], answer.body
    assert answer.json["rows"][0]["error"]


def test_a_row_without_a_name_renames_nothing(world: World) -> None:
    world.link(name="Mine", externalId="e1", slug="mine")
    content = "externalId,url\ne1,https://example.com/new\ne2,https://example.com/2\n"
    assert done(world.call("links.import", content=content)) == [(1, "updated"), (2, "created")]
    names = {link["externalId"]: link["name"] for link in world.call("links.list").json}
    assert names == {"e1": "Mine", "e2": "https://example.com/2"}


@pytest.mark.parametrize("form", ["csv", "json"])
def test_protected_link_is_not_created_without_its_password(world: World, form: str) -> None:
    world.link(slug="open", externalId="e1")
    made = world.link(slug="shut", password="secret", externalId="e2")
    content = world.call("links.export", format=form).json["content"]
    assert "secret" not in content
    assert done(world.call("links.import", content=content, format=form)) == [(1, "unchanged"), (2, "unchanged")]
    world.call("links.delete", id=made["id"])
    for dry in (True, False):
        answer = world.call("links.import", content=content, format=form, dryRun=dry)
        assert done(answer) == [(1, "unchanged"), (2, "failed")]
        assert answer.json["rows"][1]["field"] == "password"
    assert world.follow("shut").status == 404
    row = {"targetUrl": "https://example.com/", "slug": "shut", "protected": True, "password": "another"}
    assert done(world.call("links.import", content=json.dumps([row]), format="json")) == [(1, "created")]
    assert world.unlock("shut", "another").status == 303


def test_columns_that_mean_nothing_are_named(world: World) -> None:
    answer = world.call("links.import", content="targetUrl,Colour,clicks\nhttps://example.com/,red,7\n")
    assert (done(answer), answer.json["ignoredColumns"]) == ([(1, "created")], ["Colour"])


def test_a_row_that_fails_leaves_no_folder(world: World) -> None:
    """The slug of the second row is taken; the third wants the same folder and makes it."""
    rows = (("one", ""), ("one", "New"), ("two", "new"), ("two", "Never"))
    content = "targetUrl,slug,folder\n" + "".join(f"https://example.com/,{slug},{folder}\n" for slug, folder in rows)
    expected = [(1, "created"), (2, "failed"), (3, "created"), (4, "failed")]
    assert done(world.call("links.import", content=content, dryRun=True)) == expected
    assert done(world.call("links.import", content=content)) == expected
    (folder,) = world.call("linkFolders.list").json
    (in_it,) = world.call("links.list", folderId=folder["id"]).json
    assert (folder["name"], in_it["slug"]) == ("new", "two")
    assert world.box.box.box_db.read_now(
        lambda db: db.execute("select count(*) from audit where subject = 'link folder'").fetchall()
    ) == [(1,)]


def test_files_are_read_one_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many come at once, so that their memory does not add up."""
    read, gate = imports.read_rows, threading.Event()
    inside, most = 0, 0

    def counted(content: str, form: Form) -> imports.LinkFile:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        assert gate.wait(60)
        inside -= 1
        return read(content, form)

    async def together() -> list[LinkImportAnswer]:
        parts = world.box.box.parts
        call = parts.by(Identity("203.0.113.7", key=parts[KeyRing].look_up(world.box.keys["linking"])))
        tasks = [asyncio.create_task(imports.import_links(call, ImportLinks(SHEET, dryRun=True))) for _ in range(6)]
        while not inside:
            await asyncio.to_thread(lambda: None)
        for _ in range(20):  # the others would have begun by now
            await asyncio.to_thread(lambda: None)
        gate.set()
        return list(await asyncio.gather(*tasks))

    monkeypatch.setattr(imports, "read_rows", counted)
    assert [shown.created for shown in world.box.run(together())] == [2] * 6
    assert most == 1


def test_semicolons_marks_of_order_and_blank_lines(world: World) -> None:
    answer = world.call("links.import", content="\ufeffName;URL\r\nA;https://example.com/1\r\n\r\n;\r\n")
    assert done(answer) == [(1, "created")]


def test_reader_cannot_import(world: World) -> None:
    assert world.call("links.import", content=SHEET, key="reading").status == 403


def test_the_same_file_once_more_changes_nothing_and_says_so(world: World) -> None:
    sheet = (
        "name,targetUrl,slug,tags,folder,expiresAt\n"
        "One,https://example.com/1,one,y;x,News,2030-01-31\n"
        ",https://example.com/2,two,,,\n"
    )
    assert done(world.call("links.import", content=sheet)) == [(1, "created"), (2, "created")]
    before = world.call("links.list").json
    for dry in (True, False):
        again = world.call("links.import", content=sheet, dryRun=dry)
        assert done(again) == [(1, "unchanged"), (2, "unchanged")], again.json
        assert [row["slug"] for row in again.json["rows"]] == ["one", "two"]
    exported = world.call("links.export", format="csv").json["content"]
    assert {status for _, status in done(world.call("links.import", content=exported))} == {"unchanged"}
    assert world.call("links.list").json == before
    other = sheet.replace("/1,one", "/other,one")
    changed = world.call("links.import", content=other)
    assert done(changed) == [(1, "failed"), (2, "unchanged")]
    assert changed.json["rows"][0]["error"] == "This slug is already taken"
