"""No field is lost: each field of each resource's input is stored, answered, listed, changed, exported, imported, kept
and edited by the form of the console, and named in the audit log.

The fields are those of the Structs, so a new one is asked everywhere without a line here. `declared.py` says which
fields are missing somewhere on purpose.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pytest

from tests.inprocess import Answer
from tests.resources.declared import RESOURCES, SECRET, Column, Resource
from tests.resources.examples import fields_of, resembles
from tests.resources.world import World
from tests.rooms import Form, seen

UPDATED: Final = [one for one in RESOURCES if one.update]
EXPORTED: Final = [one for one in RESOURCES if one.export[0]]
EDITED: Final = [one for one in RESOURCES if one.page]


def lost(resource: Resource, column: Column, given: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """The given fields that an answer does not show as they were given, but for those left out on purpose."""
    return [
        f"{field}: {value!r} → {_shown(resource, field, answer)!r}"
        for field, value in given.items()
        if field not in resource.without.get(column, {}) and not _shows(resource, field, value, answer)
    ]


def none_of(found: list[str]) -> None:
    """Fail with all that was found."""
    assert not found, "; ".join(found)


def _shows(resource: Resource, field: str, value: Any, answer: Mapping[str, Any]) -> bool:
    shown = resource.shown.get(field, field)
    return resembles(shown[1] if isinstance(shown, tuple) else value, _shown(resource, field, answer))


def _shown(resource: Resource, field: str, answer: Mapping[str, Any]) -> Any:
    """What an answer has of a field of the input."""
    found: Any = answer
    for part in name_of(resource, field).split("."):
        if isinstance(found, list):
            found = found[int(part)] if len(found) > int(part) else "missing"
        else:
            found = found.get(part, "missing") if isinstance(found, Mapping) else "missing"
    return found


def name_of(resource: Resource, field: str) -> str:
    """The name of a field in answers."""
    shown = resource.shown.get(field, field)
    return shown[0] if isinstance(shown, tuple) else shown


def examples(world: World, resource: Resource, procedure: str, number: int) -> list[dict[str, Any]]:
    """Inputs that together have every field of a procedure: one with most of them, and one for each that is alone."""
    own = world.rooms.own
    least = world.given(resource, procedure, number, own, only_required=True)
    known = fields_of(procedure)
    alone = [{**least, **world.filled(given, own)} for field, given in resource.alone.items() if field in known]
    return [world.given(resource, procedure, number, own), *alone]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.name)
def test_every_field_of_the_input_has_an_example(world: World, resource: Resource) -> None:
    for procedure in filter(None, (resource.create, resource.update)):
        given = {name for one in examples(world, resource, procedure, 0) for name in one}
        given |= {name for one in examples(world, resource, procedure, 1) for name in one}
        addressed = {*resource.place, *resource.update_place, resource.key, "organizationId", "websiteId"}
        missing = sorted({*fields_of(procedure)} - given - addressed - {*resource.unset})
        none_of(missing)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.name)
def test_created_resource_is_answered_and_listed_with_every_field(world: World, resource: Resource) -> None:
    own = world.rooms.own
    for given in examples(world, resource, resource.create, 0):
        one = world.create(resource, own, given)
        none_of(lost(resource, "answer", given, world.answer(resource, own, one)))
        none_of(lost(resource, "list", given, world.listed(resource, own, one)))
        world.delete(resource, own, one)


@pytest.mark.parametrize("resource", UPDATED, ids=lambda one: one.name)
def test_update_changes_every_field_and_the_audit_log_names_it(world: World, resource: Resource) -> None:
    own = world.rooms.own
    for given in examples(world, resource, resource.update, 1):
        one = world.plain(resource, own)
        before = world.answer(resource, own, one)
        place = world.filled({**resource.update_place, resource.key: one}, own)
        world.rooms.good(resource.update, {**place, **given})
        answer = world.answer(resource, own, one)
        none_of(lost(resource, "update", given, answer))
        changed = {name for name in given if _shown(resource, name, answer) != _shown(resource, name, before)}
        none_of(unnamed(world, resource, one, changed))
        world.remove(resource, own, one)


def unnamed(world: World, resource: Resource, one: str, changed: Iterable[str]) -> list[str]:
    """The changed fields that the audit log does not name."""
    statement = "select detail from audit where subject_id = ? and action = 'updated'"
    details = [json.loads(str(detail)) for (detail,) in world.rooms.rows(statement, one)]
    named = {_plain(name) for detail in details for name in _names(detail)}
    lacking = []
    for name in sorted({*changed} - {*resource.without.get("audit", {})}):
        wanted = {_plain(resource.logged.get(name, name)), _plain(name_of(resource, name))}
        if not named & wanted:
            lacking.append(name)
    return [*lacking, f"named: {sorted(named)}"] if lacking else []


def _names(detail: Any) -> Iterable[str]:
    if isinstance(detail, Mapping):
        for name, value in detail.items():
            yield name
            yield from _names(value)
    elif isinstance(detail, list):
        for value in detail:
            yield from [value] if isinstance(value, str) else _names(value)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower()).removeprefix("is")


@pytest.mark.parametrize("resource", EXPORTED, ids=lambda one: one.name)
def test_exported_resource_is_imported_with_every_field(world: World, resource: Resource) -> None:
    own = world.rooms.own
    place = world.filled(resource.list_place, own)
    left_out = resource.without.get("export", {})
    for whole in examples(world, resource, resource.create, 0):
        given = {name: value for name, value in whole.items() if left_out.get(name) != SECRET}
        before = world.create(resource, own, given)
        content = world.rooms.good(resource.export[0], {**place, **resource.export_with})["content"]
        world.delete(resource, own, before)
        told = world.rooms.good(resource.export[1], {**place, **resource.import_with, "content": content})
        assert told["failed"] == 0, [row for row in told.get("rows", [told]) if row.get("error")]
        (one,) = [
            found for found in world.all(resource, own) if resembles(given[resource.known], found.get(resource.known))
        ]
        none_of(lost(resource, "export", given, world.answer(resource, own, one["id"])))
        world.delete(resource, own, one["id"])


@pytest.mark.parametrize("resource", EDITED, ids=lambda one: one.name)
def test_form_that_is_saved_unchanged_changes_nothing(world: World, resource: Resource) -> None:
    own = world.rooms.own
    for given in examples(world, resource, resource.create, 0):
        one = world.create(resource, own, given)
        before = world.answer(resource, own, one)
        form = form_of(world, resource, one)
        answer = world.rooms.send(form.action, form.fields)
        assert answer.status in {200, 303}, wrong_in(answer)
        after = world.answer(resource, own, one)
        different = [
            f"{name}: {_shown(resource, name, before)!r} → {_shown(resource, name, after)!r}"
            for name in given
            if _shown(resource, name, before) != _shown(resource, name, after)
        ]
        none_of(different)
        world.delete(resource, own, one)


@pytest.mark.parametrize("resource", EDITED, ids=lambda one: one.name)
def test_form_edits_every_field(world: World, resource: Resource) -> None:
    """What the form of another resource holds is sent to this one, which then has all that the other one had."""
    own = world.rooms.own
    for given in examples(world, resource, resource.create, 1):
        other = world.create(resource, own, given)
        filled, expected = form_of(world, resource, other), world.answer(resource, own, other)
        world.delete(resource, own, other)
        one = world.plain(resource, own)
        form = form_of(world, resource, one)
        typed = [pair for field, pairs in resource.typed.items() if field in given for pair in pairs.items()]
        version = [(name, value) for name, value in form.fields if name == "version"]
        fields = [(name, value) for name, value in filled.fields if name != "version"]
        answer = world.rooms.send(form.action, [*fields, *version, *typed])
        assert answer.status in {200, 303}, wrong_in(answer)
        without = resource.without.get("form", {})
        known = {name: _shown(resource, name, expected) for name in given if name not in without}
        none_of(lost(resource, "form", known, world.answer(resource, own, one)))
        world.delete(resource, own, one)


# Forms on the page of a list: its address, and that of the form.
IN_LISTS: Final = {
    "folder": ("/links/folders", "/links/folders/rename"),
    "segment": ("/sites/{website}/segments", "/sites/{website}/segments/{id}"),
}


@pytest.mark.parametrize(
    "resource",
    [one for one in RESOURCES if (one.page or one.name in IN_LISTS)],
    ids=lambda one: one.name,
)
def test_conflicting_edit_is_refused_once(world: World, resource: Resource) -> None:
    one = world.plain(resource, world.rooms.own)
    page, opened = edit_form_of(world, resource, one)
    field = next(name for name in ("name", "title", "text") if name in opened.names)
    fields = [(name, value) for name, value in opened.fields if name != field]
    assert world.rooms.send(opened.action, [*fields, (field, "First")]).status in {200, 303}
    refused = world.rooms.send(opened.action, [*fields, (field, "Second")])
    assert refused.status == 409
    body = refused.body.decode()
    assert "Someone else changed this while you were editing." in body
    again = edit_form_in(body, opened.action, one)
    assert (field, "Second") in again.fields
    assert world.rooms.send(again.action, again.fields).status in {200, 303}
    assert (field, "Second") in edit_form_in(world.rooms.page(page).body.decode(), opened.action, one).fields
    world.delete(resource, world.rooms.own, one)


def edit_form_of(world: World, resource: Resource, one: str) -> tuple[str, Form]:
    """The page that edits a resource, which may be a list, and its form there."""
    world.ids[world.rooms.own]["id"] = one
    page, action = (
        str(world.filled(path, world.rooms.own)) for path in IN_LISTS.get(resource.name, (resource.page, resource.page))
    )
    answer = world.rooms.page(page)
    assert answer.status == 200, page
    return page, edit_form_in(answer.body.decode(), action, one)


def edit_form_in(page: str, action: str, one: str) -> Form:
    """The form of a page that edits this resource."""
    forms = [form for form in seen(page, action).forms if form.action == action and "version" in form.names]
    return next(form for form in forms if one in action or ("id", one) in form.fields)


def wrong_in(answer: Answer) -> list[str]:
    """What a form that came back says is wrong."""
    found = re.findall(r'<p class="(?:field|form)-error.*?</p>', answer.body.decode(), re.S)
    return [re.sub(r"<[^>]+>", "", one) for one in found] or [
        re.sub(r"<[^>]+>|\s+", " ", answer.body.decode().partition("<main")[2])[:60]
    ]


def form_of(world: World, resource: Resource, one: str) -> Form:
    """The form of a resource's page that saves it."""
    world.ids[world.rooms.own]["id"] = one
    path = str(world.filled(resource.page, world.rooms.own))
    page = world.rooms.page(path)
    assert page.status == 200, path
    forms = [form for form in seen(page.body.decode(), path).forms if form.method == "POST" and form.action == path]
    assert forms, path
    return max(forms, key=lambda form: len(form.fields))
