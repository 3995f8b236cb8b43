"""Several machines that take events, with kills in the middle: every acknowledged event is in ClickHouse once, and the
primary knows everybody of whom a machine was told.

A primary, ingest machines and one ClickHouse (chdb behind its HTTP interface) on this machine. Clients send events with
texts of their own to all ingest machines; each in its turn, the primary and ClickHouse are killed and come back.
"""

import itertools
import json
import secrets
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from analytics_box.base.store.text_numbers import number_of
from tests.query.clickhouse.served import Served, serving
from tests.running import BROWSER, UNLIMITED, Account, Server, set_up

_CLIENTS = 2  # of each machine
_SETTLE_SECONDS = 120.0
_VIEWS = 20  # for each time that somebody says who they are
_PAGE = 100
_BETWEEN_KILLS = 10  # events of each client that are acknowledged between two kills, however long that takes
_ORIGIN = "https://example.com"


class Cluster:
    """The processes. `kill` ends one with SIGKILL, and it comes back on its port."""

    def __init__(self, folder: Path, served: Served, nodes: int) -> None:
        self.served, self.url = served, served.new_database()
        key = folder / "key"
        key.write_text(secrets.token_hex(32))
        key.chmod(0o600)
        self._shared = UNLIMITED | {
            "columnar": "clickhouse",
            "clickhouse_url": self.url,
            "cluster_key_file": key,
            "log_format": "text",
        }
        self.account: Account = set_up(folder / "primary")
        self._given: dict[str, tuple[Path, dict[str, Any]]] = {}
        self.servers: dict[str, Server] = {}
        self._others: list[Server] = []
        self._start("primary", folder / "primary", {"role": "primary"})
        for number in range(1, nodes + 1):
            given = {"role": "ingest", "node": number, "primary_url": self.servers["primary"].url}
            self._start(f"node{number}", folder / f"node{number}", given)

    @property
    def nodes(self) -> list[str]:
        return [name for name in self.servers if name != "primary"]

    def _start(self, name: str, directory: Path, given: dict[str, Any]) -> None:
        directory.mkdir(mode=0o700, exist_ok=True)
        server = Server(directory, self._shared | given)
        self.servers[name] = server
        server.wait_until_ready()
        self._given[name] = directory, given | {"port": server.port}

    def kill(self, name: str) -> None:
        if name == "clickhouse":
            self.served.restart()
            return
        self.servers[name].kill()
        self._start(name, *self._given[name])

    def start_elsewhere(self, directory: Path) -> Server:
        """A primary on this data directory, on a port of its own; nobody knows of it yet."""
        server = Server(directory, self._shared | {"role": "primary"})
        self._others.append(server)
        return server

    def follow(self, server: Server) -> None:
        """Ingest machines are started again to ask this primary from now on."""
        self.servers["primary"] = server
        for name in self.nodes:
            self.servers[name].kill()
            directory, given = self._given[name]
            self._start(name, directory, given | {"primary_url": server.url})

    def close(self) -> None:
        for server in (*self.servers.values(), *self._others):
            server.kill()

    def track(self, client: httpx.Client, node: str, path: str, website_id: str = "") -> bool:
        """Whether it was acknowledged."""
        event = {"websiteId": website_id or self.account.website_id, "name": "screen_view", "path": f"{_ORIGIN}{path}"}
        try:
            answer = client.post(f"{self.servers[node].url}/track", json=event)
        except httpx.HTTPError:
            return False
        return answer.status_code == 200

    def identify(self, client: httpx.Client, node: str, person: str) -> bool:
        """Whether it was acknowledged."""
        said = {"profileId": person, "anonymousId": f"device of {person}"}
        target = f"{self.servers[node].url}/identify?client_id={self.account.website_id}"
        try:
            answer = client.post(target, json=said)
        except httpx.HTTPError:
            return False
        return answer.status_code == 200

    def people(self) -> set[str]:
        """Whom the primary knows."""
        found: set[str] = set()
        for offset in itertools.count(0, _PAGE):
            answer = httpx.post(
                f"{self.servers['primary'].url}/profiles/list",
                json={"websiteId": self.account.website_id, "limit": _PAGE, "offset": offset},
                headers={"x-api-key": self.account.api_key},
                timeout=20,
            )
            assert answer.status_code == 200, answer.text
            found |= {one["profileId"] for one in answer.json()["profiles"]}
            if not answer.json()["more"]:
                break
        return found

    def views(self, website_id: str = "") -> int:
        """What the primary answers; -1 while it cannot."""
        website_id = website_id or self.account.website_id
        asked = {"parameters": ["summary_metrics"], "preset": "last_7d"}
        try:
            found = httpx.post(
                f"{self.servers['primary'].url}/v1/query?website_id={website_id}",
                json=asked,
                headers={"x-api-key": self.account.api_key},
                timeout=20,
            )
        except httpx.HTTPError:
            return -1
        if found.status_code != 200 or not found.json()["data"][0].get("success"):
            return -1
        return sum(int(day["pageviews"]) for day in found.json()["data"][0]["data"])

    def there(self) -> Counter[int]:
        """How often ClickHouse has each path, by its number."""
        lines = self.served.ask("select path, count() from events where kind = 1 group by path", self.url).splitlines()
        return Counter({int(path): int(count) for path, count in (line.split("\t") for line in lines)})


