"""What is left of a deleted organization when nobody can restore it any more: its entries in the audit log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app.jobs import JOBS, run_job
from analytics_box.app.removals import KEPT, LOSSES
from analytics_box.base.clock import DAY
from analytics_box.base.facts.erase import OTHERS
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from tests.inprocess import WholeBox, whole_box
from tests.tenants.organizations.pictures import PNG, form
from tests.tenants.organizations.world import World

OF_ORGANIZATION = tuple(table for loss in LOSSES for table in loss.tables)
OF_WEBSITE = tuple(table for loss in LOSSES for table in loss.of_websites)


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_sign_in=0, limit_rpc=0)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[World]:
    """ada's organization has a bit of everything, and she has another one, "Home"."""
    with whole_box(tmp_path / "data", adjust=unlimited) as inside:
        found = World(inside)
        found.add("ken", "member")
        found.add("eve", "owner", inside.foreign_organization_id)
        found.call("ada", "organizations.create", name="Home")
        found.call("ada", "organizations.createInvitation", email="new@example.com")
        found.send_bytes("ada", "/settings/organization/logo", form(PNG))
        found.call("ada", "websites.delete", id=inside.sites["idle"])
        for site in ("shop", "foreign"):
            track(inside, site)
        for key in ("tracking", "foreign"):
            assert inside.post("/track", {"name": "of the organization"}, key=key).status == 200
        yield found


def track(box: WholeBox, site: str) -> None:
    event = {"name": "screen_view", "path": "/", "anonymousId": "anon_1", "sessionId": "sess_1"}
    headers = {"content_type": "application/json", "origin": f"https://{site}.example"}
    target = f"/?client_id={box.sites[site]}"  # type: ignore[index]  # one of the names
    assert box.ask("POST", target, headers=headers, body=json.dumps(event).encode()).status == 200


def ask(db: Db, statement: str, *values: Any) -> list[Any]:
    found: list[Any] = db.read_now(lambda connection: connection.execute(statement, values).fetchall())
    return found


def rows_of(people: World, organization_id: str) -> dict[str, int]:
    """How many rows name an organization, by table."""
    db = people.box.box.box_db
    return {
        table: ask(db, f"select count(*) from {table} where organization_id = ?", organization_id)[0][0]
        for table in (*OF_ORGANIZATION, *KEPT)
    }


def events_by_site(people: World) -> dict[int, int]:
    return dict(ask(people.box.box.events.db, "select site, count(*) from events group by site"))


def run_purge(people: World) -> None:
    job = next(job for job in JOBS if job.name == "purge organizations")
    people.box.run(run_job(job, people.box.box))


def delete(people: World) -> None:
    own = people.box.organization_id
    assert people.call("ada", "organizations.delete", organizationId=own).status == 200


def test_nothing_of_it_is_left_but_the_log(people: World) -> None:
    own, foreign = people.box.organization_id, people.box.foreign_organization_id
    others, events = rows_of(people, foreign), events_by_site(people)
    assert len(events) == 4
    delete(people)
    before = rows_of(people, own)
    people.box.clock.advance(seconds=30 * DAY / 1000 - 1)
    run_purge(people)
    assert rows_of(people, own) == before
    people.box.clock.advance(seconds=1)
    run_purge(people)
    after = rows_of(people, own)
    assert {table: count for table, count in after.items() if count} == {"audit": before["audit"] + 1}
    assert rows_of(people, foreign) == others
    site = people.box.numbers["foreign"]
    assert events_by_site(people) == {number: count for number, count in events.items() if number in theirs(people)}
    assert site in events_by_site(people)
    (row,) = ask(people.box.box.box_db, "select name, slug, logo, metadata from organizations where id = ?", own)
    assert row[0] == "Deleted"
    assert row[1].startswith("deleted-")
    assert row[2:] == ("", "{}")
    assert ask(people.box.box.box_db, "select count(*) from client_ids where id = ?", people.box.sites["shop"]) == [
        (0,)
    ]


def theirs(people: World) -> set[int]:
    """The numbers of eve's organization and its website."""
    foreign = people.box.foreign_organization_id
    found = ask(people.box.box.box_db, "select site from organizations where id = ?", foreign)
    return {people.box.numbers["foreign"], *(number for (number,) in found)}


