"""Messages between machines, in msgpack, and the key that the machines of a cluster share.

Requests and answers are sealed with the key (XChaCha20-Poly1305), so that only who has it makes or reads them.
"""

import hashlib
from pathlib import Path
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


KEY_BYTES = 32
LEAST = 32  # characters of the file's first line


class BadKeyFile(Exception):
    """The file of the key cannot be used; the message says why."""


class ForgedMessage(Exception):
    """Raised for a message that was not encrypted with this key, or not for this purpose."""


class ClusterKey:
    """Seals messages between machines. `purpose` says what a message is for: it opens for nothing else."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def seal(self, message: bytes, purpose: str) -> bytes:
        """The message as it may travel."""
        from nacl.secret import Aead  # noqa: PLC0415  1 MB

        return bytes(Aead(self._key).encrypt(message, purpose.encode()))

    def open(self, sealed: bytes, purpose: str) -> bytes:
        """The content of a message encrypted for this purpose. Raises ForgedMessage."""
        from nacl.exceptions import CryptoError  # noqa: PLC0415  as above
        from nacl.secret import Aead  # noqa: PLC0415  1 MB

        try:
            return Aead(self._key).decrypt(sealed, purpose.encode())
        except (CryptoError, ValueError) as broken:
            raise ForgedMessage("It is not sealed with this key") from broken

    def credential(self, at: int) -> str:
        """The Authorization header of a request that is sent now (UTC ms)."""
        return f"Cluster {self.seal(b'%d' % at, KNOCK).hex()}"

    def sent_at(self, credential: bytes) -> int:
        """The time at which a request with this header was sent, UTC ms. Raises ForgedMessage."""
        try:
            return int(self.open(bytes.fromhex(credential.decode("ascii").removeprefix("Cluster ")), KNOCK))
        except ValueError as broken:
            raise ForgedMessage("The credential does not match this key") from broken


def read_key(file: str) -> ClusterKey:
    """The key that the first line of this file gives. Raises BadKeyFile."""
    path = Path(file).expanduser()
    try:
        mode, text = path.stat().st_mode & 0o777, path.read_text("utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as broken:
        raise BadKeyFile(f"cluster_key_file cannot be read: {broken}") from broken
    if mode & 0o077:
        raise BadKeyFile(f"{path} is open to other users (mode {mode:04o}): chmod 600 {path}")
    if len(text) < LEAST:
        raise BadKeyFile(f"The first line of {path} is shorter than {LEAST} characters: openssl rand -hex 32 > {path}")
    return ClusterKey(hashlib.blake2b(text.encode(), digest_size=KEY_BYTES, person=b"cluster").digest())
