"""An ingest machine's side: it asks the primary every few seconds, and keeps what it hears on disk.

While the primary is away, it goes on with what it has: websites, keys, limits, and the salts of today and tomorrow.
"""

import logging
import secrets
import zlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec
from msgspec import Struct

import analytics_box
from analytics_box.base.clock import Clock
from analytics_box.base.errors import Unavailable
from analytics_box.base.outgoing.client import Client, OutgoingRequest
from analytics_box.base.outgoing.failures import RequestFailed
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.files import write_private
from analytics_box.base.translation import _
from analytics_box.ingest.cluster import mirrored, rows
from analytics_box.ingest.cluster.messages import (
    ASKED,
    FORMAT,
    PATH,
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
from analytics_box.ingest.cluster.reports import Outbox
from analytics_box.ingest.visitors import HISTORY_FILE, SaltFile, Salts

log = logging.getLogger(__name__)

MOST_BYTES = 64 << 20  # of an answer, as it travels and unpacked
_SECONDS = 10.0
_SAID = 300  # characters of a refusal that are told
_MOST_PULLS = 20  # at a time


class Memory(Struct, frozen=True):
    """State in memory that follows the mirror: `read_anew` reloads copies of box.db, `erase` removes a site, `remove` a
    person;
    `behind` are rows that ClickHouse lacks, `alone` whether it may have some that are nowhere else, `seen` the report
    to the
    primary about sites. `removed` is the last change of the facts once no removal is in progress here, and
    `has_arrived`
    whether ClickHouse has changes up to one. Dropped traffic is handed over to the `outbox`, which has the reports for
    the
    primary.
    """

    read_anew: Callable[[], Awaitable[None]]
    erase: Callable[[int], Awaitable[int]]
    remove: Callable[[RemovalOrder], Awaitable[None]]
    behind: Callable[[], Awaitable[int]]
    alone: Callable[[], Awaitable[bool]]
    removed: Callable[[], Awaitable[int | None]]
    has_arrived: Callable[[int], bool]
    seen: Callable[[], Awaitable[Sequence[SiteReport]]]
    outbox: Outbox
    hand_over: Callable[[], Awaitable[None]]


class MirrorRefused(Exception):
    """The primary did not answer with a mirror; the message says why."""


class Mirroring:
    """The mirror of an ingest machine. Without one, it takes no events."""

    def __init__(
        self, number: int, url: str, key: ClusterKey, box_db: Db, salts: SaltFile, client: Client, clock: Clock
    ) -> None:
        self._number, self._url, self._key = number, url.rstrip("/") + PATH, key
        self._box_db, self._salts, self._client, self._clock = box_db, salts, client, clock
        self._box = box_db.read_now(rows.box_id)
        self._has = box_db.read_now(rows.has)
        self.heard_at: int | None = None  # UTC ms
        self.trouble = ""
        self.has_asked = False  # since the start; what it heard is done
        self._erased: set[int] = set()
        self._gone = 0  # the last order of which nothing is left in ClickHouse
        self._gone_with: int | None = None  # the last change of what has been carried out, once it is known

    @property
    def is_there(self) -> bool:
        """Whether this machine knows which websites there are."""
        return self._has is not None

    @property
    def cluster(self) -> str:
        """The box id of the primary; empty before it was heard of."""
        return self._has.cluster if self._has is not None else ""

    async def pull(self, memory: Memory) -> None:
        """Ask the primary, and tell it all that waits; do what follows from its answers. Raises Unavailable, which says
        what is wrong."""
        for _pull in range(_MOST_PULLS):
            if not await self._pull(memory):
                break
        await memory.hand_over()

    async def _pull(self, memory: Memory) -> bool:
        """Ask the primary once, and do what follows; whether it is to be told more at once.

        What comes in the meantime waits for the next time: each request looks at all websites.
        """
        told = self._has is not None and self._has.alone
        alone = told or await memory.alone()
        try:
            answer = await self._ask(memory, alone=alone)
            if answer.wants_salts:
                log.info("The primary has lost its salts. Sending it this machine's")
                answer = await self._ask(memory, alone=alone, salts=self._own_salts())
        except (RequestFailed, MirrorRefused) as wrong:
            if not self.trouble:
                log.error(
                    "The primary does not respond (%s). This machine continues with its copy of the settings", wrong
                )
            self.trouble, self.has_asked = str(wrong), True
            raise Unavailable(_("The primary does not respond: {wrong}").format(wrong=wrong)) from wrong
        if self.trouble:
            log.info("The primary responds again")
        self.trouble, self.heard_at = "", self._clock.now()
        is_other = self._has is not None and self._has.promoted_at != answer.promoted_at
        if is_other:
            log.warning("Another machine was promoted to primary")
        if answer.mirror is not None:
            await self._take(answer.mirror, answer, memory)
        elif is_other:
            await self._note(lambda db: rows.note_has(db, self.cluster, answer.revision, answer.promoted_at))
        if alone and not told and self._has is not None:
            await self._note(rows.note_known_alone)
        self.has_asked = True
        if answer.told:
            await memory.outbox.passed(answer.told)
            return memory.outbox.has_more
        return answer.mirror is not None and bool(await memory.outbox.count())

    async def _done(self, memory: Memory) -> int:
        """The last order that was carried out, of which nothing is left in ClickHouse."""
        done = self._has.done if self._has is not None else 0
        if self._gone < done:
            if self._gone_with is None:
                self._gone_with = await memory.removed()
            if self._gone_with is not None and memory.has_arrived(self._gone_with):
                self._gone, self._gone_with = done, None
        return self._gone

    def _own_salts(self) -> DaySalts:
        salts = self._salts.current(self._clock.now())
        return DaySalts(salts.day, salts.today, salts.yesterday, salts.tomorrow)

    async def _ask(self, memory: Memory, *, alone: bool, salts: DaySalts | None = None) -> MirrorAnswer:
        once = secrets.token_hex(16)
        pull = Pull(
            format=FORMAT,
            node=self._number,
            box=self._box,
            at=self._clock.now(),
            once=once,
            version=analytics_box.__version__,
            has=self._has.revision if self._has is not None else "",
            behind=await memory.behind(),
            alone=alone,
            done=await self._done(memory),
            seen=list(await memory.seen()),
            sites=await self._box_db.read(rows.last_site),
            promoted_at=self._has.promoted_at if self._has is not None else 0,
            salts=salts,
            told=await memory.outbox.next(),
        )
        sealed = self._key.seal(msgspec.msgpack.encode(pull), ASKED)
        headers = (
            ("Authorization", self._key.credential(self._clock.now())),
            ("Content-Type", "application/octet-stream"),
            ("Accept-Encoding", "identity"),
        )
        found = await self._client.fetch(
            OutgoingRequest(
                self._url,
                "POST",
                headers,
                sealed,
                seconds=_SECONDS,
                redirects=0,
                body_bytes=MOST_BYTES,
                decoded_bytes=MOST_BYTES,
            )
        )
        if found.status != 200:
            raise MirrorRefused(_refusal_text(found.status, found.body))
        if not found.complete:
            raise MirrorRefused(f"its answer has more than {MOST_BYTES:,} bytes, or broke off")
        return self._opened(found.body, once)

    def _opened(self, sealed: bytes, once: str) -> MirrorAnswer:
        try:
            unpacking = zlib.decompressobj()
            content = unpacking.decompress(self._key.open(sealed, answer_purpose(once)), MOST_BYTES)
            answer = msgspec.msgpack.decode(content, type=MirrorAnswer)
        except (ForgedMessage, zlib.error, msgspec.DecodeError) as broken:
            raise MirrorRefused(
                "its answer is not sealed with the key of cluster_key_file, or of another version"
            ) from broken
        if answer.format != FORMAT:
            raise MirrorRefused("it has another version: run the same one")
        return answer

    async def _take(self, mirror: Mirror, answer: MirrorAnswer, memory: Memory) -> None:
        """Keep a mirror: first what visitors are hashed with, then all rows at once, then what follows from them."""
        if self._has is not None and self._has.cluster != mirror.cluster:
            raise Unavailable(
                _("This machine has events of another primary. Use an empty data directory and a unique number")
            )
        now, given = self._clock.now(), mirror.salts
        write_private(self._salts.path.with_name(HISTORY_FILE), given.history)
        history = self._salts.current(now).history
        self._salts.adopt(Salts(given.day, given.today, given.yesterday, history, given.tomorrow), now)
        await self._box_db.write(partial(_keep, mirror=mirror, promoted_at=answer.promoted_at))
        await memory.read_anew()
        self._has = await self._box_db.read(rows.has)
        await self._carry_out(mirror.orders, memory)
        # A promoted primary may not know the newest ones: nobody wanted their events removed.
        known = {row[0] for row in mirror.tables.get("sites", ())}
        for site in await self._box_db.read(mirrored.gone_sites):
            if site in known and site not in self._erased:
                await memory.erase(site)
                self._erased.add(site)
        # Last: else all of it comes again.
        await self._note(lambda db: rows.note_has(db, mirror.cluster, answer.revision, answer.promoted_at))

    async def _note(self, write: Callable[[Connection], None]) -> None:
        await self._box_db.write(write)
        self._has = await self._box_db.read(rows.has)

    async def _carry_out(self, orders: Sequence[RemovalOrder], memory: Memory) -> None:
        for order in orders:
            if self._has is not None and order.number > self._has.done:
                await memory.remove(order)
                await self._note(partial(rows.note_done, done=order.number))
                self._gone_with = None


def _keep(db: Connection, *, mirror: Mirror, promoted_at: int) -> None:
    mirrored.replace(db, mirror.tables)
    rows.note_has(db, mirror.cluster, "", promoted_at)


def _refusal_text(status: int, body: bytes) -> str:
    """A refusal in words."""
    try:
        found = msgspec.json.decode(body)
        message = found["error"]["message"] if isinstance(found.get("error"), dict) else found["error"]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return f"it answers {status}"
    return f"it answers {status}: {str(message)[:_SAID]}"
