"""E-mail: what there is to send, and when. Nothing is sent until `smtp_host` is set.

A message is sent in a thread, at most two at a time, each step under a time limit (smtp). Neither the password nor a
message's text is ever logged or part of an error.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from analytics_box.base import background
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

_AT_ONCE = 2


class NotSent(Exception):
    """The server was not reached or refused; the message says which, in words for an operator.

    `is_about_message` if the server would take another message.
    """

    def __init__(self, why: str, *, is_about_message: bool = False) -> None:
        super().__init__(why)
        self.is_about_message = is_about_message


class MailFile(Struct, frozen=True):
    """An attachment. `type` is its media type."""

    name: str
    type: str
    content: bytes


class Mail(Struct, frozen=True):
    """A message to one person, in plain text and, if there is `html`, in HTML as well.

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
    html: str = ""
    files: tuple[MailFile, ...] = ()


ONE_CLICK: Final = ("List-Unsubscribe", "One-Click")  # the form that mail programs post (RFC 8058)


def unsubscribe_headers(address: str) -> tuple[tuple[str, str], ...]:
    """The headers by which a mail program unsubscribes with one click: it posts `ONE_CLICK` to this address."""
    return ("List-Unsubscribe", f"<{address}>"), ("List-Unsubscribe-Post", "=".join(ONE_CLICK))


class Mailer:
    """Sends mail through the server in the settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._going: set[asyncio.Task[None]] = set()  # kept, so that none is collected before it ends
        self._is_taking = False  # whether the server took the last message, which is not known after a start
        self.recoveries = 0  # how often the server took a message after it had not, or after the start

    def use(self, settings: Settings) -> None:
        """Send through the server of these settings from now on."""
        self._settings = settings
        self._is_taking = False

    @property
    def configured(self) -> bool:
        """Whether there is a server to send through."""
        return bool(self._settings.smtp_host)

    @property
    def sender(self) -> str:
        """The sender of messages."""
        settings = self._settings
        return settings.smtp_from or settings.smtp_user or f"analytics-box@{settings.smtp_host}"

    async def send(self, mail: Mail) -> None:
        """Returns once the server has taken the message. Raises NotSent."""
        if not self.configured:
            raise NotSent(_("No mail server is set up: smtp_host is empty"))
        async with self._slots:
            try:
                await _apart(lambda: self._send(mail))
            except NotSent as why:
                self._is_taking = self._is_taking and why.is_about_message
                raise
        if not self._is_taking:
            self._is_taking = True
            self.recoveries += 1

    async def try_to_send(self, mail: Mail) -> bool:
        """Send mail that may fail; return whether it was sent. Why it was not is logged."""
        try:
            await self.send(mail)
        except NotSent as why:
            log.warning("The email was not sent: %s", why)
            return False
        return True

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something sent while its sender goes on, so that how long it takes says nothing."""
        background.begin(work, self._going)

    async def settled(self) -> None:
        """Wait until no message is in flight."""
        while self._going:
            await asyncio.wait(self._going)

    def _send(self, mail: Mail) -> None:
        from analytics_box.base.notify import smtp  # noqa: PLC0415  # Python's mail takes a megabyte where nothing is sent

        smtp.send(self._settings, self.sender, mail)


async def _apart(work: Callable[[], None]) -> None:
    """Run something in its own thread, for which a box that is stopped does not wait."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def tell(raised: BaseException | None) -> None:
        if ended.done():  # The caller has given up.
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
        with suppress(RuntimeError):  # The loop is closed: the caller no longer waits.
            loop.call_soon_threadsafe(tell, raised)

    threading.Thread(target=run, name="mail", daemon=True).start()
    await ended
