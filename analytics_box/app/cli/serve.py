"""The command `analytics-box serve`."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import click

from analytics_box import __version__
from analytics_box.app import server
from analytics_box.app.box import Box
from analytics_box.app.cli.options import Setting, read_settings, read_sources, report_refusals, with_settings
from analytics_box.base import settings
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock
from analytics_box.tenants.accounts import users

LISTENING_AS_JSON = click.option(
    "--json", "as_json", is_flag=True, help="Print the address as a line of JSON once the server listens."
)


USUAL: Final = (
    *("data_dir", "host", "port", "base_url", "trusted_proxies"),
    *("tls_certificate", "tls_key", "backup_to", "smtp_host", "log_level"),
)


class ServeCommand(click.Command):
    """A command with an option for every setting. Help lists the usual ones, or with --help-all the others by task."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {param.name: param.get_help_record(ctx) for param in self.get_params(ctx)}
        own = [
            name for name, param in zip(records, self.get_params(ctx), strict=True) if not isinstance(param, Setting)
        ]
        groups = {"Options": [*USUAL, *own]}
        if ctx.meta.get(_ALL):
            groups |= settings.sections()
        for title, names in groups.items():
            listed = [
                record for name in names if (record := records.get(name)) and (name not in USUAL or title == "Options")
            ]
            if listed:
                with formatter.section(title):
                    formatter.write_dl(listed)
        if not ctx.meta.get(_ALL):
            formatter.write_paragraph()
            formatter.write_text(f"Use --help-all for all {len(settings.table())} settings.")


_ALL: Final = f"{__name__}.all"


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value:
        return
    ctx.meta[_ALL] = True
    click.echo(ctx.get_help())
    ctx.exit()


@click.command(cls=ServeCommand)
@LISTENING_AS_JSON
@click.option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all settings and exit.",
)
@with_settings()
def serve(as_json: bool, **given: Any) -> None:
    """Start the server: API, events and web pages.

    Every setting is an option. Settings can also be in analytics-box.toml in the data directory or in the environment.
    """
    report_refusals(lambda: _serve(read_settings(given), read_sources(given), as_json=as_json))


def _serve(found: Settings, sources: Mapping[str, str], *, as_json: bool) -> None:
    with data_lock.lock(found.data_dir):
        server.serve(found, partial(announce, as_json=as_json), sources=sources)


def announce(box: Box, listening: str, *, as_json: bool, **more: str) -> None:
    """Print the address, and the setup link if there is no account yet; as JSON also `more`.

    An address that only this machine reaches has the host of all links, so that a session at one is valid at the other.
    """
    found = box.settings
    if as_json:
        shown = {"version": __version__, "listening": listening, "url": found.public_url}
        link = _setup_link(box)
        click.echo(json.dumps(shown | ({"setupLink": link} if link else {}) | more))
        return
    is_local = not found.base_url and listening.startswith("http://127.0.0.1:")
    click.echo(f"Analytics Box {__version__} listens on {found.public_url if is_local else listening}", err=True)
    if found.base_url:
        click.echo(f"Open {found.public_url}", err=True)
    if link := _setup_link(box):
        click.echo(
            f"\nOpen this link within 24 hours to create the first account. It works once:\n\n  {link}\n",
            err=True,
        )


def _setup_link(box: Box) -> str | None:
    if box.mirroring is not None:
        return None
    now, base_url = box.clock.now(), box.settings.public_url
    return box.box_db.write_now(lambda db: users.new_link(db, base_url=base_url, now=now))
