"""E-mail over SMTP, with what the operating system's Python has. Nothing is sent until `smtp_host` is set.

A message is sent in a thread, at most two at a time, each step under a time limit. Neither the password nor a
message's text is ever logged or part of an error.
"""

import asyncio
import logging
import smtplib
import ssl
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import formatdate, make_msgid, parseaddr
from pathlib import Path
from typing import Any

from msgspec import Struct

from analytics_box.settings import Settings

log = logging.getLogger(__name__)

SECONDS = 10.0  # for connecting, and for each answer of the server
_AT_ONCE = 2
_UNSENDABLE = "The message has an address or a subject that cannot be sent"
_FOR_PROGRAMS = frozenset({"message-id", "references", "list-unsubscribe", "list-unsubscribe-post"})


class NotSent(Exception):
    """The server was not reached or refused; the message says which, in words for an operator."""


class Mail(Struct, frozen=True):
    """A message in plain text to one person.

    One that may be sent again has an `id`, by which mailboxes know it. Those of one `thread` are shown together.
    `headers` are further ones. `of` is whom it comes from in a person's eyes, before the address of the box.
    """

    to: str
    subject: str
    text: str
    id: str = ""
    thread: str = ""
    of: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class Mailer:
    """Sends mail through the server in the settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._going: set[asyncio.Task[None]] = set()  # kept, so that none is collected before it ends

    @property
    def configured(self) -> bool:
        """Whether there is a server to send through."""
        return bool(self._settings.smtp_host)

    @property
    def sender(self) -> str:
        """Who messages come from."""
        settings = self._settings
        return settings.smtp_from or settings.smtp_user or f"analytics-box@{settings.smtp_host}"

    async def send(self, mail: Mail) -> None:
        """Returns once the server has taken the message. Raises NotSent."""
        if not self.configured:
            raise NotSent("No mail server is set up: smtp_host is empty")
        async with self._slots:
            await _apart(lambda: self._send(mail))

    async def try_to_send(self, mail: Mail) -> bool:
        """Send mail that may fail; return whether it was sent. Why it was not is logged."""
        try:
            await self.send(mail)
        except NotSent as why:
            log.warning("mail was not sent: %s", why)
            return False
        return True

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something sent while its sender goes on, so that how long it takes says nothing."""
        task = asyncio.create_task(work)
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def settled(self) -> None:
        """Returns once nothing of that is on its way any more."""
        while self._going:
            await asyncio.wait(self._going)

    def _send(self, mail: Mail) -> None:
        settings = self._settings
        try:
            message = _written(self.sender, mail)
            password = _first_line(settings.smtp_password_file)
            with _connect(settings) as server:
                if settings.smtp_user:
                    server.login(settings.smtp_user, password)
                server.send_message(message)
        except smtplib.SMTPAuthenticationError as refused:
            raise NotSent("The mail server does not accept the user or password") from refused
        except smtplib.SMTPNotSupportedError as lacking:
            raise NotSent("The mail server lacks what smtp_security or smtp_user ask for") from lacking
        except smtplib.SMTPRecipientsRefused as refused:
            raise NotSent("The mail server refuses the recipient") from refused
        except smtplib.SMTPResponseException as refused:
            raise NotSent(f"The mail server refuses the message with code {refused.smtp_code}") from refused
        except ssl.SSLError as broken:
            raise NotSent(f"No secure connection to the mail server: {broken.reason}") from broken
        except (OSError, smtplib.SMTPException) as broken:
            raise NotSent(f"The mail server cannot be reached: {type(broken).__name__}") from broken
        except ValueError as broken:
            raise NotSent(_UNSENDABLE) from broken


async def _apart(work: Callable[[], None]) -> None:
    """Run something in a thread of its own, for which a box that is stopped does not wait."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def tell(raised: BaseException | None) -> None:
        if ended.done():  # whoever asked has given up
            return
        if raised is None:
            ended.set_result(None)
        else:
            ended.set_exception(raised)

    def run() -> None:
        raised: BaseException | None = None
        try:
            work()
        except Exception as error:
            raised = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, raised)

    threading.Thread(target=run, name="mail", daemon=True).start()
    await ended


class _Policy(EmailPolicy):
    """Headers for programs stay in one line: where Python folds an address, no program knows it any more."""

    def fold_binary(self, name: str, value: str) -> bytes:
        if name.lower() in _FOR_PROGRAMS:
            return f"{name}: {value}{self.linesep}".encode("ascii", "replace")
        return super().fold_binary(name, value)


_POLICY = _Policy()


def _written(sender: str, mail: Mail) -> EmailMessage:
    """Raises NotSent for an address or a subject that makes no header. Strangers type addresses, and what Python's
    parser raises for odd ones is not bounded."""
    try:
        message = _message(sender, mail)
        bytes(message)
    except Exception as broken:
        raise NotSent(_UNSENDABLE) from broken
    return message


def _message(sender: str, mail: Mail) -> EmailMessage:
    """Raises ValueError for line breaks where a header would be forged."""
    message = EmailMessage(_POLICY)
    message["From"] = _named(mail.of, sender) if mail.of else sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = formatdate(usegmt=True)
    domain = sender.rpartition("@")[2].rstrip(">") or "localhost"
    message["Message-ID"] = f"<{mail.id}@{domain}>" if mail.id else make_msgid(domain=domain)
    if mail.thread:
        message["References"] = f"<{mail.thread}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    for name, value in mail.headers:
        message[name] = value
    message.set_content(mail.text)
    return message


def _named(name: str, sender: str) -> Address | str:
    """The sender under another name; as it is where its address is none that Python knows."""
    try:
        return Address(name, addr_spec=parseaddr(sender)[1])
    except (MessageError, ValueError, IndexError):
        return sender


def _connect(settings: Settings) -> smtplib.SMTP:
    host, port = settings.smtp_host, settings.smtp_port
    if settings.smtp_security == "tls":
        return smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=ssl.create_default_context())
    server = smtplib.SMTP(host, port, timeout=SECONDS)
    if settings.smtp_security == "starttls":
        try:
            server.starttls(context=ssl.create_default_context())
        except BaseException:
            server.close()
            raise
    return server


def _first_line(file: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).expanduser().read_text("utf-8").partition("\n")[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as broken:
        raise NotSent(f"smtp_password_file cannot be read: {type(broken).__name__}") from broken
