"""The commands setup and check, and what every command says of wrong settings."""

import json
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result

from analytics_box import __version__
from analytics_box.app.cli.main import main
from analytics_box.app.cli.serve import USUAL
from analytics_box.app.web_server import check_tls
from analytics_box.base import settings
from analytics_box.base.store import data_lock
from analytics_box.base.store.db import Db

EMAIL, PASSWORD = "ada@example.com", "a long and quiet sentence"


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Commands make the process's new files private; give that back after each test."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def run(*arguments: str, data: Path | None = None, typed: str = "", **environment: str) -> Result:
    """A command, in an environment without settings of its own."""
    clean = {name: None for name in os.environ if name.startswith(settings.ENVIRONMENT_PREFIX)}
    flags = ["--data-dir", str(data)] if data is not None else []
    return CliRunner().invoke(main, [*arguments, *flags], input=typed, env={**clean, **environment})


def set_up(
    data: Path, *more: str, password: str = PASSWORD, email: str = EMAIL, domain: str = "shop.example"
) -> Result:
    account = ("--email", email, "--password-file", "-", "--organization", "Ada & Co", "--website", "Shop")
    return run("setup", *account, "--domain", domain, *more, data=data, typed=password + "\n")


def count(data: Path, table: str) -> int:
    db = apsw.Connection(str(data / "box.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(str(db.execute(f"select count(*) from {table}").fetchall()[0][0]))
    finally:
        db.close()


def test_setup_prints_ids_the_snippet_and_a_key_as_json(data: Path) -> None:
    ended = set_up(data, "--key", "--json")
    assert ended.exit_code == 0, ended.output
    made = json.loads(ended.stdout)
    assert set(made) == {"organizationId", "organization", "userId", "websiteId", "website", "snippet", "apiKey"}
    assert made["apiKey"].startswith("svc_")
    assert len(made["apiKey"]) == 4 + 48  # spec 2.1
    assert len(set(made.values())) == 7
    assert count(data, "users") == count(data, "organizations") == count(data, "websites") == 1


def test_setup_prints_the_line_for_pages_first_and_makes_no_key_by_itself(data: Path) -> None:
    ended = set_up(data)
    assert ended.exit_code == 0
    assert ended.output.index("<script src=") < ended.output.index("shop.example")
    assert "svc_" not in ended.output
    assert count(data, "api_keys") == 0


def test_setup_says_to_keep_the_key_that_was_asked_for(data: Path) -> None:
    said = set_up(data, "--key").output
    assert said.index("<script src=") < said.index("svc_") < said.index("Copy this key now")


def test_neither_password_nor_key_stand_in_the_files(data: Path) -> None:
    secret = json.loads(set_up(data, "--key", "--json").stdout)["apiKey"]
    for path in data.iterdir():
        content = path.read_bytes()
        assert PASSWORD.encode() not in content
        assert secret.encode() not in content


def test_the_files_belong_to_their_owner_alone(data: Path) -> None:
    set_up(data)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in data.iterdir()} == {0}


def test_a_second_setup_is_refused_and_changes_nothing(data: Path) -> None:
    set_up(data)
    ended = set_up(data, email="eve@example.com")
    assert ended.exit_code == 1
    assert "already set up" in ended.output
    assert count(data, "users") == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"password": "short"}, "at least 12 characters"),
        ({"password": ""}, "at least 12 characters"),
        ({"password": "passwordpassword"}, "too easy to guess"),
        ({"password": "x" * 129}, "at most 128"),
        ({"email": "nobody"}, "email address"),
        ({"domain": "not a domain"}, "example.com"),
    ],
)
def test_invalid_setup_is_refused_and_creates_nothing(data: Path, changes: dict[str, str], said: str) -> None:
    ended = set_up(data, **changes)
    assert ended.exit_code == 1
    assert said in ended.output
    assert "Traceback" not in ended.output
    assert not (data / "box.db").exists() or count(data, "users") == 0


