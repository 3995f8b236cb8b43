"""A forgotten password: the link comes by mail, to the account's own address, and a stranger learns nothing."""

import itertools
import logging
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_string, policy
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.acting import By
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal
from analytics_box.tenants.accounts import password_reset, second_factor, users
from tests.base.notify.mail_server import PEM, MailServer, mail_server
from tests.inprocess import EMAIL, WholeBox, whole_box
from tests.tenants.accounts.world import NEW, send

BASE = "https://stats.example.com"


def sending_to(port: int) -> Callable[[Settings], Settings]:
    def adjust(found: Settings) -> Settings:
        return replace(
            found,
            base_url=BASE,
            smtp_host="127.0.0.1",
            smtp_port=port,
            smtp_from="box@example.com",
            limit_sign_in=0,
        )

    return adjust


@contextmanager
def box_beside(server: MailServer, directory: Path) -> Iterator[WholeBox]:
    with whole_box(directory / "data", adjust=sending_to(server.port)) as box:
        yield box


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
    with mail_server(security="starttls") as found:
        yield found


@pytest.fixture
def box(server: MailServer, tmp_path: Path) -> Iterator[WholeBox]:
    with box_beside(server, tmp_path) as found:
        yield found


def settle(box: WholeBox) -> None:
    box.run(box.box.parts[Mailer].settled())


def test_the_link_arrives_and_sets_a_new_password(box: WholeBox, server: MailServer) -> None:
    answer = send(box, "/forgot-password", email=f" {EMAIL.upper()} ")
    settle(box)
    assert answer.status == 200
    assert server.recipients == [EMAIL]
    message = message_from_string(server.messages[0], policy=policy.default)
    assert message["Subject"] == "Reset your Analytics Box password"
    text = message.get_content()
    assert EMAIL in text
    (link,) = re.findall(rf"{re.escape(BASE)}(/reset-password\?token=\S+)", text)
    assert link.partition("=")[2] not in answer.body.decode(), "only the mailbox gets the link"
    assert send(box, link, password=NEW).status == 303
    assert send(box, "/sign-in", email=EMAIL, password=NEW).status == 303
    entries = box.box.box_db.read_now(
        lambda db: db.execute("select action, actor from audit where subject = 'password reset'").fetchall()
    )
    assert entries == [("created", "forgotten password")]


def test_an_unknown_address_gets_the_same_answer_and_no_mail(box: WholeBox, server: MailServer) -> None:
    known, unknown, nonsense = (
        send(box, "/forgot-password", email=email) for email in (EMAIL, "eve@example.com", "no address")
    )
    settle(box)
    assert (known.status, known.body) == (unknown.status, unknown.body) == (nonsense.status, nonsense.body)
    differing = {name for name, value in known.headers.items() if unknown.headers.get(name) != value}
    assert differing <= {"x-request-id"}
    assert server.recipients == [EMAIL]
    assert b"If there is an account with this address" in known.body


def test_a_mail_server_that_is_away_changes_nothing_on_the_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with whole_box(tmp_path / "data", adjust=sending_to(port)) as box, caplog.at_level(logging.INFO):
        answer = send(box, "/forgot-password", email=EMAIL)
        settle(box)
    assert (answer.status, b"If there is an account" in answer.body) == (200, True)
    assert "mail was not sent: The mail server cannot be reached" in caplog.text
    assert "token=" not in caplog.text


def test_without_a_mail_server_the_page_names_the_command(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        for answer in (box.get("/forgot-password"), send(box, "/forgot-password", email=EMAIL)):
            assert answer.status == 200
            assert b"analytics-box user reset-password" in answer.body
        found = box.box.box_db.read_now(lambda db: db.execute("select count(*) from password_resets").fetchall())
    assert found == [(0,)]


def test_asking_again_and_again_is_limited(server: MailServer, tmp_path: Path) -> None:
    with whole_box(
        tmp_path / "data", adjust=lambda found: replace(sending_to(server.port)(found), limit_sign_in=2)
    ) as box:
        assert [send(box, "/forgot-password", email=EMAIL).status for _ in range(3)] == [200, 200, 429]
        settle(box)
    assert len(server.messages) == 2


def links(server: MailServer) -> list[str]:
    texts = [message_from_string(message, policy=policy.default).get_content() for message in server.messages]
    return [link for text in texts for link in re.findall(rf"{re.escape(BASE)}(/reset-password\?token=\S+)", text)]


def test_a_strangers_request_voids_no_link_and_the_first_use_voids_all(box: WholeBox, server: MailServer) -> None:
    for _ in range(2):
        send(box, "/forgot-password", email=EMAIL)
        settle(box)
    first, second = links(server)
    assert [box.get(link).status for link in (first, second)] == [200, 200]
    assert send(box, first, password=NEW).status == 303
    assert [box.get(link).status for link in (first, second)] == [403, 403]


def test_a_link_expires_after_an_hour(box: WholeBox, server: MailServer) -> None:
    send(box, "/forgot-password", email=EMAIL)
    settle(box)
    (link,) = links(server)
    box.clock.advance(seconds=3_599)
    assert box.get(link).status == 200
    box.clock.advance(seconds=1)
    assert box.get(link).status == 403


def test_a_day_of_requests_sends_ten_mails_and_writes_at_most_one_audit_entry_an_hour(
    box: WholeBox, server: MailServer
) -> None:
    for _ in range(24 * 4):
        assert send(box, "/forgot-password", email=EMAIL).status == 200
        settle(box)
        box.clock.advance(seconds=900)
    assert len(server.messages) == 10
    rows = box.box.box_db.read_now(
        lambda db: db.execute("select time from audit where subject = 'password reset' order by id").fetchall()
    )
    times = [int(str(time)) for (time,) in rows]
    assert 1 <= len(times) <= 10
    assert all(later - earlier >= 3_600_000 for earlier, later in itertools.pairwise(times))


def test_three_mails_within_an_hour_are_the_most(box: WholeBox, server: MailServer) -> None:
    for _ in range(8):
        assert send(box, "/forgot-password", email=EMAIL).status == 200
        settle(box)
    assert len(server.messages) == 3


@pytest.mark.parametrize("unconfirmed", [True, False])
def test_mailed_link_removes_the_second_factor_of_an_unconfirmed_account(box: WholeBox, unconfirmed: bool) -> None:
    found, user_id, by = box.box.box_db, box.user_id, By("a test", box.clock.now())

    def story(db: Connection) -> bool:
        users.set_unconfirmed(db, user_id, unconfirmed=unconfirmed)
        second_factor.begin(db, box.box.parts[Seal], user_id, by.now)
        link = password_reset.mailed_link(db, EMAIL, base_url=BASE, by=by)
        password_reset.use(db, link.partition("=")[2], "a hash", by.now)
        return second_factor.find(db, user_id) is not None

    assert found.write_now(story) is not unconfirmed
