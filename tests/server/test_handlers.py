"""Handlers stand in tables by their names; a box loads them when they are first needed."""

import subprocess
import sys

from analytics_box.admin.commands import COMMANDS
from analytics_box.http.handlers import Named
from analytics_box.routes import TABLE

# A page, a procedure and a command of the command line.
SELDOM = ("analytics_box.flags.console.form_pages", "analytics_box.keys.calls", "analytics_box.admin.users")
# What parts of the box load when they are first used, and libraries that come with it.
LATER = (
    *("analytics_box.backup.archive", "analytics_box.demo.fill", "analytics_box.notify.smtp", "analytics_box.openapi"),
    *("analytics_box.outgoing.exchange", "analytics_box.query.engines.clickhouse.engine"),
    *("argon2", "h11", "jinja2", "markdown_it", "smtplib", "tarfile"),
    *("sqlite3", "sqlite_utils"),  # why they must not be there, crash/test_two_libraries.py says
)
NAMED: tuple[Named, ...] = (*(line.named for line in TABLE), *COMMANDS.values())


def test_every_name_in_the_tables_is_that_of_a_function() -> None:
    missing = [named for named in NAMED if not callable(named.load())]
    assert missing == []


def test_a_box_starts_without_what_its_tables_name_and_what_is_used_seldom() -> None:
    code = "import sys, analytics_box.cli.main, analytics_box.cli.serve; print('\\n'.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert {"analytics_box.box", "analytics_box.routes", "analytics_box.server"} <= loaded
    assert loaded.isdisjoint((*SELDOM, *LATER))
    assert len({named.module for named in NAMED} - loaded) > 100
