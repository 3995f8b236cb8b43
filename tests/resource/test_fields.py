"""Fields declared by the types of a Struct: input, cleaning, answers, exports and differences derive from them."""

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.resource import fields, forms
from analytics_box.resource.fields import Field, Instant, Stamp, answer_with, input_of


def shout(given: str) -> str:
    if not given:
        raise BadRequest("Enter a text.")
    return given.upper()


def fitting(given: int, most: int) -> int:
    if given > most:
        raise BadRequest("This is too much.")
    return given


Text = Annotated[str, Meta(max_length=9), Field(clean=shout)]


class Boat(Struct, frozen=True, kw_only=True, rename="camel"):
    """A resource with a field of each kind."""

    id: str = "a"
    full_name: Text = "ADA"
    note: Text | None = None
    sails: Annotated[int, Meta(ge=1, le=5), Field(clean_in=fitting, name="sailCount")] = 1
    password: Annotated[str, Meta(min_length=4, max_length=8), Field(secret=True)] | None = None
    leaves_at: Instant | None = None
    port: Annotated[str | None, Field()] = None
    is_open: Annotated[bool, Field()] = False
    draft: Annotated[float, Field()] = 0
    crew: Annotated[tuple[str, ...], Field(audited=len)] = ()
    created_at: Stamp = 0


@input_of(Boat, needed=("full_name",))
class NewBoat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of boats.create."""

    harbor: str = ""


class BoatShown(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    full_name: str
    sail_count: int
    leaves_at: datetime | None
    created_at: datetime
    has_password: bool


@answer_with(Boat)
class WholeBoat(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    full_name: str | None
    password: bool


NOON, NOON_TEXT = 1_767_268_800_000, "2026-01-01T12:00:00Z"


def message(**given: Any) -> Any:
    return msgspec.convert({"fullName": "Ada", **given}, NewBoat)


def test_input_has_the_fields_that_callers_give_by_their_names_on_the_wire() -> None:
    assert {*NewBoat.__struct_encode_fields__} == {
        *("harbor", "fullName", "note", "sailCount", "password", "leavesAt", "port", "isOpen", "crew", "draft")
    }
    assert message().note is UNSET
    for refused in ({"fullName": "x" * 10}, {"id": "b"}, {"fullName": None}, {"createdAt": NOON_TEXT}):
        with pytest.raises(msgspec.ValidationError):
            message(**refused)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({}, NewBoat)


def test_given_values_are_cleaned_and_others_stay_out() -> None:
    found = fields.values_of(message(note=None, sailCount=3, leavesAt=NOON_TEXT), Boat, 3)
    assert found == {"full_name": "ADA", "note": None, "sails": 3, "leaves_at": NOON}


def test_refusal_names_every_wrong_field_by_its_name_on_the_wire() -> None:
    with pytest.raises(BadRequest) as refused:
        fields.values_of(message(fullName="", sailCount=3), Boat, 2)
    assert [detail.field for detail in refused.value.details] == ["fullName", "sailCount"]


def test_answer_has_the_fields_of_the_row_as_the_wire_shows_them() -> None:
    found = fields.answer_of(BoatShown, Boat(sails=2, leaves_at=NOON), has_password=True)
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert (found.sail_count, found.leaves_at, found.created_at.year, found.has_password) == (2, noon, 1970, True)


def test_answer_gets_every_field_that_it_does_not_have_itself() -> None:
    found = msgspec.to_builtins(fields.answer_of(WholeBoat, Boat(leaves_at=NOON, draft=1.5), password=False))
    assert {*found} == {"id", *NewBoat.__struct_encode_fields__} - {"harbor"}
    assert (found["leavesAt"], found["draft"], found["password"]) == (NOON_TEXT, 1.5, False)


def test_record_of_an_export_has_every_field_but_secrets() -> None:
    found = fields.record_of(Boat(password="hush", crew=("ada",)))
    assert {*found} == {
        "id",
        "fullName",
        "note",
        "sailCount",
        "leavesAt",
        "port",
        "isOpen",
        "crew",
        "createdAt",
        "draft",
    }
    assert found["crew"] == ("ada",)


def test_difference_hides_secrets_and_counts_what_the_declaration_says() -> None:
    before = Boat(password="hush", crew=("ada",))
    found = fields.difference(before, replace(before, password="other", crew=("ada", "bob"), sails=2, created_at=9))
    assert found == {
        "password": {"before": True, "after": True},
        "crew": {"before": 1, "after": 2},
        "sailCount": {"before": 1, "after": 2},
    }


def test_form_of_a_row_that_is_read_again_gives_the_same_values() -> None:
    boat = Boat(
        full_name="Ada", note="wet", sails=2, draft=33.34, leaves_at=NOON + 1, is_open=True, crew=("ada", "bob")
    )
    wrong: dict[str, str] = {}
    form = forms.fill(boat, "Europe/Berlin")
    assert (form["leavesAt"], form["password"]) == ("2026-01-01T13:00", "")
    found = forms.read(form, Boat, "Europe/Berlin", boat, wrong)
    assert (wrong, "password" in found) == ({}, False)
    assert fields.values_of(msgspec.convert(found, NewBoat), Boat, 9) == {
        "full_name": "ADA",
        "note": "WET",
        "sails": 2,
        "leaves_at": NOON + 1,
        "port": None,
        "is_open": True,
        "draft": 33.34,
        "crew": ("ada", "bob"),
    }


def test_empty_inputs_empty_a_field_and_missing_inputs_leave_it() -> None:
    found = forms.read({"note": "  ", "port": "", "leavesAt": "", "removePassword": "on"}, Boat, "UTC", Boat(), {})
    assert found == {"note": None, "port": None, "leavesAt": None, "password": None}


@pytest.mark.parametrize("typed", ["12.5", " 12,5 %"])
def test_decimal_is_typed_with_a_point_or_a_comma(typed: str) -> None:
    assert forms.read({"draft": typed}, Boat, "UTC", None, {}) == {"draft": 12.5}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("sailCount", "6"),
        ("sailCount", "x"),
        ("draft", "deep"),
        ("draft", "true"),
        ("leavesAt", "soon"),
        ("leavesAt", "9999-01-01T00:00"),
        ("password", "x"),
    ],
)
def test_wrong_input_has_a_message_next_to_it(name: str, typed: str) -> None:
    wrong: dict[str, str] = {}
    forms.read({name: typed}, Boat, "UTC", None, wrong)
    assert {*wrong} == {name}
