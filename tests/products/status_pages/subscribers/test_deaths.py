"""Killed before or after any write, the box tells each subscriber of each update: once, or again under the same id."""

import asyncio
from collections import Counter
from typing import Any

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.products.status_pages.incident import Incident, IncidentUpdate
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from tests.products.status_pages.subscribers.world import PAGE, World, publish


class Death:
    """Lets a box die before or after its nth write from now on, as kill -9 does: nothing after it happens."""

    def __init__(self, here: World, number: int, *, after: bool) -> None:
        self.left, self.after, self.came = number, after, asyncio.Event()
        self._write = here.box.box.box_db.write
        here.box.box.box_db.write = self._mortal  # type: ignore[method-assign]  # until the box is opened again

    async def _mortal(self, work: Any, **given: Any) -> Any:
        self.left -= 1
        is_last = self.left == 0  # others may write meanwhile
        if is_last and not self.after:
            await self._die()
        done = await self._write(work, **given)
        if is_last:
            await self._die()
        return done

    async def _die(self) -> None:
        self.came.set()
        await asyncio.Event().wait()  # whoever waits for this write waits for ever


async def published(here: World, incident: Incident, update: IncidentUpdate) -> None:
    """Publish an update, if that has not been done, and send what waits."""
    known = here.rows(f"select count(*) from incident_updates where id = '{update.id}'")
    box, page = here.box.box, here.whole.page
    if known == [(0,)]:
        await box.box_db.write(lambda db: publish(db, page, incident, update))
    await box.parts[SubscriberDeliveries].run()


async def until_death(here: World, death: Death, incident: Incident, update: IncidentUpdate) -> bool:
    """Whether the box died on the way."""
    living = asyncio.ensure_future(published(here, incident, update))
    dying = asyncio.ensure_future(death.came.wait())
    await asyncio.wait({living, dying}, return_when=asyncio.FIRST_COMPLETED)
    died = not living.done()
    tasks = [task for lanes in here.box.box.parts[SubscriberDeliveries].lanes for task in lanes._tasks]
    for task in (living, dying, *tasks):
        task.cancel()
    await asyncio.gather(living, dying, *tasks, return_exceptions=True)
    return died


def test_every_subscriber_gets_each_update_under_one_id_after_any_kill(here: World) -> None:
    here.confirmed()
    here.subscribe(here.outside.hook)
    here.send()
    here.outside.web.heard.clear()
    now = here.box.clock.now()
    incident = Incident(id="incident-one", page_id=PAGE, kind="incident", title="Slow", status="investigating")
    deaths = 0
    for number in range(1, 6):
        for after in (False, True):
            update = IncidentUpdate(
                id=f"update-{number}-{after}",
                incident_id=incident.id,
                status="investigating",
                message=f"{number} {after}",
                at=now,
                created_at=now,
                updated_at=now,
            )
            incident = replace(incident, updates=(update,))
            died = here.box.run(until_death(here, Death(here, number, after=after), incident, update))
            deaths += died
            here.box.reopen()
            here.box.run(published(here, incident, update))
            here.later(DAY)
            mails = Counter(str(mail["Message-ID"]) for mail in here.headers())
            posts = Counter(headers["webhook-id"] for headers, _ in here.posts())
            for heard in (mails, posts):
                assert len(heard) == 1, (number, after, heard)
                assert heard.total() <= 1 + died, (number, after, heard)
            here.server.messages.clear()
            here.outside.web.heard.clear()
    assert deaths == 6  # an update is a write, and so is what came of each of two messages
    assert here.rows("select count(*) from subscriber_deliveries where due_at is not null or error <> ''") == [(0,)]
