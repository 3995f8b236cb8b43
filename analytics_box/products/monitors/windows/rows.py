"""Maintenance windows in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Any, Final

import msgspec

from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.window import Covers, MaintenanceWindow, Repeat

_STORED: Final = MaintenanceWindow.__struct_fields__
_COLUMNS: Final = ", ".join(_STORED)
_INSERT: Final = f"insert into maintenance_windows ({_COLUMNS}) values ({', '.join(f':{name}' for name in _STORED)})"
_UPDATE: Final = f"update maintenance_windows set {', '.join(f'{name} = :{name}' for name in _STORED)} where id = :id"
_COVERS = msgspec.json.Decoder(Covers)
_REPEAT = msgspec.json.Decoder(Repeat)


def everything(db: Connection) -> list[MaintenanceWindow]:
    """All windows of the box, the oldest first."""
    return _query_windows(
        db, f"-- windows.everything\nselect {_COLUMNS} from maintenance_windows order by created_at, id"
    )


def find(db: Connection, window_id: str) -> MaintenanceWindow | None:
    found = _query_windows(db, f"-- windows.find\nselect {_COLUMNS} from maintenance_windows where id = ?", window_id)
    return found[0] if found else None


def count_of(db: Connection, organization_id: str) -> int:
    """The number of maintenance windows of an organization."""
    ((found,),) = db.execute(
        "-- windows.count_of\nselect count(*) from maintenance_windows where organization_id = ?", (organization_id,)
    ).fetchall()
    return int(str(found))


def insert(db: Connection, window: MaintenanceWindow) -> None:
    db.execute(f"-- windows.insert\n{_INSERT}", _values(window))


def update(db: Connection, window: MaintenanceWindow) -> None:
    db.execute(f"-- windows.update\n{_UPDATE}", _values(window))


def delete(db: Connection, window_id: str) -> None:
    db.execute("-- windows.delete\ndelete from maintenance_windows where id = ?", (window_id,))


def _query_windows(db: Connection, statement: str, *values: Any) -> list[MaintenanceWindow]:
    return [_window(dict(zip(_STORED, row, strict=True))) for row in db.execute(statement, values).fetchall()]


def _window(fields: dict[str, Any]) -> MaintenanceWindow:
    covers, repeat = _COVERS.decode(fields["covers"]), fields["repeat"]
    return MaintenanceWindow(
        **fields
        | {
            "covers": covers,
            "repeat": _REPEAT.decode(repeat) if repeat is not None else None,
            "announced": bool(fields["announced"]),
        }
    )


def _values(window: MaintenanceWindow) -> dict[str, Any]:
    values = {name: getattr(window, name) for name in _STORED}
    repeat = msgspec.json.encode(window.repeat).decode() if window.repeat is not None else None
    return values | {"covers": msgspec.json.encode(window.covers).decode(), "repeat": repeat}
