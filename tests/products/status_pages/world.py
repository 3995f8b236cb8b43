"""What tests of status pages do to a box: make pages, components and monitors by procedures, and look at them."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages import rows
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole
from tests.inprocess import Answer, KeyName, WholeBox
from tests.tenants.keys.world import cookie_of

DOMAIN = "status.example.org"


class World:
    """A box and the calls that tests of status pages make."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box

    @property
    def pages(self) -> StatusPages:
        return self.box.box.parts[StatusPages]

    @property
    def monitors(self) -> Monitors:
        return self.box.box.parts[Monitors]

    def call(self, procedure: str, /, *, key: KeyName = "all", cookie: str = "", **given: Any) -> Answer:
        """A procedure of statusPage on the plain mirror, by a key or, with a cookie, by a person."""
        headers = {"cookie": cookie, "sec_fetch_site": "same-origin"} if cookie else {}
        return self.box.post(f"/statusPage/{procedure}", given, key=None if cookie else key, **headers)

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

    def page(self, slug: str = "shop", **given: Any) -> str:
        """The id of a new page."""
        made: str = self.good("create", **{"name": "Shop", "slug": slug} | given)["id"]
        return made

    def monitor(self, url: str = "https://example.com/health", *, cookie: str = "", **given: Any) -> str:
        """The id of a new monitor."""
        headers = {"cookie": cookie, "sec_fetch_site": "same-origin"} if cookie else {}
        wanted = {"url": url, "granularity": "minute"} | given
        answer = self.box.post("/uptime/createSchedule", wanted, key=None if cookie else "all", **headers)
        assert answer.status == 200, answer.body
        made: str = answer.json["scheduleId"]
        return made

    def known(self, page_id: str) -> Whole:
        """A page as it is in memory, which is as it is in box.db."""
        found = self.pages.find(page_id)
        assert found is not None
        assert found == self.box.box.box_db.read_now(lambda db: rows.whole(db, page_id))
        return found

    def domain(self, domain: str = DOMAIN) -> None:
        """A domain of the organization, as if its TXT record had been found."""
        organization_id, now = self.box.organization_id, self.box.clock.now()
        self.box.box.box_db.write_now(
            lambda db: (
                db.execute(
                    "insert into domains (id, organization_id, domain, token, created_at, proven_at, proven_by)"
                    " values (?, ?, ?, ?, ?, ?, 'dns')",
                    (f"dom-{domain}", organization_id, domain, "x" * 32, now, now),
                )
                and None
            )
        )

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of box.db."""
        found: list[tuple[Any, ...]] = self.box.box.box_db.read_now(lambda db: db.execute(statement, values).fetchall())
        return found

    def audited(self, subjects: Iterable[str] = ("status page", "status page component", "status page group")) -> str:
        """What was done, and with what details, as text."""
        wanted = ", ".join(f"'{subject}'" for subject in subjects)
        found = self.rows(f"select action, subject, detail from audit where subject in ({wanted}) order by id")
        return "\n".join(" ".join(map(str, row)) for row in found)

    @cached_property
    def owner(self) -> str:
        """The cookie of an owner of both organizations."""
        return cookie_of(self.box, "owner", also_in=self.box.foreign_organization_id)

    @cached_property
    def member(self) -> str:
        """The cookie of a member."""
        return cookie_of(self.box, "member")

    @cached_property
    def viewer(self) -> str:
        """The cookie of somebody who may only look."""
        return cookie_of(self.box, "viewer")

    @cached_property
    def foreign(self) -> str:
        """The cookie of somebody of another organization."""
        return cookie_of(self.box, "owner", organization_id=self.box.foreign_organization_id)
