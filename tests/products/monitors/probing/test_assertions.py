"""Assertions as a table: what is seen, what is asserted, whether it holds, and what it is said to have seen."""

import pytest

from analytics_box.products.monitors.monitor import Comparison, JsonParsing, Level, Subject
from analytics_box.products.monitors.probing import json_values
from analytics_box.products.monitors.probing.assertions import evaluate_assertions
from analytics_box.products.monitors.probing.seen import CheckObservations, DnsRecord
from tests.cases import each
from tests.products.monitors.probing.checking import NOW, that

BODY = '{"status": "ok", "n": 12, "on": true, "gone": null, "a/b": {"~": [1, "two"]}, "list": ["x", "y"]}'
WEB = CheckObservations(
    status=204,
    status_name="204 No Content",
    headers=(("content-type", "application/json"), ("x-kind", "a"), ("x-kind", "b")),
    body=BODY.encode(),
    total=120.4,
    certificate_ends=NOW + 14 * 86_400_000,
)
NAME = CheckObservations(records=tuple(DnsRecord("A", text, text) for text in ("192.0.2.1", "192.0.2.2")))
PORT = CheckObservations(banner=b"SSH-2.0-OpenSSH_9.6\r\n")
NOTHING = CheckObservations()

CASES: tuple[tuple[CheckObservations, Subject, Comparison, str, str, bool, str], ...] = (
    (WEB, "status", "in", "200-299,404", "", True, "204"),
    (WEB, "status", "in", "200, 204", "", True, "204"),
    (WEB, "status", "in", "300-399", "", False, "204"),
    (WEB, "status", "equals", "204", "", True, "204"),
    (WEB, "status", "less_than", "204", "", False, "204"),
    (WEB, "response_time", "less_than", "120.5", "", True, "120"),
    (WEB, "response_time", "less_than", "100", "", False, "120"),
    (WEB, "response_time", "less_than", "soon", "", False, "120"),
    (WEB, "body", "contains", '"ok"', "", True, BODY),
    (WEB, "body", "not_contains", "error", "", True, BODY),
    (WEB, "body", "matches", r'"n":\s*\d+', "", True, BODY),
    (WEB, "body", "matches", "(?=x)", "", False, "the pattern is not valid"),
    (WEB, "body", "exists", "", "", True, BODY),
    (WEB, "json", "equals", "ok", "/status", True, "ok"),
    (WEB, "json", "equals", "ok", "$.status", True, "ok"),
    (WEB, "json", "equals", "12.0", "/n", True, "12"),
    (WEB, "json", "greater_than", "11", "n", True, "12"),
    (WEB, "json", "equals", "true", "/on", True, "true"),
    (WEB, "json", "equals", "null", "/gone", True, "null"),
    (WEB, "json", "exists", "", "/gone", True, "null"),
    (WEB, "json", "equals", "two", "/a~1b/~0/1", True, "two"),
    (WEB, "json", "contains", "y", "/list", True, '["x","y"]'),
    (WEB, "json", "contains", "z", "/list", False, '["x","y"]'),
    (WEB, "json", "not_contains", "z", "/list", True, '["x","y"]'),
    (WEB, "json", "exists", "", "/list/2", False, "nothing"),
    (WEB, "json", "not_exists", "", "/none", True, "nothing"),
    (WEB, "json", "equals", "x", "/none", False, "nothing"),
    (CheckObservations(body=b"<html>"), "json", "exists", "", "/a", False, "the answer is not JSON"),
    (CheckObservations(body=b"[" * 100_000), "json", "exists", "", "/a", False, "the answer is not JSON"),
    (
        CheckObservations(body=b'"' + b"x" * 2_000_000 + b'"'),
        "json",
        "exists",
        "",
        "",
        False,
        "the answer is larger than 1 MB",
    ),
    (WEB, "header", "equals", "a, b", "X-Kind", True, "a, b"),
    (WEB, "header", "exists", "", "x-none", False, "nothing"),
    (WEB, "header", "not_contains", "x", "x-none", True, "nothing"),
    (WEB, "certificate_days", "greater_than", "14", "", False, "14"),
    (WEB, "certificate_days", "greater_than", "13", "", True, "14"),
    (
        CheckObservations(certificate_ends=NOW + 49 * 3_600_000),
        "certificate_days",
        "greater_than",
        "2",
        "",
        True,
        "2.04",
    ),
    (
        CheckObservations(certificate_ends=NOW + 48 * 3_600_000 + 1),
        "certificate_days",
        "greater_than",
        "2",
        "",
        True,
        "2",
    ),
    (CheckObservations(certificate_ends=NOW + 47 * 3_600_000), "certificate_days", "less_than", "2", "", True, "1.95"),
    (CheckObservations(certificate_ends=NOW - 1), "certificate_days", "less_than", "0", "", True, "-0.01"),
    (NOTHING, "certificate_days", "greater_than", "13", "", False, "no certificate"),
    (NAME, "record", "equals", "192.0.2.2", "", True, "192.0.2.1, 192.0.2.2"),
    (NAME, "record", "equals", "192.0.2.3", "", False, "192.0.2.1, 192.0.2.2"),
    (NAME, "record", "not_equals", "192.0.2.2", "", False, "192.0.2.1, 192.0.2.2"),
    (NAME, "record", "not_exists", "", "", False, "192.0.2.1, 192.0.2.2"),
    (CheckObservations(records=()), "record", "not_exists", "", "", True, "nothing"),
    (PORT, "banner", "contains", "OpenSSH", "", True, "SSH-2.0-OpenSSH_9.6  "),
    (PORT, "banner", "equals", "SSH-2.0-OpenSSH_9.6", "", True, "SSH-2.0-OpenSSH_9.6  "),
    (CheckObservations(body=b"ok\n"), "body", "equals", "ok", "", True, "ok "),
    (CheckObservations(body=b"ok\nno"), "body", "equals", "ok", "", False, "ok no"),
    (PORT, "banner", "matches", r"^SSH-2\.", "", True, "SSH-2.0-OpenSSH_9.6  "),
)


