"""`doctor`: whatever is planted anywhere, nothing of it is in the bundle; what helps is."""

import json
import logging
import tarfile
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import analytics_box
from analytics_box.app import jobs
from analytics_box.app.cli.main import main
from analytics_box.app.jobs import ScheduledJob
from analytics_box.base import log
from tests.app.admin.commanding import beside, result, typed
from tests.inprocess import EMAIL, WholeBox, whole_box

FOLDER = "plantedfolder"
MAIL = "planted.person@planted-mail.example"
ADDRESS = "203.0.113.77"
DOMAIN = "planted-domain.example"
TOKEN = "plantedtokenplantedtokenplantedtoken"
NAME = "Planted Name"
# What must not be anywhere in a bundle, in any case: of names and addresses the part that says it.
FORBIDDEN = ("planted", ADDRESS, "203.0.113", "shop.example", "blog.example", EMAIL, "ada@", "svc_", "secret-slug", "@")
SETTINGS = {
    "base_url": f"https://{DOMAIN}/planted-path",
    "ingest_url": f"https://in.{DOMAIN}",
    "trusted_proxies": f"{ADDRESS},10.0.0.1",
    "smtp_host": f"mail.{DOMAIN}",
    "smtp_user": MAIL,
    "smtp_from": MAIL,
    "smtp_password_file": f"/{FOLDER}/password",
    "metrics_token_file": f"/{FOLDER}/{TOKEN}",
    "geo_database": f"/{FOLDER}/geo.mmdb",
    "geo_country_header": "X-Planted",
    "dns_servers": ADDRESS,
    "host": ADDRESS,
    "allowed_private_targets": ADDRESS,
    "link_app_schemes": "plantedapp",
}


async def fail_with_names(_: Any) -> None:
    """Fail as a job can that met something of somebody's."""
    raise ValueError(f"{MAIL} at {ADDRESS} of {DOMAIN} with {TOKEN}")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp(FOLDER) / "data"


@pytest.fixture(scope="module")
def box(directory: Path) -> Iterator[WholeBox]:
    with whole_box(directory, adjust=lambda given: replace(given, base_url=f"https://{DOMAIN}")) as inside:
        root = logging.getLogger()
        before, level = list(root.handlers), root.level
        plant(inside)
        root.handlers[:] = before
        root.setLevel(level)
        yield inside


def plant(box: WholeBox) -> None:
    """Something of somebody's wherever there can be: rows, files, settings, the log, errors of jobs."""
    headers = {"host": DOMAIN, "x_forwarded_for": ADDRESS, "user_agent": f"planted/{TOKEN}"}
    sent: dict[str, Any] = {
        "name": NAME,
        "path": f"https://{DOMAIN}/{TOKEN}?mail={MAIL}",
        "anonymousId": TOKEN,
        "profileId": MAIL,
    }
    sent |= {"properties": {"mail": MAIL, "ip": ADDRESS}, "referrer": f"https://{DOMAIN}/"}
    headers["x_api_key"] = box.keys["all"]
    target = f"/track?website_id={box.sites['shop']}"
    assert box.ask("POST", target, headers=headers, body=json.dumps(sent).encode()).status == 200
    box.box.box_db.write_now(lambda db: db.execute('create table "planted_table" (a text)').fetchall())
    box.box.events.db.write_now(lambda db: db.execute("update strings set value = value").fetchall())
    data = box.box.settings.data_dir
    (data / f"notes of {MAIL}.txt").write_text(TOKEN)
    (data / "analytics-box.toml").write_text(f'smtp_user = "{MAIL}"\nplanted = "{TOKEN}"\n')
    log.configure("info", "json", stream=StringIO())
    ours, theirs = logging.getLogger("analytics_box.app.jobs"), logging.getLogger("somebody")
    ours.warning("%s came from %s with %d bytes", MAIL, ADDRESS, 42)
    theirs.warning(f"GET https://{DOMAIN}/?token={TOKEN}")
    log.note_request("GET", f"/{TOKEN}", 200, 1.0)
    try:
        raise ValueError(f"{MAIL} at {ADDRESS}")
    except ValueError:
        ours.exception("It failed for %s", MAIL)
    box.run(jobs.run_job(ScheduledJob("look at files", 10, fail_with_names), box.box))
    jobs.declare(box.box, dict)


