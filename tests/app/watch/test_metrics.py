"""GET /metrics: figures for Prometheus, for nobody unless the setting says so."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app import jobs
from analytics_box.app.box import Box
from analytics_box.app.watch.routes import has_proxy
from analytics_box.base.errors import Unavailable
from analytics_box.base.settings import Settings
from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box

HERE = "127.0.0.1"
LINE = re.compile(r'([a-z_]+)(?:\{([a-z]+)="((?:[^"\\]|\\.)*)"\})? (\S+)')


def adjusted(**changed: Any) -> Callable[[Settings], Settings]:
    return lambda given: replace(given, **changed)


def scrape(box: WholeBox, *, address: str = HERE, **headers: str) -> Answer:
    return box.ask("GET", "/metrics", headers=headers, address=address)


def figures(box: WholeBox) -> dict[tuple[str, str], float]:
    """The samples by name and label; what is no line of the format fails."""
    answer = scrape(box)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found: dict[tuple[str, str], float] = {}
    described: dict[str, int] = {}
    for line in answer.body.decode().splitlines():
        if line.startswith("# "):
            name = line.split(" ")[2]
            described[name] = described.get(name, 0) + 1
            continue
        match = LINE.fullmatch(line)
        assert match is not None, line
        assert described[match[1]] == 2, "its help and its type stand before it, once"
        assert (match[1], match[3] or "") not in found
        found[match[1], match[3] or ""] = float(match[4])
    return found


@pytest.fixture
def box(tmp_path: Path) -> Any:
    with whole_box(tmp_path, adjust=adjusted(metrics="on")) as made:
        yield made


def test_metrics_are_off_by_default(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        assert scrape(box).status == 404


@each(
    ("address", "headers", "status"),
    [
        (HERE, {}, 200),
        ("::1", {"host": "[::1]:8000"}, 200),
        ("::ffff:127.0.0.1", {}, 200),
        ("203.0.113.7", {}, 404),
        ("10.0.0.1", {}, 404),
        (HERE, {"x_forwarded_for": "127.0.0.1"}, 404),
        (HERE, {"forwarded": "for=127.0.0.1"}, 404),
        (HERE, {"x_real_ip": "127.0.0.1"}, 404),
        (HERE, {"via": "1.1 proxy"}, 404),
        (HERE, {"host": "rebound.example"}, 404),
    ],
)
def test_without_a_token_only_this_machine_reads_it(
    box: WholeBox, address: str, headers: dict[str, str], status: int
) -> None:
    assert scrape(box, address=address, **headers).status == status


@each(
    "settings",
    [
        {"trusted_proxies": ("127.0.0.1/32",)},
        {"base_url": "https://stats.example.com"},
        {"base_url": "http://stats.example.com"},
    ],
)
def test_metrics_without_a_token_are_closed_behind_a_proxy(tmp_path: Path, settings: dict[str, Any]) -> None:
    """Not even from this machine: a proxy that adds no header and changes the host looks like that."""
    with whole_box(tmp_path / "data", adjust=adjusted(metrics="on", **settings)) as box:
        assert scrape(box).status == 401
        assert scrape(box, address="203.0.113.7").status == 404


def test_a_box_with_a_certificate_needs_no_token_on_its_machine() -> None:
    plain = Settings(base_url="https://stats.example.com", host="0.0.0.0")
    assert has_proxy(plain)
    assert not has_proxy(replace(plain, tls_certificate="chain.pem", tls_key="key.pem"))


def test_metrics_with_a_token_require_it(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("open sesame\nnot this\n")
    with whole_box(tmp_path / "box", adjust=adjusted(metrics="on", metrics_token_file=str(file))) as box:
        for address in (HERE, "203.0.113.7"):
            assert scrape(box, address=address, authorization="Bearer open sesame").status == 200
            for wrong in ("", "Bearer", "Bearer open", "Bearer not this", "Basic open sesame", box.keys["all"]):
                assert scrape(box, address=address, authorization=wrong).status == 401, wrong
        file.write_text("\n")
        assert scrape(box, authorization="Bearer ").status == 401
        file.unlink()
        assert scrape(box, authorization="Bearer open sesame").status == 401


def test_events_are_counted_by_what_became_of_them(box: WholeBox) -> None:
    target = f"/track?website_id={box.sites['shop']}"
    event = {"name": "screen_view", "path": "https://example.com/a", "anonymousId": "a", "eventId": "one"}
    for sent in (event, event, [event, {**event, "eventId": "two"}], {"name": 7}):
        box.post(target, sent)
    box.post(target, {**event, "eventId": "three"}, user_agent="curl/8.0")
    box.post("/track?website_id=unknown", event)
    found = {outcome: value for (name, outcome), value in figures(box).items() if name == "analytics_box_events_total"}
    assert found.pop("stored") == 2
    assert found.pop("duplicate") == 2
    assert found.pop("invalid_schema") == 1
    assert sum(found.values()) == 2, "one of a program, one for a website that is not there"


def test_metrics_report_the_state_of_the_box(box: WholeBox) -> None:
    before = figures(box)
    box.post(f"/track?website_id={box.sites['shop']}", {"name": "screen_view", "path": "/a"})
    found = figures(box)
    assert found["analytics_box_ready", ""] == 1
    commits = "analytics_box_commits_total", "events.db"
    assert found[commits] > before[commits]
    for database in ("box.db", "events.db"):
        assert found["analytics_box_database_bytes", database] > 0
        assert found["analytics_box_failing", database] == 0
        for name in ("writes_waiting", "reads", "reads_held"):
            assert found[f"analytics_box_{name}", database] == 0
    assert found["analytics_box_log_bytes", "events.db"] > 0
    assert found["analytics_box_replica_rows_behind", ""] == 0
    assert found["analytics_box_disk_free_bytes", ""] > 1e6
    assert 1e7 < found["process_resident_memory_bytes", ""] < 1e11
    assert found["process_cpu_seconds_total", ""] > 0


def test_jobs_are_there_with_their_last_run_and_their_failures(box: WholeBox) -> None:
    async def fail(_: Box) -> None:
        raise Unavailable("not now")

    box.run(jobs.run_job(jobs.JOBS[0], box.box))
    box.run(jobs.run_job(jobs.ScheduledJob("fail", 60, fail), box.box))
    box.clock.advance(seconds=60)
    box.run(jobs.run_job(jobs.ScheduledJob("fail", 60, fail), box.box))
    found = figures(box)
    assert found["analytics_box_job_runs_total", jobs.JOBS[0].name] == 1
    assert found["analytics_box_job_failures_total", jobs.JOBS[0].name] == 0
    assert found["analytics_box_job_failures_total", "fail"] == found["analytics_box_job_runs_total", "fail"] == 2
    assert found["analytics_box_job_last_run_seconds", "fail"] == box.clock.now() / 1000


def test_a_name_in_a_label_cannot_break_its_line(box: WholeBox) -> None:
    box.box.runs.note('a "job"\\\nwith more', 0, failed=False)
    assert ("analytics_box_job_runs_total", 'a \\"job\\"\\\\\\nwith more') in figures(box)
