"""Administrators change settings of the server while it runs; what the start gave wins."""

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from analytics_box.app.box import open_box
from analytics_box.app.cli.main import main
from analytics_box.base.backup.backups import Backups
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.settings import Settings, given_settings, load, table
from analytics_box.base.stored_settings import StoredSettings
from tests.app.admin.commanding import beside, result, typed
from tests.base.notify.mail_server import mail_server
from tests.cases import each
from tests.inprocess import EMAIL, FixedClock, WholeBox, whole_box
from tests.tenants.organizations.world import World

PASSWORD = "a secret of the mail server"
PAGES = ("/settings/box/email", "/settings/box/backups", "/settings/box/network")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


@pytest.fixture
def people(box: WholeBox) -> World:
    return World(box)


def shown(people: World) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in people.call("ada", "boxSettings.get").json["settings"]}


def files_of(box: WholeBox) -> bytes:
    box.box.box_db.write_now(lambda db: db.execute("select 1").fetchall())
    folder = box.box.settings.data_dir
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.name.startswith("box.db"))


def test_mail_server_from_the_page_sends_a_test_without_a_restart(people: World, box: WholeBox) -> None:
    assert not box.box.parts[Mailer].configured
    with mail_server(password=PASSWORD) as server:
        saved = people.send(
            "ada",
            "/settings/box/email",
            smtp_host="127.0.0.1",
            smtp_port=str(server.port),
            smtp_security="none",
            smtp_user="box@example.com",
            smtp_password=PASSWORD,
            smtp_from="",
        )
        assert (saved.status, saved.headers["location"]) == (303, "/settings/box/email?done=saved")
        assert "A test email was sent to" in people.send("ada", "/settings/box/email/test").body.decode()
        assert server.recipients == [EMAIL]
        assert server.signed_in == [("box@example.com", PASSWORD)]
        assert people.call("ada", "boxSettings.testEmail").json["success"] is True


def test_secret_is_never_shown_and_stored_encrypted(people: World, box: WholeBox) -> None:
    given = {"smtp_host": "mail.example.com", "smtp_user": "box@example.com", "smtp_password": PASSWORD}
    answer = people.call("ada", "boxSettings.update", values=given)
    assert answer.status == 200, answer.body
    assert shown(people)["smtp_password"] | {"needsRestart": False} == {
        "name": "smtp_password",
        "value": None,
        "isSet": True,
        "source": "stored",
        "needsRestart": False,
    }
    pages = [people.see("ada", page).body for page in (*PAGES, "/settings/audit")]
    assert not any(PASSWORD.encode() in content for content in (answer.body, files_of(box), *pages))
    assert PASSWORD not in repr(box.box.parts.settings)
    assert ("updated", "box settings") in [entry[:2] for entry in people.audited()]
    with beside(box) as data:
        assert PASSWORD not in typed("settings", data=data).output
        assert "smtp_password = (hidden)  [settings area]" in typed("settings", data=data).output


def test_blank_password_keeps_the_stored_one_and_a_new_server_needs_it_again(people: World, box: WholeBox) -> None:
    form = {"smtp_host": "mail.example.com", "smtp_user": "box@example.com", "smtp_password": PASSWORD}
    people.send("ada", PAGES[0], **form)
    assert people.send("ada", PAGES[0], **(form | {"smtp_password": "", "smtp_port": "25"})).status == 303
    settings = box.box.parts.settings
    assert (settings.smtp_password, settings.smtp_port) == (PASSWORD, 25)
    moved = people.send("ada", PAGES[0], **(form | {"smtp_password": "", "smtp_host": "other.example.com"}))
    assert moved.status == 400
    assert "Enter it again, because the server has changed" in moved.body.decode()
    assert box.box.parts.settings.smtp_host == "mail.example.com"


def test_settings_survive_a_restart(people: World, box: WholeBox) -> None:
    people.call("ada", "boxSettings.update", values={"smtp_host": "mail.example.com", "backup_keep": 3})
    box.reopen()
    again = box.box.parts.settings
    assert (again.smtp_host, again.backup_keep) == ("mail.example.com", 3)