def content(bundle: bytes) -> dict[str, Any]:
    with tarfile.open(fileobj=BytesIO(bundle)) as packed:
        assert {Path(entry.name).parent.name for entry in packed} == {"analytics-box-doctor"}
        found = {Path(entry.name).stem: packed.extractfile(entry) for entry in packed}
        return {name: json.load(file) for name, file in found.items() if file is not None}


def raw(bundle: bytes) -> str:
    with tarfile.open(fileobj=BytesIO(bundle)) as packed:
        return "".join(
            entry.name + (file.read().decode() if (file := packed.extractfile(entry)) else "") for entry in packed
        )


@pytest.mark.parametrize("running", [True, False])
def test_nothing_that_was_planted_is_in_it(
    box: WholeBox, directory: Path, tmp_path: Path, running: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    for name, value in SETTINGS.items():
        monkeypatch.setenv(f"ANALYTICS_BOX_{name.upper()}", value)
    monkeypatch.setenv("ANALYTICS_BOX_PLANTED", TOKEN)
    arguments = ["doctor", "--to", str(tmp_path / "out.tar.gz"), "--data-dir", str(directory)]
    if running:
        with beside(box):
            ended = CliRunner().invoke(main, arguments)
    else:
        ended = CliRunner().invoke(main, arguments)
    root.handlers[:] = before
    root.setLevel(level)
    assert ended.exit_code == 0, ended.output
    bundle = (tmp_path / "out.tar.gz").read_bytes()
    text = raw(bundle)
    assert [word for word in FORBIDDEN if word.lower() in text.lower()] == []
    found = content(bundle)
    assert [name for name, part in found.items() if "error" in part] == []
    assert found["about"]["version"] == analytics_box.__version__
    assert found["about"]["running"] is running
    assert (found["box.db"]["integrity"], found["events.db"]["integrity"]) == ("ok", "ok")
    assert found["box.db"]["rows"]["websites"] == 5
    assert found["box.db"]["otherTables"] == 1
    assert found["data-directory"]["others"] == 1
    assert found["settings"]["base_url"] == {"value": "https://… with a path", "default": False}
    assert found["settings"]["trusted_proxies"] == {"value": "2 entries", "default": False}
    assert found["settings"]["readers"] == {"value": 4, "default": True}
    assert found["settings"]["durability"] == {"value": "full", "default": True}
    if running:
        lines = [line["text"] for line in found["running"]["log"]]
        assert "… came from … with 42 bytes" in lines
        assert "(a message of a library)" in lines
        failed = next(line for line in found["running"]["log"] if line["text"] == "It failed for …")
        assert failed["raised"][0] == "ValueError"
        assert failed["raised"][1].startswith("  test_bundle.py:")
        job = next(job for job in found["running"]["state"]["jobs"] if job["name"] == "look at files")
        assert (job["failures"], job["error"]) == (1, "ValueError")
    else:
        assert found["warnings"] == [] or found["warnings"][0]["code"]


def test_bundle_is_created_from_damaged_or_missing_files(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with whole_box(data):
        pass
    whole = bytearray((data / "box.db").read_bytes())
    whole[8192 : 8192 * 3] = b"\xff" * 16_384
    (data / "box.db").write_bytes(whole)
    (data / "events.db").unlink()
    found = result("doctor", data=data)
    assert found["box.db"].get("error") or found["box.db"]["integrity"].startswith("not ok")
    assert set(found["events.db"]) == {"error"}
    assert found["about"]["version"] == analytics_box.__version__
    missing = result("doctor", data=tmp_path / "none")
    assert missing["data-directory"] == {"error": "FileNotFoundError"}
    assert not (tmp_path / "none").exists()


def test_the_bundle_belongs_to_its_owner_and_can_go_into_a_pipe(box: WholeBox, directory: Path, tmp_path: Path) -> None:
    with beside(box):
        ended = typed("doctor", "--to", str(tmp_path / "a b.tar.gz"), data=directory)
        piped = typed("doctor", "--to", "-", data=directory)
    assert "Check its content before you send it" in ended.stdout
    assert (tmp_path / "a b.tar.gz").stat().st_mode & 0o777 == 0o600
    assert "about" in content(piped.stdout_bytes)
    refused = typed("doctor", "--to", str(tmp_path / "none" / "x"), data=directory)
    assert (refused.exit_code, refused.stderr.endswith("cannot be written: No such file or directory\n")) == (1, True)
