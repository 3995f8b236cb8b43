"""Messages between machines, in msgpack, encrypted (cluster.key)."""

from typing import Annotated, Any

from msgspec import Meta, Struct

PATH = "/cluster/pull"
FORMAT = 2  # of these messages; machines with another one refuse each other
ASKED = "cluster pull"  # what a request is sealed for
KNOCK = "cluster knock"  # what the credential of a request is sealed for
MOST_NODE = 1023

_Text = Annotated[str, Meta(max_length=200)]
_Salt = Annotated[bytes, Meta(min_length=32, max_length=32)]


class SiteReport(Struct, frozen=True, array_like=True):
    """A site as an ingest machine knows it: its current visitors, the time of its first event there (UTC ms; 0 for
    none), and
    the kinds of facts it has that not all websites have.
    """

    site: int
    online: int
    first: int
    kinds: tuple[str, ...]


class DaySalts(Struct, frozen=True):
    """The salts of a UTC day, of the days next to it, and the key of those of history, which only the primary gives."""

    day: int
    today: _Salt
    yesterday: _Salt
    tomorrow: Annotated[bytes, Meta(max_length=32)]
    history: bytes = b""


class IdentityReport(Struct, frozen=True, array_like=True, tag="said"):
    """Identifications that a machine received at this time (UTC ms). `traits` is JSON."""

    profile: str
    visitors: list[int]
    traits: bytes
    at: int


class DroppedReport(Struct, frozen=True, array_like=True, tag="dropped"):
    """Traffic that a machine has dropped: UTC day, reason, how much."""

    counts: list[tuple[int, str, int]]


class MachineReport(Struct, frozen=True, array_like=True):
    """A machine's report to the primary about a site."""

    number: int
    site: int
    what: IdentityReport | DroppedReport


class Pull(Struct, frozen=True):
    """A request. `once` is never sent twice; `at` is the sender's clock (UTC ms); `has` is the revision of the mirror
    that the machine has; `behind` are rows that ClickHouse lacks, and `alone` says whether it may have some that are
    nowhere else; `done` is the last order that was carried out, of which nothing is left in ClickHouse.

    `sites` is the highest number of a site that it knows; `promoted_at` is when the primary was promoted that it has
    followed last. It sends salts when it was asked for them. `told` is what waits for the primary, in
    the order of the numbers.
    """

    format: int
    node: Annotated[int, Meta(ge=1, le=MOST_NODE)]
    box: _Text
    at: int
    once: Annotated[str, Meta(min_length=16, max_length=64)]
    version: _Text
    has: _Text
    behind: int
    alone: bool
    done: int
    seen: Annotated[list[SiteReport], Meta(max_length=10_000)]
    sites: int = 0
    promoted_at: int = 0
    salts: DaySalts | None = None
    told: Annotated[list[MachineReport], Meta(max_length=1_000)] = []


class RemovalOrder(Struct, frozen=True):
    """A person to be removed: by the id that the website gave, if any, and whichever visitor when: (visitor, from,
    until), UTC ms. The primary knows of which `erasure` it is a part, and in which `shipments` the person was."""

    number: int
    site: int
    profile: str
    stays: list[tuple[int, int, int]]
    erasure: str = ""
    shipments: list[tuple[int, int]] = []


class Mirror(Struct, frozen=True):
    """All that an ingest machine needs of the primary: rows by table, in the order of cluster.mirrored."""

    cluster: str  # the primary's box id
    tables: dict[str, list[list[Any]]]
    salts: DaySalts
    orders: list[RemovalOrder]


class MirrorAnswer(Struct, frozen=True):
    """The revision of the mirror, the mirror itself where the machine has another one, and when this primary was
    promoted. One that has lost its salts `wants_salts` first, and gives no mirror. All that it was `told` up to this
    number is written down."""

    format: int
    revision: str
    mirror: Mirror | None
    promoted_at: int = 0
    wants_salts: bool = False
    told: int = 0


def answer_purpose(once: str) -> str:
    """The purpose that an answer is encrypted for: this one request."""
    return f"cluster answer {once}"
