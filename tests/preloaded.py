"""What `forked` copies: a process that has imported the box and opened one, and has no threads or open files of it.

No search for garbage looks at what it has.
"""

import gc
from pathlib import Path
from tempfile import TemporaryDirectory

import jinja2  # noqa: F401  what boxes load when it is first used
import segno  # noqa: F401
import ua_parser.loaders  # noqa: F401

import analytics_box.cli.backup
import analytics_box.cli.box
import analytics_box.cli.care
import analytics_box.cli.demo
import analytics_box.cli.users
import analytics_box.openapi
import analytics_box.outgoing.exchange
import analytics_box.server  # noqa: F401
import tests.forked  # noqa: F401
from analytics_box.box import open_box
from analytics_box.settings import Settings
from tests import compiled, hashing

compiled.keep()
hashing.hurry()

with TemporaryDirectory() as folder:
    open_box(Settings(data_dir=Path(folder))).close()
gc.collect()
gc.freeze()
