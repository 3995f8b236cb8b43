"""A box with a status page, a mail server, a web server that takes webhooks, and incidents that are written plainly."""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any
from unittest.mock import patch

from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages import rows
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import AffectedComponent, Incident, IncidentUpdate, Status
from analytics_box.products.status_pages.page import StatusPage, Whole, new_component, new_page
from analytics_box.products.status_pages.rows import COMPONENTS, PAGES
from analytics_box.products.status_pages.seen import ComponentSeen, PageSeen
from analytics_box.products.status_pages.subscribers import outbox
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.public import Reply, SubscriptionPages, SubscriptionVisit
from tests.base.notify.mail_server import MailServer, mail_server
from tests.base.outgoing.places import plain, strangers_reach_the_tests
from tests.inprocess import WholeBox
from tests.tenants.configuration.world import World as Outside
from tests.tenants.configuration.world import world_in as outside_in

PAGE = "page-of-acme"
API, SHOP = "component-api", "component-shop"
ADA = "ada@example.org"
SOON = SubscriberDeliveries.soon


class World:
    """The box, what visitors do, and what subscribers hear.

    Nothing is sent in the background, where a slow machine would be in another state than a fast one: only `send` and
    `send_soon` send, and `wakes` is how often the box would have begun to.
    """

    def __init__(self, outside: Outside, mails: MailServer) -> None:
        self.outside = outside
        self.wakes = 0
        self.box: WholeBox = outside.box
        self.server = mails
        self._incident: Incident | None = None
        self._updates = 0
        self.keep(new_page(id=PAGE, organization_id=self.box.organization_id, slug="acme", name="Acme"))
        outside.web.reply = echo

    @property
    def parts(self) -> Any:
        return self.box.box.parts

    @property
    def whole(self) -> Whole:
        found: Whole | None = self.parts[StatusPages].find(PAGE)
        assert found is not None
        return found

    def keep(self, page: StatusPage) -> None:
        """The page as it is from now on."""
        components = tuple(
            new_component(id=one, page_id=PAGE, name=one.partition("-")[2], position=place)
            for place, one in enumerate((API, SHOP))
        )

        def put(db: Connection) -> Whole | None:
            if PAGES.find(db, PAGE) is None:
                PAGES.insert(db, page)
                for component in components:
                    COMPONENTS.insert(db, component)
            else:
                PAGES.update(db, page)
            rows.touch(db, PAGE, self.box.clock.now())
            return rows.whole(db, PAGE)

        whole = self.box.box.box_db.write_now(put)
        assert whole is not None
        self.parts[StatusPages].remember(whole)

    # What visitors do

    def visit(self, rest: str, method: Any = "GET", *, network: str = "203.0.113.0/24", **form: str) -> Reply:
        """What a visitor gets; with fields it is a form. `about_` and `component_` stand for names with dots."""
        given = {name.replace("__", "."): value for name, value in form.items()}
        visit = SubscriptionVisit("POST" if given else method, rest, network, given)
        reply: Reply = self.box.run(self.parts[SubscriptionPages].answer(self.whole, seen_of(self.whole), visit))
        return reply

    def subscribe(self, address: str = ADA, **more: str) -> Reply:
        return self.visit("subscribe", address=address, **more)

    def confirmed(self, address: str = ADA, **more: str) -> str:
        """Somebody who subscribed and confirmed; the path of their link below the page."""
        self.subscribe(address, **more)
        self.send()
        path = self.link_of(address)
        assert self.visit(path, action="confirm", **more).done
        self.server.messages.clear()
        self.server.recipients.clear()
        return path

    def link_of(self, address: str) -> str:
        """The path of the link in the latest mail to somebody."""
        return link_in([text for to, text in self.mails() if to == address][-1])

    # What happens

    def says(
        self,
        status: Status = "investigating",
        message: str = "We look into it.",
        *components: str,
        is_draft: bool = False,
        notified: bool = True,
    ) -> int:
        """An update of the only incident; how many are told."""
        self._updates += 1
        now = self.box.clock.now()
        affected = tuple(
            AffectedComponent(component_id=one, name=one.partition("-")[2], impact="down") for one in components
        )
        before = self._incident or Incident(
            id="incident-one", page_id=PAGE, kind="incident", title="It is slow", status=status, started_at=now
        )
        update = IncidentUpdate(
            id=f"update-{self._updates:03}",
            incident_id=before.id,
            status=status,
            message=message,
            at=now,
            created_at=now,
            updated_at=now,
            notified=notified,
            affected=affected,
        )
        incident = Incident(
            **{name: getattr(before, name) for name in before.__struct_fields__ if name not in CHANGED},
            status=status,
            is_draft=is_draft,
            updates=(update, *before.updates),
            affected=affected,
        )
        self._incident = incident
        return self.box.box.box_db.write_now(lambda db: publish(db, self.whole.page, incident, update))

    # What is sent

    def send(self) -> None:
        """Work off what is due."""
        self.box.run(self.parts[SubscriberDeliveries].run())

    def send_soon(self) -> None:
        """Work off what is due as the box does in the background, and wait for that."""

        async def work_off() -> None:
            deliveries = self.parts[SubscriberDeliveries]
            SOON(deliveries)
            for lanes in deliveries.lanes:
                while tasks := lanes._tasks:
                    await asyncio.wait(set(tasks))

        self.box.run(work_off())

    def note_wake(self) -> None:
        """The box would begin to send."""
        self.wakes += 1

    def later(self, milliseconds: int) -> None:
        self.box.clock.advance(seconds=milliseconds / 1000)
        self.send()

    def mails(self) -> list[tuple[str, str]]:
        """Recipient and text of each mail."""
        return [(str(mail["To"]), text_of(mail)) for mail in self.headers()]

    def headers(self) -> list[Message]:
        return [message_from_string(text) for text in self.server.messages]

    def posts(self) -> list[tuple[dict[str, str], dict[str, Any]]]:
        """Headers and content of what webhooks got."""
        return [read(request) for request in self.outside.web.heard]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.box.box.box_db.read_now(lambda db: db.execute(statement).fetchall())


