"""Headers, bodies, credentials and tokens of pushes: sealed on disk, used by checks, shown to nobody."""

import json
import logging
from base64 import b32encode
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume
from hypothesis import given as drawn
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.app import jobs
from analytics_box.base.facts.uptime import UP
from analytics_box.base.identity import Role
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.monitors.monitor import Assertion, MonitorSecrets
from analytics_box.products.monitors.probing.assertions import evaluate_assertions
from analytics_box.products.monitors.probing.seen import CheckObservations
from analytics_box.products.monitors.running.notices import NoticeDetail
from analytics_box.products.monitors.running.rows import CheckRow, Transition, alive, append
from analytics_box.products.monitors.telling import occurrence
from tests.cases import each
from tests.inprocess import NOON
from tests.products.monitors.world import GOOD, World
from tests.tenants.keys.world import cookie_of, make

HUSH = "hush-0123456789abcdef"
GIVEN: dict[str, Any] = {
    "headers": {"X-Token": HUSH},
    "body": f"{{{HUSH}}}",
    "basicAuth": {"user": "ada", "password": HUSH},
    "options": {"method": "POST"},
}


def test_secrets_stand_in_no_answer_no_audit_entry_no_file_and_no_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    one = world.made(**GIVEN)
    answers = [
        world.call("getSchedule", scheduleId=one),
        world.call("listSchedules"),
        world.call("paginated"),
        world.call("tryCheck", scheduleId=one),
        world.call("updateSchedule", scheduleId=one, headers={"X-Token": HUSH, "B": HUSH}),
        world.call("createSchedule", url="http://10.0.0.1", granularity="day", **GIVEN),
        world.call("deleteSchedule", scheduleId=world.made("https://example.com/b", **GIVEN)),
    ]
    assert all(HUSH.encode() not in answer.body for answer in answers)
    assert all(HUSH not in detail for _, detail in world.audited())
    assert HUSH not in caplog.text
    directory = world.box.box.settings.data_dir
    world.box.box.close()
    assert all(HUSH.encode() not in path.read_bytes() for path in directory.iterdir() if path.is_file())
    world.reopen()
    assert world.run(one).secrets.headers == (("X-Token", HUSH), ("B", HUSH))
    assert world.run(one).secrets.password == HUSH


@each(
    ("given", "expected"),
    (
        ({"bearerToken": "b"}, {"headers": (("A", "1"),), "bearer": "b"}),
        ({"basicAuth": {"user": "u"}}, {"headers": (("A", "1"),), "user": "u", "password": "p"}),
        ({"basicAuth": {"user": "u", "password": "q"}}, {"headers": (("A", "1"),), "user": "u", "password": "q"}),
        ({"basicAuth": None}, {"headers": (("A", "1"),)}),
        ({"headers": None}, {"user": "ada", "password": "p"}),
        ({"headers": {"a": None}}, {"headers": (("a", "1"),), "user": "ada", "password": "p"}),
        ({"name": "B"}, {"headers": (("A", "1"),), "user": "ada", "password": "p"}),
    ),
)
def test_secrets_stay_unless_they_are_given(
    world: World, given: dict[str, object], expected: dict[str, object]
) -> None:
    one = world.made(headers={"A": "1"}, basicAuth={"user": "ada", "password": "p"})
    world.good("updateSchedule", scheduleId=one, **given)
    assert world.run(one).secrets == MonitorSecrets(**expected)  # type: ignore[arg-type]
    world.good("deleteSchedule", scheduleId=one)