def test_a_data_directory_in_use_is_left_alone(data: Path) -> None:
    with data_lock.lock(data):
        ended = set_up(data)
    assert ended.exit_code == 1
    assert "is in use" in ended.output
    assert not (data / "box.db").exists()


def test_file_in_place_of_a_data_directory_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("a file")
    ended = run("restore", str(tmp_path), data=file)
    assert (ended.exit_code, ended.stderr.startswith("Error: ")) == (1, True), ended.output


def test_an_unknown_variable_is_warned_of(data: Path) -> None:
    set_up(data)
    ended = run("check", data=data, ANALYTICS_BOX_DATADIR="/nowhere")
    assert ended.exit_code == 0
    assert "Warning: environment: ANALYTICS_BOX_DATADIR is not a setting" in ended.stderr


def test_an_unknown_name_in_the_file_is_warned_of(data: Path) -> None:
    set_up(data)
    (data / settings.FILE_NAME).write_text("prot = 8001\n")
    assert "'prot' is not a setting" in run("check", data=data).stderr


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"BASE_URL": "https://example.com/stats"}, "the path /stats cannot be used"),
        (
            {"METRICS": "on", "METRICS_TOKEN_FILE": "/nowhere/token"},
            "metrics_token_file: /nowhere/token cannot be read",
        ),
        ({"TLS_CERTIFICATE": "/nowhere/cert", "TLS_KEY": "/nowhere/key"}, "cannot be used"),
        ({"TRUSTED_PROXIES": "proxy"}, "trusted_proxies"),
        ({"ALLOWED_PRIVATE_TARGETS": "home"}, "allowed_private_targets"),
        ({"DNS_SERVERS": "dns.example.com"}, "dns_servers"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "check"])
def test_settings_that_cannot_work_are_refused_by_a_start_and_by_check(
    data: Path, command: str, environment: dict[str, str], reason: str
) -> None:
    ended = run(command, data=data, **{f"ANALYTICS_BOX_{name}": value for name, value in environment.items()})
    assert ended.exit_code == 1
    assert reason in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["serve", "check"])
def test_a_wrong_setting_is_refused_in_one_line(data: Path, command: str) -> None:
    ended = run(command, data=data, ANALYTICS_BOX_PORT="http")
    assert ended.exit_code == 1
    assert "port (ANALYTICS_BOX_PORT)" in ended.output
    assert "Traceback" not in ended.output


def test_check_finds_both_files_sound(data: Path) -> None:
    set_up(data)
    db = Db(data / "box.db", readers=1)  # a second look at the files while they are open is fine
    ended = run("check", data=data)
    db.close()
    assert f"{data / 'box.db'}: ok" in ended.output
    assert f"{data / 'events.db'}: ok" in ended.output
    assert ended.exit_code == 0


def test_check_finds_the_files_of_a_box_that_runs_sound_and_leaves_it_its_lock(data: Path) -> None:
    set_up(data)
    with data_lock.lock(data):
        assert data_lock.is_served(data)
        assert run("check", data=data).exit_code == 0
        assert data_lock.is_served(data)
    assert not data_lock.is_served(data)
    assert run("check", data=data).exit_code == 0


def test_check_says_what_is_missing(data: Path) -> None:
    ended = run("check", data=data)
    assert ended.exit_code == 1
    assert "missing" in ended.output
    assert not (data / "box.db").exists(), "looking must not make files"


def test_check_says_that_a_file_is_damaged(data: Path) -> None:
    set_up(data)
    content = bytearray((data / "box.db").read_bytes())
    content[8192 : 8192 * 3] = b"\xff" * 16_384
    (data / "box.db").write_bytes(content)
    ended = run("check", data=data)
    assert ended.exit_code == 1
    assert "box.db: ok" not in ended.output


def test_check_refuses_an_empty_file_that_a_start_refuses(data: Path) -> None:
    set_up(data)
    (data / "events.db").write_bytes(b"")
    ended = run("check", data=data)
    assert ended.exit_code == 1
    assert "The server cannot start with these files" in ended.output
    assert "events.db is missing or empty, but this server has been in use" in ended.output
    said = json.loads(run("check", "--json", data=data).output.splitlines()[0])
    assert said["sound"] is False
    assert "missing or empty" in said["refusal"]
    assert run("check", data=data).output.count("accept-files") == 1


