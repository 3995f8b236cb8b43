"""Logging: one line per message on standard error, without query strings, bodies or secrets."""

import logging
import sys

FORMAT = "%(asctime)s %(levelname)-7s %(name)s  %(message)s"


def configure(level: str) -> None:
    """Send the box's messages to standard error. `level` is debug, info, warning or error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(FORMAT, "%Y-%m-%d %H:%M:%S"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger("apscheduler").setLevel("WARNING")
    logging.getLogger("httpx").setLevel("WARNING")
    logging.getLogger("_granian").setLevel("WARNING")
