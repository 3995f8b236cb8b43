"""Benchmarks, one command: python -m tests.load NAME [--events N] [--days N]. Not part of the test command.

ingest   P1, P2: durable events a second beside a minimal handler
memory   P9: resident memory after 100 events
start    P11: start to first accepted event, empty and with --events stored
query    query times on --events over --days, SQLite
"""

import argparse

from tests.load import ingest, query, resources


def main() -> None:
    """Run one benchmark; figures are lines of JSON on standard output."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("name", choices=("ingest", "memory", "start", "query"))
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=365)
    given = parser.parse_args()
    match given.name:
        case "ingest":
            ingest.main()
        case "memory":
            resources.memory()
        case "start":
            resources.start(given.events)
        case _:
            query.main(given.events, given.days)


if __name__ == "__main__":
    main()