def test_check_refuses_files_of_different_boxes(data: Path, tmp_path: Path) -> None:
    set_up(data)
    other = tmp_path / "other"
    set_up(other)
    (data / "events.db").write_bytes((other / "events.db").read_bytes())
    ended = run("check", data=data)
    assert ended.exit_code == 1
    assert "belong to different servers" in ended.output


def test_check_over_http_reports_a_server_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]  # free again once this is closed
    ended = run("check", "--http", ANALYTICS_BOX_PORT=str(port))
    assert ended.exit_code == 1
    assert "No answer" in ended.output


def test_help_all_of_serve_lists_every_setting_once_under_its_section() -> None:
    shown = run("serve", "--help-all").output
    for row in (row for row in settings.table() if row.editable is None or not row.editable.secret):
        assert shown.count(f"  --{row.name.replace('_', '-')} ") == 1
        assert row.variable in shown
    titles = [line.rstrip(":") for line in shown.splitlines() if line and not line.startswith(" ") and line[-1] == ":"]
    assert titles == ["Options", *(title for title in settings.sections())]


def test_help_of_serve_lists_the_ten_usual_settings_first() -> None:
    shown = run("serve", "--help").output
    options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)
    assert options[:10] == [f"--{name.replace('_', '-')}" for name in USUAL]
    assert options[10:] == ["--json", "--help-all", "--help"]
    assert f"--help-all for all {len(settings.table())} settings" in shown


def test_the_module_is_the_command() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "analytics_box", "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert __version__ in ended.stdout


def test_a_command_beside_a_running_box_loads_none_of_it() -> None:
    commands = ", ".join(f"analytics_box.app.cli.{name}" for name in ("accounts", "keys", "websites", "links", "care"))
    asked = f"import sys, {commands}, analytics_box.app.cli.monitors; print(*sorted(sys.modules))"
    loaded = subprocess.run((sys.executable, "-c", asked), capture_output=True, text=True, check=True).stdout.split()
    assert "analytics_box.app.admin.channel" in loaded
    assert not {"analytics_box.app.box", "analytics_box.app.admin.commands", "litestar", "jinja2"} & set(loaded)


@pytest.mark.parametrize(
    ("arguments", "instruction"),
    [
        ("prune --all --before yesterday", "'--before': enter a day as YYYY-MM-DD, such as 2026-01-31"),
        ("prune --all --before 2026-13-01", "'--before': enter a day as YYYY-MM-DD, such as 2026-01-31"),
        ("backup dest --keep -1", "'--keep': enter a whole number of at least 0"),
        ("serve --port abc", "'--port': enter a whole number"),
        ("monitor list --limit 0", "'--limit': enter a whole number from 1 to 10,000"),
        ("website edit shop --retention-days soon", "'--retention-days': enter a whole number from 1 to 3,650"),
        ("monitor check http://x --timeout 999", "'--timeout': enter a number from 0.1 to 120"),
    ],
)
def test_value_that_an_option_cannot_use_is_refused_with_one_that_it_can(arguments: str, instruction: str) -> None:
    refused = run(*arguments.split())
    assert refused.exit_code == 2
    assert instruction in refused.output
    assert "range" not in refused.output


@pytest.mark.parametrize(
    ("certificate", "key", "reason"),
    [
        ("self_signed.pem", "expired.pem", "the key does not belong to the certificate"),
        ("world.py", "world.py", "both must be PEM files, and the key must have no passphrase"),
        ("nowhere.pem", "nowhere.pem", "No such file or directory"),
    ],
)
def test_unusable_certificate_is_refused_with_the_reason(certificate: str, key: str, reason: str) -> None:
    folder = Path(__file__).parents[2] / "products/monitors"
    given = settings.Settings(tls_certificate=str(folder / certificate), tls_key=str(folder / key))
    with pytest.raises(settings.SettingsError, match=reason):
        check_tls(given)
