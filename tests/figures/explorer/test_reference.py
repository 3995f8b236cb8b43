"""The reference of query types: complete, true to the catalogue, and with examples that are real answers."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.figures.explorer.families import FAMILIES, Family, examples
from analytics_box.query.catalog.registry import TYPES
from tests.cases import each
from tests.figures.explorer.example_answers import TARGET, answers, written
from tests.inprocess import WholeBox, whole_box
from tests.query.world import world_in


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("reference") / "data") as inside:
        yield inside


def page(box: WholeBox, path: str) -> str:
    answer = box.get(path, accept="text/html")
    assert answer.status == 200
    return html.unescape(answer.body.decode())


def test_the_examples_are_what_the_box_answers(tmp_path: Path) -> None:
    with world_in(tmp_path) as world:
        made = written(answers(world))
    assert TARGET.read_text(encoding="utf-8") == made, "run: python -m tests.figures.explorer.example_answers"


@each("name", sorted(TYPES))
def test_every_type_has_an_example_with_rows(name: str) -> None:
    example = examples()[name]
    assert example.request["parameters"] == [name]
    assert example.answer["success"]
    assert set(example.answer["data"][0]) == {output.name for output in TYPES[name].outputs}


def test_the_first_page_leads_to_every_type(box: WholeBox) -> None:
    content = page(box, "/docs/query-types")
    for family in FAMILIES:
        for one in family.types:
            assert f'href="/docs/query-types/{family.slug}#{one.name}"' in content
    assert sum(len(family.types) for family in FAMILIES) == len(TYPES)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.slug)
def test_a_family_says_everything_about_its_types(box: WholeBox, family: Family) -> None:
    content = page(box, f"/docs/query-types/{family.slug}")
    for one in family.types:
        article = content.partition(f'id="{one.name}"')[2].partition("</article>")[0]
        assert one.description.rstrip(".") in article
        assert ", ".join(one.filters) in article
        for output in one.outputs:
            assert f"<code>{output.name}</code>" in article
            assert output.description in article
            assert not output.unit or f"{output.type} in {output.unit}" in article
            kind = article.partition(f"<code>{output.name}</code>")[2].partition("</span>")[0]
            assert kind.endswith(", sortable") == (output.name in one.sortable)
        assert f'"parameters": ["{one.name}"]' in article
        assert f'"parameter": "{one.name}"' in article
        assert ("Yes, for public websites" in article) == one.is_public(values=False)
        assert ("with public values" in article) == (one.public and one.values)
        parameter = {"monitor": "schedule_id"}.get(one.subject, f"{one.subject}_id")
        assert f"?{parameter}=YOUR-{one.subject.upper()}-ID" in article
        assert {"website": "a website", "link": "a short link", "monitor": "a monitor"}[one.subject] in article
        assert ("hour, day" in article) == bool(one.granularities)


def test_the_reference_is_linked_where_people_look_for_it(box: WholeBox) -> None:
    assert 'href="/docs/query-types"' in page(box, "/docs")
    assert "/docs/query-types" in box.get("/openapi.json").json["info"]["description"]


def test_a_family_that_is_not_there(box: WholeBox) -> None:
    assert box.get("/docs/query-types/nonsense", accept="text/html").status == 404


def test_the_manual_names_types_that_are_there() -> None:
    manual = (Path(__file__).parents[3] / "web" / "manual" / "queries.md").read_text(encoding="utf-8")
    table = manual.partition("| family | for example |")[2].partition("## The body")[0]
    named = re.findall(r"`(\w+)`", table)
    assert named
    assert [name for name in named if name not in TYPES] == []
