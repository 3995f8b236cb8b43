"""POST /v1/query/compile where a column replica answers: its own SQL, and second looks in its own words."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.query.run import QueryRunner
from tests.contract.conftest import unlimited
from tests.inprocess import whole_box


def with_columns(settings: Settings) -> Settings:
    return replace(unlimited(settings), columnar="on")


@pytest.mark.parametrize("name", ["session_list", "profile_list"])
def test_a_second_look_names_its_open_parameters(tmp_path: Path, name: str) -> None:
    with whole_box(tmp_path / "data", adjust=with_columns) as box:
        body = {"parameters": [name], "preset": "today"}
        box.run(box.box.parts[QueryRunner].engines.maintain())  # makes the replica
        answer = box.post(f"/v1/query/compile?website_id={box.sites['shop']}", body, key="all").json
    assert answer["engine"] == "duckdb"
    (entry,) = answer["data"]
    first, second = entry["statements"]
    assert "open" not in first
    assert second["follows"] == 1
    assert second["open"]
    for parameter in second["open"]:
        assert second["params"][parameter] is None
        assert f"${parameter}" in second["sql"]
        assert f"${parameter}" in second["note"]
        assert f"$q2_{parameter}" in entry["sql"]
        assert entry["params"][f"q2_{parameter}"] is None
