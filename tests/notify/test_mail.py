"""Mail: what arrives at the server, and what is said when it does not."""

import asyncio
import socket
import threading
from email import message_from_string, policy
from pathlib import Path
from typing import Any

import pytest

from analytics_box.notify.mail import Mail, Mailer, NotSent
from analytics_box.settings import Settings
from tests.notify.mail_server import PEM, Security, mail_server

HELLO = Mail("grace@example.com", "Grüße", "Come and see:\nhttps://stats.example.com/x\n")


def mailer(port: int, **given: Any) -> Mailer:
    wanted = {"smtp_from": "box@example.com", "smtp_security": "none", **given}
    return Mailer(Settings(smtp_host="127.0.0.1", smtp_port=port, **wanted))


def send(mailer: Mailer, mail: Mail = HELLO) -> None:
    asyncio.run(mailer.send(mail))


def test_a_message_arrives_as_it_was_written() -> None:
    with mail_server() as server:
        send(mailer(server.port))
    message = message_from_string(server.messages[0])
    assert server.recipients == ["grace@example.com"]
    assert (message["From"], message["To"]) == ("box@example.com", "grace@example.com")
    assert b"https://stats.example.com/x" in bytes(message.get_payload(decode=True))
    assert message["Message-ID"].endswith("@example.com>")
    assert server.signed_in == []


def test_it_signs_in_with_the_first_line_of_the_password_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a secret\nsomething else\n")
    with mail_server() as server:
        send(mailer(server.port, smtp_user="box", smtp_password_file=str(file)))
    assert server.signed_in == [("box", "a secret")]


def test_without_a_server_nothing_is_sent() -> None:
    nobody = Mailer(Settings())
    assert not nobody.configured
    with pytest.raises(NotSent, match="smtp_host"):
        send(nobody)


@pytest.mark.parametrize(
    "to", ["a@example.com\r\nBcc: b@example.com", "a@example.com\n\nhello", "().@x", "(]).=@example.com", "a@"]
)
def test_no_header_can_be_forged(to: str) -> None:
    with mail_server() as server, pytest.raises(NotSent, match="cannot be sent"):
        send(mailer(server.port), Mail(to, "Hello", "Hello"))
    assert server.messages == []


