"""Folders that take long to make: made once for all workers of a run, and copied for each."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A copy of the folder of this name, which whoever comes first has made; `make` gets where it is to be."""
    own = factory.mktemp(name) / name
    run = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        make(own)
        return own
    shared = run.parent / f"shared-{name}"
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.exists():
            make(own)
            own.replace(shared)
        return shutil.copytree(shared, own)
