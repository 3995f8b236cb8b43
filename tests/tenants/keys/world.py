"""People of every role who sign in to a box in the test's process, and keys that they make."""

from typing import Any

from analytics_box.base import ids
from analytics_box.base.identity import Role
from tests.inprocess import Answer, WholeBox


def cookie_of(box: WholeBox, role: Role, *, organization_id: str = "", also_in: str = "") -> str:
    """A Cookie header of a new member of the box's organization, or of another one, with this role.

    `also_in` names a second organization, in which they have the same role.
    """
    organization_id = organization_id or box.organization_id
    user_id, token = ids.new_id(), ids.new_token()
    now = box.clock.now()

    def write(db: Any) -> None:
        db.execute(
            "insert into users (id, email, password, created_at) values (?, ?, '', ?)",
            (user_id, f"{user_id}@example.com", now),
        )
        for number, organization in enumerate([organization_id, *([also_in] if also_in else [])]):
            db.execute(
                "insert into members (organization_id, user_id, role, created_at) values (?, ?, ?, ?)",
                (organization, user_id, role, now + number),
            )
        db.execute(
            "insert into sessions (digest, user_id, organization_id, created_at, seen_at) values (?, ?, ?, ?, ?)",
            (ids.digest(token), user_id, organization_id, now, now),
        )

    box.box.box_db.write_now(write)
    return f"{box.box.sign_ins.cookie_name}={token}"


def call(box: WholeBox, name: str, content: dict[str, Any], cookie: str) -> Answer:
    """apikeys.<name> on the plain mirror."""
    return box.post(f"/apikeys/{name}", content, cookie=cookie)


def make(box: WholeBox, cookie: str, **fields: Any) -> dict[str, Any]:
    """A new key: its id and secret."""
    answer = call(box, "create", {"name": "Key", "scopes": ["read:data"], **fields}, cookie)
    assert answer.status == 200, answer.body
    made: dict[str, Any] = answer.json
    return made


def works(box: WholeBox, secret: str) -> bool:
    """Whether the secret is accepted at all; a scope may still be missing."""
    return box.get("/v1/query/websites", x_api_key=secret).status != 401


def audited(box: WholeBox, key_id: str) -> list[str]:
    """What the audit log says was done to a key, oldest first."""
    statement = "select action from audit where subject = 'api_key' and subject_id = ? order by id"
    rows = box.box.box_db.read_now(lambda db: db.execute(statement, (key_id,)).fetchall())
    return [str(action) for (action,) in rows]
