"""What tests of monitors do to a box: call procedures, and run monitors by a stand-in that says what it is told to."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import urlencode

from msgspec import Struct

from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import AssertionResult, CheckPhases, CheckResult
from analytics_box.products.monitors.window import MaintenanceWindow
from tests.inprocess import NOON, Answer, KeyName, WholeBox
from tests.tenants.keys.world import cookie_of

URL = "https://example.com/health"
GOOD = CheckResult(
    at=NOON,
    outcome="pass",
    total=12_345,
    ttfb=10_000,
    phases=CheckPhases(dns=1_000, connect=2_000, tls=3_000, first_byte=4_000, transfer=2_345),
    http_code=200,
    bytes=512,
    address="93.184.216.34",
    certificate_ends=NOON + 86_400_000,
    certificate_valid=True,
    held=(AssertionResult(0, held=True, seen="200"),),
)


class Now(Struct, frozen=True):
    """How a monitor is."""

    state: State
    since: int
    last: CheckResult | None = None
    next_at: int | None = None


class FakeEngine:
    """Runs nothing: it keeps what it is told, and answers with GOOD."""

    def __init__(self) -> None:
        self.known: dict[int, Monitor] = {}
        self.windows: dict[int, tuple[MaintenanceWindow, ...]] = {}
        self.states: dict[int, Now] = {}
        self.checked: list[int] = []
        self.tried: list[Monitor] = []
        self.pushes: list[tuple[int, int, bool, str]] = []

    def put(self, monitor: Monitor, windows: Iterable[MaintenanceWindow]) -> None:
        self.known[monitor.number] = monitor
        self.windows[monitor.number] = tuple(windows)

    def remove(self, number: int) -> None:
        del self.known[number]

    async def check_now(self, number: int) -> CheckResult:
        self.checked.append(number)
        return GOOD

    async def try_now(self, monitor: Monitor) -> CheckResult:
        self.tried.append(monitor)
        return GOOD

    async def pushed(self, number: int, at: int, ok: bool, message: str) -> None:  # as the engine has it
        self.pushes.append((number, at, ok, message))

    def state_of(self, number: int) -> Now | None:
        known = self.known.get(number)
        if known is None:
            return None
        return self.states.get(number, Now("paused" if known.is_paused else "new", 0))


class World:
    """A box and the calls that tests of monitors make."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.engine = FakeEngine()
        self.monitors.run_by(self.engine)

    @property
    def monitors(self) -> Monitors:
        return self.box.box.parts[Monitors]

    def call(self, procedure: str, /, *, key: KeyName = "all", cookie: str = "", **given: Any) -> Answer:
        """A procedure of uptime on the plain mirror, by a key or, with a cookie, by a person."""
        headers = {"cookie": cookie, "sec_fetch_site": "same-origin"} if cookie else {}
        return self.box.post(f"/uptime/{procedure}", given, key=None if cookie else key, **headers)

    def good(self, procedure: str, /, **given: Any) -> Any:
        """The answer of a procedure that succeeds."""
        answer = self.call(procedure, **given)
        assert answer.status == 200, answer.body
        return answer.json

    def made(self, url: str = URL, **given: Any) -> str:
        """The id of a new monitor."""
        made: str = self.good("createSchedule", **{"url": url, "granularity": "minute"} | given)["scheduleId"]
        return made

    def known(self, monitor_id: str) -> Monitor:
        """A monitor as it is in memory."""
        found = self.monitors.find(monitor_id)
        assert found is not None
        return found

    def run(self, monitor_id: str) -> Monitor:
        """A monitor as whatever runs it was told."""
        return self.engine.known[self.known(monitor_id).number]

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of box.db."""
        found: list[tuple[Any, ...]] = self.box.box.box_db.read_now(lambda db: db.execute(statement, values).fetchall())
        return found

    def audited(self) -> list[tuple[str, str]]:
        """What was done to monitors, and with what details."""
        return [
            (str(action), str(detail))
            for action, detail in self.rows("select action, detail from audit where subject = 'monitor' order by rowid")
        ]

    def number(self, monitor_id: str) -> int:
        """What the facts know a monitor by."""
        return self.known(monitor_id).number

    def reopen(self) -> None:
        """Stop the box and start it over the same files."""
        self.box.reopen()
        self.engine = FakeEngine()
        self.monitors.run_by(self.engine)


class PageWorld(World):
    """A box whose pages the owner looks at, or whoever has another cookie."""

    usual: ClassVar = {
        "granularity": "minute",
        "failuresToDown": "2",
        "successesToUp": "1",
        "method": "GET",
        "redirects": "10",
        "verify": "on",
        "json": "off",
    }

    def page(self, path: str, cookie: str = "") -> Answer:
        """Whatever this path answers."""
        return self.box.get(path, cookie=cookie or self.box.cookie, accept="text/html")

    def seen(self, path: str, cookie: str = "") -> str:
        """A page that is there."""
        answer = self.page(path, cookie)
        assert answer.status == 200, answer.body
        return answer.body.decode()

    def sent(self, path: str, fields: dict[str, str], cookie: str = "", **more: str) -> Answer:
        """The answer to a form; `more` are further headers."""
        form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
        headers = form | more | {"cookie": cookie or self.box.cookie}
        return self.box.ask("POST", path, headers=headers, body=urlencode(fields).encode())

    def uploaded(self, path: str, content: bytes) -> Answer:
        """The answer to a form with a file."""
        part = b'--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n' + content + b"\r\n--b--\r\n"
        form = {"content_type": "multipart/form-data; boundary=b", "sec_fetch_site": "same-origin"}
        return self.box.ask("POST", path, headers=form | {"cookie": self.box.cookie}, body=part)

    def set_up(self, **fields: str) -> str:
        """The id of a monitor that the form has made."""
        answer = self.sent("/monitors/new", {"kind": "http", **self.usual, "do": "save"} | fields)
        assert answer.status == 303, answer.body.decode()
        return answer.headers["location"].removeprefix("/monitors/").partition("?")[0]

    @cached_property
    def viewer(self) -> str:
        """The cookie of somebody who may only look."""
        return cookie_of(self.box, "viewer")

    @cached_property
    def foreign(self) -> str:
        """The cookie of somebody of another organization."""
        return cookie_of(self.box, "owner", organization_id=self.box.foreign_organization_id)
