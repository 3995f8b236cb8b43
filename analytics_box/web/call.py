"""The call that handlers work with: the caller, the time and the parts of the box (wire 10)."""

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.acting import COMMAND_LINE, By
from analytics_box.base.clock import Clock
from analytics_box.base.identity import Identity
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _

T = TypeVar("T")
Part = TypeVar("Part")


class Parts:
    """The box's parts by class: `parts[KeyRing]` is the ring of API keys."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        limits: TokenBuckets,
        box_db: Db,
        *given: object,
        later: Callable[[], Iterable[object]] = tuple,
    ) -> None:
        """`later` creates further parts when one of them is first asked for."""
        self.settings = settings
        self.clock = clock
        self.limits = limits
        self.box_db = box_db
        self._given = {type(part): part for part in given}
        self._later = later
        self._creating = threading.Lock()

    def __getitem__(self, kind: type[Part]) -> Part:
        if kind not in self._given:
            self.complete()
        return cast(Part, self._given[kind])

    def get(self, kind: type[Part]) -> Part | None:
        """A part if it was created already."""
        return cast(Part | None, self._given.get(kind))

    def complete(self) -> None:
        """Create the parts that are not there yet."""
        with self._creating:  # threads may ask at the same time
            self._given |= {type(part): part for part in self._later()}
            self._later = tuple

    def by(self, identity: Identity, *, tool: str = "") -> "Call":
        """A call of this identity, now."""
        return Call(identity=identity, now=self.clock.now(), parts=self, tool=tool)


class Call(Struct, frozen=True):
    """A call of a procedure. `now` is UTC ms; `tool` is the MCP tool that it is part of, or empty."""

    identity: Identity
    now: int
    parts: Parts
    tool: str = ""

    @property
    def actor(self) -> str:
        """The caller as the audit log names it."""
        if self.identity.key is not None:
            return f"apikey:{self.identity.key.id}"
        if self.identity.operator is not None:
            return COMMAND_LINE
        return f"user:{self.identity.person.user_id}" if self.identity.person is not None else "nobody"

    @property
    def by(self) -> By:
        """The caller as verbs are told, and as the audit log writes down."""
        user_id = self.identity.person.user_id if self.identity.person is not None else None
        return By(self.actor, self.now, user_id, self.tool)

    def organization(self, given: str | None = None) -> str:
        """The organization that a call is about: the one it names, else the caller's.

        Raises BadRequest when there is none, Forbidden when it is not the caller's.
        """
        own = self.identity.person or self.identity.key or self.identity.operator
        if own is None:
            raise errors.AuthRequired(_("Authentication required"))
        if given is not None and given != own.organization_id:
            raise errors.Forbidden(_("Access denied to this organization"))
        return own.organization_id

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Change box.db; returns after the commit."""
        return await self.parts.box_db.write(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Read from box.db."""
        return await self.parts.box_db.read(work)
