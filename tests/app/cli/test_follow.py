"""A log is followed to its end, over rotation, interruptions and lines without end, and each line is sent once."""

import os
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app.cli import follow
from analytics_box.app.cli.follow import LONGEST_LINE, LogFollower
from analytics_box.base.errors import Unavailable


class Receiver:
    """A server that knows the lines that it has, by log and place."""

    def __init__(self) -> None:
        self.lines: dict[tuple[str, int], str] = {}
        self.is_away = self.loses_answers = False

    def __call__(self, log: str, lines: list[tuple[int, str]]) -> dict[str, Any]:
        if self.is_away:
            raise Unavailable("away")
        new = {(log, at): text for at, text in lines if (log, at) not in self.lines}
        self.lines |= new
        if self.loses_answers:
            raise Unavailable("the connection broke")
        return {"stored": len(new), "repeated": len(lines) - len(new), "refused": []}

    def texts(self) -> list[str]:
        return [text.rstrip("\n") for text in self.lines.values()]


class World:
    """A log, its follower and the server."""

    def __init__(self, folder: Path) -> None:
        self.path, self.state = folder / "access.log", folder / "state" / "position.json"
        self.state.parent.mkdir()
        self.server = Receiver()
        self.follower = self.start()

    def start(self, **more: Any) -> LogFollower:
        self.follower = LogFollower(self.path, self.state, self.server, **more)
        return self.follower

    def write(self, *texts: str, end: str = "\n") -> None:
        with self.path.open("a") as log:
            log.writelines(f"{text}{end}" for text in texts)

    def run(self) -> None:
        """Go on until there is nothing to do for longer than a renamed log is waited for."""
        quiet = 0
        while quiet < 10:
            quiet = 0 if self.follower.step() else quiet + 1


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_lines_are_sent_once_when_they_are_whole(world: World) -> None:
    world.run()
    world.write("one", "two")
    world.write("thr", end="")
    world.run()
    assert world.server.texts() == ["one", "two"]
    world.write("ee")
    world.run()
    assert world.server.texts() == ["one", "two", "three"]


def test_long_log_is_sent_in_pieces(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "MOST_LINES", 7)
    world.write(*(str(number) for number in range(100)))
    world.run()
    assert world.server.texts() == [str(number) for number in range(100)]


def test_restart_goes_on_after_the_last_line(world: World) -> None:
    world.write("one", "two")
    world.run()
    world.start()
    world.write("three")
    world.run()
    assert world.server.texts() == ["one", "two", "three"]


def test_end_between_answer_and_position_counts_no_line_twice(world: World) -> None:
    world.write("one", "two")
    world.server.loses_answers = True
    world.follower.step()
    with pytest.raises(Unavailable):
        world.follower.step()
    world.server.loses_answers = False
    world.start()
    world.write("three")
    world.run()
    assert world.server.texts() == ["one", "two", "three"]


def test_lines_wait_while_the_server_is_away(world: World) -> None:
    world.server.is_away = True
    world.write("one")
    world.follower.step()
    for _ in range(3):
        with pytest.raises(Unavailable):
            world.follower.step()
    world.server.is_away = False
    world.run()
    assert world.server.texts() == ["one"]


def test_renamed_log_is_read_to_its_end_before_the_new_one(world: World) -> None:
    world.write("one")
    world.run()
    former = world.path.rename(world.path.with_name("access.log.1"))
    world.write("three")
    with former.open("a") as log:
        log.write("two\nlast without an end")
    world.run()
    assert world.server.texts() == ["one", "two", "last without an end", "three"]


def test_log_renamed_while_nothing_ran_is_found_by_its_file(world: World) -> None:
    world.write("one")
    world.run()
    world.write("two")
    world.path.rename(world.path.with_name("access.log-20260617"))
    world.write("three")
    world.start()
    world.run()
    assert world.server.texts() == ["one", "two", "three"]


def test_emptied_log_is_read_from_its_start(world: World) -> None:
    world.write("first line", "second line")
    world.run()
    os.truncate(world.path, 0)
    world.write("new")
    world.run()
    assert world.server.texts() == ["first line", "second line", "new"]


def test_emptied_log_that_has_grown_longer_is_known_by_its_first_lines(world: World) -> None:
    world.write("first line")
    world.run()
    os.truncate(world.path, 0)
    world.write("FIRST LINE", "x" * 100)
    world.run()
    assert world.server.texts() == ["first line", "FIRST LINE", "x" * 100]


def test_line_without_end_is_skipped_in_bounded_memory(world: World) -> None:
    world.write("one")
    with world.path.open("a") as log:
        for _ in range(8):
            log.write("x" * (LONGEST_LINE // 2))
    world.run()
    assert world.server.texts() == ["one"]
    world.start()
    world.write("tail of it", "two")
    world.run()
    assert world.server.texts() == ["one", "two"]
    assert follow.read_piece(world.path.open("rb"), 0, False).too_long == 1


def test_only_new_lines_are_sent_from_the_end(world: World) -> None:
    world.write("one")
    world.write("half", end="")
    world.start(from_end=True)
    world.run()
    world.write(" line", "two")
    world.run()
    assert world.server.texts() == ["two"]


def test_position_is_private_and_damage_is_named(world: World) -> None:
    world.write("one")
    world.run()
    assert world.state.stat().st_mode & 0o777 == 0o600
    world.state.write_text("{")
    with pytest.raises(Exception, match="is damaged"):
        world.start()
