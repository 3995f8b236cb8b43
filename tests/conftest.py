"""For all tests: where they keep their files, and what they need not do again and again."""

import gc
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import httpx
import pytest
from hypothesis import settings

from tests.examples import THOROUGH, is_thorough

# A busy machine is not a bug: no example has to be quick.
settings.register_profile("patient", deadline=None)
settings.register_profile(THOROUGH, settings.get_profile("patient"))
settings.load_profile("patient")

MEMORY = Path("/dev/shm")
ROOM = 3 * 1024**3  # bytes; all tests together leave less


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Keep files in memory if there is room: a disk takes longer to sync them than most tests take."""
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # to be looked up again
    # httpx reads the certificates of all authorities for each client, ten times the work of a request without TLS.
    pytest.MonkeyPatch().setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what is marked `thorough` to thorough runs."""
    if is_thorough():
        return
    left = [item for item in items if item.get_closest_marker(THOROUGH)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker(THOROUGH)]


def pytest_collection_finish() -> None:
    """Spare the collector of garbage as a running box does: searches took up to a quarter of the work of a test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
