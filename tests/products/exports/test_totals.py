"""Imported totals move with an export, as an import on the other server that can be undone."""

from pathlib import Path

from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import whole_box
from tests.products.exports.test_commands import PREFIX, export, load
from tests.products.imports.test_totals import plausible
from tests.products.imports.world import ask, call, imported, status, undo, uploaded

TYPES = ("summary_totals", "top_pages", "browser_name", "country", "top_referrers")


def test_imported_totals_give_the_same_answers_on_another_server(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        imported(box, plausible())
        manifest = export(box, tmp_path / "export")
        file = f"{PREFIX}shop.example-totals.ndjson"
        assert manifest["totals"] == [{"website": "shop.example", "file": file}]
        with whole_box(tmp_path / "other", adjust=unlimited) as other:
            empty = [entry["data"] for entry in ask(other, *TYPES)]
            for _again in range(2):
                loaded = load(other, tmp_path / "export")
                assert loaded.exit_code == 0, loaded.stderr
                assert ask(other, *TYPES) == ask(box, *TYPES)
            assert load(other, tmp_path / "export").stdout == "Loaded rows: 0\n"
            rows = call(other, "list", {"websiteId": other.sites["shop"]})
            [done] = [one for one in rows if one["state"] == "done"]
            assert (done["provider"], done["fileName"]) == ("analytics_box", file)
            undo(other, done["id"])
            assert [entry["data"] for entry in ask(other, *TYPES)] == empty


ROW = (
    '{"roll":"total","day":"2025-01-10","value":"","second":"","visitors":3,"visits":4,"pageviews":9,"bounces":1,'
    '"seconds":60,"events":9}'
)
WRONG = (
    ('"visitors":3', '"visitors":-3', "row"),
    ('"visitors":3', '"visitors":"3"', "row"),
    ('"roll":"total"', '"roll":"total; drop table imported_days"', "row"),
    ('"2025-01-10"', '"yesterday"', "time"),
)


@each(("before", "after", "reason"), WRONG)
def test_wrong_rows_of_totals_are_left_out(tmp_path: Path, before: str, after: str, reason: str) -> None:
    with whole_box(tmp_path / reason / after.strip('"')[:9], adjust=unlimited) as box:
        content = f"{ROW}\n{ROW.replace(before, after)}\n".encode()
        checked = status(box, uploaded(box, content, "totals.ndjson"))
        assert (checked["provider"], checked["rows"]) == ("analytics_box", 1)
        assert [one["reason"] for one in checked["refused"]] == [reason]
