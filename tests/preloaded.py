"""What `forked` copies: a process that has opened a box and seen its pages, and has no threads or open files of it.

No search for garbage looks at what it has.
"""

import gc
from pathlib import Path
from tempfile import TemporaryDirectory

import jinja2  # noqa: F401  what boxes load when it is first used
import segno  # noqa: F401
import ua_parser.loaders  # noqa: F401

import tests.forked  # noqa: F401
from analytics_box.app.routes import PAGES_AND_API
from analytics_box.web import app
from tests.inprocess import whole_box

for area in app._by_area(PAGES_AND_API).values():
    app._litestar(area)
with TemporaryDirectory() as folder, whole_box(Path(folder)) as box:
    for path in ("/sign-in", "/settings/profile", f"/sites/{box.sites['shop']}"):
        box.get(path, cookie=box.cookie, accept="text/html")
gc.collect()
gc.freeze()
