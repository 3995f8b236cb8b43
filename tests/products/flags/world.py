"""What tests of flags do to a box: make flags and target groups, and look at what is kept of them."""

from functools import cached_property
from typing import Any

import msgspec

from analytics_box.base import ids
from analytics_box.products.flags import rows
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import Flag, FlagDefinition, FlagScope, TargetGroup, TargetingRule
from analytics_box.products.flags.saving import save
from tests.inprocess import Answer, KeyName, WholeBox
from tests.tenants.keys.world import cookie_of


class World:
    """A box and the calls that tests of flags make; flags are those of the website "shop" unless said otherwise."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box

    @property
    def flags(self) -> Flags:
        return self.box.box.parts[Flags]

    @property
    def shop(self) -> str:
        return self.box.sites["shop"]

    @cached_property
    def owner(self) -> str:
        """A Cookie header of an owner of both organizations."""
        return cookie_of(self.box, "owner", also_in=self.box.foreign_organization_id)

    def put(
        self,
        key: str,
        definition: dict[str, Any] | None = None,
        *,
        website: str | None = "",
        environment: str | None = None,
        user_id: str | None = None,
    ) -> Flag:
        """A new flag of these fields, stored as it is; of the organization for a `website` of None."""
        now = self.box.clock.now()
        flag = Flag(
            id=ids.new_id(),
            organization_id=self.box.organization_id,
            website_id=self.shop if website == "" else website,
            key=key,
            definition=msgspec.convert(definition or {}, FlagDefinition),
            environment=environment,
            user_id=user_id,
            created_by="user:test",
            created_at=now,
            updated_at=now,
        )
        self.box.run(save(self.box.box.parts, flag.scope, lambda db: rows.FLAGS.insert(db, flag)))
        return flag

    def put_group(self, name: str, rules: list[dict[str, Any]], *, website: str | None = "") -> TargetGroup:
        """A new target group, stored as it is."""
        now = self.box.clock.now()
        group = TargetGroup(
            id=ids.new_id(),
            organization_id=self.box.organization_id,
            website_id=self.shop if website == "" else website,
            name=name,
            rules=msgspec.convert(rules, tuple[TargetingRule, ...]),
            created_at=now,
            updated_at=now,
        )
        self.box.run(save(self.box.box.parts, group.scope, lambda db: rows.GROUPS.insert(db, group)))
        return group

    def known(self, scope_id: str = "") -> FlagScope:
        """What is in memory of a website or an organization, which is as it is in box.db."""
        scope_id = scope_id or self.shop
        found = self.flags.scope(scope_id)
        assert found is not None
        stored = self.box.box.box_db.read_now(lambda db: rows.scope(db, scope_id))
        assert found == (stored or FlagScope(scope_id, found.organization_id, found.website_id))
        return found

    def call(self, procedure: str, /, *, by: KeyName = "all", cookie: str = "", **given: Any) -> Answer:
        """A procedure, as "flags/list", on the plain mirror, by a key or, with a cookie, by a person."""
        headers = {"cookie": cookie, "sec_fetch_site": "same-origin"} if cookie else {}
        return self.box.post(f"/{procedure}", given, key=None if cookie else by, **headers)

    def good(self, procedure: str, /, **given: Any) -> Any:
        """The answer of a procedure that succeeds."""
        answer = self.call(procedure, **given)
        assert answer.status == 200, answer.body
        return answer.json

    def refused(self, procedure: str, /, **given: Any) -> tuple[int, str]:
        """Status and message of a refusal."""
        answer = self.call(procedure, **given)
        assert answer.status >= 400, answer.body
        details = answer.json.get("details") or [{"message": answer.json["error"]}]
        return answer.status, details[0]["message"]

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of box.db."""
        found: list[tuple[Any, ...]] = self.box.box.box_db.read_now(lambda db: db.execute(statement, values).fetchall())
        return found