@pytest.mark.parametrize(
    ("refuses", "said"), [("AUTH", "user or password"), ("RCPT", "recipient"), ("MAIL", "code 550"), ("DATA", "550")]
)
def test_a_refusal_is_told_in_words_and_without_secrets(refuses: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a secret")
    with mail_server(refuses=refuses) as server, pytest.raises(NotSent, match=said) as why:
        send(mailer(server.port, smtp_user="box", smtp_password_file=str(file)))
    assert "a secret" not in str(why.value)


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test server's certificate among those that the machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(PEM))


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_over_tls_the_password_and_the_message_are_sent_secured(security: Security, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a secret")
    with mail_server(security=security, password="a secret") as server:
        send(mailer(server.port, smtp_security=security, smtp_user="box", smtp_password_file=str(file)))
    assert server.signed_in == [("box", "a secret")]
    assert len(server.messages) == 1
    assert [command.split()[0] for command in server.in_clear] == (["EHLO", "STARTTLS"] if security != "tls" else [])


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_that_nobody_vouches_for_is_not_accepted(security: Security, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a secret")
    with mail_server(security=security) as server, pytest.raises(NotSent, match="No secure connection") as why:
        send(mailer(server.port, smtp_security=security, smtp_user="box", smtp_password_file=str(file)))
    assert (server.messages, server.signed_in) == ([], [])
    assert "CERTIFICATE" in str(why.value)


@pytest.mark.usefixtures("trusted")
def test_a_certificate_for_another_name_is_not_accepted() -> None:
    with mail_server(security="starttls") as server, pytest.raises(NotSent, match="No secure connection"):
        send(Mailer(Settings(smtp_host="localhost", smtp_port=server.port)))
    assert server.messages == []


def test_a_wrong_password_is_told_without_it(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a wrong one")
    with mail_server(password="a secret") as server, pytest.raises(NotSent, match="user or password") as why:
        send(mailer(server.port, smtp_user="box", smtp_password_file=str(file)))
    assert "a wrong one" not in str(why.value)
    assert (server.messages, server.signed_in) == ([], [])


def test_a_server_without_tls_gets_no_message_in_clear() -> None:
    with mail_server() as server, pytest.raises(NotSent, match="smtp_security"):
        send(mailer(server.port, smtp_security="starttls", smtp_user="box"))
    assert (server.messages, server.signed_in) == ([], [])


def test_a_server_that_is_not_there_is_a_failure_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert asyncio.run(mailer(port).try_to_send(HELLO)) is False
    assert "cannot be reached" in caplog.text
    assert "stats.example.com" not in caplog.text


def test_a_server_that_says_nothing_keeps_nobody_from_stopping() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, asyncio.Runner() as runner:
        sending = mailer(silent.getsockname()[1])

        async def give_up() -> socket.socket:
            task = asyncio.create_task(sending.send(HELLO))
            connection, _ = await asyncio.to_thread(silent.accept)
            task.cancel()
            await asyncio.wait({task})
            assert task.cancelled()
            return connection

        with runner.run(give_up()):
            left = [thread for thread in threading.enumerate() if thread.name == "mail"]
            assert left, "it still waits for an answer"
            assert all(thread.daemon for thread in left)


def test_a_missing_password_file_is_told(tmp_path: Path) -> None:
    with mail_server() as server, pytest.raises(NotSent, match="smtp_password_file"):
        send(mailer(server.port, smtp_user="box", smtp_password_file=str(tmp_path / "none")))


def test_headers_for_programs_arrive_in_one_line_as_they_are() -> None:
    address = f"<https://status.example.com/status/acme/subscription/{'x' * 200}>"
    mail = Mail("a@example.com", "Grüße", "x", id="m" * 90, thread="t" * 90, headers=(("List-Unsubscribe", address),))
    with mail_server() as server:
        send(mailer(server.port), mail)
    lines = server.messages[0].split("\r\n")
    assert f"List-Unsubscribe: {address}" in lines
    assert f"Message-ID: <{'m' * 90}@example.com>" in lines
    assert f"References: <{'t' * 90}@example.com>" in lines


@pytest.mark.parametrize("value", ["<https://a.example/>\r\nBcc: b@example.com", "<https://a.example/>\n\nhello"])
def test_no_header_can_be_forged_in_those_for_programs(value: str) -> None:
    mail = Mail("a@example.com", "Hello", "Hello", headers=(("List-Unsubscribe", value),))
    with mail_server() as server, pytest.raises(NotSent, match="cannot be sent"):
        send(mailer(server.port), mail)
    assert server.messages == []


def test_a_message_comes_from_whom_it_names_at_the_address_of_the_box() -> None:
    with mail_server() as server:
        send(mailer(server.port), Mail("a@example.com", "Hello", "x", of='Grüße, "Acme" <evil@example.org>'))
    sender = message_from_string(server.messages[0], policy=policy.default)["From"].addresses
    assert [(one.display_name, one.addr_spec) for one in sender] == [
        ('Grüße, "Acme" <evil@example.org>', "box@example.com")
    ]


@pytest.mark.parametrize("sender", ["box", "@example.com", "a b@example.com"])
def test_an_odd_address_of_the_box_stays_as_it_is(sender: str) -> None:
    with mail_server() as server:
        send(mailer(server.port, smtp_from=sender), Mail("a@example.com", "Hello", "x", of="Acme"))
    assert f"From: {sender}" in server.messages[0].split("\r\n")


def test_an_address_of_the_box_that_is_none_is_said() -> None:
    with mail_server() as server, pytest.raises(NotSent, match="cannot be sent"):
        send(mailer(server.port, smtp_from="box@"))