CHANGED = {"status", "is_draft", "updates", "affected"}


def seen_of(whole: Whole) -> PageSeen:
    """The page as visitors see it, as far as subscriptions look at it."""
    page = whole.page
    known = {"name": page.name, "slug": page.slug, "zone": page.zone, "subscribable": page.subscribable}
    empty: dict[str, Any] = dict.fromkeys(PageSeen.__struct_fields__)
    components = tuple(
        ComponentSeen(
            id=one.id,
            name=one.name,
            description="",
            group_id=None,
            position=one.position,
            manual=True,
            status="operational",
            current="up",
            freshness="fresh",
        )
        for one in whole.components
    )
    return PageSeen(**(empty | known | {"id": page.id, "components": components, "groups": ()}))


def publish(db: Connection, page: StatusPage, incident: Incident, update: IncidentUpdate) -> int:
    """Write an update as whoever keeps incidents does, and tell it in the same transaction; how many are told."""
    now = update.at
    db.execute(
        """
        insert into incidents (id, page_id, kind, title, status, severity, started_at, created_at, updated_at)
        values (?, ?, 'incident', ?, ?, 'minor', ?, ?, ?)
        on conflict (id) do update set status = excluded.status
        """,
        (incident.id, page.id, incident.title, incident.status, now, now, now),
    )
    told = outbox.notify(db, page, incident, update, now)
    db.execute(
        """
        insert into incident_updates
          (id, incident_id, status, message, at, notified, affected, author, created_at, updated_at)
        values (?, ?, ?, ?, ?, 1, '[]', '', ?, ?)
        """,
        (update.id, incident.id, update.status, update.message, now, now, now),
    )
    return told


def text_of(mail: Message, kind: str = "text/plain") -> str:
    """The part of a mail in this format."""
    part = next(part for part in mail.walk() if part.get_content_type() == kind)
    return bytes(part.get_payload(decode=True)).decode().replace("\r\n", "\n")


def link_in(text: str) -> str:
    """The path of the link of a subscriber, below the page."""
    found = re.search(r"http://localhost:8000/status/acme/(subscription/[\w-]+)", text)
    assert found is not None, text
    return found[1]


def read(request: bytes) -> tuple[dict[str, str], dict[str, Any]]:
    """Headers in lower case, and the body."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line.decode().partition(": ") for line in head.split(b"\r\n")[1:]]
    return {name.lower(): value for name, _, value in lines}, json.loads(body)


def echo(request: bytes) -> bytes:
    """A webhook that answers its challenge."""
    challenge = read(request)[1]["data"].get("challenge", "")
    return plain(json.dumps({"challenge": challenge}).encode())


@contextmanager
def world_in(directory: Path, **given: object) -> Iterator[World]:
    """The whole world, in which webhooks of strangers reach the tests; `given` are further settings."""
    with mail_server() as mails, strangers_reach_the_tests():
        smtp = {"smtp_host": "127.0.0.1", "smtp_port": mails.port, "smtp_security": "none", "smtp_from": "box@acme.org"}
        with outside_in(directory, **(smtp | given)) as outside, world_of(outside, mails) as world:
            yield world


@contextmanager
def world_of(outside: Outside, mails: MailServer) -> Iterator[World]:
    """The world with this outside."""
    world = World(outside, mails)
    with patch.object(SubscriberDeliveries, "soon", lambda _: world.note_wake()):
        yield world
