"""A mail server on the loopback that keeps what it is sent; enough of RFC 5321 for one client at a time."""

import base64
import hmac
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRWPair
from pathlib import Path
from typing import Any, Literal

PEM = Path(__file__).with_name("certificate.pem")  # for 127.0.0.1, valid until 2126; its key guards nothing

CHALLENGE = b"<1896.697170952@mail.example>"
Security = Literal["none", "starttls", "tls"]


class MailServer:
    """`messages` are the texts of the mails as they came; `signed_in` the user and password that were given.

    `in_clear` are the commands that came before the connection was secured.
    """

    def __init__(
        self,
        *,
        refuses: str = "",
        security: Security = "none",
        password: str | None = None,
        mechanism: str = "PLAIN",
        code: int = 550,
    ) -> None:
        self.refuses = refuses  # a command that is answered with this code
        self._code = code
        self._mechanism = mechanism  # the only way to sign in; empty for none
        self._security = security
        self._password = password  # the only right one; None takes any
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(PEM)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.messages: list[str] = []
        self.recipients: list[str] = []
        self.signed_in: list[tuple[str, str]] = []
        self.in_clear: list[str] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=5)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.settimeout(5)
            with connection, suppress(OSError, ValueError):  # a client that does not trust us goes away
                self._meet(connection)

    def _meet(self, connection: socket.socket) -> None:
        if self._security == "tls":
            with self._secured(connection) as secured, secured.makefile("rwb") as stream:
                self._talk(stream, "220 here")
            return
        with connection.makefile("rwb") as stream:
            switching = self._talk(stream, "220 here")
        if switching:
            with self._secured(connection) as secured, secured.makefile("rwb") as stream:
                self._talk(stream)

    def _secured(self, connection: socket.socket) -> ssl.SSLSocket:
        return self._context.wrap_socket(connection, server_side=True)

    def _talk(self, stream: BufferedRWPair, greeting: str = "") -> bool:
        """Take commands until the client goes; whether it wants to go on under TLS."""
        secured = self._security == "tls" or not greeting

        def say(*lines: str) -> None:
            stream.write("".join(f"{line}\r\n" for line in lines).encode())
            stream.flush()

        if greeting:
            say(greeting)
        while line := stream.readline().decode().strip():
            command = line.upper()
            if not secured:
                self.in_clear.append(command)
            if self.refuses and command.startswith(self.refuses):
                say(f"{self._code} no")
            elif command.startswith("EHLO"):
                may_switch = self._security == "starttls" and not secured
                say("250-here", "250 STARTTLS" if may_switch else f"250 AUTH {self._mechanism}".removesuffix(" AUTH "))
            elif command == "STARTTLS":
                say("220 go on")
                return True
            elif command.startswith("AUTH PLAIN"):
                say(self._admit(line.split()[2]))
            elif command.startswith("AUTH LOGIN"):
                say("334 UGFzc3dvcmQ6")
                words = [line.split()[2], stream.readline().decode().strip()]
                user, password = (base64.b64decode(word).decode() for word in words)
                say(self._admit(base64.b64encode(f"\0{user}\0{password}".encode()).decode()))
            elif command.startswith("AUTH CRAM-MD5"):
                say(f"334 {base64.b64encode(CHALLENGE).decode()}")
                user, _, digest = base64.b64decode(stream.readline()).decode().rpartition(" ")
                right = hmac.new((self._password or "").encode(), CHALLENGE, "md5").hexdigest()
                say("235 welcome" if digest == right else "535 5.7.8 wrong")
                self.signed_in.append((user, (self._password or "") if digest == right else ""))
            elif command == "DATA":
                say("354 go on")
                self.messages.append(_until_dot(stream))
                say("250 taken")
            elif command == "QUIT":
                say("221 bye")
                break
            else:
                if command.startswith("RCPT TO"):
                    self.recipients.append(line[8:].strip("<>"))
                say("250 fine")
        return False

    def _admit(self, encoded: str) -> str:
        _, user, password = base64.b64decode(encoded).decode().split("\0")
        if self._password is not None and password != self._password:
            return "535 5.7.8 wrong"
        self.signed_in.append((user, password))
        return "235 welcome"


def _until_dot(stream: BufferedRWPair) -> str:
    lines = []
    while (text := stream.readline().decode()) != ".\r\n":
        lines.append(text.removeprefix("."))
    return "".join(lines)


@contextmanager
def mail_server(**given: Any) -> Iterator[MailServer]:
    """A server that is closed afterwards."""
    server = MailServer(**given)
    try:
        yield server
    finally:
        server.close()
