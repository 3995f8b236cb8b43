"""Exports of reports: CSV files attached to mails and put into the storage of backups, once for each period."""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from analytics_box.products.reports import exporting, sending
from tests.base.backup.fake_s3 import BUCKET, FakeS3, fake_s3
from tests.inprocess import EMAIL
from tests.products.overview.filtered import PEOPLE
from tests.products.reports.test_deaths import run_until_death
from tests.products.reports.world import World, part_of, world_in


@pytest.fixture
def storage() -> Iterator[FakeS3]:
    with fake_s3() as running:
        yield running


@pytest.fixture
def here(tmp_path: Path, storage: FakeS3) -> Iterator[World]:
    s3 = {"s3_endpoint": storage.url, "s3_region": "us-east-1", "s3_access_key": "key", "s3_secret_key": "secret"}
    with world_in(tmp_path, backup_to=f"s3://{BUCKET}/box", **s3) as world:
        yield world


def upload(here: World) -> None:
    """What the job does that puts exports into the storage."""
    here.box.run(sending.upload_exports(here.box.box.parts))


def sheets(archive: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name).decode("utf-8-sig") for name in opened.namelist()}


def store_in_s3(here: World) -> str:
    """A report whose creator, who runs the box, selects the storage in its form."""
    body = (
        "name=Archive&frequency=weekly&weekday.mon=on&hour=8&timeZone=UTC&section.figures=on"
        "&isActive=on&export.storage=on"
    )
    path = f"/sites/{here.box.sites['shop']}/reports/new"
    answer = here.send_form(path, body, cookie=here.box.cookie)
    assert answer.status == 303, answer.body
    ((report_id,),) = here.rows("select id from reports")
    return str(report_id)


def test_report_attaches_the_figures_of_its_days_as_csv(here: World) -> None:
    here.report(exports=["email"])
    here.pass_days(5)
    (mail,) = here.mails()
    assert "attached as CSV files" in part_of(mail)
    (file,) = [part for part in mail.walk() if part.get_filename()]
    assert file.get_content_type() == "application/zip"
    assert str(file.get_filename()).endswith("-2026-06-15-2026-06-21.zip")
    found = sheets(bytes(file.get_payload(decode=True)))
    assert f"visitors,{len(PEOPLE)}.0" in found["figures.csv"].splitlines()
    days = "range=custom&from=2026-06-15&to=2026-06-21&zone=UTC"
    page = here.box.get(f"/sites/{here.box.sites['shop']}/export/csv?{days}", cookie=here.box.cookie)
    assert found == sheets(page.body), "the export of the dashboard for the same days"


def test_filters_of_a_report_limit_its_export(here: World) -> None:
    only = [{"field": "country", "op": "eq", "value": "Germany"}]
    given = {"websiteId": here.box.sites["shop"], "name": "Germans", "filters": only, "isShared": True}
    here.report(exports=["email"], segmentId=here.call("segments.create", **given)["id"])
    here.pass_days(5)
    (mail,) = here.mails()
    (file,) = [part for part in mail.walk() if part.get_filename()]
    assert "visitors,1.0" in sheets(bytes(file.get_payload(decode=True)))["figures.csv"].splitlines()


