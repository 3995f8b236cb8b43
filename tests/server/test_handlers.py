"""Handlers stand in tables by their names; a box loads them when they are first needed."""

import subprocess
import sys
from pathlib import Path

from analytics_box.app.admin.commands import BOX_COMMANDS, ORGANIZATION_COMMANDS
from analytics_box.app.routes import TABLE
from analytics_box.web.route import NamedHandler
from tests.running import set_up

# A page, a procedure and a command of the command line.
SELDOM = (
    "analytics_box.products.flags.console.form_pages",
    "analytics_box.tenants.keys.calls",
    "analytics_box.app.admin.accounts",
)
# What parts of the box load when they are first used, and libraries that come with it.
LATER = (
    *("analytics_box.base.backup.archive", "analytics_box.app.demo.fill"),
    *("analytics_box.base.notify.smtp", "analytics_box.app.openapi"),
    *("analytics_box.base.outgoing.exchange", "analytics_box.query.engines.clickhouse.engine"),
    *("analytics_box.web.app", "analytics_box.app.page_parts"),
    *("analytics_box.app.procedures", "analytics_box.app.routes"),
    *("argon2", "h11", "jinja2", "litestar", "markdown_it", "mimetypes", "nacl", "smtplib", "tarfile", "yaml"),
    *("pydantic", "attrs", "attr"),  # which the web framework would import where they are installed, as for tests
    *("sqlite3", "sqlite_utils"),  # why they must not be there, crash/test_two_libraries.py says
)
NAMED: tuple[NamedHandler, ...] = (
    *(line.named for line in TABLE),
    *BOX_COMMANDS.values(),
    *ORGANIZATION_COMMANDS.values(),
)


def test_every_name_in_the_tables_is_that_of_a_function() -> None:
    missing = [named for named in NAMED if not callable(named.load())]
    assert missing == []


def test_start_first_event_tracker_and_health_check_load_nothing_that_they_do_not_need(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    program = (sys.executable, "-m", "tests.server.first_event", str(data_dir), account.website_id)
    ran = subprocess.run(program, capture_output=True, text=True, check=False)
    event, tracker_and_health, modules = ran.stdout.splitlines() or [ran.stderr] * 3
    assert (event, tracker_and_health) == ("200", "200 200"), ran.stderr
    loaded = set(modules.split())
    assert {"analytics_box.app.box", "analytics_box.ingest.track", "analytics_box.app.server"} <= loaded
    assert loaded.isdisjoint(SELDOM)
    assert loaded.isdisjoint(LATER)
    assert len({named.module for named in NAMED} - loaded) > 100
