"""What administrators are warned of: each warning at its bound, and nowhere else; nothing that names somebody."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app import jobs, server
from analytics_box.app.box import open_box
from analytics_box.app.jobs import ScheduledJob
from analytics_box.app.watch.state import WatchedParts, current_warnings, seen_without_a_box, state
from analytics_box.app.watch.warnings import WarningInputs, WatchedCertificate, warnings
from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.settings import Settings
from analytics_box.base.store.reserve import Disk
from analytics_box.web.proxy_watch import ProxySighting
from tests.cases import each
from tests.inprocess import WholeBox, whole_box

NOW = 1_800_000_000_000
CALM = WarningInputs(
    now=NOW, free=10**10, least_free=512_000_000, days_left=400.0, certificate=WatchedCertificate(NOW + 60 * DAY)
)


@pytest.fixture
def box(tmp_path: Path) -> Any:
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, metrics="on")) as made:
        made.box.settings.data_dir.chmod(0o700)
        yield made


def test_a_box_that_does_well_is_not_warned_of() -> None:
    assert warnings(CALM) == []
    assert warnings(WarningInputs(now=NOW)) == [], "what is not known is no reason to warn"


@each(
    ("changed", "code", "level", "said"),
    [
        ({"free": 1_023_999_999}, "disk", "warn", "Only 1,024 MB"),
        ({"free": 1_024_000_000}, "", "", ""),
        ({"free": 511_999_999}, "disk", "bad", "Below 512 MB, events are rejected"),
        ({"days_left": 30.0}, "", "", ""),
        ({"days_left": 29.0}, "disk", "warn", "full in 29 days"),
        ({"days_left": 1.2}, "disk", "bad", "full within a day"),
        ({"free": 511_999_999, "days_left": 1.0}, "disk", "bad", "events are rejected"),
        ({"certificate": None}, "", "", ""),
        ({"certificate": WatchedCertificate(None)}, "certificate", "bad", "cannot be read"),
        ({"certificate": WatchedCertificate(NOW)}, "certificate", "bad", "has expired"),
        ({"certificate": WatchedCertificate(NOW + DAY + HOUR)}, "certificate", "bad", "expires in a day"),
        ({"certificate": WatchedCertificate(NOW + 13 * DAY)}, "certificate", "warn", "expires in 13 days"),
        ({"certificate": WatchedCertificate(NOW + 14 * DAY)}, "", "", ""),
        ({"backup": "failed"}, "backup", "warn", "The last backup failed"),
        ({"backup": "never"}, "backup", "warn", "never been backed up"),
        ({"backup": "overdue"}, "backup", "warn", "too old"),
        ({"clock_doubted": True}, "clock", "warn", "The clock jumped ahead"),
        ({"open_folder": True}, "open_folder", "warn", "0700"),
        ({"untrusted_proxy": ProxySighting("10.1.2.3", NOW - DAY)}, "proxy", "warn", "The proxy 10.1.2.3 sends"),
        ({"untrusted_proxy": ProxySighting("10.1.2.3", NOW - DAY - 1)}, "", "", ""),
        ({"unreadable_proxy": ProxySighting("10.1.2.3", NOW)}, "proxy_unreadable", "warn", "The proxy 10.1.2.3 does"),
        ({"unreadable_proxy": ProxySighting("", NOW - DAY)}, "proxy_unreadable", "warn", "at the Unix socket does"),
        ({"unreadable_proxy": ProxySighting("", NOW - DAY - 1)}, "", "", ""),
        ({"damaged": ("box.db", "events.db")}, "damage", "bad", "Damaged: box.db and events.db."),
        ({"cut_off_since": NOW - 7 * MINUTE}, "network", "bad", "for 7 minutes. Checks"),
        ({"cut_off_since": NOW - 90_000}, "network", "bad", "for a minute"),
        ({"clickhouse_away_since": NOW - 59_999}, "", "", ""),
        (
            {"clickhouse_away_since": NOW - MINUTE},
            "clickhouse",
            "warn",
            "for a minute. See the log for the reason. SQLite answers",
        ),
        (
            {"clickhouse_away_since": NOW - MINUTE, "without_clickhouse": "nothing"},
            *("clickhouse", "warn", "Queries fail until it is back"),
        ),
        (
            {"clickhouse_away_since": NOW - MINUTE, "without_clickhouse": "unasked"},
            *("clickhouse", "warn", "Events are kept on this machine"),
        ),
        ({"clickhouse_away_since": NOW - 7 * MINUTE}, "clickhouse", "warn", "for 7 minutes"),
        ({"trouble": "events.db is gone"}, "not_ready", "bad", "events.db is gone."),
        ({"failing_channels": 1}, "channels", "bad", "An alert channel has failed for 15 minutes"),
        ({"failing_channels": 2}, "channels", "bad", "2 alert channels have failed"),
        ({"failing_mailboxes": 3}, "subscribers", "warn", "Emails to 3 subscribers"),
        ({"refused_monitors": 1}, "refused_monitors", "warn", "A monitor checks a private network"),
        ({"refused_monitors": 2}, "refused_monitors", "warn", "2 monitors check private networks"),
        ({"log_bytes": 100_000_001}, "log", "warn", "100 MB"),
        ({"failing_jobs": (("retain events", 2),)}, "", "", ""),
        ({"failing_jobs": (("retain events", 3),)}, "jobs", "warn", "retain events (3 times)"),
    ],
)
def test_each_is_told_at_its_bound(changed: dict[str, Any], code: str, level: str, said: str) -> None:
    found = warnings(replace(CALM, **changed))
    assert [(one.code, one.level) for one in found] == ([(code, level)] if code else [])
    assert all(said in one.text for one in found)


def test_the_worst_comes_first() -> None:
    found = warnings(replace(CALM, clock_doubted=True, certificate=WatchedCertificate(None)))
    assert [one.level for one in found] == ["bad", "warn"]


def codes(box: WholeBox) -> list[str]:
    return [one.code for one in box.run(current_warnings(box.box.parts[WatchedParts]))]


@each(
    ("address", "headers", "warned"),
    [
        ("127.0.0.1", {"x_forwarded_for": "203.0.113.9"}, True),
        ("10.1.2.3", {"x_forwarded_for": "203.0.113.9"}, True),
        ("::ffff:10.1.2.3", {"x_forwarded_for": "203.0.113.9"}, True),
        ("10.1.2.3", {}, False),
        ("8.8.8.8", {"x_forwarded_for": "203.0.113.9"}, False),
    ],
)
def test_a_proxy_that_is_not_believed_is_noticed(
    tmp_path_factory: Any, address: str, headers: Any, warned: bool
) -> None:
    with whole_box(tmp_path_factory.mktemp("proxy") / "data") as box:
        box.box.settings.data_dir.chmod(0o700)
        box.ask("GET", "/health", headers=headers, address=address)
        assert ("proxy" in codes(box)) is warned
        box.clock.advance(seconds=DAY // 1000 + 1)
        assert "proxy" not in codes(box), "it is not so any more"


@each(
    ("headers", "warned"),
    [
        ({"x_forwarded_for": "203.0.113.9"}, []),
        ({"x_forwarded_for": "203.0.113.9:51008"}, []),
        ({"forwarded": 'for="[2001:db8::7]:51008"'}, []),
        ({"x_forwarded_for": "203.0.113.9", "forwarded": "for=unknown"}, []),
        ({}, []),
        ({"x_forwarded_for": "203.0.113.9, unknown"}, ["proxy_unreadable"]),
        ({"forwarded": "for=unknown"}, ["proxy_unreadable"]),
    ],
)
def test_a_trusted_proxy_that_names_no_address_is_named_in_a_warning(
    tmp_path_factory: Any, headers: Any, warned: list[str]
) -> None:
    def trusting(settings: Settings) -> Settings:
        return replace(settings, trusted_proxies=("10.0.0.0/8",))

    with whole_box(tmp_path_factory.mktemp("proxy") / "data", adjust=trusting) as box:
        box.box.settings.data_dir.chmod(0o700)
        box.ask("GET", "/health", headers=headers, address="10.1.2.3")
        found = [one for one in box.run(current_warnings(box.box.parts[WatchedParts])) if one.code.startswith("proxy")]
        assert [one.code for one in found] == warned
        assert all("10.1.2.3" in one.text for one in found)


def test_page_metrics_and_check_tell_the_same(box: WholeBox) -> None:
    box.box.settings.data_dir.chmod(0o755)
    assert codes(box) == ["open_folder"]
    page = box.get("/settings/box", cookie=box.cookie).body.decode()
    assert "Other users of this machine can read the data directory" in page
    assert "Nothing needs your attention" not in page
    answer = box.ask("GET", "/metrics", headers={}, address="127.0.0.1")
    assert 'analytics_box_warning{code="open_folder"} 1\n' in answer.body.decode()
    found = seen_without_a_box(box.box.settings, box.clock.now())
    assert [one.code for one in warnings(found)] == ["open_folder"]
    box.box.settings.data_dir.chmod(0o700)
    assert "Nothing needs your attention" in box.get("/settings/box", cookie=box.cookie).body.decode()


def test_only_administrators_see_how_the_box_is_doing(box: WholeBox) -> None:
    jobs.declare(box.box, dict)
    own = ("Nothing needs your attention", "Running since", "Writes waiting", "purge websites")
    page = box.get("/settings/box", cookie=box.cookie).body.decode()
    assert [words for words in own if words not in page] == []
    box.box.box_db.write_now(lambda db: db.execute("update users set is_administrator = 0").fetchall())
    page = box.get("/settings/box", cookie=box.cookie).body.decode()
    assert [words for words in own if words in page] == []
    assert "SQLite" in page


async def fail(_: Any) -> None:
    raise ZeroDivisionError("<b>nothing</b> to divide by")


def test_a_job_that_fails_is_first_with_its_error_and_warned_of(box: WholeBox) -> None:
    jobs.declare(box.box, lambda: {"look at files": box.clock.now() + 10_000})
    for _ in range(3):
        box.run(jobs.run_job(ScheduledJob("look at files", 10, fail), box.box))
    assert codes(box) == ["jobs"]
    page = box.get("/settings/box", cookie=box.cookie).body.decode()
    assert f"{len(jobs.of(box.box))} jobs, one failed since the last start" in page
    assert "ZeroDivisionError: &lt;b&gt;nothing&lt;/b&gt; to divide by" in page
    assert page.index("look at files") < page.index("turn salts")
    assert "in 10" in page
    box.run(jobs.run_job(next(job for job in jobs.JOBS if job.name == "look at files"), box.box))
    assert codes(box) == [], "it did run"
    found = next(job for job in box.run(state(box.box.parts[WatchedParts])).jobs if job.name == "look at files")
    assert (found.runs, found.failures, found.inARow) == (4, 3, 0)


def test_a_damaged_file_found_after_a_crash_is_told(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        numbers = "with recursive n(i) as (values(1) union all select i + 1 from n where i < 4000)"
        table = f"create table pages as {numbers} select i, randomblob(400) b from n"
        box.box.events.db.write_now(lambda db: db.execute(table).fetchall())
        box.box.events.db.write_now(lambda db: db.execute("create index by_i on pages (i)").fetchall())
    content = bytearray((tmp_path / "data" / "events.db").read_bytes())
    content[-8192 * 40 : -8192 * 30] = b"\xff" * 81_920
    (tmp_path / "data" / "events.db").write_bytes(content)
    again = open_box(Settings(data_dir=tmp_path / "data"))
    server.check_after_crash(again)
    watched = again.parts[WatchedParts]
    assert [db.path.name for db in watched.databases if db.damage.reason] == ["events.db"]
    again.close()


def test_unreadable_disk_does_not_fail_the_warnings(box: WholeBox) -> None:
    def broken(_: Path) -> Disk:
        raise OSError(5, "Input/output error")

    watched = box.box.parts[WatchedParts]
    watched.reserve.disk = broken
    found = box.run(state(watched))
    assert (found.disk.free, found.disk.total) == (None, None)
    assert "Growth" not in box.get("/settings/box", cookie=box.cookie).body.decode()
