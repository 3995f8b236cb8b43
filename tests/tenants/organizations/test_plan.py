"""The plan `free` has no error tracking: the named types are refused with 402 on websites of such an organization."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.query.catalog.registry import TYPES
from tests.inprocess import WholeBox, whole_box
from tests.tenants.organizations.world import World

GATED = {name for name, query_type in TYPES.items() if query_type.gated}


def ask(box: WholeBox, *types: str, site: str = "shop", key: str = "all") -> tuple[int, str | None]:
    answer = box.query(site, {"parameters": types, "preset": "last_7d"}, key=key)  # type: ignore[arg-type]  # names
    return answer.status, answer.json.get("code")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """Ada's organization is on free; Eve's on hobby."""
    with whole_box(tmp_path_factory.mktemp("plan") / "data") as inside:
        assert World(inside).call("ada", "organizations.update", plan="free").json["plan"] == "free"
        yield inside


@pytest.mark.parametrize("name", sorted(GATED))
def test_error_types_are_not_part_of_free(box: WholeBox, name: str) -> None:
    assert ask(box, name) == (402, "FEATURE_UNAVAILABLE")
    assert ask(box, "summary_totals", name) == (402, "FEATURE_UNAVAILABLE")


def test_the_refusal_has_the_text_of_the_wire(box: WholeBox) -> None:  # wire 3.4
    answer = box.query("shop", {"parameters": ["recent_errors"], "preset": "today"})
    assert answer.json["error"] == "This feature is not available on the plan"


def test_refusal_names_the_feature_and_the_plan_that_has_it(box: WholeBox) -> None:  # wire 10.6
    answer = box.query("shop", {"parameters": ["recent_errors"], "preset": "today"})
    assert answer.json["data"] == {"feature": "error_tracking", "requiredPlan": "hobby"}


def test_the_eight_names_are_those_of_the_specification() -> None:
    assert len(GATED) == 8


def test_everything_else_is(box: WholeBox) -> None:
    assert ask(box, "summary_totals") == (200, None)
    assert ask(box, "error_fingerprints")[0] != 402  # not gated (wire 1.7)


def test_hobby_gates_nothing(box: WholeBox) -> None:
    assert ask(box, "recent_errors", site="foreign", key="foreign")[0] != 402


def test_plan_is_hidden_from_callers_that_cannot_read_the_website(box: WholeBox) -> None:
    assert ask(box, "recent_errors", key="foreign")[0] == 403
    assert ask(box, "recent_errors", key="linking")[0] == 403


def test_an_organization_as_target_is_not_gated(box: WholeBox) -> None:
    given = {"parameters": ["summary_totals", "recent_errors"], "preset": "last_7d"}
    answer = box.post(f"/v1/query?organization_id={box.organization_id}", given, key="all")
    assert answer.status == 200  # wire 3.4: website target only


def test_the_plan_acts_at_once_and_is_for_the_administrator(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as inside:
        people = World(inside)
        people.add("eve", "owner")
        assert ask(inside, "recent_errors")[0] != 402
        assert people.call("eve", "organizations.update", plan="free").status == 403
        assert people.call("ada", "organizations.update", plan="free").status == 200
        assert ask(inside, "recent_errors")[0] == 402
        assert people.call("ada", "organizations.update", plan="hobby").status == 200
        assert ask(inside, "recent_errors")[0] != 402
        assert people.call("ada", "organizations.update", plan="gold").status == 400
