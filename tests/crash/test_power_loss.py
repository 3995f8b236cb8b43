"""The power goes at a random moment, many times: no acknowledged event is lost and no file is damaged.

The real Db, ledger and schema run over a disk of which only what was synced is sure to survive. The same test with
a disk that lies about its syncs must find losses: that proves that it can see them.
"""

import asyncio
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import apsw
import pytest

from analytics_box.base.facts.event import Event
from analytics_box.base.store.migrations import migrate
from analytics_box.base.store.schema import EVENTS_FILE
from analytics_box.ingest import recovery
from tests.base.store.notes import Refusal, behind_gate
from tests.crash.fragile_disk import FragileDisk, Picture
from tests.examples import is_thorough
from tests.ledgers import NOON, Books, open_books, stored, view

SEEDS = 60 if is_thorough() else 18
GROUPS = 12  # group commits in a run
OFTEN = 0.02  # pictures per change

Durability = Literal["full", "normal"]


class PowerCut(NamedTuple):
    """What the disk held at one moment, and how many events had been acknowledged before it."""

    picture: Picture
    acknowledged: int


class Run:
    """One life of a box on a fragile disk, with the pictures that were taken of it.

    Events are numbered in the order in which they were accepted; `boundaries` are the numbers after which a group
    commit ended or would have ended.
    """

    def __init__(self, already: int, boundaries: set[int]) -> None:
        self.accepted = self.acknowledged = already
        self.boundaries = boundaries | {already}
        self.power_cuts: list[PowerCut] = []

    def photograph(self, picture: Picture) -> None:
        """Called by the disk."""
        self.power_cuts.append(PowerCut(picture, self.acknowledged))

    def live(self, directory: Path, seed: int, *, durability: Durability, lies: bool) -> None:
        """Open the box in this directory, take events, close it."""
        chance = random.Random(seed)
        with FragileDisk(seed, self.photograph, often=OFTEN, lies=lies) as disk:
            books = open_books(
                directory / EVENTS_FILE,
                durability=durability,
                checkpoint_pages=chance.choice((4, 25, 1_000)),
                vfs=disk.name,
            )
            books.db.write_now(lambda connection: recovery.recover(connection, books.live, NOON))
            for _ in range(GROUPS):
                asyncio.run(self._one_group(books, chance))
            books.db.close()

    async def _one_group(self, books: Books, chance: random.Random) -> None:
        works = []
        for _ in range(chance.randint(1, 4)):
            refuse = chance.random() < 0.2
            events = [self._event(chance, self.accepted + nth + 1) for nth in range(chance.randint(1, 5))]
            works.append(_write(books, events, refuse=refuse))
            self.accepted += 0 if refuse else len(events)
        self.boundaries.add(self.accepted)
        await behind_gate(books.db, *works)
        self.acknowledged = self.accepted

    def _event(self, chance: random.Random, number: int) -> Event:
        page = f"/{chance.randint(1, 40)}/" + "x" * chance.choice((0, 20, 900))
        return view(page, visitor=chance.randint(1, 9), minute=number / 10, properties=f'{{"number":{number}}}')


def _write(books: Books, events: list[Event], *, refuse: bool) -> Callable[[apsw.Connection], None]:
    def work(connection: apsw.Connection) -> None:
        books.ledger.append(connection, events)
        if refuse:
            raise Refusal

    return work


def survivors(directory: Path, boundaries: set[int]) -> int:
    """How many events a file has after the power came back. Raises AssertionError or apsw.Error for a damaged one."""
    connection = apsw.Connection(str(directory / EVENTS_FILE), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert connection.pragma("integrity_check") == "ok"
        rows = connection.execute("select id, properties ->> 'number' from events order by id").fetchall()
        assert rows == [(number, number) for number in range(1, len(rows) + 1)], "a gap"
        assert len(stored(connection)) == len(rows)
        assert len(rows) in boundaries, "half a group"
    finally:
        connection.close()
    return len(rows)


class Verdict(NamedTuple):
    """What became of the events of one power cut; `damage` is empty for a sound file."""

    acknowledged: int
    survived: int
    damage: str

    @property
    def lost(self) -> int:
        return max(0, self.acknowledged - self.survived)


def judge(power_cut: PowerCut, boundaries: set[int], directory: Path) -> Verdict:
    """Put the picture into an empty directory, open it as the box would and look."""
    restore(power_cut.picture, directory)
    try:
        return Verdict(power_cut.acknowledged, survivors(directory, boundaries), "")
    except (AssertionError, apsw.Error) as damage:
        return Verdict(power_cut.acknowledged, 0, f"{type(damage).__name__}: {damage}")


def restore(picture: Picture, directory: Path) -> None:
    """Write the files of a picture."""
    directory.mkdir(parents=True)
    for name, content in picture.items():
        (directory / name).write_bytes(content)


def two_lives(seed: int, empty: Path, directory: Path, *, durability: Durability, lies: bool) -> Iterator[Verdict]:
    """Run a box, cut its power, run it again on what is left, cut again: a verdict on every picture."""
    shutil.copytree(empty, directory / "0")
    already, boundaries = 0, {0}
    for life in range(2):
        run = Run(already, boundaries)
        run.live(directory / str(life), 2 * seed + life, durability=durability, lies=lies)
        verdicts = [
            judge(power_cut, run.boundaries, directory / f"{life}-{nth}")
            for nth, power_cut in enumerate(run.power_cuts)
        ]
        yield from verdicts
        sound = [nth for nth, verdict in enumerate(verdicts) if not verdict.damage]
        if not sound:
            return
        last = random.Random(seed).choice(sound)
        restore(run.power_cuts[last].picture, directory / str(life + 1))
        already, boundaries = verdicts[last].survived, run.boundaries


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both databases at their newest schema."""
    directory = tmp_path_factory.mktemp("power")
    migrate(directory)
    return directory


def verdicts(
    seeds: range, empty: Path, directory: Path, *, durability: Durability, lies: bool = False
) -> list[Verdict]:
    """Every verdict of these seeds."""
    return [
        verdict
        for seed in seeds
        for verdict in two_lives(seed, empty, directory / str(seed), durability=durability, lies=lies)
    ]


@pytest.mark.crash
def test_a_power_cut_loses_no_acknowledged_event_and_damages_no_file(empty: Path, tmp_path: Path) -> None:
    found = verdicts(range(SEEDS), empty, tmp_path, durability="full")
    assert [verdict for verdict in found if verdict.damage or verdict.lost] == []
    assert len(found) > 2 * SEEDS, "too few power cuts to say anything"
    assert any(0 < verdict.acknowledged < verdict.survived for verdict in found), "none came between sync and answer"


@pytest.mark.crash
def test_with_normal_durability_a_power_cut_loses_the_newest_events_only(empty: Path, tmp_path: Path) -> None:
    found = verdicts(range(SEEDS // 3), empty, tmp_path, durability="normal")
    assert [verdict for verdict in found if verdict.damage] == []
    assert any(verdict.lost for verdict in found)


@pytest.mark.crash
def test_a_disk_that_lies_about_its_syncs_is_found_out(empty: Path, tmp_path: Path) -> None:
    found = verdicts(range(SEEDS // 6), empty, tmp_path, durability="full", lies=True)
    assert any(verdict.lost for verdict in found)
    assert any(verdict.damage for verdict in found)
