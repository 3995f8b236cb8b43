"""How large answers may be: for keys, and less for callers without a credential (wire 0, size of a request)."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
import pytest

from analytics_box.base.settings import Settings
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, SiteName, WholeBox, whole_box
from tests.query.facts_of_all_kinds import page_view

LONG, PATHS = 2_000, 300
BODY: dict[str, Any] = {"preset": "today"}
BYTES, ROWS, BYTES_ANONYMOUS, ROWS_ANONYMOUS = 400_000, 3_000, 150_000, 1_000


def bounded(settings: Settings) -> Settings:
    return msgspec.structs.replace(
        unlimited(settings),
        answer_bytes=BYTES,
        answer_rows=ROWS,
        answer_bytes_anonymous=BYTES_ANONYMOUS,
        answer_rows_anonymous=ROWS_ANONYMOUS,
    )


@pytest.fixture(scope="module", params=["off", "on"])
def box(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[WholeBox]:
    def adjust(settings: Settings) -> Settings:
        return msgspec.structs.replace(bounded(settings), columnar=request.param)

    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=adjust) as made:
        now = made.clock.now()
        for site in ("shop", "blog"):
            views = [
                page_view(made.numbers[site], now - 1_000 - n, f"/{n}/".ljust(LONG, "x"), 100 + n) for n in range(PATHS)
            ]
            ledger = Ledger(Strings(), LiveSessions())
            made.box.events.db.write_now(partial(ledger.append, facts=views))
        made.run(made.box.events.engines.maintain())
        assert made.box.events.engines.name == ("duckdb" if request.param == "on" else "sqlite")
        yield made


def ask(box: WholeBox, body: object, *, key: bool = True, site: SiteName = "blog", **headers: str) -> Answer:
    target = f"/v1/query?website_id={box.sites[site]}"
    return box.post(target, body, key="reading" if key else None, **headers)


def refused(answer: Answer) -> list[str]:
    """The parameters that failed for being too much."""
    assert answer.status == 200
    results = answer.json.get("results", [answer.json])
    failed = [entry for result in results for entry in result["data"] if not entry["success"]]
    for entry in failed:
        assert (entry["code"], entry["data"]) == ("LIMIT_EXCEEDED", [])
        assert entry["error"]
    assert all("code" not in entry for result in results for entry in result["data"] if entry["success"])
    return [entry["parameter"] for entry in failed]


@pytest.mark.parametrize(("key", "rows", "size"), [(True, 95, BYTES), (False, 35, BYTES_ANONYMOUS)])
def test_an_answer_over_the_bytes_of_a_request_fails_alone(box: WholeBox, key: bool, rows: int, size: int) -> None:
    good = ask(box, BODY | {"parameters": ["entry_pages", "summary_totals"], "limit": rows}, key=key)
    assert refused(good) == []
    assert len(good.body) < size
    bad = ask(box, BODY | {"parameters": ["entry_pages", "summary_totals"], "limit": rows + 40}, key=key)
    assert refused(bad) == ["entry_pages"]
    assert "smaller limit" in bad.json["data"][1]["error"]
    assert len(bad.body) < 3_000


def test_the_bytes_are_those_of_a_whole_batch(box: WholeBox) -> None:
    queries = [BODY | {"id": str(at), "parameters": ["entry_pages"], "limit": 30, "page": at + 1} for at in range(5)]
    assert refused(ask(box, queries)) == ["entry_pages", "entry_pages"]
    assert [result["data"][0]["success"] for result in ask(box, queries).json["results"]] == [True] * 3 + [False] * 2


def test_an_answer_that_is_sent_again_counts_again(box: WholeBox) -> None:
    same = [{"name": "entry_pages", "id": str(number)} for number in range(5)]
    answer = ask(box, BODY | {"parameters": same, "limit": 30})
    assert refused(answer) == ["3", "4"]
    first, *others = [entry["data"] for entry in answer.json["data"] if entry["success"]]
    assert len(first) == 30
    assert all(data == first for data in others)
    assert len(answer.body) < BYTES


@pytest.mark.parametrize(("key", "rows"), [(True, ROWS), (False, ROWS_ANONYMOUS)])
def test_the_rows_of_all_parameters_are_counted(box: WholeBox, key: bool, rows: int) -> None:
    lists = ["country", "region", "city", "summary_metrics"]
    assert refused(ask(box, BODY | {"parameters": lists[:2], "limit": rows // 2}, key=key)) == []
    assert refused(ask(box, BODY | {"parameters": lists, "limit": rows // 3}, key=key)) == ["summary_metrics"] * (
        rows // 3 * 3 == rows
    )
    answer = ask(box, BODY | {"parameters": lists, "limit": rows // 2 - 1}, key=key)
    assert refused(answer) == ["city"]
    assert f"{rows:,} rows" in answer.json["data"][-1]["error"]
    batch = [BODY | {"parameters": [name], "limit": rows // 2} for name in lists[:3]]
    assert refused(ask(box, batch, key=key)) == ["city"]


def test_a_limit_that_is_allowed_is_answered_to_keys_and_fails_alone_for_others(box: WholeBox) -> None:
    body = BODY | {"parameters": ["country", "summary_totals"], "limit": 2_999}
    assert refused(ask(box, body)) == []
    assert refused(ask(box, body, key=False)) == ["country"]


def test_callers_without_a_credential_have_fewer_parameters(box: WholeBox) -> None:
    names = [{"name": "summary_metrics", "id": str(number), "start_date": "2026-06-01"} for number in range(25)]
    body = BODY | {"parameters": names}
    assert refused(ask(box, body)) == []
    assert refused(ask(box, body, key=False)) == [str(number) for number in range(20, 25)]
    batch = [BODY | {"parameters": names[:15]}, BODY | {"parameters": names[15:]}]
    assert refused(ask(box, batch, key=False)) == [str(number) for number in range(20, 25)]


def test_csv_beyond_the_limit_is_refused_as_a_whole(box: WholeBox) -> None:
    body = BODY | {"parameters": ["entry_pages"]}
    assert ask(box, body | {"limit": 90}, accept="text/csv").status == 200
    answer = ask(box, body | {"limit": 300}, accept="text/csv")
    assert (answer.status, answer.json["code"]) == (400, "LIMIT_EXCEEDED")
    assert answer.json["error"].startswith("entry_pages: ")
    again = BODY | {"parameters": [{"name": "entry_pages", "id": str(number)} for number in range(20)], "limit": 30}
    answer = ask(box, again, accept="text/csv")
    assert (answer.status, answer.json["code"]) == (400, "LIMIT_EXCEEDED")


def test_explorer_reports_the_same_bound(box: WholeBox) -> None:
    page = f"/sites/{box.sites['shop']}/queries?type=entry_pages&range=today&limit=300"
    answer = box.get(page, cookie=box.cookie)
    assert "smaller limit" in answer.body.decode()
