"""The machine of the primary is lost for good, and another one goes on from what Litestream had, by the commands of the
manual: real processes, Litestream's real program, ClickHouse in a process of its own."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from analytics_box.base.store.text_numbers import number_of
from tests.benchmarks.cluster import Cluster, Sender, running
from tests.crash.litestream import MANUAL, PATIENCE, PROGRAM, configured, replicating, wait_until_replicated
from tests.query.clickhouse.served import needs_chdb
from tests.running import BROWSER, Server

pytestmark = [pytest.mark.crash, pytest.mark.skipif(PROGRAM is None, reason="litestream is not installed"), needs_chdb]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running(2) as made:
        yield made


@pytest.mark.thorough
def test_another_machine_goes_on_in_the_place_of_the_primary(cluster: Cluster, tmp_path: Path) -> None:
    old, new, etc, away, safe = (tmp_path / name for name in ("old", "new", "etc", "away", "safe"))
    lost = cluster.servers["primary"]
    for folder in (old, new, etc, safe):
        folder.mkdir(mode=0o700)
    with httpx.Client(headers={"user-agent": BROWSER}, timeout=10) as client:
        for node in cluster.nodes:
            wait_until(lambda node=node: cluster.track(client, node, f"/first/{node}"))  # type: ignore[misc]  # a default
        stop, senders = threading.Event(), []
        for node in cluster.nodes:
            senders.append(Sender(cluster, node, 0, stop, 0.02))
            senders[-1].start()
        shutil.copy(lost.data_dir / "secret.key", safe)
        with replicating(configured(old, lost.data_dir, away)) as litestream:
            kept = make_website(lost, cluster, "kept.example")
            wait_until(lambda: cluster.track(client, "node1", "/kept", kept))
            wait_until_replicated(litestream, away)
            wait_until(lambda: "kept.example" in restored_domains(old, lost.data_dir, away, tmp_path / "look.db"))
            litestream.kill()
            litestream.wait()
        gone = make_website(lost, cluster, "gone.example")
        wait_until(lambda: cluster.track(client, "node1", "/gone", gone))
        lost.kill()

        said = by_the_manual(configured(etc, new, away), new, safe)
        assert "This server is now the primary" in said
        primary = cluster.start_elsewhere(new)
        primary.wait_until_ready()
        cluster.follow(primary)
        with replicating(etc / "litestream.yml") as litestream:
            wait_until_replicated(litestream, tmp_path / "away-2")
        other = make_website(primary, cluster, "other.example")
        wait_until(lambda: cluster.track(client, "node1", "/other", other))
        assert cluster.track(client, "node1", "/kept-still", kept)
        assert not cluster.track(client, "node1", "/gone-now", gone)
        stop.set()
        for sender in senders:
            sender.join()

    acknowledged = [path for sender in senders for path in sender.acknowledged]
    assert len(acknowledged) > 100
    wanted = {*acknowledged, "/first/node1", "/first/node2", "/kept", "/kept-still", "/gone", "/other"}
    wait_until(lambda: {number_of(path) for path in wanted} <= cluster.there().keys())
    there = cluster.there()
    assert {path: there[number_of(path)] for path in wanted} == dict.fromkeys(wanted, 1)
    wait_until(lambda: cluster.views() == sum(there.values()) - 4)
    assert (cluster.views(kept), cluster.views(other), cluster.views(gone)) == (2, 1, -1)
    counted = "select uniqExact(visitor), uniqExact(intDiv(time, 86400000)) from events group by site"
    for line in cluster.served.ask(counted, cluster.url).splitlines():
        visitors, days = line.split("\t")
        assert visitors == days, "one visitor a day, before and after"

    back = cluster.start_elsewhere(lost.data_dir)
    assert back.process.wait(PATIENCE) == 0
    assert "Another machine was promoted to primary" in back.printed()
    assert cluster.there() == there


def wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def make_website(server: Server, cluster: Cluster, domain: str) -> str:
    """Its id."""
    answer = httpx.post(
        f"{server.url}/websites/create",
        json={"name": domain, "domain": domain},
        headers={"x-api-key": cluster.account.api_key, "user-agent": BROWSER},
        timeout=20,
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def restored_domains(folder: Path, data: Path, away: Path, into: Path) -> str:
    """All that is stored, in which domains are as text."""
    command = [str(PROGRAM), "restore", "-config", str(configured(folder, data, away)), "-o", str(into)]
    into.unlink(missing_ok=True)
    subprocess.run([*command, str(data / "box.db")], capture_output=True, check=True, timeout=PATIENCE)
    return into.read_bytes().decode("latin-1")


def by_the_manual(configuration: Path, data: Path, safe: Path) -> str:
    """Carry out the commands of the manual on the new machine; what they print. Other users and services are none of a
    test's."""
    (text,) = re.findall(
        r"\*\*On the new machine\*\*.*?```sh\n(.*?)```", (MANUAL / "several-machines.md").read_text(), re.DOTALL
    )
    for name, place in {
        "/var/lib/analytics-box": data,
        "/etc/litestream.yml": configuration,
        "/safe/place": safe,
        "/mnt/replica": safe.with_name("away"),
    }.items():
        assert name in text
        text = text.replace(name, str(place))
    programs = safe / "bin"
    programs.mkdir()
    for name, does in {
        "chown": "exit 0",
        "systemctl": "exit 0",
        "analytics-box": f'exec {sys.executable} -m analytics_box "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    ended = subprocess.run(
        ["sh", "-e", "-c", text], env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