def test_a_monitor_whose_secrets_cannot_be_read_rests_until_it_gets_new_ones(world: World) -> None:
    one, plain = world.made(headers={"A": "1"}), world.made("https://example.com/plain")
    (world.box.box.settings.data_dir / "secret.key").write_bytes(bytes(32))
    world.reopen()
    assert world.run(one).is_paused
    assert not world.run(plain).is_paused
    shown = world.good("getSchedule", scheduleId=one)
    assert (shown["isPaused"], shown["schedulerStatus"]) == (False, "missing")
    assert "cannot be decrypted" in shown["problem"]
    assert "cannot be decrypted" in world.call("manualCheck", scheduleId=one).json["error"]
    world.good("updateSchedule", scheduleId=one, name="Still")
    world.reopen()
    assert world.run(one).is_paused
    world.good("updateSchedule", scheduleId=one, headers={"A": "2"})
    for _ in ("in memory", "after a restart"):
        assert not world.run(one).is_paused
        assert world.run(one).secrets.headers == (("A", "2"),)
        assert world.good("getSchedule", scheduleId=one)["problem"] == ""
        world.reopen()


ELSEWHERE: dict[str, Any] = {"url": "https://else.example.com/health"}
ALL = {"headers": {"X-Token": HUSH}, "basicAuth": {"user": "ada", "password": HUSH}, "body": HUSH}


@each(
    ("given", "fields"),
    (
        (ELSEWHERE, ["headers", "body", "basicAuth"]),
        ({"url": "http://example.com/health"}, ["headers", "body", "basicAuth"]),
        ({"url": "https://example.com:8443/health"}, ["headers", "body", "basicAuth"]),
        ({"options": {"method": "POST", "verify": False}}, ["headers", "body", "basicAuth"]),
        (ELSEWHERE | ALL | {"headers": {"X-Token": None}}, ["headers"]),
        (ELSEWHERE | ALL | {"basicAuth": {"user": "eve"}}, ["basicAuth.password"]),
        (ELSEWHERE | {"headers": None, "body": None, "bearerToken": "new"}, []),
        (ELSEWHERE | {"headers": {}, "body": "", "basicAuth": None}, []),
        (ELSEWHERE | ALL, []),
        ({"url": "https://example.com/else", "options": {"method": "POST"}}, []),
    ),
)
def test_stored_secret_is_not_sent_to_another_server(world: World, given: dict[str, Any], fields: list[str]) -> None:
    one = world.made(**GIVEN)
    tried = len(world.engine.tried)
    for procedure in ("tryCheck", "updateSchedule"):
        answer = world.call(procedure, scheduleId=one, **given)
        assert answer.status == (400 if fields else 200), answer.body
        if fields:
            assert [detail["field"] for detail in answer.json["details"]] == fields
            assert "again: what is stored" in answer.json["error"]
    assert len(world.engine.tried) - tried == (0 if fields else 1)
    world.good("deleteSchedule", scheduleId=one)


def test_a_token_follows_no_import_to_another_server(world: World) -> None:
    one = world.made(bearerToken=HUSH)
    content = f"monitors: [{{id: {one}, url: 'https://else.example.com/', granularity: day}}]"
    (row,) = world.good("import", content=content, existing="update")["monitors"]
    assert (row["status"], row["field"]) == ("failed", "bearerToken")
    assert world.known(one).url == "https://example.com/health"


def test_a_monitor_whose_secrets_cannot_be_read_stays_at_its_server(world: World) -> None:
    one = world.made(headers={"A": "1"})
    (world.box.box.settings.data_dir / "secret.key").write_bytes(bytes(32))
    world.reopen()
    assert world.call("updateSchedule", scheduleId=one, **ELSEWHERE).status == 409
    world.good("updateSchedule", scheduleId=one, headers={"A": "2"}, **ELSEWHERE)


