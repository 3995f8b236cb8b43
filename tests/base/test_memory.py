"""Memory that was freed goes back to the system."""

import ctypes
import os
import sys
from pathlib import Path

import pytest

from analytics_box.base import memory

BLOCK, BLOCKS = 4_096, 10_000


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="another C library than glibc",
)
def test_freed_memory_below_a_block_in_use_goes_back_to_the_system() -> None:
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    blocks = [ctypes.c_void_p(library.malloc(BLOCK)) for _ in range(BLOCKS)]
    for block in blocks:
        ctypes.memset(block, 1, BLOCK)
    *freed, in_use = blocks
    for block in freed:
        library.free(block)
    before = resident()
    assert memory.give_back() == 1
    assert before - resident() > BLOCK * BLOCKS // 2
    library.free(in_use)


def test_another_system_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert memory.give_back() == 0
