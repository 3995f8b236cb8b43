"""Files that do not belong together are refused at the start, and no number is ever given twice."""

import shutil
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner

from analytics_box.app import jobs
from analytics_box.app.cli.main import main
from analytics_box.base.acting import By
from analytics_box.base.store import pairing, schema
from analytics_box.base.store.pairing import NotAPair, bring_together
from analytics_box.tenants.websites.change import create
from tests.inprocess import WholeBox, empty_box, whole_box
from tests.migrated import migrated


def test_complete_files_are_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrated(tmp_path)
    bring_together(tmp_path)
    monkeypatch.setattr(pairing, "_with", None)
    assert bring_together(tmp_path) == []


def save(box: WholeBox, name: str) -> Path:
    """A copy of a file of the box, which goes on."""
    box.box.close()
    source = box.box.settings.data_dir / name
    copy = Path(shutil.copy(source, source.parent.with_name(f"saved-{name}")))
    box.reopen()
    return copy


def stop(box: WholeBox) -> Path:
    """Stop the box; its data directory."""
    box.box.close()
    return box.box.settings.data_dir


def make_website(box: WholeBox, domain: str) -> tuple[str, int]:
    """Its id, and the number that events know it by."""
    website = box.box.box_db.write_now(
        lambda db: create(
            db, organization_id=box.organization_id, name=domain, domain=domain, by=By("test", box.clock.now())
        )
    )
    box.reopen()
    return website.id, website.site


def view(box: WholeBox, website_id: str) -> None:
    answer = box.post("/track", {"name": "seen", "websiteId": website_id}, key="all")
    assert answer.status == 200, answer.body


def events_of(box: WholeBox, website_id: str) -> int:
    body = {"parameters": ["custom_events"], "preset": "today"}
    answer = box.post(f"/v1/query?website_id={website_id}", body, key="all")
    return sum(int(row["total_events"]) for row in answer.json["data"][0]["data"])


def last_number(directory: Path, table: str) -> int:
    connection = apsw.Connection(str(directory / schema.BOX_FILE))
    found = connection.execute("select seq from sqlite_sequence where name = ?", (table,)).fetchall()
    connection.close()
    return int(str(found[0][0]))


def accept(directory: Path) -> str:
    """What the command prints."""
    ended = CliRunner().invoke(main, ["accept-files", "--data-dir", str(directory)])
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_an_older_box_db_is_refused_and_once_accepted_no_number_comes_again(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        saved = save(box, schema.BOX_FILE)
        website_id, number = make_website(box, "later.example")
        view(box, website_id)
        directory = stop(box)
        shutil.copy(saved, directory / schema.BOX_FILE)
        with pytest.raises(NotAPair, match=r"box\.db is older than events\.db.* accept-files"):
            box.reopen()
        assert "goes on after the numbers" in accept(directory)
        assert accept(directory) == "The files belong together. There was nothing to accept\n"
        box.reopen()
        other_id, other = make_website(box, "other.example")
        assert other > number
        box.reopen()
        assert events_of(box, other_id) == 0


def test_numbers_without_an_event_do_not_come_again_either(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        saved = save(box, schema.BOX_FILE)
        make_website(box, "later.example")
        box.run(jobs.note_numbers(box.box))
        directory = stop(box)
        shutil.copy(saved, directory / schema.BOX_FILE)
        with pytest.raises(NotAPair, match="older"):
            box.reopen()
        accept(directory)
        box.reopen()


def test_links_count_as_websites_do(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        box.box.events.db.write_now(
            lambda db: db.execute("insert into link_totals (link, clicks, last) values (70, 1, 1)").fetchall()
        )
        directory = stop(box)
        with pytest.raises(NotAPair, match="older"):
            box.reopen()
        accept(directory)
        assert last_number(directory, "links") == 70
        box.reopen()


def test_monitors_count_as_websites_do(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        box.box.events.db.write_now(
            lambda db: db.execute("insert into monitor_states (monitor, state) values (70, '{}')").fetchall()
        )
        directory = stop(box)
        with pytest.raises(NotAPair, match="older"):
            box.reopen()
        accept(directory)
        assert last_number(directory, "monitors") == 70
        box.reopen()


def test_an_older_events_db_goes_on_because_it_only_lacks_events(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        saved = save(box, schema.EVENTS_FILE)
        website_id, _ = make_website(box, "later.example")
        view(box, website_id)
        directory = stop(box)
        shutil.copy(saved, directory / schema.EVENTS_FILE)
        box.reopen()


@pytest.mark.parametrize("name", [schema.BOX_FILE, schema.EVENTS_FILE])
def test_a_file_of_another_box_is_refused_whatever_is_accepted(tmp_path: Path, name: str) -> None:
    with empty_box(tmp_path / "other") as other:
        other.box.close()
    with whole_box(tmp_path / "data") as box:
        directory = stop(box)
        own = (directory / name).read_bytes()
        shutil.copy(tmp_path / "other" / name, directory / name)
        for accepting in (False, True):
            with pytest.raises(NotAPair, match="belong to different servers"):
                bring_together(directory, accept=accepting)
        (directory / name).write_bytes(own)
        box.reopen()


@pytest.mark.parametrize("empty", [True, False], ids=["empty", "missing"])
def test_events_without_their_box_are_refused_and_stay_as_they_are(tmp_path: Path, *, empty: bool) -> None:
    with whole_box(tmp_path / "data") as box:
        directory = stop(box)
        own, events = (directory / schema.BOX_FILE).read_bytes(), (directory / schema.EVENTS_FILE).read_bytes()
        (directory / schema.BOX_FILE).unlink()
        if empty:
            (directory / schema.BOX_FILE).touch()
        for accepting in (False, True):
            with pytest.raises(NotAPair, match=r"box\.db is missing or empty"):
                bring_together(directory, accept=accepting)
        assert (directory / schema.EVENTS_FILE).read_bytes() == events
        (directory / schema.BOX_FILE).write_bytes(own)
        box.reopen()


@pytest.mark.parametrize("empty", [True, False], ids=["empty", "missing"])
def test_a_box_in_use_makes_no_new_events_db_unless_told_to(tmp_path: Path, *, empty: bool) -> None:
    with whole_box(tmp_path / "data") as box:
        directory = stop(box)
        events = directory / schema.EVENTS_FILE
        events.unlink()
        if empty:
            events.touch()
        with pytest.raises(NotAPair, match=r"events\.db is missing or empty.* accept-files"):
            box.reopen()
        assert events.exists() == empty
        assert accept(directory) == "events.db is new and has no events\n"
        box.reopen()
