"""A mail server on the loopback that keeps what it is sent; enough of RFC 5321 for one client at a time."""

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRWPair


class MailServer:
    """`messages` are the texts of the mails as they came; `signed_in` the user and password that were given."""

    def __init__(self, *, refuses: str = "") -> None:
        self._refuses = refuses  # a command that is answered with 550
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.messages: list[str] = []
        self.recipients: list[str] = []
        self.signed_in: list[tuple[str, str]] = []
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
            with connection, connection.makefile("rwb") as stream:
                self._talk(stream)

    def _talk(self, stream: BufferedRWPair) -> None:
        def say(line: str) -> None:
            stream.write(f"{line}\r\n".encode())
            stream.flush()

        say("220 here")
        while line := stream.readline().decode().strip():
            command = line.upper()
            if self._refuses and command.startswith(self._refuses):
                say("550 no")
            elif command.startswith("EHLO"):
                say("250-here")
                say("250 AUTH PLAIN")
            elif command.startswith("AUTH PLAIN"):
                _, user, password = base64.b64decode(line.split()[2]).decode().split("\0")
                self.signed_in.append((user, password))
                say("235 welcome")
            elif command == "DATA":
                say("354 go on")
                lines = []
                while (text := stream.readline().decode()) != ".\r\n":
                    lines.append(text)
                self.messages.append("".join(lines))
                say("250 taken")
            elif command == "QUIT":
                say("221 bye")
                return
            else:
                if command.startswith("RCPT TO"):
                    self.recipients.append(line[8:].strip("<>"))
                say("250 fine")


@contextmanager
def mail_server(*, refuses: str = "") -> Iterator[MailServer]:
    """A server that is closed afterwards."""
    server = MailServer(refuses=refuses)
    try:
        yield server
    finally:
        server.close()
