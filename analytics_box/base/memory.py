"""Memory that the C library keeps after it was freed.

Each thread of glibc has its own arena. A burst of questions leaves tens of megabytes of holes there that nobody
else can use, and that go back to the system only when someone asks for it.
"""

import ctypes
import sys


def give_back() -> int:
    """Return what lies unused to the system, in 2 to 4 ms of processor time; 1 where there was any.

    Does nothing, and returns 0, where the C library is another than glibc.
    """
    if not sys.platform.startswith("linux"):
        return 0
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return 0 if trim is None else int(trim(0))
