"""A whole box that knows an outside: a web server that takes its messages, and a name server that it asks."""

import logging
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from analytics_box.base.notify import deliveries
from analytics_box.base.notify.message import Message
from analytics_box.base.settings import Settings
from tests.base.outgoing.places import OPEN, Names, Web, names, web
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.organizations.world import World as People

__all__ = ["World", "world_in"]


class World:
    """The box, its people, and the servers around it."""

    def __init__(self, box: WholeBox, stack: AsyncExitStack, bound: socket.socket) -> None:
        self.box = box
        self.people = People(box)
        self.web: Web = box.run(stack.enter_async_context(web()))
        self.names: Names = box.run(stack.enter_async_context(names(bound)))

    @property
    def hook(self) -> str:
        """An address that takes messages; its path is a secret."""
        return f"http://{OPEN}:{self.web.port}/hooks/very-secret"

    def call(self, name: str, procedure: str, /, **given: object) -> Any:
        """What a procedure answers somebody, which has to be a success."""
        answer = self.people.call(name, procedure, **given)
        assert answer.status == 200, answer.body
        return answer.json

    def refused(self, name: str, procedure: str, /, **given: object) -> tuple[int, str, str]:
        """Status, code and field or message of a refusal."""
        answer: Answer = self.people.call(name, procedure, **given)
        assert answer.status >= 400, answer.body
        details = answer.json.get("details") or [{"field": ""}]
        return answer.status, answer.json["code"], details[0]["field"]

    def channel(self, name: str = "Hook", **config: str) -> dict[str, Any]:
        """A new webhook of ada's."""
        made: dict[str, Any] = self.call(
            "ada", "config.createChannel", type="webhook", name=name, config=config or {"url": self.hook}
        )
        return made

    def tell(self, topic: str, title: str = "Down", only: list[str] | None = None, subject: str = "") -> int:
        """A message for the organization's channels, written as any room writes it; to how many."""
        now = self.box.clock.now()
        message = Message(type="monitor.down", title=title, text="It does not answer.", at=now, subject=subject)
        return self.box.run(
            self.box.box.box_db.write(
                lambda db: deliveries.queue_deliveries(
                    db, self.box.organization_id, message, topic=topic, now=now, only=only
                )
            )
        )

    def audited(self) -> list[tuple[str, str, str]]:
        """Action, subject and detail of what was changed, the oldest first."""
        found = self.box.box.box_db.read_now(
            lambda db: db.execute(
                "select action, subject, detail from audit where actor <> 'test' order by id"
            ).fetchall()
        )
        return [(str(action), str(subject), str(detail)) for action, subject, detail in found]


@contextmanager
def world_in(directory: Path, **given: object) -> Iterator[World]:
    """A box that may reach the web server only, and asks the name server only; `given` are further settings."""
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    bound.bind(("127.0.0.1", 0))

    def adjust(settings: Settings) -> Settings:
        return replace(
            settings,
            allowed_private_targets=(f"{OPEN}/32",),
            dns_servers=(f"127.0.0.1:{bound.getsockname()[1]}",),
            limit_rpc=0,
            limit_address=0,
            **given,
        )

    with whole_box(directory, adjust=adjust) as box:
        stack = AsyncExitStack()
        try:
            yield World(box, stack, bound)
        finally:
            box.run(stack.aclose())