def test_organization_is_purged_once_and_logged(people: World) -> None:
    own = people.box.organization_id
    delete(people)
    people.box.clock.advance(seconds=30 * DAY / 1000)
    run_purge(people)
    run_purge(people)
    found = ask(
        people.box.box.box_db,
        "select actor, action, detail from audit where organization_id = ? and actor = 'the box'",
        own,
    )
    assert [(actor, action, json.loads(detail)) for actor, action, detail in found] == [
        ("the box", "deleted", {"name": "Ada", "eventsRemoved": 2})
    ]


def test_purged_organization_is_unreachable_for_everyone(people: World) -> None:
    own, slug = people.box.organization_id, people.call("ada", "organizations.getById").json["slug"]
    delete(people)
    people.box.clock.advance(seconds=30 * DAY / 1000)
    run_purge(people)
    for _ in ("in memory", "after a restart"):
        people.forget("ada")
        people.forget("ken")
        assert people.call("ada", "organizations.listDeleted").json == []
        assert people.call("ada", "organizations.restore", organizationId=own).status == 404
        assert [one["name"] for one in people.call("ada", "organizations.list").json] == ["Home"]
        assert people.box.post("/websites/list", {}, key="all").status == 401
        assert people.box.query("shop", {"parameters": ["summary_metrics"], "preset": "today"}).status == 401
        assert people.signs_in("ken").status == 403
        people.box.reopen()
    assert people.call("ada", "organizations.create", name="Ada", slug=slug).status == 200  # its name is free again


def test_an_account_without_any_organization_can_be_invited_again(people: World) -> None:
    delete(people)
    people.box.clock.advance(seconds=30 * DAY / 1000)
    run_purge(people)
    people.forget("ada")
    url = people.call("ada", "organizations.createInvitation", email="ken@example.com").json["url"]
    target = url[url.index("/invitation") :]
    assert people.send(None, target, password="an unused password").status == 303
    assert people.signs_in("ken").status == 303


def test_a_restored_one_is_not_purged(people: World) -> None:
    delete(people)
    people.call("ada", "organizations.restore", organizationId=people.box.organization_id)
    before = rows_of(people, people.box.organization_id)
    people.box.clock.advance(seconds=31 * DAY / 1000)
    run_purge(people)
    assert rows_of(people, people.box.organization_id) == before


def with_column(db: Db, name: str) -> set[str]:
    """The tables with this column."""
    found = ask(
        db,
        """
        select tables.name from sqlite_schema as tables
        join pragma_table_info(tables.name) as columns
        where tables.type = 'table' and columns.name = ?
        """,
        name,
    )
    return {table for (table,) in found}


def test_every_table_that_names_an_organization_or_a_website_goes_with_it(people: World) -> None:
    """A new table has to be put into removals.LOSSES, or be named as kept with the reason."""
    db = people.box.box.box_db
    assert with_column(db, "organization_id") == {*OF_ORGANIZATION, *KEPT}
    assert with_column(db, "website_id") == set(OF_WEBSITE)


def test_rows_that_refer_to_a_removed_row_are_removed(people: World) -> None:
    removed = {*OF_ORGANIZATION, *OF_WEBSITE}
    references = ask(
        people.box.box.box_db,
        """
        select tables.name, named."table" from sqlite_schema as tables
        join pragma_foreign_key_list(tables.name) as named
        where tables.type = 'table' and named.on_delete = 'NO ACTION'
        """,
    )
    assert ("link_domains", "domains") in references
    assert {table for table, named in references if named in removed} <= removed


def test_remaining_tables_have_a_reason_and_are_not_listed_twice() -> None:
    for tables in ((*OF_ORGANIZATION, *KEPT), (*OF_WEBSITE, *KEPT)):
        assert len(set(tables)) == len(tables)
    assert all(KEPT.values())


def test_every_table_of_facts_goes_with_its_site(people: World) -> None:
    facts = {stored_table(name) for name in FACT_NAMES}
    assert with_column(people.box.box.events.db, "site") == facts | {table.name for table in OTHERS}