@each(("role", "left"), (("member", True), ("admin", False)))
def test_secrets_go_to_another_organization_only_with_an_admin(world: World, role: Any, left: bool) -> None:
    target = world.box.foreign_organization_id
    cookie = cookie_of(world.box, role, also_in=target)
    one = world.made(**GIVEN)
    push = world.good("createSchedule", kind="push", granularity="hour", name=role)
    moved = world.call("transfer", cookie=cookie, scheduleId=one, targetOrganizationId=target).json
    assert moved == {"success": True, "secretsLeftOut": left}
    moved = world.call("transfer", cookie=cookie, scheduleId=push["scheduleId"], targetOrganizationId=target).json
    assert moved["secretsLeftOut"] is False
    for _ in ("in memory", "after a restart"):
        assert (world.run(one).secrets == MonitorSecrets()) is left
        assert world.box.get("/push/" + push["pushUrl"].rpartition("/")[2]).status == 200
        world.reopen()
    world.call("deleteSchedule", cookie=cookie, scheduleId=one)


MASKED = (
    ("https://example.com/a", "https://example.com/a"),
    ("https://example.com/?token=hush&a=1&b", "https://example.com/?token=•••&a=•••&•••"),
    ("https://example.com/?hush", "https://example.com/?•••"),
    ("https://example.com/?a==hush;b=&c=x%26y#hush", "https://example.com/?a=•••;b=&c=•••#•••"),
    ("tcp://example.com:22", "tcp://example.com:22"),
    ("https://ada:hush@example.com/a", "https://•••@example.com/a"),
    ("https://example.com/a#hush", "https://example.com/a#•••"),
    ("https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX", "https://hooks.slack.com/•••/•••/•••/•••"),
    ("https://discord.com/api/webhooks/123456789012345678/hush", "https://discord.com/api/webhooks/•••/•••"),
    ("https://hc-ping.com/eb095278-f28d-448d-87fb-7b75c171a6aa", "https://hc-ping.com/•••"),
    ("https://example.com/push/eb095278-f28d-448d-87fb-7b75c171a6aa/x", "https://example.com/push/•••/x"),
    ("https://api.telegram.org/bot123456:ABC-DEF1234ghIkl/getMe", "https://api.telegram.org/•••/getMe"),
    ("https://example.com/heartbeat/9f8Jk2LmQ0zX", "https://example.com/heartbeat/•••"),
    ("https://example.com/feed/3f2a9c0b7d.xml", "https://example.com/feed/•••"),
    ("https://example.com/v1/token/hush/a", "https://example.com/v1/token/•••/a"),
    ("https://example.com/a;token=hush/b", "https://example.com/a;token=•••/b"),
    *(
        (f"https://example.com/{path}", f"https://example.com/{path}")
        for path in (
            "api/v1/status.json",
            "how-to-monitor-your-website-in-2024/",
            "2024/11/27/a-post",
            "products/12345678",
            "oauth/token",
            "internationalization",
            "GetCustomerDetails",
            "wp-admin/admin-ajax.php",
            "%E4%BD%A0%E5%A5%BD",
        )
    ),
)


@each(("url", "shown"), MASKED)
def test_likely_secrets_in_urls_are_masked(url: str, shown: str) -> None:
    assert mask_query(url) == shown
    assert mask_query(shown) == shown


@drawn(st.text(), st.text(), st.text())
def test_masked_urls_stay_as_they_are(place: str, path: str, query: str) -> None:
    shown = mask_query(f"https://{place}/{path}?{query}")
    assert mask_query(shown) == shown


@drawn(st.binary(min_size=16, max_size=32), st.sampled_from((bytes.hex, lambda token: b32encode(token).decode())))
def test_random_tokens_in_paths_are_masked(token: bytes, written: Callable[[bytes], str]) -> None:
    assume(len(set(token)) > 8)
    assert mask_query(f"https://example.com/jobs/{written(token)}/done") == "https://example.com/jobs/•••/done"