@each(
    ("seen", "subject", "comparison", "value", "about", "held", "shown"),
    CASES,
    ids=lambda _, subject, comparison, value, about, *__: f"{subject} {about} {comparison} {value}",
)
def test_an_assertion_holds_or_not_and_tells_what_it_saw(
    seen: CheckObservations, subject: Subject, comparison: Comparison, value: str, about: str, held: bool, shown: str
) -> None:
    verdict = evaluate_assertions(that(subject, comparison, value, property=about), seen, NOW)
    assert (verdict.held[0].held, verdict.held[0].seen) == (held, shown)
    assert verdict.outcome == ("pass" if held else "fail")
    assert bool(verdict.error) is not held


@pytest.mark.parametrize(
    ("status", "levels", "outcome"),
    [
        (499, (), "pass"),
        (500, (), "fail"),
        (500, ("fail",), "fail"),
        (404, ("fail",), "fail"),
        (404, ("warn",), "warn"),
        (500, ("warn",), "fail"),
        (200, ("warn", "fail"), "pass"),
        (404, ("warn", "fail"), "fail"),
    ],
)
def test_a_status_below_500_passes_unless_people_say_otherwise(
    status: int, levels: tuple[Level, ...], outcome: str
) -> None:
    assertions = tuple(that("status", "in", "200-299", level=level)[0] for level in levels)
    assert (
        evaluate_assertions(assertions, CheckObservations(status=status, status_name=str(status)), NOW).outcome
        == outcome
    )


def test_people_can_say_that_500_is_right() -> None:
    assert evaluate_assertions(that("status", "equals", "503"), CheckObservations(status=503), NOW).outcome == "pass"


