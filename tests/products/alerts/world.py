"""A box with people, channels and alarms; what happens is told to it directly, and its outbox is looked into."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from msgspec.structs import replace

from analytics_box.base.clock import MINUTE
from analytics_box.base.settings import Settings
from analytics_box.products.alerts.alert_rule import MonitorsOfOrganization, Occurrence, What
from analytics_box.products.alerts.due import Reminders
from analytics_box.products.alerts.telling import tell
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.organizations.world import World as People

HOOK = "https://hooks.example.com/very-secret"


class World:
    """The box and the calls that tests of alarms make; times are minutes since the test began."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.people = People(box)
        self.began = box.clock.now()
        self._topics = 0
        self.resting: set[str] = set()
        self.starts()

    def starts(self) -> None:
        """What reminds people begins, as with a start of the box."""
        monitored = MonitorsOfOrganization(rests=lambda monitor: monitor in self.resting)
        self.reminders = Reminders(self.box.box.box_db, self.box.clock, monitored)

    def call(self, procedure: str, who: str = "ada", /, **given: object) -> Any:
        """What a procedure answers, which has to be a success."""
        answer = self.people.call(who, procedure, **given)
        assert answer.status == 200, answer.body
        return answer.json

    def refused(self, procedure: str, who: str = "ada", /, **given: object) -> tuple[int, str, str]:
        """Status, field and message of a refusal."""
        answer: Answer = self.people.call(who, procedure, **given)
        assert answer.status >= 400, answer.body
        details = answer.json.get("details") or [{"field": "", "message": answer.json["error"]}]
        return answer.status, details[0]["field"], details[0]["message"]

    def channel(self, name: str = "Hook") -> str:
        """The id of a new webhook."""
        config = {"url": f"{HOOK}/{name}"}
        made = self.call("config.createChannel", type="webhook", name=name, config=config)
        return str(made["channel"]["id"])

    def pager(self) -> str:
        """The id of a channel in which alerts stay open until they are resolved."""
        given = {"type": "pagerduty", "name": "Pager", "config": {"routingKey": "k" * 32}}
        return str(self.call("config.createChannel", **given)["channel"]["id"])

    def actions(self, channel: str) -> list[tuple[str, str]]:
        """Title and action of all messages for a channel."""
        return [(message["title"], message.get("action", "trigger")) for message in self.messages(channel)]

    def alarm(self, *channels: str, escalation: str = "", trigger: str = "uptime", **conditions: object) -> str:
        """The id of a new alarm that leads to these channels."""
        destinations = [{"type": "channel", "identifier": channel} for channel in channels]
        if escalation:
            destinations.append({"type": "channel", "identifier": escalation, "escalation": True})  # type: ignore[dict-item]
        made = self.call(
            "alarms.create", name="Shop", triggerType=trigger, triggerConditions=conditions, destinations=destinations
        )
        return str(made["id"])

    def sent(self, path: str, fields: dict[str, str], who: str = "ada") -> Answer:
        """The answer to a form."""
        form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
        headers = form | {"accept": "text/html", "cookie": self.people.cookie(who)}
        return self.box.ask("POST", path, headers=headers, body=urlencode(fields).encode())

    def seen(self, path: str, who: str = "ada") -> str:
        """A page that is there."""
        answer = self.people.see(who, path)
        assert answer.status == 200, answer.body
        return answer.body.decode()

    def happens(self, what: What, subject: str = "m1", *, topic: str = "", **more: Any) -> int:
        """Something happens to a monitor and is told; the number of messages."""
        self._topics += 1
        occurrence = Occurrence(
            topic=topic or f"t{self._topics}",
            subject=f"monitor:{subject}",
            what=what,
            organization_id=self.box.organization_id,
            at=self.box.clock.now(),
            title=f"{subject} {what}",
            text="Details",
            url="https://box.example/monitors/m1",
            monitor_id=subject,
        )
        now = self.box.clock.now()
        return self.box.box.box_db.write_now(lambda db: tell(db, replace(occurrence, **more), now=now))

    def after(self, minutes: float) -> int:
        """So many minutes go by, and then what is due is done once; the number of messages."""
        self.box.clock.advance(seconds=minutes * 60)
        return self.box.run(self.reminders.run())

    def outbox(self, channel: str = "") -> list[str]:
        """The titles of all messages that were put, for one channel or all, the oldest first."""
        return [message["title"] for message in self.messages(channel)]

    def messages(self, channel: str = "") -> list[dict[str, Any]]:
        """All messages that were put."""
        found = self.box.box.box_db.read_now(
            lambda db: db.execute(
                "select message from deliveries where ? in ('', channel_id) order by number", (channel,)
            ).fetchall()
        )
        return [json.loads(str(message)) for (message,) in found]

    def ran(self) -> None:
        """The box has run for a while, so that nothing of the start is going on."""
        self.after(0)
        self.box.clock.advance(seconds=5 * MINUTE / 1000)


@contextmanager
def world_in(directory: Path) -> Iterator[World]:
    """A box without limits of requests."""

    def adjust(settings: Settings) -> Settings:
        return replace(settings, limit_rpc=0, limit_address=0)

    with whole_box(directory, adjust=adjust) as box:
        yield World(box)
