"""Where backups go: a folder, a pipe, storage that speaks S3. A backup is there whole or not at all."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.backup import buckets, manifest
from analytics_box.base.backup.failures import NotABackup
from tests.base.backup.fake_s3 import BUCKET, FakeS3, fake_s3
from tests.base.backup.world import run
from tests.cases import each
from tests.running import set_up


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A stopped box."""
    set_up(tmp_path / "data with a space")
    return tmp_path / "data with a space"


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeS3]:
    with fake_s3() as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        yield running


def test_a_folder_has_to_be_there_and_keeps_what_it_is_told(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "my backups"
    refused = run("backup", "--data-dir", data, folder)
    assert (refused.exit_code, "is not a folder. Create it, or mount its disk" in refused.stderr) == (1, True)
    folder.mkdir()
    names = [f"analytics-box-00000000-2026010{day}T000000Z.tar.gz" for day in (1, 2, 3)]
    for name in [*names, "other.tar.gz"]:
        (folder / name).touch()
    made = [json.loads(run("backup", "--data-dir", data, folder, "--keep", 1, "--json").stdout)]
    assert {path.name for path in folder.iterdir()} == {*names, "other.tar.gz", Path(made[0]["name"]).name}
    assert Path(made[0]["name"]).stat().st_mode & 0o777 == 0o600
    assert "several servers" in run("backup", "--check", folder).stderr
    assert run("backup", "--check", made[0]["name"]).exit_code == 0


def test_a_pipe_gets_the_backup_alone(data: Path) -> None:
    made = run("backup", "--data-dir", data, "-")
    assert made.exit_code == 0
    assert "MB, data of 20" in made.stderr
    assert run("backup", "--check", "-", given=made.stdout_bytes).exit_code == 0
    assert run("restore", "-", "--data-dir", data.parent / "new", given=made.stdout_bytes).exit_code == 2
    restored = run("restore", "-", "--yes", "--json", "--data-dir", data.parent / "new", given=made.stdout_bytes)
    assert (restored.exit_code, json.loads(restored.stdout)["websites"]) == (0, 1)


def test_storage_that_speaks_s3_takes_lists_and_gives_back(data: Path, tmp_path: Path, storage: FakeS3) -> None:
    where = f"s3://{BUCKET}/some where/deep"
    assert run("backup", "--check", where).exit_code == 1
    first = run("backup", "--data-dir", data, where)
    assert first.exit_code == 0, first.output
    (key,) = storage.objects
    assert key.startswith("some where/deep/analytics-box-")
    old = re.sub("-2([0-9]{7}T)", r"-1\1", key)  # of a thousand years ago
    storage.objects[old] = storage.objects[key]
    assert run("backup", "--check", f"{where}/").exit_code == 0
    assert run("backup", "--check", f"s3://{BUCKET}/{old}").exit_code == 0
    assert run("restore", where, "--yes", "--data-dir", tmp_path / "new").exit_code == 0
    kept = run("backup", "--data-dir", data, where, "--keep", 1)
    assert kept.exit_code == 0, kept.output
    assert len(storage.objects) == 1
    assert old not in storage.objects
    assert storage.unsigned == 0


def test_an_upload_that_is_refused_leaves_nothing(data: Path, storage: FakeS3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "_PIECE", 4_096)
    storage.refuse_parts_from = 2
    refused = run("backup", "--data-dir", data, f"s3://{BUCKET}/x")
    assert refused.exit_code == 1
    assert "cannot be used" in refused.stderr
    assert "Traceback" not in refused.output
    assert storage.objects == {}
    assert storage.uploads == {}
    assert not (data / "copies").exists()


def test_invalid_destination_is_refused_before_the_copy(data: Path, storage: FakeS3) -> None:
    for where, said in (
        ("ftp://x/y", "s3://bucket/prefix"),
        (f"s3://key:secret@{BUCKET}/x", "own settings"),
        ("s3://elsewhere/x", "NoSuchBucket"),
        ("/proc", "cannot be written to" if os.geteuid() else "/proc"),
    ):
        refused = run("backup", "--data-dir", data, where)
        assert (refused.exit_code, said in refused.stderr) == (1, True), refused.output
        assert "secret@" not in refused.output
    assert run("backup", "--data-dir", data).exit_code == 2
    assert run("backup", "--data-dir", data.parent / "no box", data.parent).exit_code == 1


def test_without_room_for_a_copy_nothing_is_begun(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    disk = shutil.disk_usage(data)
    wanted = sum((data / name).stat().st_size for name in ("box.db", "events.db"))
    for free, code in ((512_000_000 + wanted - 1, 1), (512_000_000 + wanted, 0)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: disk._replace(total=10**12, free=free))
        ended = run("backup", "--data-dir", data, folder)
        assert ended.exit_code == code, ended.output
        assert ("512 MB reserved by least_free_mb" in ended.stderr) == bool(code)
        assert not (data / "copies").exists()
    assert len(list(folder.iterdir())) == 1


def test_names_sort_by_time_and_only_ours_are_counted() -> None:
    one = manifest.name_of("a" * 32, 1_781_697_600_000, sealed=True)
    assert one == "analytics-box-aaaaaaaa-20260617T120000Z.tar.gz.sealed"
    assert manifest.is_name(one)
    assert not any(map(manifest.is_name, ("x" + one, one + "x", f".{one}.part", "analytics-box.tar.gz")))
    days = [manifest.name_of("a" * 32, 1_781_697_600_000 + day * 86_400_000, sealed=bool(day % 2)) for day in range(4)]
    before = manifest.name_of("a" * 32, 1_781_697_600_000, sealed=False, rest="before-upgrade")
    other = manifest.name_of("b" * 32, 1_881_697_600_000, sealed=False)
    assert manifest.newest([*days, "zzz"]) == days[3]
    assert manifest.newest([*days, other], "a" * 32) == days[3]
    assert manifest.newest([other], "a" * 32) == other
    with pytest.raises(NotABackup, match="several servers"):
        manifest.newest([*days, other])
    assert manifest.too_many([*days, before, other, "zzz"], "a" * 32, 2) == days[:2]
    assert manifest.too_many([*days, before], "a" * 32, 0) == []
    assert manifest.too_many([*days, before], "a" * 32, 1, rest="before-upgrade") == []


@each(
    ("library", "reason"),
    [
        (
            "Generic S3 error: Error performing PUT http://169.254.169.254/latest/api/token in 3ms - "
            "Server returned non-2xx status code: 403 Forbidden",
            "no access key is set. Set s3_access_key and s3_secret_key",
        ),
        (
            "Generic S3 error: Error performing PUT https://s3.example.com/b in 12.3ms - Client error with status 403 "
            "Forbidden: <Error><Code>Signature</Code><Message>The signature does not match.</Message></Error>",
            "The signature does not match.",
        ),
        (
            "Generic S3 error: Error performing GET http://127.0.0.1:1/b in 9s, after 3 retries, max_retries: 3 - "
            "HTTP error: error sending request",
            "HTTP error: error sending request",
        ),
    ],
)
def test_failure_of_the_storage_is_shown_without_the_steps_of_the_library(library: str, reason: str) -> None:
    assert buckets._reason(library) == reason
