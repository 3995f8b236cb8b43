"""When the disk will be full: from sizes that were written down, and nothing before enough of them are."""

import ssl
import subprocess
from pathlib import Path

import pytest

from analytics_box.app import jobs
from analytics_box.app.watch import disk
from analytics_box.app.watch.disk import DataSize, Forecast, forecast
from analytics_box.app.watch.state import certificate
from analytics_box.base.clock import DAY, utc_day
from tests.inprocess import whole_box


def days(*sizes_of_days: tuple[int, int]) -> list[DataSize]:
    return [DataSize(day, data) for day, data in sizes_of_days]


def test_nothing_is_foretold_before_three_days_are_over() -> None:
    assert forecast([], 100, 10) == Forecast()
    assert forecast(days((10, 5)), 100, 10) == Forecast()
    assert forecast(days((8, 5), (10, 50)), 100, 10) == Forecast()
    assert forecast(days((7, 10), (10, 40)), 100, 10) == Forecast(10.0, 10.0)


def test_single_import_or_vacuum_does_not_change_the_rate() -> None:
    steady = [(day, 10 * day) for day in range(1, 21)]
    jump = [(day, size + (5_000 if day > 10 else 0)) for day, size in steady]
    drop = [(day, size + (5_000 if day < 3 else 0)) for day, size in steady]
    assert forecast(days(*jump), 100, 20) == Forecast(10.0, 10.0)
    assert forecast(days(*drop), 100, 20) == Forecast(10.0, 10.0)


def test_size_that_does_not_grow_never_fills_the_disk() -> None:
    assert forecast(days((1, 50), (9, 50)), 100, 10) == Forecast(0.0, None)
    assert forecast(days((1, 50), (9, 10)), 100, 10) == Forecast(-5.0, None)


def test_old_growth_does_not_count() -> None:
    assert forecast(days((1, 0), (40, 10), (50, 20)), 100, 50) == Forecast(1.0, 100.0)
    assert forecast(days((49, 0), (60, 90)), 100, 50) == Forecast(), "nor what a clock ahead wrote down"


def test_a_day_has_one_size_and_the_page_says_when_it_is_full(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        page = box.get("/settings/box", cookie=box.cookie).body.decode()
        assert "Not available yet" in page
        today = utc_day(box.clock.now())
        for back in range(5, 0, -1):
            measured = DataSize(today - back, 10_000_000 * (10 - back))
            box.box.box_db.write_now(lambda db, measured=measured: disk.note(db, measured))  # type: ignore[misc]
        for _ in range(2):
            box.run(jobs.note_sizes(box.box))
        found = box.box.box_db.read_now(lambda db: disk.lately(db, today))
        assert [one.day for one in found] == list(range(today - 5, today + 1))
        assert found[-1].data > 500_000, "both databases"
        page = box.get("/settings/box", cookie=box.cookie).body.decode()
        assert "Not available yet" not in page
        box.clock.advance(seconds=500 * DAY // 1000)
        box.run(jobs.note_sizes(box.box))
        rows = box.box.box_db.read_now(lambda db: db.execute("select count(*) from sizes").fetchall())
        assert rows == [(1,)], "what is long ago is forgotten"


@pytest.mark.parametrize(("days_left", "form"), [(30, "rsa:2048"), (20_000, "ec")])
def test_the_end_of_a_certificate_is_read(tmp_path: Path, days_left: int, form: str) -> None:
    file = tmp_path / "chain.pem"
    made = ["openssl", "req", "-x509", "-nodes", "-subj", "/CN=box.example", "-days", str(days_left)]
    key = ["-newkey", form] if form != "ec" else ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subprocess.run([*made, *key, "-keyout", str(tmp_path / "key"), "-out", str(file)], check=True, capture_output=True)
    said = subprocess.run(
        ["openssl", "x509", "-noout", "-enddate", "-in", str(file)], check=True, capture_output=True, text=True
    )
    ends = ssl.cert_time_to_seconds(said.stdout.strip().removeprefix("notAfter="))
    found = certificate(str(file))
    assert found is not None
    assert found.ends == ends * 1000


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_invalid_certificate_has_no_expiry(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken.pem"
    file.write_bytes(content)
    found = certificate(str(file))
    assert found is not None
    assert found.ends is None
    missing = certificate(str(tmp_path / "missing"))
    assert missing is not None
    assert missing.ends is None
    assert certificate("") is None
