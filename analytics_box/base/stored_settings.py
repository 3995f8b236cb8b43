"""Settings that administrators change while the box runs, in box.db over the defaults.

A setting that the environment, the file or an option of the command line gives is not changed here.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base import audit
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, check_together
from analytics_box.base.settings import Editable, SettingRow, Settings, SettingsError, table, with_changes
from analytics_box.base.store.db import Connection, DatabaseError, Db, read_file
from analytics_box.base.store.schema import BOX_FILE
from analytics_box.base.store.seal import KEY_FILE, Seal, SealBroken
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

STORED: Final = "stored"
AT_START: Final = "at start"

_EDITABLE: Final = tuple(row.name for row in table() if row.editable is not None)
_SECRET: Final = tuple(row.name for row in table() if row.editable is not None and row.editable.secret)

Values = Mapping[str, Any]
# Raises BadRequest for settings that cannot work; gets the settings before and after a change.
Check = Callable[[Settings, Settings], None]


class SettingState(Struct, frozen=True):
    """A setting of the running box. `value` is None for a secret, of which `is_set` is whether there is one.

    `source` is empty for the default, STORED, or the variable, file or option that overrides it. `waits` is whether a
    new value takes effect at the next start. An `editable` setting can be changed here unless it is `overridden`.
    """

    name: str
    value: Any
    is_set: bool
    source: str
    waits: bool
    editable: bool
    overridden: bool


class StoredSettings:
    """The settings of a running box. Those in `followers` are called with the new settings after a change."""

    def __init__(
        self, given: Settings, sources: Mapping[str, str] | None, rows: Iterable[tuple[str, bytes]], seal: Seal
    ) -> None:
        """`sources` are the places of given settings by name; by default, all that differ from their defaults."""
        self._given, self._seal = given, seal
        self._sources = dict.fromkeys(given.changes(), AT_START) if sources is None else dict(sources)
        self._stored = _decrypt(rows, seal)
        self._changing = asyncio.Lock()
        # Stored values that no longer work are ignored, so that they can be changed here.
        try:
            self.current = self._with(self._stored)
        except SettingsError as wrong:
            log.error("The settings stored in the server are ignored: %s", wrong)
            self.current = given
        self._at_start = self.current
        self.followers: list[Callable[[Settings], None]] = []

    def _with(self, stored: Values) -> Settings:
        values = {name: value for name, value in stored.items() if name not in self._sources}
        return with_changes(self._given, values) if values else self._given

    def all(self) -> list[SettingState]:
        """All settings, in the order of their declaration."""
        return [self._state(row) for row in table()]

    def _state(self, row: SettingRow) -> SettingState:
        value, editable = getattr(self._next(), row.name), row.editable or Editable()
        return SettingState(
            name=row.name,
            value=None if editable.secret else value,
            is_set=value != row.default,
            source=self._sources.get(row.name) or (STORED if row.name in self._stored else ""),
            waits=editable.restart and value != getattr(self._at_start, row.name),
            editable=row.editable is not None,
            overridden=row.name in self._sources,
        )

    def _next(self) -> Settings:
        """The settings of the next start."""
        with suppress(SettingsError):
            return self._with(self._stored)
        return self._given

    async def change(
        self, db: Db, by: By, organization_id: str, values: Values, check: Check = lambda before, after: None
    ) -> None:
        """Store values by name and apply them; None resets a setting to its default.

        `check` runs in a thread. The change is in the audit log of the organization. Raises BadRequest, which names
        each setting that is wrong.
        """
        async with self._changing:
            before = self._next()
            stored = self._check(values)
            try:
                after = self._with(stored)
            except SettingsError as wrong:
                raise BadRequest.about(wrong.setting, wrong.sentence) from wrong
            await asyncio.to_thread(check, before, after)

            def write(connection: Connection) -> None:
                _write(connection, self._stored, stored, self._seal)
                if changed := audit.difference(before, after, _EDITABLE, shown=dict.fromkeys(_SECRET, bool)):
                    audit.record(connection, by, organization_id or None, "updated", "box settings", "box", changed)

            await db.write(write)
            self._stored = stored
            self._apply(after)

    def _apply(self, settings: Settings) -> None:
        waiting = {
            row.name: getattr(self._at_start, row.name)
            for row in table()
            if row.editable is not None and row.editable.restart
        }
        self.current = msgspec.structs.replace(settings, **waiting)
        for follow in self.followers:
            follow(self.current)

    def _check(self, values: Values) -> dict[str, Any]:
        """The stored values after a change. Raises BadRequest, naming all settings that are wrong."""
        known = {row.name: row for row in table()}
        stored = dict(self._stored)

        def take(name: str, value: Any) -> None:
            row = known.get(name)
            if row is None or row.editable is None:
                raise BadRequest.about(name, _("This setting cannot be changed here"))
            if (source := self._sources.get(name)) is not None:
                raise BadRequest.about(
                    name,
                    _("This setting is set {source_text}. Change it there").format(source_text=source_text(source)),
                )
            stored.pop(name, None)
            if value is None:
                return
            if isinstance(row.default, tuple) and isinstance(value, str):
                value = tuple(value.replace(",", " ").split())
            try:
                converted = getattr(with_changes(Settings(), {name: value}), name)
            except SettingsError as wrong:
                if wrong.setting == name:
                    raise BadRequest.about(name, wrong.sentence) from wrong
                converted = value
            if converted != row.default:
                stored[name] = converted

        def check_binding(row: SettingRow, bound_to: str) -> None:
            moved = stored.get(bound_to) != self._stored.get(bound_to)
            if moved and self._stored.get(bound_to) and row.name in self._stored and row.name not in values:
                raise BadRequest.about(row.name, _("Enter it again, because the server has changed"))

        check_together(
            *(lambda name=name, value=value: take(name, value) for name, value in values.items()),
        )
        for row in known.values():
            if row.editable is not None and row.editable.bound_to:
                check_binding(row, row.editable.bound_to)
        return stored


def source_text(source: str) -> str:
    """The place that gives a setting, for the end of a sentence."""
    if source == AT_START:
        return "by an option at server start"
    return f"in the file {source}" if source.endswith(".toml") or "/" in source else f"by {source}"


def with_stored(given: Settings, sources: Mapping[str, str]) -> Settings:
    """The settings of the data directory, for commands that work whether its server runs or not. A directory without a
    readable box.db has those that are `given`."""
    path = given.data_dir / BOX_FILE
    # A database of an older version has no such table; a damaged one is reported by the command itself.
    try:
        rows = read_file(path, everything) if path.exists() else []
    except DatabaseError:
        return given
    return StoredSettings(given, sources, rows, Seal(given.data_dir / KEY_FILE)).current


def everything(db: Connection) -> list[tuple[str, bytes]]:
    """The stored settings: names and contents."""
    found = db.execute("-- settings.all\nselect name, value from settings")
    return [(str(name), bytes(value)) for name, value in found]


def _decrypt(rows: Iterable[tuple[str, bytes]], seal: Seal) -> dict[str, Any]:
    """The stored values by name. Those that cannot be read are logged and left out."""
    known = {row.name: row for row in table()}
    found: dict[str, Any] = {}
    for name, value in rows:
        if (row := known.get(name)) is None or row.editable is None:
            continue
        try:
            found[name] = msgspec.json.decode(
                seal.open(value, owner=f"setting {name}") if row.editable.secret else value
            )
        except (SealBroken, msgspec.DecodeError) as broken:
            log.error("The stored setting %s cannot be read: %s", name, broken)
    return found


def _write(db: Connection, before: Values, after: Values, seal: Seal) -> None:
    known = {row.name: row for row in table()}
    for name in before.keys() - after.keys():
        db.execute("-- settings.delete\ndelete from settings where name = ?", (name,))
    for name, value in after.items():
        if before.get(name) == value:
            continue
        content = msgspec.json.encode(value)
        editable = known[name].editable
        if editable is not None and editable.secret:
            content = seal.seal(content, owner=f"setting {name}")
        db.execute(
            """
            -- settings.store
            insert into settings (name, value) values (?, ?)
            on conflict (name) do update set value = excluded.value
            """,
            (name, content),
        )
