"""What a procedure works with: who calls, when, and the parts of the box (wire 10)."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from analytics_box import errors
from analytics_box.accounts.directory import Organizations
from analytics_box.accounts.passwords import Passwords
from analytics_box.accounts.second_step import SecondSteps
from analytics_box.accounts.sign_in import SignIns
from analytics_box.accounts.tries import Tries
from analytics_box.bots.held import Held
from analytics_box.clock import Clock
from analytics_box.drops.counts import Drops
from analytics_box.identity import Identity
from analytics_box.keys.ring import KeyRing
from analytics_box.limits import Limits
from analytics_box.links.following.parts import Links
from analytics_box.notify.change import Tools
from analytics_box.notify.mail import Mailer
from analytics_box.notify.send import Sender
from analytics_box.outgoing.client import Client
from analytics_box.profiles.register import Register
from analytics_box.query.presence import Presence
from analytics_box.query.run import Queries
from analytics_box.settings import Settings
from analytics_box.store.db import Connection, Db
from analytics_box.store.seal import Seal
from analytics_box.websites.directory import Directory

T = TypeVar("T")


class Calls(Struct, frozen=True):
    """The parts that procedures use."""

    settings: Settings
    clock: Clock
    limits: Limits
    box_db: Db
    keys: KeyRing
    websites: Directory
    organizations: Organizations
    sign_ins: SignIns
    passwords: Passwords
    second_steps: SecondSteps
    tries: Tries
    seal: Seal
    presence: Presence
    drops: Drops
    held: Held
    mailer: Mailer
    outgoing: Client
    channel_tools: Tools
    sender: Sender
    queries: Queries
    register: Register
    links: Links

    def by(self, identity: Identity) -> "Call":
        """A call of this identity, now."""
        return Call(identity=identity, now=self.clock.now(), parts=self)


class Call(Struct, frozen=True):
    """One call of a procedure. `now` is UTC ms."""

    identity: Identity
    now: int
    parts: Calls

    @property
    def actor(self) -> str:
        """The caller as the audit log names it."""
        if self.identity.key is not None:
            return f"apikey:{self.identity.key.id}"
        return f"user:{self.identity.person.user_id}" if self.identity.person is not None else "nobody"

    def organization(self, given: str | None = None) -> str:
        """The organization that a call is about: the one it names, else the caller's.

        Raises BadRequest when there is none, Forbidden when it is not the caller's.
        """
        own = self.identity.person or self.identity.key
        if own is None:
            raise errors.AuthRequired("Authentication required")
        if given is not None and given != own.organization_id:
            raise errors.Forbidden("Access denied to this organization")
        return own.organization_id

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Change box.db; returns after the commit."""
        return await self.parts.box_db.write(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Read from box.db."""
        return await self.parts.box_db.read(work)
