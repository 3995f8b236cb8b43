"""The tables, step by step. A released step never changes; a new wish is a new step at the end.

A step that changes rows which are there says so in REWRITES: a start makes a backup before it.

Times are UTC epoch milliseconds. The migrations run on the system's SQLite, so nothing newer than 3.37 stands here.
"""

from collections.abc import Mapping

from analytics_box.base.store.steps.accounts import ACCESS, ACCOUNTS
from analytics_box.base.store.steps.cluster import ALONE, CLUSTER, PROMOTED
from analytics_box.base.store.steps.events import EVENTS, EVENTS_REWRITTEN
from analytics_box.base.store.steps.flags import FLAGS
from analytics_box.base.store.steps.links import LINKS
from analytics_box.base.store.steps.monitors import CHECK_OF_NOTHING, MONITORS
from analytics_box.base.store.steps.overview import OVERVIEW
from analytics_box.base.store.steps.status_pages import BACKOFF, REACHED, STATUS_PAGES

__all__ = ["BOX", "BOX_FILE", "EVENTS", "EVENTS_FILE", "REWRITES"]

BOX_FILE = "box.db"
EVENTS_FILE = "events.db"

# Steps that change or remove rows, and in which tables (by their names before the step).
REWRITES: Mapping[str, tuple[str, ...]] = {
    "0002_keys_records": ("api_keys",),
    "0008_accounts_names_and_links": ("password_resets",),
    "0019_channel_kinds": ("channels", "deliveries"),
    **EVENTS_REWRITTEN,
}

BOX = (
    *ACCOUNTS,
    *LINKS,
    *MONITORS,
    *STATUS_PAGES,
    FLAGS,
    OVERVIEW,
    CLUSTER,
    ALONE,
    PROMOTED,
    *ACCESS,
    BACKOFF,
    CHECK_OF_NOTHING,
    REACHED,
)