@each(
    ("subject", "comparison", "value", "about", "error"),
    [
        ("status", "in", "300-399", "", "Status is 204, expected 300-399"),
        ("response_time", "less_than", "5", "", "Response time is 120 ms, expected less than 5 ms"),
        ("json", "equals", "down", "/status", "Value /status is ok, expected “down”"),
        ("header", "exists", "", "X-None", "Header X-None is missing"),
        ("body", "contains", "welcome\n" * 30, "", "Body does not contain “" + "welcome " * 10 + "…”"),
    ],
)
def test_failed_assertion_names_value_and_expectation_in_one_line(
    subject: Subject, comparison: Comparison, value: str, about: str, error: str
) -> None:
    found = evaluate_assertions(that(subject, comparison, value, property=about), WEB, NOW).error
    assert found == error


def test_observed_value_is_shortened_to_one_line() -> None:
    shown = (
        evaluate_assertions(that("body", "exists"), CheckObservations(body=b"a\nb" + b"c" * 1_000), NOW).held[0].seen
    )
    assert shown.startswith("a bccc")
    assert (len(shown), shown[-1]) == (201, "…")


@each(
    ("kind", "body", "text"),
    [
        ("text/html; charset=ISO-8859-1", "ä".encode("latin-1"), "ä"),
        ('text/html; charset="utf-16"', "ä".encode("utf-16"), "ä"),
        ("text/html; charset=punycode", b"a-b", "a-b"),
        ("text/html; charset=utf-8-sig", b"\xef\xbb\xbfa", "a"),
        ("text/html; charset=koi8-zz", "ä".encode(), "ä"),
        ("", b"\xff", "\ufffd"),
    ],
)
def test_a_body_is_read_in_the_encoding_that_it_names(kind: str, body: bytes, text: str) -> None:
    assert CheckObservations(body=body, headers=(("content-type", kind),)).text() == text


DOCUMENT = {
    "Status": "pass",
    "checks": {"db": {"latency_ms": 3, "host": "x"}, "deep": {"deeper": {"status": "no"}}},
    "list": [1],
    "secret": "s",
}


@each(
    ("wanted", "kept"),
    [
        (JsonParsing(enabled=True), '{"Status":"pass","checks.db.latency_ms":3}'),
        (
            JsonParsing(enabled=True, mode="manual", fields=("checks.db.host", "/list/0", "none")),
            '{"checks.db.host":"x","/list/0":1}',
        ),
        (JsonParsing(enabled=True, mode="manual", fields=("list",)), '{"list":"[1]"}'),
        (JsonParsing(enabled=True, mode="manual", fields=("none",)), None),
    ],
)
def test_values_of_a_json_answer_are_kept(wanted: JsonParsing, kept: str | None) -> None:
    assert json_values.extract_values(DOCUMENT, wanted) == kept


def test_stored_values_are_small() -> None:
    document = {f"a{number}": {"status": "x" * 1_000} for number in range(1_000)}
    assert len(json_values.extract_values(document, JsonParsing(enabled=True)) or "") <= 4_100


def test_json_path_is_evaluated_once_and_long_lists_partially(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    as_text, made = json_values.as_text, []

    def counted(value: object) -> str:
        made.append(value)
        return as_text(value)

    monkeypatch.setattr(json_values, "as_text", counted)
    numbers = ",".join(map(str, range(5_000)))
    seen = CheckObservations(status=200, body=f'{{"list": [{numbers}], "long": "{"x" * 200_000}end"}}'.encode())
    asked = that("json", "contains", "999", property="/list") * 10 + that(
        "json", "not_contains", "1000", property="/list"
    )
    assert evaluate_assertions(asked, seen, NOW).outcome == "pass"
    assert len(made) == 1_001
    assert evaluate_assertions(that("json", "contains", "x", property="/long"), seen, NOW).outcome == "pass"
    assert evaluate_assertions(that("json", "contains", "end", property="/long"), seen, NOW).outcome == "fail"
