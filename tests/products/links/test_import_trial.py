"""A dry run says of every row what the import then does, and holds nobody up."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.store.db import Connection
from analytics_box.products.links.folders import change as folders
from tests.examples import examples
from tests.inprocess import Answer, whole_box
from tests.products.links.conftest import unlimited
from tests.products.links.world import DOMAIN, TARGET, World

THEIRS = "theirs"  # a slug of another organization
RULE = json.dumps(
    [{"name": "r", "targetUrl": TARGET, "conditions": [{"property": "country", "operator": "equals", "value": "DE"}]}]
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    path: Path = tmp_path_factory.mktemp("import-trial") / "data"
    with pytest.MonkeyPatch.context() as patched, whole_box(path, adjust=unlimited) as box:
        patched.setattr(folders, "MOST", 4)
        world = World(box)
        world.link_domain()
        world.link_domain("short.example")
        yield world


def some(*values: Any, wrong: Any = None) -> st.SearchStrategy[Any]:
    """One of these or nothing, and now and then something wrong."""
    return st.sampled_from([*values * 4, None, wrong])


rows = st.lists(
    st.fixed_dictionaries(
        {"targetUrl": some(TARGET, "https://example.com/other", wrong="javascript:alert(1)")},
        optional={
            "name": some("A", "B", wrong="x" * 256),
            "slug": some("one", "two", "three", "four", THEIRS, wrong="no"),
            "externalId": some("e1", "e2", "e3", " e1 "),
            "folder": some("News", "news ", "Print", "Sale", "Shop", "Web", wrong="x" * 81),
            "domain": some(DOMAIN, "short.example", wrong="elsewhere.example"),
            "maxClicks": some(5, "7", wrong="many"),
            "tags": some("a;b", ["b", "a"], "c", wrong=["x" * 51]),
            "expiresAt": some("2027-01-31", wrong="soon"),
            "rules": some(RULE, wrong="["),
            "protected": some("", wrong="true"),
            "nonsense": some("", wrong=1),
        },
    ),
    min_size=1,
    max_size=12,
)


def empty(db: Connection) -> None:
    for table in ("links", "link_folders"):
        db.execute(f"delete from {table}")


def state(world: World) -> list[Any]:
    """All that an import may change."""
    tables = ("links", "link_tags", "link_folders", "audit", "sqlite_sequence")

    def read(db: Connection) -> list[Any]:
        return [db.execute(f"select * from {table}").fetchall() for table in tables]

    return world.box.box.box_db.read_now(read)


def said(answer: Answer) -> list[tuple[Any, ...]]:
    assert answer.status == 200, answer.body
    return [tuple(row.get(name, "") for name in ("row", "status", "field", "error")) for row in answer.json["rows"]]


@examples(120, unchecked=HealthCheck)
@given(before=rows, more=rows, again=st.booleans())
def test_dry_run_reports_the_result_of_every_row(
    world: World, before: list[dict[str, Any]], more: list[dict[str, Any]], again: bool
) -> None:
    file = before + more if again else more
    world.box.box.box_db.write_now(empty)
    world.call("links.create", key="foreign", name="Theirs", targetUrl=TARGET, slug=THEIRS)
    world.call("links.import", content=json.dumps(before), format="json")
    stored, content = state(world), json.dumps(file)
    dry = world.call("links.import", content=content, format="json", dryRun=True)
    assert state(world) == stored
    real = world.call("links.import", content=content, format="json")
    assert said(dry) == said(real)
    known = {row[1] for row in stored[0]}  # the ids of links
    for foreseen, done in zip(dry.json["rows"], real.json["rows"], strict=True):
        assert foreseen.get("id") == (done["id"] if done.get("id") in known else None)
        assert foreseen.get("slug", "") in {"", done.get("slug", "")}


def test_a_link_that_would_move_to_a_domain_where_its_slug_is_taken(world: World) -> None:
    world.box.box.box_db.write_now(empty)
    world.link(slug="same", externalId="moving")
    world.link(slug="same", domain=DOMAIN)
    content = f"targetUrl,externalId,domain\n{TARGET},moving,{DOMAIN}\n"
    dry = world.call("links.import", content=content, dryRun=True)
    assert said(dry) == [(1, "failed", "slug", "This slug is already taken")]
    assert said(world.call("links.import", content=content)) == said(dry)


def test_a_password_makes_every_row_a_change_and_is_not_hashed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.box.box.box_db.write_now(empty)
    content = "targetUrl,externalId,password\n" + f"{TARGET},e1,secret\n" * 2
    with monkeypatch.context() as patched:
        patched.setattr("analytics_box.tenants.accounts.passwords.hash_now", None)
        dry = world.call("links.import", content=content, dryRun=True)
    real = world.call("links.import", content=content)
    assert [status for _, status, _, _ in said(dry)] == ["created", "updated"]
    assert said(dry) == said(real)


def test_dry_run_neither_waits_for_writes_nor_delays_them(world: World) -> None:
    begun, go = threading.Event(), threading.Event()

    def hold(_: Connection) -> None:
        begun.set()
        go.wait(60)

    holder = threading.Thread(target=world.box.box.box_db.write_now, args=(hold,))
    holder.start()
    try:
        assert begun.wait(60)
        content = "targetUrl,folder\n" + "".join(f"{TARGET}/{number},F{number % 3}\n" for number in range(300))
        answer = world.call("links.import", content=content, dryRun=True)  # while the one writer is held
        assert (answer.json["created"], answer.json["failed"]) == (300, 0)
    finally:
        go.set()
        holder.join(60)


def test_others_write_between_the_pieces_of_an_import(world: World) -> None:
    world.box.box.box_db.write_now(empty)
    before = world.box.box.box_db.version
    content = "targetUrl\n" + f"{TARGET}\n" * 1_000
    assert world.call("links.import", content=content).json["created"] == 1_000
    assert world.box.box.box_db.version - before >= 10


def test_dry_run_invents_no_id_and_no_slug(world: World) -> None:
    world.box.box.box_db.write_now(empty)
    content = f"targetUrl,slug\n{TARGET},\n{TARGET},mine\n"
    rows = world.call("links.import", content=content, dryRun=True).json["rows"]
    assert rows == [{"row": 1, "status": "created"}, {"row": 2, "status": "created", "slug": "mine"}]
