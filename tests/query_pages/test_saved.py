"""Whose saved questions somebody sees, which they may delete, and what the audit log says of it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from analytics_box.acting import By
from analytics_box.errors import Conflict, NotFound
from analytics_box.identity import Person, Role
from analytics_box.query_pages import saved
from analytics_box.query_pages.saved_rows import Saved
from analytics_box.store.db import Connection
from analytics_box.websites.directory import Directory
from analytics_box.websites.rules import Website
from tests.inprocess import WholeBox, whole_box

QUESTION = {"type": "top_pages", "limit": "5"}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("saved") / "data") as inside:
        yield inside


@pytest.fixture
def website(box: WholeBox) -> Iterator[Website]:
    found = box.box.parts[Directory].find(box.sites["shop"])
    assert found is not None
    yield found
    write(box, lambda db: db.execute("delete from saved_questions").fetchall())


def write(box: WholeBox, work: Callable[[Connection], Any]) -> Any:
    return box.run(box.box.box_db.write(work))


def person(name: str, role: Role = "member") -> Person:
    return Person(name, "organization", role, f"{name}@shop.example", "UTC")


def save(box: WholeBox, website: Website, who: Person, name: str, *, shared: bool = False) -> Saved:
    by = By(f"user:{who.user_id}", 1_000, who.user_id)
    made: Saved = write(box, lambda db: saved.save(db, website, who, by, name, QUESTION, shared=shared))
    return made


def forget(box: WholeBox, website: Website, who: Person, one: Saved) -> None:
    write(box, lambda db: saved.forget(db, website, who, By("user:x", 2_000), one.id))


def seen(box: WholeBox, website: Website, who: Person) -> list[str]:
    found: list[Saved] = write(box, lambda db: saved.seen(db, website, who))
    return [one.name for one in found]


def test_ones_own_are_seen_by_oneself_and_shared_ones_by_everybody(box: WholeBox, website: Website) -> None:
    save(box, website, person("mia"), "b own")
    save(box, website, person("mia"), "A shared", shared=True)
    save(box, website, person("tom"), "b own")
    assert seen(box, website, person("mia")) == ["A shared", "b own"]
    assert seen(box, website, person("tom")) == ["A shared", "b own"]
    assert seen(box, website, person("eve", "viewer")) == ["A shared"]


def test_a_name_is_ones_own_and_saving_it_again_replaces_it(box: WholeBox, website: Website) -> None:
    first = save(box, website, person("mia"), "pages", shared=True)
    again = save(box, website, person("mia"), "  pages ")
    assert (again.id, again.created_at, again.is_shared) == (first.id, first.created_at, False)
    assert save(box, website, person("tom"), "pages").id != first.id


@pytest.mark.parametrize(
    ("who", "shared", "may"),
    [
        (person("mia"), False, True),
        (person("mia", "viewer"), False, False),
        (person("tom"), True, False),
        (person("ann", "admin"), True, True),
        (person("ann", "owner"), False, False),
    ],
)
def test_only_their_owner_deletes_them_and_admins_those_that_are_shared(
    box: WholeBox, website: Website, who: Person, shared: bool, may: bool
) -> None:
    one = save(box, website, person("mia"), "pages", shared=shared)
    if may:
        forget(box, website, who, one)
    else:
        with pytest.raises(NotFound):
            forget(box, website, who, one)
    assert seen(box, website, person("mia")) == ([] if may else ["pages"])


def test_there_is_a_limit_but_what_is_there_can_be_replaced(
    box: WholeBox, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "MOST", 1)
    save(box, website, person("mia"), "pages")
    save(box, website, person("mia"), "pages")
    with pytest.raises(Conflict, match="1 questions"):
        save(box, website, person("mia"), "more")
    save(box, website, person("tom"), "more")


def test_the_audit_log_has_shared_questions_only(box: WholeBox, website: Website) -> None:
    save(box, website, person("mia"), "a secret")
    forget(box, website, person("mia"), save(box, website, person("mia"), "told", shared=True))
    details = [
        json.loads(str(detail))
        for (detail,) in write(box, lambda db: db.execute("select detail from audit order by id").fetchall())
        if "sharedQuestion" in str(detail)
    ]
    told = {"name": "told", "question": QUESTION}
    assert details[-2:] == [
        {"sharedQuestion": {"before": None, "after": told}},
        {"sharedQuestion": {"before": told, "after": None}},
    ]
    assert "a secret" not in json.dumps(details)


def test_they_go_with_their_website(box: WholeBox, website: Website) -> None:
    local = box.box.parts[Directory].find(box.sites["local"])
    assert local is not None
    save(box, local, person("mia"), "pages")
    write(box, lambda db: db.execute("delete from client_ids where website_id = ?", (local.id,)).fetchall())
    write(box, lambda db: db.execute("delete from websites where id = ?", (local.id,)).fetchall())
    assert seen(box, local, person("mia")) == []