def test_setting_that_was_given_at_the_start_wins_and_is_read_only(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as before:
        World(before).call("ada", "boxSettings.update", values={"smtp_host": "stored.example.com"})
        stored = before.box.settings.data_dir
        before.box.close()
        clean = {name: text for name, text in os.environ.items() if not name.startswith("ANALYTICS_BOX_")}
        with mock.patch.dict(os.environ, clean | {"ANALYTICS_BOX_SMTP_HOST": "given.example.com"}, clear=True):
            flags = {"data_dir": str(stored)}
            settings, sources = load(flags)[0], given_settings(flags).sources
        before.box = open_box(settings, FixedClock(before.clock.now()), sources)
        people = World(before)
        people.forget("ada")
        assert before.box.parts.settings.smtp_host == "given.example.com"
        assert "Set by ANALYTICS_BOX_SMTP_HOST." in people.see("ada", PAGES[0]).body.decode()
        assert re.search(r'<input id="smtp_host"[^>]* readonly', people.see("ada", PAGES[0]).body.decode())
        refused = people.call("ada", "boxSettings.update", values={"smtp_host": "other.example.com"})
        assert refused.status == 400
        assert "by ANALYTICS_BOX_SMTP_HOST" in str(refused.json)


@each(
    ("page", "form", "reason"),
    [
        (PAGES[0], {"smtp_host": "smtp.example.com:25"}, "Enter only the host name"),
        (PAGES[0], {"smtp_host": "smtp.example.com", "smtp_port": "many"}, "nter a whole number"),
        (PAGES[0], {"smtp_host": "smtp.example.com", "smtp_user": "box@example.com"}, "Enter the password"),
        (PAGES[1], {"backup_to": "relative/folder"}, "Enter a full path"),
        (PAGES[1], {"backup_to": "/nowhere/at/all"}, "/nowhere/at/all"),
        (PAGES[1], {"backup_passphrase": "short"}, "Enter at least 8 characters"),
        (PAGES[2], {"base_url": "https://stats.example.com/path"}, "The path /path cannot be used"),
        (PAGES[2], {"allowed_private_targets": "192.168.1.0/99"}, "is not an address or a range"),
    ],
)
def test_value_that_cannot_work_is_refused_at_its_field(
    page: str, form: dict[str, str], reason: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with whole_box(tmp_path_factory.mktemp("refused") / "data") as inside:
        people = World(inside)
        answer = people.send("ada", page, **form)
        assert answer.status == 400
        assert f"<span>{reason}" in answer.body.decode() or reason in answer.body.decode()
        assert "field-error" in answer.body.decode()
        assert all(one["source"] == "default" for one in shown(people).values())


def test_only_administrators_of_the_server_see_and_change_its_settings(people: World, box: WholeBox) -> None:
    people.add("eve", "owner")
    for page in PAGES:
        assert people.see("ada", page).status == 200
        assert people.see("eve", page).status == 403
        assert people.send("eve", page).status == 403
        assert page not in people.see("eve", "/settings/profile").body.decode()
    for form in ("email/test", "backups/start", f"network/{box.organization_id}", "notices/dismiss"):
        assert people.send("eve", f"/settings/box/{form}").status == 403
    for procedure in ("get", "testEmail", "backUp"):
        assert people.call("eve", f"boxSettings.{procedure}").status == 403
    assert people.call("eve", "boxSettings.update", values={"smtp_host": "evil.example"}).status == 403
    assert box.post("/boxSettings/get", {}, key="all").status == 403
    assert box.box.parts.settings == box.box.settings


def test_setting_that_is_not_editable_is_refused(people: World) -> None:
    for name in ("port", "data_dir", "unknown"):
        assert people.call("ada", "boxSettings.update", values={name: "1"}).status == 400


def test_backup_now_goes_to_the_folder_of_the_page_and_carries_the_settings(
    people: World, box: WholeBox, tmp_path: Path
) -> None:
    assert people.call("ada", "boxSettings.backUp").status == 409
    folder = tmp_path / "backups"
    folder.mkdir()
    saved = people.send("ada", PAGES[1], backup_to=str(folder), backup_every="12", backup_keep="2")
    assert saved.status == 303, saved.body
    assert people.send("ada", f"{PAGES[1]}/start").status == 303
    started = box.box.parts[Backups].started
    assert started is not None
    box.run(asyncio.wait_for(started, 30))
    (made,) = folder.iterdir()
    assert made.name in people.see("ada", PAGES[1]).body.decode()
    restored = tmp_path / "restored"
    done = typed("restore", str(made), "--yes", data=restored)
    assert done.exit_code == 0, done.output
    lines = {one["name"]: one for one in result("settings", data=restored)}
    assert (lines["backup_every"]["value"], lines["backup_every"]["source"]) == (12, "stored")


def test_backup_from_the_command_line_goes_to_the_stored_folder_with_the_stored_passphrase(
    people: World, box: WholeBox, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    secret = "correct horse battery staple"
    saved = people.send("ada", PAGES[1], backup_to=str(folder), backup_passphrase=secret)
    assert saved.status == 303, saved.body
    with beside(box) as data:
        made = typed("backup", data=data)
        assert made.exit_code == 0, made.output
        (name,) = [one.name for one in folder.iterdir()]
        assert f"{name}: " in made.output
        assert "encrypted" in made.output
        assert typed("backup", "--check", str(folder / name), data=data).exit_code == 0
    wrong = typed("backup", "--check", str(folder / name), data=tmp_path / "elsewhere")
    assert wrong.exit_code == 1
    assert "passphrase" in wrong.output


def test_public_address_takes_effect_at_the_next_start(people: World, box: WholeBox) -> None:
    address = "https://stats.example.com"
    assert "done=restart" in people.send("ada", PAGES[2], base_url=address).headers["location"]
    assert box.box.parts.settings.public_url == "http://localhost:8000"
    assert "Restart the server to use this address" in people.see("ada", PAGES[2]).body.decode()
    box.reopen()
    assert box.box.parts.settings.public_url == address


def test_private_networks_are_opened_per_organization_at_once(people: World, box: WholeBox) -> None:
    people.send("ada", PAGES[2], allowed_private_targets="192.168.1.0/24, 10.0.0.5")
    assert [str(one) for one in box.box.parts[Clients].fences.allowed] == ["192.168.1.0/24", "10.0.0.5/32"]
    where = f"{PAGES[2]}/{box.foreign_organization_id}"
    assert people.send("ada", where, networks="192.168.1.0/28").status == 303
    assert "192.168.1.0/28" in people.see("ada", PAGES[2]).body.decode()
    assert people.send("ada", where, networks="172.16.0.0/12").status == 400
    assert people.send("ada", f"{PAGES[2]}/nobody", networks="all").status == 404


def test_command_line_changes_and_resets_a_setting(box: WholeBox) -> None:
    with beside(box) as data:
        assert "backup_keep = 3  [settings area]" in typed("settings", "--set", "backup_keep=3", data=data).output
        assert "backup_keep" not in typed("settings", "--reset", "backup_keep", data=data).output
        assert typed("settings", "--set", "port=1", data=data).exit_code == 1
        assert len(result("settings", data=data)) == len(table())


def test_stored_settings_that_no_longer_work_do_not_stop_the_start(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as inside:
        World(inside).call("ada", "boxSettings.update", values={"base_url": "http://stats.example.com"})
        given = replace(inside.box.settings, tls_certificate="/c.pem", tls_key="/k.pem")
        stored = StoredSettings(
            given, None, [("base_url", b'"http://stats.example.com"')], inside.box.parts[StoredSettings]._seal
        )
        assert stored.current.base_url == ""


def test_administrator_can_dismiss_the_reminder_for_thirty_days(people: World, box: WholeBox) -> None:
    def reminded(name: str = "ada") -> bool:
        people.forget(name)
        return "never been backed up" in people.see(name, "/sites").body.decode()

    box.clock.advance(seconds=8 * 86_400)
    box.run(box.box.parts[Backups].run_if_due())
    assert reminded()
    assert people.send("ada", "/settings/box/notices/dismiss", code="never_backed_up").status == 303
    assert not reminded()
    box.reopen()
    assert not reminded()
    box.clock.advance(seconds=30 * 86_400 + 1)
    assert reminded()
    assert people.send("ada", "/settings/box/notices/dismiss", code="other").status == 400


def test_every_editable_setting_is_on_one_page(people: World) -> None:
    pages = [people.see("ada", page).body.decode() for page in PAGES]
    for row in table():
        if row.editable is not None:
            assert sum(f'name="{row.name}"' in page for page in pages) == 1, row.name


def test_secrets_are_no_options_of_the_command_line() -> None:
    shown = CliRunner().invoke(main, ["serve", "--help-all"]).output
    assert "--smtp-host" in shown
    assert not any(
        f"--{row.name.replace('_', '-')} " in shown for row in table() if row.editable and row.editable.secret
    )
    assert "password" not in repr(Settings(smtp_password="a password of a server"))[len("Settings(smtp_password") :]
