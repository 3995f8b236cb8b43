"""The command `analytics-box serve`."""

import json
from functools import partial
from typing import Any

import click

from analytics_box import __version__
from analytics_box.app import server
from analytics_box.app.box import Box
from analytics_box.app.cli.options import read_settings, report_refusals, with_settings
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock
from analytics_box.tenants.accounts import first_run

LISTENING_AS_JSON = click.option(
    "--json", "as_json", is_flag=True, help="Once it listens, print where as a line of JSON."
)


@click.command()
@LISTENING_AS_JSON
@with_settings()
def serve(as_json: bool, **given: Any) -> None:
    """Serve the API, the events and the web pages until stopped."""
    report_refusals(lambda: _serve(read_settings(given), as_json=as_json))


def _serve(found: Settings, *, as_json: bool) -> None:
    with data_lock.lock(found.data_dir):
        server.serve(found, partial(announce, as_json=as_json))


def announce(box: Box, listening: str, *, as_json: bool, **more: str) -> None:
    """Say that the box listens, and how to begin where it has no account yet; as JSON also what `more` has."""
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
