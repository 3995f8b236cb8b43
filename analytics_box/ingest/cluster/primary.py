"""The primary's side: it knows its ingest machines, and answers them with the mirror.

A request is told apart from an earlier one that is sent again by its time and by `once`, which is remembered as long as
the time is believed. After a restart of the primary nothing is remembered; who sent a request again then would get an
answer that opens only with the key.
"""

import asyncio
import hashlib
import logging
import zlib
from datetime import UTC, datetime
from functools import partial
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.clock import Clock
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.ingest.cluster import mirrored, rows
from analytics_box.ingest.cluster.messages import (
    ASKED,
    FORMAT,
    ClusterKey,
    DaySalts,
    ForgedMessage,
    Mirror,
    MirrorAnswer,
    Pull,
    RemovalOrder,
    SiteReport,
    answer_purpose,
)
from analytics_box.ingest.cluster.reports import Inbox
from analytics_box.ingest.cluster.rows import IngestNode
from analytics_box.ingest.visitors import History, SaltFile, Salts
from analytics_box.web import body
from analytics_box.web.asgi import Receive, Scope, Send, respond

log = logging.getLogger(__name__)

SKEW = 60_000  # ms by which clocks of machines may differ
SILENT = 30_000  # ms after which a machine that says nothing is notified of
MOST_BYTES: Final = 1_048_576  # of a request
_FORGERY_SECONDS = 60.0  # for which others are refused without a word in the log: anybody may send them
_ORDER = "cluster order"


class MachineContact(Struct, frozen=True):
    """The last message of an ingest machine, and its time (UTC ms of this machine)."""

    at: int
    pull: Pull
    seen: dict[int, SiteReport]


class MachineStanding(Struct, frozen=True):
    """An ingest machine as operators see it; None is what has not been heard since the start of this machine."""

    number: int
    heard_at: int | None
    version: str
    behind: int | None
    current: bool  # it has the newest mirror
    done: bool  # it has carried out all orders
    silent: bool


