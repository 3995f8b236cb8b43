"""A box with visitors in two weeks, a mail server, and reports about them."""

from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.notify.deliveries import ChannelDeliveries
from analytics_box.products.reports import sending
from analytics_box.products.reports.sending import ReportDeliveries
from tests.base.notify.mail_server import MailServer, mail_server
from tests.inprocess import EMAIL, NOON, Answer, FixedClock, WholeBox, whole_box
from tests.products.overview.filtered import PEOPLE, visit

MONDAY = NOON - 2 * DAY  # 2026-06-15 12:00 UTC
STRANGER = "mara@elsewhere.example"


class World:
    """The box, its reports, and what their recipients get. Nothing is sent in the background: only `send` sends."""

    def __init__(self, box: WholeBox, server: MailServer) -> None:
        self.box = box
        self.server = server

    def call(self, procedure: str, **given: Any) -> Any:
        answer = self.box.post(f"/{procedure.replace('.', '/')}", given, key="all")
        assert answer.status == 200, answer.body
        return answer.json

    def report(self, **given: Any) -> Any:
        """A weekly report, sent on Mondays at 08:00 UTC."""
        usual = {"websiteId": self.box.sites["shop"], "name": "Weekly", "recipients": [EMAIL]}
        return self.call("reports.create", **{**usual, **given})

    def tick(self) -> None:
        """What the job does that makes reports."""
        self.box.run(sending.tick(self.box.box.parts))

    def send(self) -> None:
        """Work off what waits."""
        self.box.run(self.box.box.parts[ReportDeliveries].run())
        self.box.run(self.box.box.parts[ChannelDeliveries].run())

    def pass_days(self, days: float) -> None:
        """Let time pass, then make and send what is due."""
        self.box.clock.advance(seconds=days * DAY / 1000)
        self.tick()
        self.send()

    def send_form(self, path: str, body: str, *, site: str = "same-origin", cookie: str = "") -> Answer:
        """Post a form, without a session unless there is a cookie."""
        headers = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": site, "accept": "text/html"}
        return self.box.ask("POST", path, headers={**headers, "cookie": cookie}, body=body.encode())

    def mails(self) -> list[Message]:
        return [message_from_string(text) for text in self.server.messages]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.box.box.box_db.read_now(lambda db: db.execute(statement).fetchall())


@contextmanager
def world_in(directory: Path, **given: Any) -> Iterator[World]:
    """A box on Wednesday, 17 June 2026, whose four visitors came two days before and again today."""
    geo = {"geo_country_header": "x-country", "geo_region_header": "x-region", "geo_city_header": "x-city"}
    with mail_server() as server:
        smtp = {
            "smtp_host": "127.0.0.1",
            "smtp_port": server.port,
            "smtp_security": "none",
            "smtp_from": "box@acme.org",
        }
        more = {"trusted_proxies": ("203.0.113.7/32",), **geo, **smtp, **given}
        clock = FixedClock(MONDAY - 7 * DAY)
        with (
            whole_box(directory / "data", clock=clock, adjust=lambda settings: replace(settings, **more)) as box,
            patch.object(ReportDeliveries, "soon", lambda _: None),
            patch.object(ChannelDeliveries, "soon", lambda _: None),
        ):
            for days, people in ((0, PEOPLE[:2]), (7, PEOPLE)):
                clock.advance(seconds=max(0, MONDAY + (days - 7) * DAY - clock.now()) / 1000)
                for number, someone in enumerate(people):
                    visit(box, someone, number)
            clock.advance(seconds=(NOON - clock.now()) / 1000)
            yield World(box, server)


def part_of(mail: Message, kind: str = "text/plain") -> str:
    """The part of a mail in this format."""
    part = next(part for part in mail.walk() if part.get_content_type() == kind)
    return bytes(part.get_payload(decode=True)).decode().replace("\r\n", "\n")
