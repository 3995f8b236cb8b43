"""An account for somebody who was invited."""

from analytics_box import audit, ids
from analytics_box.accounts import rows, rules
from analytics_box.accounts.rules import User
from analytics_box.store.db import Connection


def user_with(db: Connection, email: str) -> User | None:
    """The account with this e-mail address."""
    return rows.user_by_email(db, email)


def new_user(
    db: Connection, *, email: str, password: str, time_zone: str, organization_id: str, actor: str, now: int
) -> User:
    """A new account with its audit entry; `password` is already an Argon2 hash. Raises BadRequest."""
    user = User(
        id=ids.new_id(),
        email=rules.clean_email(email),
        password=password,
        time_zone=rules.clean_time_zone(time_zone),
        is_administrator=False,
        created_at=now,
    )
    rows.insert_user(db, user)
    audit.record(
        db,
        now=now,
        organization_id=organization_id,
        actor=actor,
        action="created",
        subject="user",
        subject_id=user.id,
    )
    return user
