"""The command `analytics-box demo`."""

from collections.abc import Coroutine
from typing import Any

import click
import msgspec

from analytics_box.app import server
from analytics_box.app.box import Box
from analytics_box.app.cli.options import read_settings, report_refusals, with_settings
from analytics_box.app.cli.serve import LISTENING_AS_JSON, announce
from analytics_box.app.demo import shop
from analytics_box.app.demo.fill import FOLDER, fill_demo, shop_port
from analytics_box.app.demo.live import Visitors
from analytics_box.base.clock import SystemClock
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock


@click.command()
@LISTENING_AS_JSON
@with_settings("data_dir", "host", "port")
def demo(as_json: bool, **given: Any) -> None:
    """Serve a demo with 90 days of generated data.

    Its files are in the folder demo of the data directory. Its monitors check a small shop on this machine.
    """

    def run() -> None:
        found = read_settings(given)
        own = found if given["data_dir"] else msgspec.structs.replace(found, data_dir=found.data_dir / FOLDER)
        _demo(own, as_json=as_json)

    report_refusals(run)


def _demo(found: Settings, *, as_json: bool) -> None:
    with data_lock.lock(found.data_dir), shop.open_shop(shop_port(found.data_dir), taken=found.port) as port:
        made = fill_demo(found.data_dir, SystemClock().now(), port=port)
        targets = (*found.allowed_private_targets, shop.NETWORK)

        def say(box: Box, listening: str) -> None:
            if as_json:
                announce(box, listening, as_json=True, email=made.demo.email, password=made.demo.password)
                return
            announce(box, listening, as_json=False)
            click.echo(f"Email     {made.demo.email}\nPassword  {made.demo.password}", err=True)

        def visitors(box: Box) -> Coroutine[Any, Any, None]:
            events = box.events
            return Visitors(box.clock, box.box_db, events.intake, events.clicks, found.data_dir, made).come()

        # A demo is temporary, so it needs no reminder of backups.
        own = msgspec.structs.replace(found, allowed_private_targets=targets, backup_reminder_days=0)
        server.serve(own, say, (visitors,))
