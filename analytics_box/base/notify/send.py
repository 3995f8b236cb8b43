"""Sending one message to one channel, and what came of it."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.notify import rules
from analytics_box.base.notify.kinds.kind import Config, Post, SendAttempt
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.mail import Mail, Mailer, NotSent
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.rules import AttemptVerdict, ReceiverBackoff
from analytics_box.base.outgoing.client import Client, Clients, OutgoingAnswer, OutgoingRequest
from analytics_box.base.outgoing.failures import AddressRefused, RequestFailed
from analytics_box.base.outgoing.fences import RequestAsker
from analytics_box.base.outgoing.messages import status_text
from analytics_box.base.outgoing.target import RequestTarget, target
from analytics_box.base.translation import _

SECONDS: Final = 10.0  # for the whole request
_ANSWER_BYTES: Final = 4_096
_LATER: Final = frozenset({408, 425, 429})  # answers below 500 after which trying again makes sense


class SendOutcome(Struct, frozen=True):
    """The result of an attempt. `error` is empty for a success; after a `final` one a retry makes no sense.

    `wait` is the pause that the other side asks for, in seconds.
    """

    error: str = ""
    final: bool = False
    wait: int | None = None

    def verdict(self, before: ReceiverBackoff, now: int, *, created_at: int) -> AttemptVerdict:
        """Return the consequences for the message, written at `created_at`, and for its receiver. Times are UTC ms."""
        if not self.error:
            return AttemptVerdict(ReceiverBackoff())
        if self.final:
            return rules.after_refusal(before, now)
        return rules.after_failure(before, now, created_at=created_at, asked=self.wait)


class ChannelSender:
    """Sends to channels of every kind."""

    def __init__(self, clients: Clients, mailer: Mailer) -> None:
        self._clients = clients
        self.mailer = mailer

    async def send(
        self, asker: RequestAsker, kind: str, config: Config, message: Message, *, id: str, now: int
    ) -> SendOutcome:
        """Send it; never raises for what the other side does. `id` stays the same when it is sent again."""
        made = KINDS[kind].made(config, message, SendAttempt(id, now))
        match made:
            case None:
                return SendOutcome()
            case Mail():
                return await self.mail(made)
            case Post():
                return outcome_of(await self.ask(asker, made, in_clear=KINDS[kind].in_clear))

    async def send_test(
        self, asker: RequestAsker, kind: str, config: Config, message: Message, *, id: str, now: int
    ) -> SendOutcome:
        """Send a test; where an alert would stay open it is resolved immediately. Never raises, as `send`."""
        message = replace(message, subject=f"test:{id}", action="trigger")
        outcome = await self.send(asker, kind, config, message, id=id, now=now)
        if KINDS[kind].stays_open and not outcome.error:
            end = replace(message, action="resolve", tone="good")
            outcome = await self.send(asker, kind, config, end, id=f"{id}_end", now=now)
        return outcome

    async def ask(self, asker: RequestAsker, post: Post, *, in_clear: bool) -> OutgoingAnswer | SendOutcome:
        """The answer of a service, or the reason why there is none. Never raises."""
        ask = OutgoingRequest(
            post.url,
            method=post.method,
            headers=post.headers,
            body=post.body,
            seconds=SECONDS,
            redirects=0,
            body_bytes=_ANSWER_BYTES,
            decoded_bytes=_ANSWER_BYTES,
        )
        client = self._clients.of(asker)
        try:
            if not in_clear:
                await _refuse_in_clear(client, target(post.url))
            return await client.fetch(ask)
        except AddressRefused as refused:
            return SendOutcome(str(refused), final=True)
        except RequestFailed as failed:
            return SendOutcome(str(failed))

    async def mail(self, mail: Mail) -> SendOutcome:
        """Give a message to the mail server. Never raises."""
        try:
            await self.mailer.send(mail)
        except NotSent as why:
            return SendOutcome(str(why))
        return SendOutcome()


async def _refuse_in_clear(client: Client, place: RequestTarget) -> None:
    """Raises AddressRefused for http to a place outside the private networks that are open, else what `Client.vet`
    raises."""
    if place.scheme == "http":
        for address in await client.vet(place):
            if not client.fence.opens(address):
                raise AddressRefused(_("Use https. Plain http is only allowed in open private networks"))


def outcome_of(answer: OutgoingAnswer | SendOutcome) -> SendOutcome:
    """The result that an answer stands for; a missing answer stays as it is."""
    if isinstance(answer, SendOutcome):
        return answer
    status = answer.status
    if 200 <= status < 300:
        return SendOutcome()
    if 300 <= status < 400:
        return SendOutcome(
            _("The address redirects ({request_name}). Enter the final address").format(
                request_name=status_text(status)
            ),
            final=True,
        )
    wait = answer.header("retry-after")
    return SendOutcome(
        _("The server responds with {request_name}").format(request_name=status_text(status)),
        final=status < 500 and status not in _LATER,
        wait=int(wait) if wait.isascii() and wait.isdecimal() and len(wait) < 7 else None,
    )
