"""A primary and machines that take events, inside the test's process; between them is no network, only what breaks."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import apsw
from msgspec.structs import replace

from analytics_box.app.box import open_box
from analytics_box.base.errors import Unavailable
from analytics_box.base.outgoing.client import OutgoingAnswer as Answered
from analytics_box.base.outgoing.client import OutgoingRequest
from analytics_box.base.outgoing.failures import RequestFailed
from analytics_box.base.outgoing.messages import RequestPhases
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection
from analytics_box.base.store.schema import BOX_FILE, EVENTS_FILE
from analytics_box.base.store.seal import KEY_FILE
from tests.inprocess import NOON, FixedClock, RunningBox, SiteName, WholeBox, fill
from tests.migrated import migrated
from tests.query.clickhouse.served import Served

KEY = "0123456789abcdef0123456789abcdef"
NOWHERE = "http://127.0.0.1:9/none"


class Wire:
    """What a machine asks the primary through. `cut` says that nothing goes through; `sent` is all that went."""

    def __init__(self, primary: WholeBox) -> None:
        self.primary = primary
        self.cut = False
        self.sent: list[bytes] = []
        self.credentials: list[str] = []

    async def fetch(self, ask: OutgoingRequest) -> Answered:
        if self.cut:
            raise RequestFailed("Connection refused")
        self.sent.append(ask.body)
        self.credentials.append(dict(ask.headers)["Authorization"])
        path = ask.url.partition("://")[2].partition("/")[2]
        found = await asyncio.to_thread(
            self.primary.ask,
            ask.method,
            f"/{path}",
            headers={"host": "10.0.0.5", "authorization": self.credentials[-1]},
            body=ask.body,
        )
        return Answered(
            found.status,
            tuple(found.headers.items()),
            found.body,
            len(found.body),
            True,
            ask.url,
            0,
            "",
            None,
            RequestPhases(),
            0,
        )


class Node(RunningBox):
    """A machine that takes events."""

    def __init__(self, directory: Path, settings: Settings, clock: FixedClock, wire: Wire) -> None:
        if not directory.exists():
            _begin(directory)
        super().__init__(open_box(settings, clock), clock, {})
        self.wire = wire
        self._connect()

    def _connect(self) -> None:
        assert self.box.mirroring is not None
        self.box.mirroring._client = self.wire  # type: ignore[assignment]  # in place of the network

    def reopen(self) -> None:
        super().reopen()
        self._connect()

    def pull(self) -> str:
        """Ask the primary; what is wrong, if anything is."""
        assert self.box.mirroring is not None
        try:
            self.run(self.box.mirroring.pull(self.box.node_memory))
        except Unavailable as wrong:
            return wrong.message
        return ""

    def track(self, website_id: str, path: str = "/", **given: Any) -> int:
        """A page view; the status of its answer."""
        event = {"websiteId": website_id, "name": "screen_view", "path": f"https://shop.example{path}", **given}
        return self.post("/track", event, origin="https://shop.example").status

    def maintain(self) -> None:
        """Send what ClickHouse lacks."""
        self.run(self.box.events.engines.maintain())

    def rows(self, select: str) -> list[Any]:
        """The rows of its events.db; of one column, the values."""
        found = self.box.events.db.read_now(lambda db: db.execute(select).fetchall())
        return [row[0] if len(row) == 1 else row for row in found]

    def count(self) -> int:
        """How many events it has."""
        return int(self.rows("select count(*) from events")[0])


def _begin(directory: Path) -> None:
    """The files of an empty box with an id of its own."""
    directory.mkdir(parents=True)
    migrated(directory)
    box = apsw.Connection(str(directory / BOX_FILE))
    box.execute("update box set id = lower(hex(randomblob(16)))")
    box.close()


class World:
    """`primary` and `nodes`, all with one clock. ClickHouse is nowhere unless a test has one."""

    def __init__(
        self, directory: Path, stack: ExitStack, *, url: str, nodes: int, seconds: float = 0, **given: Any
    ) -> None:
        """So many seconds after the noon at which the directory was filled, which may have been before."""
        self.directory, self._stack, self._url = directory, stack, url
        self.clock = FixedClock()
        directory.mkdir(exist_ok=True)
        self.key_file = directory / "key"
        self.key_file.write_text(KEY + "\n")
        self.key_file.chmod(0o600)

        def adjust(settings: Settings) -> Settings:
            return replace(settings, **(self.shared | {"role": "primary"} | given))

        data = directory / "primary"
        self._adjust = adjust
        self._filled = fill(directory / "pattern" if data.exists() else data, self.clock.now())
        self.clock.advance(seconds=seconds)
        self.primary = WholeBox(open_box(adjust(Settings(data_dir=data)), self.clock), self.clock, self._filled)
        stack.callback(self.primary.close)
        self.nodes = [self.node(number) for number in range(1, nodes + 1)]

    @property
    def shared(self) -> dict[str, Any]:
        return {"columnar": "clickhouse", "clickhouse_url": self._url, "cluster_key_file": str(self.key_file)}

    def node(self, number: int, *, folder: str = "", **given: Any) -> Node:
        """One more machine."""
        directory = self.directory / (folder or f"node{number}")
        own: dict[str, Any] = {"role": "ingest", "node": number, "primary_url": "http://10.0.0.5"}
        settings = Settings(data_dir=directory, **(own | self.shared | given))
        made = Node(directory, settings, self.clock, Wire(self.primary))
        self._stack.callback(made.close)
        return made

    @property
    def url(self) -> str:
        return self._url

    def pull(self) -> None:
        for node in self.nodes:
            assert node.pull() == ""

    def ship(self) -> None:
        """A minute later, all machines have sent what they have."""
        self.clock.advance(seconds=61)
        self.pull()
        self.primary.run(self.primary.box.events.engines.maintain())
        for node in self.nodes:
            node.maintain()

    def replicated(self) -> Path:
        """A folder with what Litestream would have of the primary now, and its key."""
        data, copy = self.primary.box.settings.data_dir, self.directory / "replica"
        copy.mkdir()
        for name in (BOX_FILE, EVENTS_FILE):
            source, target = apsw.Connection(str(data / name)), apsw.Connection(str(copy / name))
            with target.backup("main", source, "main") as copying:
                copying.step()
            source.close()
            target.close()
        shutil.copy(data / KEY_FILE, copy)
        return copy

    def stand_by(self, data: Path) -> WholeBox:
        """Another machine that runs as the primary on these files; all machines ask it from now on."""
        made = WholeBox(open_box(self._adjust(Settings(data_dir=data)), self.clock), self.clock, self._filled)
        self._stack.callback(made.close)
        self.primary = made
        for node in self.nodes:
            node.wire.primary = made
        return made

    def remove_website(self, name: SiteName) -> None:
        """A website is gone for good on the primary."""

        def remove(db: Connection) -> None:
            db.execute("delete from client_ids where website_id = ?", (self.primary.sites[name],))
            db.execute("delete from websites where id = ?", (self.primary.sites[name],))

        self.primary.box.box_db.write_now(remove)


@contextmanager
def cluster(directory: Path, *, url: str = NOWHERE, nodes: int = 2, **given: Any) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(directory, stack, url=url, nodes=nodes, **given)


@contextmanager
def heard(directory: Path) -> Iterator[World]:
    """One whose machines have heard of the primary, which asks for salts first."""
    with cluster(directory) as made:
        for _ in range(2):
            made.pull()
        yield made


class Shipped:
    """A cluster that has begun to send to ClickHouse, to be copied: the tables are most of the work of a test."""

    def __init__(self, directory: Path, served: Served, **of_nodes: Any) -> None:
        self._directory, self._served, self._of_nodes = directory, served, of_nodes
        self._url = served.new_database()
        with self._open(directory, self._url) as made:
            made.ship()
            self._seconds = (made.clock.now() - NOON) / 1000

    @contextmanager
    def copied(self, directory: Path) -> Iterator[World]:
        """A cluster of its own in this directory."""
        shutil.copytree(self._directory, directory, dirs_exist_ok=True)
        with self._open(directory, self._copied_database(), self._seconds) as made:
            made.pull()
            yield made

    @contextmanager
    def _open(self, directory: Path, url: str, seconds: float = 0) -> Iterator[World]:
        with cluster(directory, url=url, nodes=0, seconds=seconds) as made:
            made.nodes = [made.node(number, **self._of_nodes) for number in (1, 2)]
            yield made

    def _copied_database(self) -> str:
        made = self._served.new_database()
        source, target = (url.rpartition("/")[2] for url in (self._url, made))
        tables = self._served.ask(f"select name, total_rows from system.tables where database = '{source}'")
        for table, rows in (line.split("\t") for line in tables.splitlines()):
            self._served.ask(f"create table {target}.{table} as {source}.{table}")
            if rows != "0":
                self._served.ask(f"insert into {target}.{table} select * from {source}.{table}")
        return made
