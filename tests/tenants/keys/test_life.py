"""Whatever happens to keys, in any order: they work exactly as long as they should, and the audit log says so."""

import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from analytics_box.base import ids
from analytics_box.base.clock import DAY
from analytics_box.base.identity import SCOPES, Scope
from analytics_box.tenants.keys.ring import KeyRing
from tests.contract.conftest import unlimited
from tests.inprocess import NOON, whole_box
from tests.tenants.keys.world import audited, call, make, works

SOME_SCOPES = st.lists(st.sampled_from(SCOPES), min_size=1, max_size=3, unique=True)


@dataclass
class Kept:
    """What the model knows of a key."""

    secret: str
    scopes: list[Scope]
    old: list[str] = field(default_factory=list)
    revoked: bool = False
    disabled: bool = False
    ends: int | None = None
    audit: list[str] = field(default_factory=lambda: ["created"])


class Lives(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.opened = whole_box(Path(self.directory.name) / "data", adjust=unlimited)
        self.box = self.opened.__enter__()
        self.owner = self.box.cookie
        self.keys: dict[str, Kept] = {}
        self.gone: dict[str, Kept] = {}

    def teardown(self) -> None:
        self.opened.__exit__(None, None, None)
        self.directory.cleanup()

    def any_key(self, data: st.DataObject) -> tuple[str, Kept]:
        key_id = data.draw(st.sampled_from(sorted(self.keys)))
        return key_id, self.keys[key_id]

    def changed(self, name: str, content: dict[str, Any], kept: Kept, action: str) -> dict[str, Any] | None:
        answer = call(self.box, name, content, self.owner)
        if kept.revoked:
            assert (answer.status, answer.json["code"]) == (409, "CONFLICT")
            return None
        assert answer.status == 200, answer.body
        kept.audit.append(action)
        result: dict[str, Any] = answer.json
        return result

    @rule(scopes=SOME_SCOPES)
    def create(self, scopes: list[Scope]) -> None:
        made = make(self.box, self.owner, scopes=scopes)
        assert made["secret"].startswith(made["start"])
        self.keys[made["id"]] = Kept(made["secret"], scopes)

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def rotate(self, data: st.DataObject) -> None:
        key_id, kept = self.any_key(data)
        rotated = self.changed("rotate", {"id": key_id}, kept, "rotated")
        if rotated is not None:
            assert rotated["id"] == key_id
            kept.old.append(kept.secret)
            kept.secret = rotated["secret"]

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def revoke(self, data: st.DataObject) -> None:
        key_id, kept = self.any_key(data)
        if self.changed("revoke", {"id": key_id}, kept, "revoked") is not None:
            kept.revoked = True

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), scopes=SOME_SCOPES)
    def give_other_scopes(self, data: st.DataObject, scopes: list[Scope]) -> None:
        key_id, kept = self.any_key(data)
        if sorted(scopes) == sorted(kept.scopes):
            return
        if self.changed("update", {"id": key_id, "scopes": scopes}, kept, "updated") is not None:
            kept.scopes = scopes

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def switch(self, data: st.DataObject) -> None:
        key_id, kept = self.any_key(data)
        if self.changed("update", {"id": key_id, "enabled": kept.disabled}, kept, "updated") is not None:
            kept.disabled = not kept.disabled

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def let_end_tomorrow(self, data: st.DataObject) -> None:
        key_id, kept = self.any_key(data)
        ends = self.box.clock.now() + DAY
        if ends == kept.ends:
            return
        date = datetime.fromtimestamp(ends / 1000, UTC).isoformat()
        if self.changed("update", {"id": key_id, "expiresAt": date}, kept, "updated") is not None:
            kept.ends = ends

    @precondition(lambda self: self.box.clock.now() < NOON + 4 * DAY)
    @rule()
    def a_day_later(self) -> None:
        self.box.clock.advance(seconds=86_400)

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        key_id, kept = self.any_key(data)
        assert call(self.box, "delete", {"id": key_id}, self.owner).json == {"success": True}
        kept.audit.append("deleted")
        self.gone[key_id] = self.keys.pop(key_id)

    @invariant()
    def keys_work_as_long_as_they_should(self) -> None:
        now = self.box.clock.now()
        for kept in self.keys.values():
            alive = not kept.revoked and not kept.disabled and (kept.ends is None or kept.ends > now)
            status = self.box.get("/v1/query/websites", x_api_key=kept.secret).status
            assert status == ((200 if "read:data" in kept.scopes else 403) if alive else 401)
            assert not any(works(self.box, secret) for secret in kept.old)
        for kept in self.gone.values():
            assert not any(works(self.box, secret) for secret in (kept.secret, *kept.old))

    @invariant()
    def the_audit_log_tells_the_story(self) -> None:
        for key_id, kept in {**self.keys, **self.gone}.items():
            assert audited(self.box, key_id) == kept.audit

    @invariant()
    def the_memory_is_what_the_disk_says(self) -> None:
        rows = self.box.box.box_db.read_now(lambda db: db.execute("select digest from api_keys").fetchall())
        stored = {digest for (digest,) in rows}
        assert {ids.digest(kept.secret) for kept in self.keys.values()} <= stored
        assert len(self.box.box.parts[KeyRing].all()) == len(stored)


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=12, stateful_step_count=15, suppress_health_check=list(HealthCheck))
