"""Monitors in box.db. Every function takes a connection inside the caller's transaction.

The secrets of a monitor are not opened here: a row has them sealed, and its URL masked (monitors.sealing).
"""

from typing import Final

import msgspec

from analytics_box.base.errors import Conflict
from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.monitor import Monitor, MonitorSettings
from analytics_box.resource.table import ChildList, Table

TAKEN: Final = "Monitor already exists for this URL in this organization"  # wire 8.1
TAKEN_WEBSITE: Final = "This website already has a monitor"  # wire 8.1


class StoredMonitor(MonitorSettings, frozen=True, kw_only=True, rename="camel"):
    """A monitor as it is stored. `sealed` holds its secrets encrypted; None if there are none.

    `url` is the URL that viewers may see and, if parts of it are encrypted, a space and a digest of the whole URL, by
    which monitors of the same URL are found.
    """

    sealed: bytes | None = None

    @property
    def monitor(self) -> Monitor:
        """The monitor without its secrets."""
        plain = {name: getattr(self, name) for name in MonitorSettings.__struct_fields__}
        return Monitor(**plain | {"url": self.url.partition(" ")[0]})

    @property
    def hides_url(self) -> bool:
        """Return whether parts of the URL are sealed."""
        return " " in self.url


MONITORS: Final = Table(
    "monitors",
    StoredMonitor,
    key="number",
    generated=True,
    columns={"group": '"group"'},
    lists={"tags": ChildList("monitor_tags", "monitor", "tag")},
    conflicts={"monitors.website_id": ("websiteId", TAKEN_WEBSITE)},
)


def stored_monitor(monitor: Monitor, sealed: bytes | None, url: str) -> StoredMonitor:
    """The row of a monitor that is masked already, with this column `url`."""
    plain = {name: getattr(monitor, name) for name in MonitorSettings.__struct_fields__}
    return StoredMonitor(**plain | {"url": url}, sealed=sealed)


def everything(db: Connection) -> list[StoredMonitor]:
    """All monitors of the box, the oldest first."""
    return MONITORS.all(db, "true order by number")


def insert(db: Connection, row: StoredMonitor, *, shares_url: bool = False) -> int:
    """Store a new monitor and return its number. Raises Conflict for a website that has a monitor, and for a URL that
    has one unless it is shared.
    """
    if not shares_url:
        _check_url(db, row, 0)
    return MONITORS.insert(db, row).number


def update(db: Connection, row: StoredMonitor, *, shares_url: bool = False) -> None:
    """Store a changed monitor. Raises Conflict for a website that has a monitor, and for a new URL that has one unless
    it is shared.
    """
    if not shares_url:
        _check_url(db, row, row.number)
    MONITORS.update(db, row)


def orphan(db: Connection, monitor_id: str) -> None:
    """Remove the parent of all monitors below this one."""
    db.execute("-- monitors.orphan\nupdate monitors set parent_id = null where parent_id = ?", (monitor_id,))


def release_website(db: Connection, website_id: str, organization_id: str) -> None:
    """Detach a website from the monitors of other organizations than its own."""
    db.execute(
        """
        -- monitors.release_website
        update monitors set website_id = null where website_id = ? and organization_id <> ?
        """,
        (website_id, organization_id),
    )


def _check_url(db: Connection, row: StoredMonitor, number: int) -> None:
    """Raise Conflict if the URL of a monitor is new to it and another monitor of its organization has it.

    DNS monitors of different record types have different URLs here.
    """
    holders = db.execute(
        """
        -- monitors.check_url
        select number from monitors
        where organization_id = ? and url = ?
          and coalesce(json_extract(options, '$.record'), '') = coalesce(json_extract(?, '$.record'), '')
        """,
        (row.organization_id, row.url, msgspec.json.encode(row.options).decode()),
    ).fetchall()
    if holders and (number,) not in holders:
        raise Conflict.about("url", TAKEN)
