"""Imports of every kind share one vocabulary; earlier words are still accepted."""

from typing import Any, get_args

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.base.file_queue import EXISTING
from tests.resources.declared import BY_NAME
from tests.resources.examples import fields_of
from tests.resources.world import World

IMPORTS = [line.name for line in PROCEDURES if line.name.endswith(".import")]
# `format` is how the text is written, `source` the program that wrote it.
WORDS = {"content", "format", "source", "existing", "dryRun", "domain", "environment", "sourceEnvironment"}
PLACES = {"organizationId", "websiteId"}
STATUSES = {"created", "updated", "unchanged", "existing", "failed"}


@pytest.mark.parametrize("name", IMPORTS)
def test_import_takes_and_answers_the_words_of_all_imports(world: World, name: str) -> None:
    fields = fields_of(name)
    assert {*fields} - PLACES <= WORDS
    described = world.rooms.box.get("/openapi.json").json
    path = "/" + name.replace(".", "/")
    schema = _schema(
        described, described["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    )
    if "existing" in fields:
        assert schema["properties"]["existing"]["enum"] == [*EXISTING]
    if "source" in fields and "format" in fields:
        assert schema["properties"]["format"]["deprecated"] is True
    answer = described["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    counts = {*_schema(described, answer)["properties"]} & (STATUSES | {"replaced", "skipped", "changed"})
    assert counts <= STATUSES
    assert counts >= STATUSES - {"existing"}


def _schema(described: Any, found: Any) -> Any:
    while "$ref" in found:
        found = described["components"]["schemas"][found["$ref"].rpartition("/")[2]]
    return found


@pytest.mark.parametrize(
    ("kind", "word"), [(kind, word) for kind in ("monitor", "flag") for word in ("update", "replace")]
)
def test_existing_resources_are_updated_by_either_word(world: World, kind: str, word: str) -> None:
    resource, own = BY_NAME[kind], world.rooms.own
    one = world.plain(resource, own)
    place = world.filled(resource.list_place, own)
    export = world.rooms.good(resource.export[0], {**place, **({"format": "json"} if kind == "monitor" else {})})
    changed = {"failuresToDown": 4} if kind == "monitor" else {"description": "changed"}
    world.rooms.good(resource.update, world.filled({**resource.update_place, resource.key: one, **changed}, own))
    given = {**place, "content": export["content"]}
    told = world.rooms.good(resource.export[1], given)
    assert told["existing"] == told["total"]
    assert world.rooms.good(resource.export[1], {**given, "existing": word})["updated"] == 1
    (field,) = changed
    assert world.answer(resource, own, one)[field] in {2, None, ""}


def test_source_of_a_flag_file_has_an_earlier_name(world: World) -> None:
    place, content = (
        {"websiteId": world.rooms.websites[world.rooms.own]},
        '{"format": "analytics-box-flags", "flags": []}',
    )
    for given in ({"source": "analytics-box"}, {"format": "analytics-box"}, {}):
        found = world.rooms.good("flags.import", {**place, "content": content, "dryRun": True, **given})
        assert (found["source"], found["format"]) == ("analytics-box", "analytics-box")
    both = {**place, "content": content, "source": "analytics-box", "format": "unleash"}
    refused = world.rooms.call("flags.import", both)
    assert refused.status == 400
    assert refused.json["details"][0]["field"] == "source"
    assert get_args(fields_of("links.import")["format"].type) == ("csv", "json")
