"""The examples of the reference: `python -m tests.figures.explorer.example_answers` writes them into the package."""

import json
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from analytics_box.base.store.strings import Strings
from analytics_box.figures import explorer as query_pages
from analytics_box.figures.explorer.families import FILE
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.query.catalog.values import id_text
from tests.figures.explorer.shop_days import ANA, BEN, SESSIONS, visits
from tests.query.checks_of_all_kinds import store_a_monitor
from tests.query.clicks_of_all_kinds import clicks_of_all_kinds
from tests.query.world import World, world_in

ROWS = 2  # of each example
TARGET = Path(query_pages.__file__).parent / FILE
_NEEDED = {
    "session_id": SESSIONS[BEN],
    "anonymous_id": id_text(ANA),
    "path": "/pricing",
    "flag": "price-page",
    "funnel": "FUNNEL_ID",
    "activation_event": "signup",
    "return_event": "buy",
    "horizon_days": "7",
    "observation_end": "2026-06-17",
}


def request_of(query_type: QueryType) -> dict[str, Any]:
    """A short question of this type, such as a manual shows."""
    made: dict[str, Any] = {"parameters": [query_type.name]}
    if query_type.series:
        made |= {"startDate": "2026-06-16", "endDate": "2026-06-17", "granularity": "daily"}
    elif not (query_type.today or query_type.recent):
        made["preset"] = "last_7d"
    if query_type.needs:
        names = query_type.full_needs if query_type.study else [next(one for one in query_type.needs if one in _NEEDED)]
        made["filters"] = [{"field": name, "op": "eq", "value": _NEEDED[name]} for name in names]
    if "conversion" in query_type.filters:
        made["filters"].append({"field": "conversion", "op": "eq", "value": "buy"})
    return made | {"limit": ROWS}


def answers(world: World) -> dict[str, Any]:
    """The request and the answer of every type."""
    (site,) = world.new_sites(1)
    now = world.clock.now()
    world.store_facts(visits(site, now))
    clicks = clicks_of_all_kinds(site, now, landing=site, visitor=ANA, before=245_000)
    world.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=clicks, orphans={}))
    store_a_monitor(world.db, site, now)
    found = {}
    for name, query_type in TYPES.items():
        request = request_of(query_type)
        (entry,) = world.entries(request, ReadScope((site,), subject=query_type.subject), now=now)
        found[name] = {"request": request, "answer": msgspec.to_builtins(entry, builtin_types=(Decimal,))}
    return found


def written(found: dict[str, Any]) -> str:
    """The file's text: a line for each type, so that changes are seen."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(example, ensure_ascii=False, default=float)}"
        for name, example in found.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    with TemporaryDirectory() as directory, world_in(Path(directory)) as world:
        TARGET.write_text(written(answers(world)), encoding="utf-8")


if __name__ == "__main__":
    main()