@contextmanager
def running(nodes: int) -> Iterator[Cluster]:
    """A cluster in a folder of its own."""
    with TemporaryDirectory() as folder, serving() as served, ExitStack() as stack:
        cluster = Cluster(Path(folder), served, nodes)
        stack.callback(cluster.close)
        yield cluster


class Sender(threading.Thread):
    """Sends page views to one machine, and who somebody is now and then, until it is told to stop; with a pause of so
    many seconds between two."""

    def __init__(self, cluster: Cluster, node: str, number: int, stop: threading.Event, pause: float) -> None:
        super().__init__(daemon=True)
        self._pause = pause
        self._cluster, self._node, self._number, self._stopping = cluster, node, number, stop
        self.acknowledged: list[str] = []
        self.identified: set[str] = set()
        self.sent = 0

    def run(self) -> None:
        with httpx.Client(headers={"origin": _ORIGIN, "user-agent": BROWSER}, timeout=10) as client:
            for turn in itertools.count():
                if self._stopping.wait(self._pause):
                    return
                path = f"/{self._node}/{self._number}/{turn}"
                self.sent += 1
                if self._cluster.track(client, self._node, path):
                    self.acknowledged.append(path)
                else:
                    self._stopping.wait(0.05)
                person = f"{self._node}-{self._number}-{turn}"
                if turn % _VIEWS == 0 and self._cluster.identify(client, self._node, person):
                    self.identified.add(person)


def measure(seconds: float, nodes: int = 3, *, pause: float = 0) -> dict[str, Any]:
    """Run for so long, with a kill of each process in between; clients pause between two events. Raises AssertionError
    for events not there once, and for people who are not known."""
    with running(nodes) as cluster:
        stop = threading.Event()
        senders = [Sender(cluster, node, number, stop, pause) for node in cluster.nodes for number in range(_CLIENTS)]
        _wait_until_taken(cluster)
        for sender in senders:
            sender.start()
        killed = ["node1", "primary", "clickhouse", *cluster.nodes[1:]]
        for name in killed:
            _let_send(senders, seconds / (len(killed) + 1))
            cluster.kill(name)
        _let_send(senders, seconds / (len(killed) + 1))
        stop.set()
        for sender in senders:
            sender.join()
        acknowledged = [path for sender in senders for path in sender.acknowledged]
        began = time.monotonic()
        there, views = _settled(cluster, acknowledged)
        settled = time.monotonic() - began
        wrong = {path: there[number_of(path)] for path in acknowledged if there[number_of(path)] != 1}
        doubled = [number for number, count in there.items() if count > 1]
        assert not wrong, f"{len(wrong)} acknowledged events are not once there: {json.dumps(wrong)[:500]}"
        assert not doubled, f"{len(doubled)} events are there more than once"
        assert views == sum(there.values()), f"the primary counts {views} of {sum(there.values())}"
        identified = {person for sender in senders for person in sender.identified}
        unknown = identified - _known(cluster, identified)
        assert not unknown, f"{len(unknown)} of {len(identified)} people are not known: {sorted(unknown)[:5]}"
        return {
            "machines": nodes,
            "seconds": seconds,
            "killed": killed,
            "sent": sum(sender.sent for sender in senders),
            "acknowledged": len(acknowledged),
            "stored": sum(there.values()),
            "identified": len(identified),
            "seconds_until_all_were_there": round(settled, 1),
        }


def main(seconds: float, nodes: int) -> None:
    """Print what came of it as a line of JSON."""
    sys.stdout.write(json.dumps({"benchmark": "cluster", **measure(seconds, nodes)}) + "\n")


def _wait_until_taken(cluster: Cluster) -> None:
    """Return once every machine knows the website."""
    with httpx.Client(headers={"origin": _ORIGIN, "user-agent": BROWSER}, timeout=10) as client:
        deadline = time.monotonic() + _SETTLE_SECONDS
        for node in cluster.nodes:
            while not cluster.track(client, node, f"/first/{node}"):
                assert time.monotonic() < deadline, f"{node} takes no events"
                time.sleep(0.2)


def _let_send(senders: list[Sender], seconds: float) -> None:
    """Wait for so long, and until each sender was answered several times more: on a busy machine that takes longer."""
    wanted = [len(sender.acknowledged) + _BETWEEN_KILLS for sender in senders]
    deadline = time.monotonic() + _SETTLE_SECONDS
    time.sleep(seconds)
    while any(len(sender.acknowledged) < least for sender, least in zip(senders, wanted, strict=True)):
        assert time.monotonic() < deadline, "a machine takes no more events"
        time.sleep(0.05)


def _settled(cluster: Cluster, acknowledged: list[str]) -> tuple[Counter[int], int]:
    """What ClickHouse has, and the views that the primary counts, once that is all that was acknowledged; what there is
    when the time for that is over."""
    deadline, wanted = time.monotonic() + _SETTLE_SECONDS, {number_of(path) for path in acknowledged}
    while True:
        there, views = cluster.there(), cluster.views()
        if wanted <= there.keys() and views == sum(there.values()):
            return there, views
        if time.monotonic() > deadline:
            return there, views
        time.sleep(1)


def _known(cluster: Cluster, identified: set[str]) -> set[str]:
    """Whom the primary knows once these are among them, or the time for that is over."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while not identified <= (known := cluster.people()) and time.monotonic() < deadline:
        time.sleep(1)
    return known