def test_values_of_a_query_are_for_those_who_may_change_monitors(world: World) -> None:
    one = world.made(f"https://example.com/?token={HUSH}", websiteId=world.box.sites["shop"])
    two = world.made("tcp://example.com:22", options={"send": HUSH})
    reading = make(world.box, world.box.cookie, scopes=["read:monitors"])["secret"]
    asked: tuple[tuple[str, dict[str, Any]], ...] = (
        ("getSchedule", {"scheduleId": one}),
        ("getSchedule", {"scheduleId": two}),
        ("getScheduleByWebsiteId", {"websiteId": world.box.sites["shop"]}),
        ("listSchedules", {}),
        ("paginated", {}),
        ("export", {"secrets": True}),
    )
    for procedure, given in asked:
        plain = {} if procedure == "export" else given
        viewed = world.call(procedure, cookie=cookie_of(world.box, "viewer"), **plain)
        read = world.box.post(f"/uptime/{procedure}", plain, x_api_key=reading)
        for answer in (viewed, read):
            assert answer.status == 200
            assert HUSH.encode() not in answer.body
        role: Role = "admin" if procedure == "export" else "member"
        assert HUSH.encode() in world.call(procedure, cookie=cookie_of(world.box, role), **given).body
    found = world.call("paginated", cookie=cookie_of(world.box, "viewer"), search=HUSH).json
    assert found["total"] == 0


def files_of(world: World) -> list[str]:
    """The names of the files of a box that have the secret in them, once it is closed."""
    directory = world.box.box.settings.data_dir
    world.box.box.close()
    found = [path.name for path in directory.iterdir() if path.is_file() and HUSH.encode() in path.read_bytes()]
    world.reopen()
    return found


def test_values_of_a_query_and_what_is_sent_are_encrypted_at_rest(world: World) -> None:
    one = world.made(f"https://example.com/?token={HUSH}&a=1")
    four = world.made(f"https://example.com/jobs/{HUSH}/done")
    assert world.known(four).url == f"https://example.com/jobs/{HUSH}/done"
    two = world.made(f"https://example.com/?token={HUSH}-2&a=1")
    three = world.made("tcp://example.com:22", options={"send": HUSH})
    world.good("updateSchedule", scheduleId=one, name="One")
    world.good("togglePause", scheduleId=two)
    world.good("updateSchedule", scheduleId=three, options={"send": f"{HUSH}-3"})
    assert files_of(world) == []
    assert world.run(one).url == f"https://example.com/?token={HUSH}&a=1"
    assert world.known(two).url == f"https://example.com/?token={HUSH}-2&a=1"
    assert world.known(three).options.send == f"{HUSH}-3"
    refused = world.call("createSchedule", url=f"https://example.com/?token={HUSH}&a=1", granularity="day")
    assert (refused.status, refused.json["code"]) == (409, "CONFLICT")


def test_checks_store_no_values_of_a_query(world: World) -> None:
    monitor = world.known(world.made(f"https://example.com/{HUSH}/?token={HUSH}"))
    events = world.box.box.events.db
    events.write_now(lambda db: append(db, Strings(), [CheckRow(monitor, GOOD, UP, 1, 1)]))
    found = events.read_now(
        lambda db: db.execute("select value from strings join checks on checks.url = strings.id").fetchall()
    )
    assert found == [("https://example.com/•••/?token=•••",)]


def test_urls_in_checks_of_earlier_versions_are_masked_after_an_upgrade(world: World) -> None:
    one = world.known(world.made(f"https://example.com/{HUSH}"))
    other = world.known(world.made("https://example.com/plain"))
    events = world.box.box.events
    failed = replace(GOOD, outcome="fail", error="It failed")

    def as_before(db: Connection) -> None:
        append(db, events.strings, [CheckRow(one, failed, 0, 1, 1), CheckRow(other, GOOD, UP, 1, 1)])
        for shown, plain in (("https://example.com/•••", one.url), ("It failed", f"It is https://e.com/{HUSH}")):
            db.execute("update strings set value = ? where value = ?", (plain, shown))
        alive(db, NOON)

    events.db.write_now(as_before)
    world.reopen()
    assert files_of(world) == ["events.db"]
    job = next(job for job in jobs.JOBS if job.name == "sweep checks")
    world.box.run(jobs.run_job(job, world.box.box))
    assert files_of(world) == []
    found = world.box.box.events.db.read_now(
        lambda db: db.execute(
            "select url.value, error.value from checks join strings as url on url.id = url "
            "join strings as error on error.id = error order by checks.id"
        ).fetchall()
    )
    assert found == [("https://example.com/•••", "It is https://e.com/•••"), ("https://example.com/plain", "")]