class Machines:
    """The ingest machines of this primary. `answer` is an ASGI application. Once another machine was promoted in the
    place of this one, it is `replaced`, and must not go on."""

    def __init__(self, key: ClusterKey | None, box_db: Db, seal: Seal, salts: SaltFile, clock: Clock) -> None:
        self._key, self._box_db, self._seal, self._salts, self._clock = key, box_db, seal, salts, clock
        self._nodes = {node.number: node for node in box_db.read_now(rows.nodes)} if key is not None else {}
        self._heard: dict[int, MachineContact] = {}
        self._once: dict[str, int] = {}
        self._forgery_told = -_FORGERY_SECONDS
        self._made: tuple[tuple[int, Salts], str, Mirror] | None = None
        self._making = asyncio.Lock()
        self._newest_order = box_db.read_now(rows.newest_order) if key is not None else 0
        self._promoted_at = box_db.read_now(rows.promoted_at)
        self.replaced = asyncio.Event()
        self.inbox: Inbox | None = None
        self._started = clock.now()

    @property
    def are_wanted(self) -> bool:
        """Whether this machine is the primary of others."""
        return self._key is not None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The machines that are not retired."""
        return tuple(number for number, node in self._nodes.items() if node.retired_at is None)

    def standings(self) -> list[MachineStanding]:
        """The states of the machines, by their numbers."""
        return [self._standing(number) for number in self.numbers]

    def online(self, site: int) -> int:
        """The number of current visitors of a site, by the machines' messages of the last half minute."""
        now = self._clock.now()
        return sum(
            heard.seen[site].online for heard in self._heard.values() if site in heard.seen and now - heard.at < SILENT
        )

    def begun(self, site: int) -> int:
        """The time of the first event of a site on any machine (UTC ms); 0 for none."""
        firsts = (heard.seen[site].first for heard in self._heard.values() if site in heard.seen)
        return min((first for first in firsts if first), default=0)

    def kinds(self, site: int) -> frozenset[str]:
        """Of which kinds of facts machines have any of a site."""
        found = (heard.seen[site].kinds for heard in self._heard.values() if site in heard.seen)
        return frozenset(kind for kinds in found for kind in kinds)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """POST /cluster/pull. Raises BoxError."""
        if self._key is None:
            raise errors.NotFound(_("There is nothing at this address"))
        if scope["method"] != "POST":
            raise errors.MethodNotAllowed(_("Send POST"), headers={"Allow": "POST"})
        self._check_credential(dict(scope["headers"]).get(b"authorization", b""))
        scope["known"] = "machines"
        pull = self._opened(await body.read_body(scope, receive, limit=MOST_BYTES, seconds=10))
        await self._know(pull)
        await self._check_is_newer(pull)
        self._heard[pull.node] = MachineContact(self._clock.now(), pull, {one.site: one for one in pull.seen})
        found = await self._found(pull)
        packed = await asyncio.to_thread(lambda: zlib.compress(msgspec.msgpack.encode(found), 1))
        sealed = self._key.seal(packed, answer_purpose(pull.once))
        await respond(
            send, 200, [(b"content-type", b"application/octet-stream"), (b"cache-control", b"no-store")], sealed
        )

    async def _found(self, pull: Pull) -> MirrorAnswer:
        """The answer to a machine. Lost salts are requested first, so that visitors keep their ids."""
        if self._salts.are_new and pull.sites:
            if pull.salts is None:
                return MirrorAnswer(FORMAT, pull.has, None, self._promoted_at, wants_salts=True)
            now, given = self._clock.now(), pull.salts
            history = self._salts.current(now).history
            self._salts.adopt(Salts(given.day, given.today, given.yesterday, history, given.tomorrow), now)
            log.info("Restored the visitor salts from ingest machine %d", pull.node)
        if not pull.told or self.inbox is None or self.inbox.lock.locked():  # else the machine would wait for long
            revision, mirror = await self._mirror()
            return MirrorAnswer(FORMAT, revision, None if pull.has == revision else mirror, self._promoted_at)
        async with self.inbox.lock:  # nobody begins to be removed in the meantime
            revision, mirror = await self._mirror()
            if pull.has != revision:
                return MirrorAnswer(FORMAT, revision, mirror, self._promoted_at)
            told = await self.inbox.write(pull.node, pull.told)
            return MirrorAnswer(FORMAT, revision, None, self._promoted_at, told=told)

    def replace(self, promoted_at: int) -> None:
        """Another machine was promoted in the place of this one (UTC ms)."""
        if not self.replaced.is_set():
            when = datetime.fromtimestamp(promoted_at / 1000, UTC).isoformat(timespec="seconds")
            log.error("Another machine was promoted to primary at %s. This machine stops; leave it stopped", when)
            self.replaced.set()

    async def order(self, order: RemovalOrder) -> None:
        """Have all machines do this. `number` of the order is given here."""
        sealed = self._seal.seal(msgspec.msgpack.encode(order), owner=_ORDER)
        await self._box_db.write(partial(rows.insert_order, body=sealed, now=self._clock.now()))
        self._newest_order = await self._box_db.read(rows.newest_order)

    async def orders(self) -> list[RemovalOrder]:
        """The orders of which something may be left, the oldest first."""
        return await self._box_db.read(self._orders)

    def have_done(self, order: RemovalOrder) -> bool:
        """Whether all machines have said that nothing is left of it."""
        heard = [self._heard.get(number) for number in self.numbers]
        return all(one is not None and one.pull.done >= order.number for one in heard)

    async def forget(self, order: RemovalOrder) -> None:
        """Nothing is left of it, which has been seen."""
        await self._box_db.write(partial(rows.forget_order, number=order.number))

    async def retire(self, number: int) -> bool:
        """A machine is gone for good: nobody waits for it, and its number is never used again."""
        if not await self._box_db.write(partial(rows.retire, number=number, now=self._clock.now())):
            return False
        self._nodes = {node.number: node for node in await self._box_db.read(rows.nodes)}
        self._heard.pop(number, None)
        return True

    def _standing(self, number: int) -> MachineStanding:
        heard, now = self._heard.get(number), self._clock.now()
        since = heard.at if heard is not None else self._started
        return MachineStanding(
            number=number,
            heard_at=heard.at if heard is not None else None,
            version=heard.pull.version if heard is not None else "",
            behind=heard.pull.behind if heard is not None else None,
            current=heard is not None and self._made is not None and heard.pull.has == self._made[1],
            done=heard is not None and heard.pull.done >= self._newest_order,
            silent=now - since >= SILENT,
        )

    def _check_credential(self, given: bytes) -> None:
        """Check that a machine of this cluster asks, before the body is read. Raises Forbidden and Conflict."""
        assert self._key is not None  # noqa: S101  the caller has looked
        try:
            ahead = self._key.sent_at(given) - self._clock.now()
        except ForgedMessage as forged:
            raise self._forged() from forged
        if abs(ahead) > SKEW:
            log.warning("Refused an ingest machine: its clock differs by %d seconds", ahead // 1000)
            raise errors.Conflict(
                _("The clocks of this machine and the primary differ by {ahead} seconds").format(
                    ahead=abs(ahead) // 1000
                )
            )

    def _forged(self) -> errors.Forbidden:
        """The refusal of a request that was not made with this cluster's key, which is logged now and then."""
        if self._clock.monotonic() - self._forgery_told >= _FORGERY_SECONDS:
            self._forgery_told = self._clock.monotonic()
            log.warning("Refused a request from an ingest machine: its key differs from cluster_key_file")
        return errors.Forbidden(_("The cluster key of this machine differs from that of the primary"))

    def _opened(self, sealed: bytes) -> Pull:
        """The request. Raises BoxError; what is wrong is logged, too, once it is sure that it came from a machine."""
        assert self._key is not None  # noqa: S101  the caller has looked
        try:
            pull = msgspec.msgpack.decode(self._key.open(sealed, ASKED), type=Pull)
        except ForgedMessage as forged:
            raise self._forged() from forged
        except msgspec.DecodeError as other:
            raise errors.BadRequest(
                _("The primary runs a different version. Run the same version on all machines.")
            ) from other
        if pull.format != FORMAT:
            raise errors.Conflict(_("The primary runs an incompatible version. Run the same version on all machines."))
        if abs(pull.at - self._clock.now()) > SKEW:
            raise errors.Conflict(_("This request is too old"))
        self._once = {once: at for once, at in self._once.items() if self._clock.now() - at <= 2 * SKEW}
        if pull.once in self._once:
            log.warning("Ingest machine %d sent the same request twice", pull.node)
            raise errors.Conflict(_("This request was already received"))
        self._once[pull.once] = self._clock.now()
        return pull

    async def _check_is_newer(self, pull: Pull) -> None:
        """See that this primary has not been replaced, and that its files are those that the machine knows, or later
        ones. Raises Conflict."""
        if pull.promoted_at > self._promoted_at:
            self.replace(pull.promoted_at)
            raise errors.Conflict(_("Another machine was promoted to primary. This one stops"))
        given = await self._box_db.read(lambda db: [rows.last_given(db, table) for table in ("sites", "node_orders")])
        if pull.sites > given[0] or pull.done > given[1]:
            log.error(
                "Ingest machine %d has a newer box.db than this primary. Stop the primary, and promote that machine",
                pull.node,
            )
            raise errors.Conflict(
                _("The primary has an older box.db than this machine. Stop it, and run analytics-box promote there")
            )

    async def _know(self, pull: Pull) -> None:
        """See that the number is this machine's. Raises Conflict."""
        known = self._nodes.get(pull.node)
        if known is None:
            now = self._clock.now()
            await self._box_db.write(lambda db: rows.insert_node(db, pull.node, pull.box, now))
            known = self._nodes[pull.node] = IngestNode(pull.node, pull.box, now, None)
            log.info("Registered ingest machine %d", pull.node)
        elif known.retired_at is not None:
            log.warning("Refused ingest machine %d: its number is retired", pull.node)
            raise errors.Conflict(
                _("The number {node} is retired. Give this machine another number.").format(node=pull.node)
            )
        elif known.box != pull.box:
            log.warning("Refused an ingest machine: the number %d belongs to another machine", pull.node)
            raise errors.Conflict(
                _("The number {node} belongs to another machine. Give this machine a different number.").format(
                    node=pull.node
                )
            )
        if pull.alone != known.alone:
            await self._box_db.write(partial(rows.note_alone, number=pull.node, alone=pull.alone))
            self._nodes[pull.node] = msgspec.structs.replace(known, alone=pull.alone)

    async def _mirror(self) -> tuple[str, Mirror]:
        """The mirror as it is now, with its revision; rebuilt where something was written since."""
        async with self._making:
            state = self._box_db.version, self._salts.ahead(self._clock.now())
            if self._made is None or self._made[0] != state:
                mirror = await self._box_db.read(partial(self._read, salts=state[1]))
                encoded = msgspec.msgpack.encode(mirror)
                self._made = state, hashlib.blake2b(encoded, digest_size=16).hexdigest(), mirror
            return self._made[1], self._made[2]

    def _orders(self, db: Connection) -> list[RemovalOrder]:
        return [
            msgspec.structs.replace(
                msgspec.msgpack.decode(self._seal.open(sealed, owner=_ORDER), type=RemovalOrder), number=number
            )
            for number, sealed in rows.orders(db)
        ]

    def _read(self, db: Connection, *, salts: Salts) -> Mirror:
        db.execute("begin")
        try:
            history = salts.history
            assert isinstance(history, History)  # noqa: S101  as the box makes it
            orders = [msgspec.structs.replace(order, erasure="", shipments=[]) for order in self._orders(db)]
            days = DaySalts(salts.day, salts.today, salts.yesterday, salts.tomorrow, history.key())
            return Mirror(rows.box_id(db), mirrored.rows(db), days, orders)
        finally:
            db.execute("rollback")
