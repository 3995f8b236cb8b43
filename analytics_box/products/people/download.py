"""All that a box keeps of somebody, as one JSON file that is written while it is read."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from analytics_box.products.people import calls
from analytics_box.products.people.reading import ProfilePerson, Profiles, instant
from analytics_box.products.people.traces import TraceSubject
from analytics_box.tenants.websites.rules import Website


async def pieces(
    profiles: Profiles, website: Website, person: ProfilePerson | None, subject: TraceSubject, *, now: int
) -> AsyncIterator[bytes]:
    """The file's bytes, piece by piece: who it is, then a list of rows for each table that has some."""
    head: dict[str, Any] = {
        "exportedAt": instant(now),
        "website": {"id": website.id, "domain": website.domain},
        "profile": calls.profile_answer(person) if person is not None else None,
        "visitors": calls.visits(subject),
    }
    yield msgspec.json.encode(head)[:-1]
    table = ""
    async for place, rows in profiles.traces(subject):
        if not rows:
            continue
        between = b"," if place.table == table else (b"]" if table else b"") + f',"{place.table}":['.encode()
        table = place.table
        yield between + b",".join(msgspec.json.encode(row) for row in rows)
    yield b"]}\n" if table else b"}\n"
