"""Profiles of a website with a trait: for filters of queries (wire 2.2)."""

from collections.abc import Callable, Iterator

from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal
from analytics_box.ingest.profile_rules import Value
from analytics_box.ingest.profiles import open_traits


class EncryptedTraits:
    """The traits of people, searched one by one: they are encrypted, so no database can search them."""

    def __init__(self, events: Db, seal: Seal) -> None:
        self._events = events
        self._seal = seal

    async def having(self, site: int, trait: str, matches: Callable[[str], bool]) -> tuple[str, ...]:
        """The profile ids of the people whose trait, as text, matches. Raises SealBroken or DeadlineExceeded."""

        def look(db: Connection) -> tuple[str, ...]:
            found = []
            for profile_id, sealed in _sealed_traits(
                db, site
            ):  # read as they are looked at, so that the deadline holds
                value = open_traits(self._seal, site, profile_id, sealed).get(trait)
                if value is not None and matches(_text(value)):
                    found.append(profile_id)
            return tuple(found)

        return await self._events.read(look, long=True)


def _sealed_traits(db: Connection, site: int) -> Iterator[tuple[str, bytes]]:
    rows = db.execute(
        """
        -- matching.sealed
        select strings.value, traits from profiles join strings on strings.id = profile
        where site = ? and traits is not null
        """,
        (site,),
    )
    return ((str(name), sealed) for name, sealed in rows if isinstance(sealed, bytes))


def _text(value: Value) -> str:
    """A trait as filters see it: true and false in lower case, whole numbers without a fraction."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
