"""The commands `analytics-box serve` and `demo`."""

import json
from collections.abc import Coroutine
from functools import partial
from typing import Any

import click
import msgspec

from analytics_box import __version__, server
from analytics_box.accounts import first_run
from analytics_box.box import Box
from analytics_box.cli.options import guarded, read_settings, with_settings
from analytics_box.clock import SystemClock
from analytics_box.demo import shop
from analytics_box.demo.fill import FOLDER as DEMO_FOLDER
from analytics_box.demo.fill import filled, shop_port
from analytics_box.demo.live import Visitors
from analytics_box.settings import Settings
from analytics_box.store import data_lock

_LISTENING_AS_JSON = click.option(
    "--json", "as_json", is_flag=True, help="Once it listens, print where as a line of JSON."
)


@click.command()
@_LISTENING_AS_JSON
@with_settings()
def serve(as_json: bool, **given: Any) -> None:
    """Serve the API, the events and the web pages until stopped."""
    guarded(lambda: _serve(read_settings(given), as_json=as_json))


def _serve(found: Settings, *, as_json: bool) -> None:
    with data_lock.lock(found.data_dir):
        server.serve(found, partial(_announce, as_json=as_json))


def _announce(box: Box, listening: str, *, as_json: bool, **more: str) -> None:
    found = box.settings
    if as_json:
        shown = {"version": __version__, "listening": listening, "url": found.public_url}
        link = _setup_link(box)
        click.echo(json.dumps(shown | ({"setupLink": link} if link else {}) | more))
        return
    click.echo(f"Analytics Box {__version__} listens on {listening}", err=True)
    if found.base_url:
        click.echo(f"Open {found.public_url}", err=True)
    if link := _setup_link(box):
        click.echo(
            f"\nThis box has no account yet. Open this link within 24 hours to set it up; it works once:\n\n  {link}\n",
            err=True,
        )


def _setup_link(box: Box) -> str | None:
    if box.mirroring is not None:
        return None
    now, base_url = box.clock.now(), box.settings.public_url
    return box.box_db.write_now(lambda db: first_run.new_link(db, base_url=base_url, now=now))


@click.command()
@_LISTENING_AS_JSON
@with_settings("data_dir", "host", "port")
def demo(as_json: bool, **given: Any) -> None:
    """Serve a demo in a folder of its own (demo, in the data folder), with 90 days of invented visits up to now.

    Its monitors check a tiny shop that runs beside it, on this machine alone.
    """

    def run() -> None:
        found = read_settings(given)
        own = found if given["data_dir"] else msgspec.structs.replace(found, data_dir=found.data_dir / DEMO_FOLDER)
        _demo(own, as_json=as_json)

    guarded(run)


def _demo(found: Settings, *, as_json: bool) -> None:
    with data_lock.lock(found.data_dir), shop.opened(shop_port(found.data_dir), taken=found.port) as port:
        made = filled(found.data_dir, SystemClock().now(), port=port)
        targets = (*found.allowed_private_targets, shop.NETWORK)

        def announce(box: Box, listening: str) -> None:
            if as_json:
                _announce(box, listening, as_json=True, email=made.demo.email, password=made.demo.password)
                return
            _announce(box, listening, as_json=False)
            click.echo(f"Sign in as {made.demo.email} with the password {made.demo.password}", err=True)

        def visitors(box: Box) -> Coroutine[Any, Any, None]:
            events = box.events
            return Visitors(box.clock, box.box_db, events.intake, events.clicks, found.data_dir, made).come()

        server.serve(msgspec.structs.replace(found, allowed_private_targets=targets), announce, (visitors,))
