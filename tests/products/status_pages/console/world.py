"""A box whose status pages somebody keeps in a browser without scripts."""

from functools import cached_property
from urllib.parse import urlencode

from analytics_box.products.monitors.engine import State
from tests.inprocess import NOON, Answer
from tests.products.monitors.world import FakeEngine, Now
from tests.products.status_pages.world import World
from tests.tenants.keys.world import cookie_of

WEBHOOK = "https://hooks.example.com/status"


class Console(World):
    """The owner looks, or whoever has another cookie."""

    @cached_property
    def engine(self) -> FakeEngine:
        engine = FakeEngine()
        self.monitors.run_by(engine)
        return engine

    def is_now(self, monitor_id: str, state: State) -> None:
        """How a monitor is from now on."""
        found = self.monitors.find(monitor_id)
        assert found is not None
        self.engine.states[found.number] = Now(state, NOON - 60_000)

    def answer(self, path: str, cookie: str = "") -> Answer:
        return self.box.get(path, cookie=cookie or self.box.cookie, accept="text/html")

    def seen(self, path: str, cookie: str = "") -> str:
        """A page that is there."""
        answer = self.answer(path, cookie)
        assert answer.status == 200, answer.body
        return answer.body.decode()

    def sent(self, path: str, cookie: str = "", **fields: str) -> Answer:
        """The answer to a form."""
        form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
        headers = form | {"cookie": cookie or self.box.cookie}
        return self.box.ask("POST", path, headers=headers, body=urlencode(fields).encode())

    def gone_to(self, path: str, **fields: str) -> str:
        """Where a form that is good leads, without what the page there says about it."""
        answer = self.sent(path, **fields)
        assert answer.status == 303, answer.body.decode()
        return answer.headers["location"].partition("?")[0]

    def home(self, *monitors: str, slug: str = "shop") -> str:
        """The path of a new page with these monitors."""
        return f"/status-pages/{self.page(slug, uptimeScheduleIds=list(monitors))}"

    def public(self, slug: str = "shop") -> str:
        """The page as its visitors get it."""
        answer = self.box.get(f"/status/{slug}")
        assert answer.status == 200, answer.body
        return answer.body.decode()

    @cached_property
    def viewer(self) -> str:
        """The cookie of somebody who may only look."""
        return cookie_of(self.box, "viewer")

    @cached_property
    def foreign(self) -> str:
        """The cookie of somebody of another organization."""
        return cookie_of(self.box, "owner", organization_id=self.box.foreign_organization_id)
