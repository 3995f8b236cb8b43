"""Saving questions under names, and forgetting them: each verb writes its rows in the caller's transaction.

Whoever may change a website saves questions of their own and shares them with the organization. Shared ones are in the
audit log; names that nobody else sees are not.
"""

import unicodedata
from collections.abc import Mapping
from typing import Final

from analytics_box import ids
from analytics_box.acting import By
from analytics_box.errors import BadRequest, Conflict, NotFound
from analytics_box.identity import Person, at_least
from analytics_box.query_pages import saved_rows
from analytics_box.query_pages.saved_rows import Saved
from analytics_box.store.db import Connection
from analytics_box.websites.change import record
from analytics_box.websites.rules import Website

MOST: Final = 200  # of one person, on one website
LONGEST: Final = 100  # characters of a name


def seen(db: Connection, website: Website, person: Person) -> list[Saved]:
    """The questions of a website that somebody sees, by name."""
    return saved_rows.seen_by(db, website.id, person.user_id)


def save(
    db: Connection, website: Website, person: Person, by: By, name: str, question: Mapping[str, str], *, shared: bool
) -> Saved:
    """Keep a question under a name, in the place of their own of this name. Raises BadRequest or Conflict."""
    name = _clean(name)
    before = saved_rows.called(db, website.id, person.user_id, name)
    if before is None and saved_rows.count(db, website.id, person.user_id) >= MOST:
        raise Conflict(f"You may save {MOST} questions of a website; delete one first")
    kept = Saved(
        before.id if before else ids.new_id(),
        website.id,
        person.user_id,
        shared,
        name,
        question,
        before.created_at if before else by.now,
        by.now,
    )
    saved_rows.put(db, kept)
    if shared or (before is not None and before.is_shared):
        _record(db, website, by, before, kept)
    return kept


def forget(db: Connection, website: Website, person: Person, by: By, saved_id: str) -> Saved:
    """Forget a question of one's own; admins may forget those that others share. Raises NotFound."""
    found = saved_rows.find(db, website.id, saved_id)
    if found is None or not may_forget(found, person):
        raise NotFound("There is no such saved question of yours")
    saved_rows.delete(db, found.id)
    if found.is_shared:
        _record(db, website, by, found, None)
    return found


def may_forget(saved: Saved, person: Person) -> bool:
    """Whether this person may delete it."""
    if not at_least(person.role, "member"):
        return False
    return saved.user_id == person.user_id or (saved.is_shared and at_least(person.role, "admin"))


def _clean(name: str) -> str:
    text = " ".join(name.split())
    if not text or len(text) > LONGEST or any(unicodedata.category(letter) == "Cc" for letter in text):
        raise BadRequest.about("name", f"Give the question a name of 1 to {LONGEST} characters")
    return text


def _record(db: Connection, website: Website, by: By, before: Saved | None, after: Saved | None) -> None:
    def told(saved: Saved | None) -> object:
        return {"name": saved.name, "question": dict(saved.question)} if saved is not None and saved.is_shared else None

    record(db, website, by, "updated", {"sharedQuestion": {"before": told(before), "after": told(after)}})