def test_large_export_is_linked_instead_of_attached(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MOST_ATTACHED", 10)
    here.report(exports=["email"])
    here.pass_days(5)
    (mail,) = here.mails()
    assert not [part for part in mail.walk() if part.get_filename()]
    text = part_of(mail)
    assert "too large for an email" in text
    (path,) = [line.split("http://localhost:8000")[1] for line in text.splitlines() if "/export/csv" in line]
    answer = here.box.get(path, cookie=here.box.cookie)
    assert f"visitors,{len(PEOPLE)}" in sheets(answer.body)["figures.csv"]


def test_report_without_exports_attaches_nothing(here: World, storage: FakeS3) -> None:
    here.report()
    here.pass_days(5)
    upload(here)
    (mail,) = here.mails()
    assert not [part for part in mail.walk() if part.get_filename()]
    assert not storage.objects


def test_storage_gets_each_period_once_under_its_own_key(here: World, storage: FakeS3) -> None:
    report_id = store_in_s3(here)
    here.pass_days(5)
    upload(here)
    prefix = f"box/exports/{here.box.sites['shop']}/{report_id}"
    assert {*storage.objects} == {f"{prefix}/2026-06-15_2026-06-21.zip"}
    assert f"visitors,{len(PEOPLE)}" in sheets(storage.objects[f"{prefix}/2026-06-15_2026-06-21.zip"])["figures.csv"]
    storage.objects.clear()
    here.box.reopen()
    here.pass_days(1)
    upload(here)
    assert not storage.objects, "the period was stored before"
    here.pass_days(6)
    upload(here)
    assert {*storage.objects} == {f"{prefix}/2026-06-22_2026-06-28.zip"}


def test_storage_that_refuses_gets_the_export_later(here: World, storage: FakeS3) -> None:
    report_id = store_in_s3(here)
    storage.refuse_parts_from = 0
    here.pass_days(5)
    upload(here)
    (line,) = here.call("reports.deliveries", id=report_id)
    assert line["to"] == "S3 storage"
    assert line["error"]
    assert line["sentAt"] is None
    assert line["failedAt"] is None
    storage.refuse_parts_from = 10_000
    here.pass_days(0.1)
    upload(here)
    assert len(storage.objects) == 1
    (line,) = here.call("reports.deliveries", id=report_id)
    assert line["sentAt"]
    assert not line["error"]


@pytest.mark.parametrize("after", [False, True])
def test_kill_between_upload_and_its_record_leaves_one_file_and_one_line(
    here: World, storage: FakeS3, after: bool
) -> None:
    report_id = store_in_s3(here)
    here.pass_days(5)
    died = here.box.run(
        run_until_death(here, 1, after=after, life=lambda one: sending.upload_exports(one.box.box.parts))
    )
    assert died
    stored = dict(storage.objects)
    assert len(stored) == 1, "it died after the upload"
    here.box.reopen()
    upload(here)
    assert storage.objects == stored
    (line,) = here.call("reports.deliveries", id=report_id)
    assert line["sentAt"]


def test_only_administrators_of_the_server_select_its_storage(here: World) -> None:
    change = "update users set is_administrator = 0"
    here.box.box.box_db.write_now(lambda db: db.execute(change).fetchall())
    given = {"websiteId": here.box.sites["shop"], "name": "Weekly", "recipients": [EMAIL], "exports": ["storage"]}
    answer = here.box.post("/reports/create", given, key="all")
    assert answer.status == 400
    assert "administrators" in answer.body.decode()


def test_contents_of_old_exports_are_deleted(here: World) -> None:
    here.report(exports=["email"])
    here.pass_days(5)
    assert here.rows("select count(*) from report_exports where content is not null") == [(1,)]
    here.pass_days(3)
    here.box.run(here.box.box.parts[sending.ReportDeliveries].sweep())
    assert here.rows("select count(*) from report_exports where content is not null") == [(0,)]


def test_parquet_files_have_the_rows_of_the_csv_files_with_their_types(here: World) -> None:
    here.report(exports=["email"], fileFormat="parquet")
    here.report(exports=["email"], name="Text")
    here.pass_days(5)
    found = [
        bytes(part.get_payload(decode=True)) for mail in here.mails() for part in mail.walk() if part.get_filename()
    ]
    by_form = {next(iter(zipfile.ZipFile(io.BytesIO(one)).namelist())).rpartition(".")[2]: one for one in found}
    text = sheets(by_form["csv"])
    with zipfile.ZipFile(io.BytesIO(by_form["parquet"])) as opened:
        assert {name.replace(".parquet", ".csv") for name in opened.namelist()} == {*text}
        folder = here.box.box.settings.data_dir
        for name in opened.namelist():
            path = opened.extract(name, folder)
            rows = duckdb.connect().execute("select * from read_parquet(?)", (path,))
            lines = [*csv.reader(text[name.replace(".parquet", ".csv")].splitlines())]
            assert lines[0] == [one[0] for one in rows.description or ()]
            assert len(rows.fetchall()) == len(lines) - 1, name
        pages = duckdb.connect().execute("describe select * from read_parquet(?)", (f"{folder}/pages.parquet",))
        assert ("visitors", "BIGINT") in [row[:2] for row in pages.fetchall()]


def test_files_that_cannot_be_written_delay_their_report_and_no_other(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.report(exports=["email"], fileFormat="parquet", name="Files")
    here.report(name="Plain")
    folder = here.box.box.settings.data_dir / "missing"
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    here.pass_days(5)
    assert len(here.mails()) == 1
    monkeypatch.undo()
    here.pass_days(0.1)
    assert len(here.mails()) == 2


def test_webhook_gets_an_address_of_the_files_that_works_without_an_account_until_it_expires(here: World) -> None:
    webhook = {"type": "webhook", "name": "Hook", "config": {"url": "https://hook.example/"}}
    channel = here.call("config.createChannel", **webhook)["channel"]["id"]
    here.report(recipients=[], channelIds=[channel], exports=["webhook"])
    here.box.clock.advance(seconds=5 * 86_400)
    here.tick()
    ((stored,),) = here.rows("select message from deliveries where topic like 'report:%'")
    files = json.loads(stored)["data"]["files"]
    path = files["url"].removeprefix("http://localhost:8000")
    answer = here.box.get(path)
    assert answer.status == 200
    assert len(answer.body) == files["size"]
    assert f"visitors,{len(PEOPLE)}.0" in sheets(answer.body)["figures.csv"].splitlines()
    run, _dot, code = path.rpartition(".")
    assert here.box.get(f"{run}.{'0' * len(code)}").status == 404
    assert here.box.get(path.replace("/files/", "/unsubscribe/"), accept="text/html").status == 200
    here.box.clock.advance(seconds=(files["expires_at"] - here.box.clock.now()) / 1000)
    assert here.box.get(path).status == 404


def test_report_without_the_webhook_target_offers_no_files(here: World) -> None:
    webhook = {"type": "webhook", "name": "Hook", "config": {"url": "https://hook.example/"}}
    channel = here.call("config.createChannel", **webhook)["channel"]["id"]
    here.report(recipients=[], channelIds=[channel], exports=["email"])
    here.box.clock.advance(seconds=5 * 86_400)
    here.tick()
    ((stored,),) = here.rows("select message from deliveries where topic like 'report:%'")
    assert "files" not in json.loads(stored)["data"]
