"""Mail: what arrives at the server, and what is said when it does not."""

import asyncio
import re
import socket
import threading
from email import message_from_string, policy
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.notify.mail import Mail, Mailer, NotSent
from analytics_box.base.settings import Settings
from tests.base.notify.mail_server import PEM, Security, mail_server

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


def test_sign_in_uses_the_first_line_of_the_password_file(tmp_path: Path) -> None:
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
    "to", ["ada(1)@example.com", "ada[x@example.com", "Ada <ada@example.com>", "a@b.c, ada@example.com"]
)
def test_receiver_is_exactly_the_counted_and_confirmed_address(to: str) -> None:
    with mail_server() as server, pytest.raises(NotSent, match="invalid address"):
        send(mailer(server.port), Mail(to, "Hello", "Hello"))
    assert server.messages == []


@pytest.mark.parametrize(
    "to", ["a@example.com\r\nBcc: b@example.com", "a@example.com\n\nhello", "().@x", "(]).=@example.com", "a@"]
)
def test_no_header_can_be_forged(to: str) -> None:
    with mail_server() as server, pytest.raises(NotSent, match="invalid address"):
        send(mailer(server.port), Mail(to, "Hello", "Hello"))
    assert server.messages == []


@pytest.mark.parametrize(
    ("refuses", "said"),
    [
        ("AUTH", "user or password (code 550)"),
        ("RCPT", "refuses the recipient with code 550"),
        ("MAIL", "refuses the sender with code 550: check smtp_from"),
        ("DATA", "refuses the message with code 550"),
    ],
)
def test_a_refusal_is_told_in_words_and_without_secrets(refuses: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a secret")
    with mail_server(refuses=refuses) as server, pytest.raises(NotSent, match=re.escape(said)) as why:
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
def test_untrusted_certificate_is_refused(security: Security, tmp_path: Path) -> None:
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


def test_silent_mail_server_does_not_delay_the_stop() -> None:
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
    with mail_server() as server, pytest.raises(NotSent, match="invalid address"):
        send(mailer(server.port), mail)
    assert server.messages == []


def test_sender_name_is_shown_with_the_address_of_the_box() -> None:
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
    with mail_server() as server, pytest.raises(NotSent, match="invalid address"):
        send(mailer(server.port, smtp_from="box@"))


@pytest.mark.parametrize("mechanism", ["PLAIN", "LOGIN", "CRAM-MD5"])
def test_users_and_passwords_beyond_ascii_are_sent_as_utf8(mechanism: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("geheimnis-ß1 Ω", "utf-8")
    given = {"smtp_user": "jürgen", "smtp_password_file": str(file)}
    with mail_server(mechanism=mechanism, password="geheimnis-ß1 Ω") as server:
        send(mailer(server.port, **given))
    assert server.signed_in == [("jürgen", "geheimnis-ß1 Ω")]
    assert len(server.messages) == 1


def test_byte_order_mark_is_no_part_of_a_password(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes(b"\xef\xbb\xbfa secret\r\nmore")
    with mail_server(password="a secret") as server:
        send(mailer(server.port, smtp_user="box", smtp_password_file=str(file)))
    assert server.signed_in == [("box", "a secret")]


def test_password_file_in_another_encoding_is_named_as_the_cause(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes("geheimnis-ß".encode("latin-1"))
    with mail_server() as server, pytest.raises(NotSent, match=r"smtp_password_file: .* is not UTF-8") as why:
        send(mailer(server.port, smtp_user="box", smtp_password_file=str(file)))
    assert "geheimnis" not in str(why.value)


@pytest.mark.parametrize(
    ("server", "given", "cause"),
    [
        ({"mechanism": ""}, {"smtp_user": "box"}, "does not support sign-in"),
        ({"mechanism": "GSSAPI"}, {"smtp_user": "box"}, "none of the sign-in methods"),
        ({"refuses": "MAIL", "code": 530}, {}, "requires a sign-in"),
        ({}, {"smtp_security": "starttls"}, "does not support STARTTLS"),
        ({}, {"smtp_security": "tls"}, "set smtp_security to starttls"),
    ],
)
def test_failure_is_named_after_its_cause(server: Any, given: Any, cause: str) -> None:
    with mail_server(**server) as found, pytest.raises(NotSent, match=cause):
        send(mailer(found.port, **given))
    assert found.messages == []


def test_unknown_host_and_closed_port_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(NotSent, match=f"127.0.0.1:{port} refuses connections"):
        send(mailer(port))

    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "create_connection", unknown)
    with pytest.raises(NotSent, match="smtp_host has no address"):
        send(mailer(25))


def test_message_that_was_taken_counts_as_sent_whatever_the_goodbye() -> None:
    with mail_server(refuses="QUIT", code=421) as server:
        send(mailer(server.port))
    assert len(server.messages) == 1
