"""Calling procedures of websites over the whole box, and looking at what they have done."""

import json
from typing import Any

from analytics_box.app import jobs
from analytics_box.base.store.db import Db
from tests.inprocess import Answer, KeyName, SiteName, WholeBox


def call(box: WholeBox, name: str, given: object, *, key: KeyName | None = "all", **headers: str) -> Answer:
    """A procedure over the plain mirror."""
    return box.post(f"/websites/{name}", given, key=key, **headers)


def row(box: WholeBox, site: SiteName = "shop") -> Any:
    return call(box, "getById", {"id": box.sites[site]}).json


def audit(box: WholeBox) -> list[tuple[str, str, str, Any]]:
    """Organization, actor, action and detail of every entry about a website, oldest first."""
    entries = ask(
        box.box.box_db,
        "select organization_id, actor, action, detail from audit where subject = 'website' order by id",
    )
    return [(organization, actor, action, json.loads(detail)) for organization, actor, action, detail in entries]


def ask(db: Db, statement: str, *values: str | int) -> list[Any]:
    """The rows of a statement, over the box's own connections."""
    return db.read_now(lambda connection: connection.execute(statement, values).fetchall())


def view(box: WholeBox, client_id: str, path: str = "/a") -> Answer:
    event = {"name": "screen_view", "path": f"https://shop.example{path}"}
    return box.post(f"/?client_id={client_id}", event)


def events(box: WholeBox, site: SiteName) -> int:
    ((count,),) = ask(box.box.events.db, "select count(*) from events where site = ?", box.numbers[site])
    return int(count)


def run_job(box: WholeBox, name: str) -> None:
    job = next(job for job in jobs.JOBS if job.name == name)

    async def run() -> None:
        await job.run(box.box)

    box.run(run())
