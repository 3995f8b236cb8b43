"""What tests of backups act on: a box with something in it, its backups, and what comes of restoring them."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from click.testing import CliRunner, Result

from analytics_box.app.box import open_box
from analytics_box.app.cli.main import main
from analytics_box.base.settings import Settings
from tests.inprocess import FixedClock, SiteName, WholeBox

QUESTIONS = ("summary_metrics", "top_pages", "custom_events", "country", "browser_name", "events_by_date")


def run(*arguments: object, given: bytes = b"", environment: Mapping[str, str] | None = None) -> Result:
    """What the command line says."""
    return CliRunner().invoke(main, [str(one) for one in arguments], input=given, env=environment)


def see(box: WholeBox, name: str, *, site: SiteName = "shop", who: str = "u") -> None:
    """A custom event, acknowledged."""
    event = {"name": name, "websiteId": box.sites[site], "anonymousId": who, "properties": {"id": name}}
    assert box.post("/track", event, key="all").status == 200


def answers(box: WholeBox, site: SiteName = "shop") -> object:
    """What the box answers about a website."""
    found = box.query(site, {"parameters": list(QUESTIONS), "preset": "last_7d"})
    assert found.status == 200, found.body
    return [{"parameter": one["parameter"], "data": one["data"]} for one in found.json["data"]]


def answers_of(directory: Path, box: WholeBox, site: SiteName = "shop") -> object:
    """What a box answers that is started on these files, at the same instant. The files are copied before."""
    copy = Path(shutil.copytree(directory, directory.with_name(directory.name + " asked")))
    asked = WholeBoxElsewhere(box, copy)
    try:
        return answers(asked, site)
    finally:
        asked.close()
        shutil.rmtree(copy)


class WholeBoxElsewhere(WholeBox):
    """A second box over other files, with the keys and websites of a first one."""

    def __init__(self, like: WholeBox, directory: Path) -> None:

        clock = FixedClock(like.clock.now())
        super(WholeBox, self).__init__(open_box(Settings(data_dir=directory), clock), clock, like.keys)
        self.sites, self.numbers = like.sites, like.numbers