def test_urls_in_what_an_assertion_saw_are_masked() -> None:
    seen = CheckObservations(status=302, headers=(("location", f"https://example.com/login/{HUSH}?t={HUSH}"),))
    asked = Assertion(subject="header", comparison="equals", property="location", value="x")
    verdict = evaluate_assertions((asked,), seen, NOON)
    assert HUSH not in verdict.error
    assert verdict.held[0].seen == "https://example.com/login/•••?t=•••"


def test_plain_text_secrets_of_an_earlier_version_are_encrypted_at_start(world: World) -> None:
    one = world.made(f"https://example.com/?token={HUSH}", headers={"A": "1"})
    two = world.made("tcp://example.com:22", options={"send": HUSH})
    three = world.made(f"https://example.com/{HUSH}?token={HUSH}")
    plain, told = f"https://example.com/?token={HUSH}", json.dumps({"send": HUSH})
    seal = world.box.box.parts[MonitorTools].seal
    headers = seal.seal(b'{"headers":[["A","1"]]}', owner=f"monitor:{one}")

    def as_before(db: Connection) -> None:
        db.execute("update monitors set url = ?, sealed = ? where id = ?", (plain, headers, one))
        db.execute("update monitors set options = ?, sealed = null where id = ?", (told, two))
        db.execute(
            "update monitors set url = ? where id = ?", (f"https://example.com/{HUSH}?token=••• {'0' * 32}", three)
        )

    world.box.box.box_db.write_now(as_before)
    world.reopen()
    assert files_of(world) == []
    assert world.known(one).url == plain
    assert world.known(one).secrets.headers == (("A", "1"),)
    assert world.known(two).options.send == HUSH
    assert world.known(three).url == f"https://example.com/{HUSH}?token={HUSH}"


def test_with_another_key_a_url_has_to_be_given_again(world: World) -> None:
    one = world.made(f"https://example.com/?token={HUSH}")
    (world.box.box.settings.data_dir / "secret.key").write_bytes(b"n" * 32)
    world.reopen()
    assert world.known(one).url == "https://example.com/?token=•••"
    assert world.good("getSchedule", scheduleId=one)["problem"]
    world.good("updateSchedule", scheduleId=one, name="One")
    refused = world.call("updateSchedule", scheduleId=one, headers={"A": "1"})
    assert refused.status == 409
    world.good("updateSchedule", scheduleId=one, url=f"https://example.com/?token={HUSH}-2")
    world.reopen()
    assert world.run(one).url == f"https://example.com/?token={HUSH}-2"
    assert not world.good("getSchedule", scheduleId=one)["problem"]


def test_values_of_a_query_stand_in_no_audit_entry_and_no_message(world: World) -> None:
    one = world.made(f"https://example.com/?token={HUSH}")
    two = world.made("tcp://example.com:22", options={"send": HUSH})
    world.good("updateSchedule", scheduleId=one, url=f"https://example.com/?token={HUSH}-2")
    world.good("updateSchedule", scheduleId=two, options={"send": f"{HUSH}-2"})
    told = occurrence(world.known(one), Transition(1, 2, NOON, "down", NoticeDetail("down")), "https://stats.example")
    assert HUSH not in str(told)
    assert "?token=•••" in str(told.fields)
    for monitor_id in (one, two):
        world.good("deleteSchedule", scheduleId=monitor_id)
    assert all(HUSH not in detail for _, detail in world.audited())
    assert [action for action, _ in world.audited()].count("updated") == 2
