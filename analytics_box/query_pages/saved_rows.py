"""Saved questions in box.db. Every function takes a connection inside the caller's transaction."""

import json
from collections.abc import Mapping

from msgspec import Struct

from analytics_box.store.db import Connection


class Saved(Struct, frozen=True):
    """A question under a name: its owner's own, or shared with the organization. `question` is what its address says.
    Times are UTC ms."""

    id: str
    website_id: str
    user_id: str
    is_shared: bool
    name: str
    question: Mapping[str, str]
    created_at: int
    updated_at: int


_COLUMNS = "id, website_id, user_id, is_shared, name, question, created_at, updated_at"


def seen_by(db: Connection, website_id: str, user_id: str) -> list[Saved]:
    """The questions of a website that this person sees: their own and shared ones, by name."""
    return _saved(
        db, "website_id = ? and (user_id = ? or is_shared = 1) order by name collate nocase, id", website_id, user_id
    )


def find(db: Connection, website_id: str, saved_id: str) -> Saved | None:
    """One of a website's questions."""
    return next(iter(_saved(db, "website_id = ? and id = ?", website_id, saved_id)), None)


def called(db: Connection, website_id: str, user_id: str, name: str) -> Saved | None:
    """A person's own question of this name."""
    return next(iter(_saved(db, "website_id = ? and user_id = ? and name = ?", website_id, user_id, name)), None)


def count(db: Connection, website_id: str, user_id: str) -> int:
    """How many questions of a website this person has saved."""
    (found,) = db.execute(
        "-- saved_questions.count\nselect count(*) from saved_questions where website_id = ? and user_id = ?",
        (website_id, user_id),
    ).fetchall()
    return int(str(found[0]))


def put(db: Connection, saved: Saved) -> None:
    """Keep a question, in the place of the one with its id if there is one."""
    db.execute(
        f"""
        -- saved_questions.put
        insert into saved_questions ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (id) do update set is_shared = excluded.is_shared, name = excluded.name,
          question = excluded.question, updated_at = excluded.updated_at
        """,
        (
            saved.id,
            saved.website_id,
            saved.user_id,
            int(saved.is_shared),
            saved.name,
            json.dumps(dict(saved.question), ensure_ascii=False),
            saved.created_at,
            saved.updated_at,
        ),
    )


def delete(db: Connection, saved_id: str) -> None:
    """Forget a question."""
    db.execute("-- saved_questions.delete\ndelete from saved_questions where id = ?", (saved_id,))


def _saved(db: Connection, condition: str, *values: str) -> list[Saved]:
    rows = db.execute(f"-- saved_questions\nselect {_COLUMNS} from saved_questions where {condition}", values)
    return [
        Saved(
            str(saved_id),
            str(website_id),
            str(user_id),
            bool(shared),
            str(name),
            json.loads(str(question)),
            int(str(created)),
            int(str(updated)),
        )
        for saved_id, website_id, user_id, shared, name, question, created, updated in rows
    ]
