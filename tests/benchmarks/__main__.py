"""Benchmarks, one command: python -m tests.benchmarks NAME, with --events and --days, or --rate and --minutes. They are
not part of the test command.

ingest   P1, P2, P16: durable events a second beside a minimal handler, with --stored events there before
memory   P9: resident memory after 100 events
links    P12: redirects a second over --events links, memory, and clicks that an end takes
flags    P13: all of a website's flags for a user: new users, returning ones, and those who have the answer already
flags_evaluation  what an evaluation of 20 flags takes, by what decides in them
monitors P14: --monitors at a minute each for --seconds: how late checks begin, processor time, memory, a kill -9
start    P11: start to first accepted event, empty and with --events stored
query    P3, P4, P10: query times on --events over --days, on SQLite, the column replica and, with the extra
         `chdb`, ClickHouse
funnels  funnels of five pages on --events over --days, on SQLite and the column replica: processor time
answers  P5 to P8: the overview page and single questions over HTTP, on --events over --days, also while events come in
pages    an overview of --events in a browser: first load, first byte, all panels, a click on a filter; and what
         Lighthouse says of pages
overlap  queries that overlap for --seconds while events come in at --rate: the log stays below 64 MB
abuse    connections that only take up room, --connections of each of --kinds for --seconds, from --addresses: how
         others are answered meanwhile; --kinds flood: 150 MB of events with long texts, and what they leave behind
large    20 of the largest questions at once, of a key and of anonymous callers: memory, /health and events meanwhile
refusals P18: 200 refusals of the largest body of every route, 200 unread answers of every anonymous route,
         200 unfinished uploads of each kind: memory above the start, 60 MB at the most
flag_streams  --clients that listen for changed flags: memory, how soon a change reaches them all, what others wait
phases   how long the steps of a check take beside what curl says of them, in --rounds
clickhouse  --events over --days sent to ClickHouse (chdb): rows a second, and questions through the box beside chdb
         asked directly
anonymous  processor time of one request without a credential to each address: none takes more than 5 ms but for those
         that hash a password
cluster  --machines that take events, a primary and a ClickHouse (chdb) for --seconds, each killed once in between:
         every acknowledged event is there once
status_page  a public page of ten monitors: cold, cached, and 2,000 requests a second beside --rate events a second
soak     --rate events a second for --minutes beside questions, redirects and slow attackers, with a kill -9 each
         --kill-every seconds: nothing lost, figures right, memory and logs sampled into a file (--samples)
"""

import argparse
import os
from pathlib import Path

from tests.benchmarks import (
    abuse,
    anonymous,
    answers,
    clickhouse,
    cluster,
    flag_streams,
    flags,
    flags_evaluation,
    flood,
    funnels,
    ingest,
    large,
    links,
    monitors,
    overlap,
    pages,
    phases,
    query,
    refusals,
    resources,
    soak,
    status_page,
)

FLOOD = "flood"


def main() -> None:
    """Run one benchmark; figures are lines of JSON on standard output."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # servers have bytecode, as every way to install has
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    names = (
        "abuse",
        "anonymous",
        "answers",
        "clickhouse",
        "cluster",
        "flag_streams",
        "flags",
        "flags_evaluation",
        "funnels",
        "ingest",
        "large",
        "links",
        "memory",
        "monitors",
        "overlap",
        "pages",
        "phases",
        "query",
        "refusals",
        "soak",
        "start",
        "status_page",
    )
    kinds = [*abuse.KINDS, FLOOD]
    parser.add_argument("name", choices=names)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--rate", type=int, default=3_800, help="requests a second; half of P1 when not given")
    parser.add_argument("--minutes", type=float, default=120, help="of soak")
    parser.add_argument("--kill-every", type=float, default=600, help="seconds between two kills of soak")
    parser.add_argument("--samples", type=Path, help="file of JSON lines for the samples of soak")
    parser.add_argument("--columnar", choices=("off", "on"), default="off", help="the replica during ingest")
    parser.add_argument(
        "--stored",
        type=int,
        default=0,
        help="events that are there before ingest and overlap, or of another website in soak",
    )
    parser.add_argument("--engines", nargs="+", choices=query.ENGINES, help="of query; all of them when not given")
    parser.add_argument(
        "--data", type=Path, help="keep the data of answers, clickhouse, funnels and query here, and use it again"
    )
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds, help="of abuse")
    parser.add_argument("--connections", type=int, default=5_000)
    parser.add_argument("--clients", type=int, default=1_000, help="of flag_streams")
    parser.add_argument("--monitors", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=60, help="of abuse, cluster, monitors and overlap")
    parser.add_argument("--addresses", type=int, default=1, help="that the connections come from")
    parser.add_argument("--machines", type=int, choices=range(1, 9), default=3, help="that take events, of cluster")
    parser.add_argument("--rounds", type=int, default=15, help="of phases")
    given = parser.parse_args()
    match given.name:
        case "abuse":
            kinds = [kind for kind in given.kinds if kind != FLOOD]
            if kinds:
                abuse.main(kinds, given.connections, given.seconds, given.addresses)
            if FLOOD in given.kinds:
                flood.main()
        case "anonymous":
            anonymous.main()
        case "clickhouse":
            clickhouse.main(given.events, given.days, given.data)
        case "cluster":
            cluster.main(given.seconds, given.machines)
        case "ingest":
            ingest.main(given.columnar, given.stored)
        case "large":
            large.main()
        case "flag_streams":
            flag_streams.main(given.clients)
        case "flags":
            flags.main()
        case "flags_evaluation":
            flags_evaluation.main()
        case "funnels":
            funnels.main(given.events, given.days, given.data)
        case "links":
            links.main(given.events)
        case "status_page":
            status_page.main(given.rate)
        case "monitors":
            monitors.main(given.monitors, given.seconds)
        case "refusals":
            refusals.main()
        case "memory":
            resources.memory()
        case "start":
            resources.start(given.events)
        case "answers":
            answers.main(given.events, given.days, given.data)
        case "overlap":
            overlap.main(given.rate, given.seconds, given.stored)
        case "pages":
            pages.main(given.events, given.days, given.data)
        case "phases":
            phases.main(given.rounds)
        case "soak":
            soak.main(given.rate, given.minutes, given.kill_every, given.samples, given.stored)
        case _:
            query.main(given.events, given.days, given.data, given.engines or query.ENGINES)


if __name__ == "__main__":
    main()
