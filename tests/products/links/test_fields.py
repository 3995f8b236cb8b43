"""The fields of a link are one declaration: the table, input, answers, the form and exports have them all."""

from analytics_box.products.links.bulk.exports import COLUMNS, UTM
from analytics_box.products.links.editing.calls import ChangedLink, LinkShown, NewLink, UpsertedLink
from analytics_box.products.links.form.fields import INPUTS
from analytics_box.products.links.link import ShortLink
from analytics_box.resource.fields import fields_of, given_fields

OF_THE_BOX = {"id", "organization_id", "created_by", "created_at", "updated_at", "number"}  # nobody may give them
IN_SEVERAL_INPUTS = {"rules", "variants"}
GIVEN = {one.name: one for one, _ in given_fields(ShortLink)}


def test_input_has_every_field_but_those_of_the_box() -> None:
    assert {*GIVEN} == {*ShortLink.__struct_fields__} - OF_THE_BOX
    for message in (NewLink, ChangedLink, UpsertedLink):
        assert {*GIVEN} <= {*message.__struct_fields__}, message
        wires = dict(zip(message.__struct_fields__, message.__struct_encode_fields__, strict=True))
        assert {name: wires[name] for name in GIVEN} == {name: one.wire_name for name, one in GIVEN.items()}, message


def test_answer_has_every_field_by_its_name_in_messages() -> None:
    shown = dict(zip(LinkShown.__struct_fields__, LinkShown.__struct_encode_fields__, strict=True))
    assert {name: shown.get(name) for name in GIVEN if name != "password"} == {
        name: one.wire_name for name, one in GIVEN.items() if name != "password"
    }


def test_every_field_is_exported_but_secrets() -> None:
    elsewhere = {"folderId": {"folder"}, "utm": {*UTM}}
    for one in fields_of(ShortLink):
        if one.name not in OF_THE_BOX and not (one.field is not None and one.field.secret):
            assert elsewhere.get(one.wire_name, {one.wire_name}) <= {*COLUMNS}, one.name


def test_form_reads_every_field() -> None:
    for name, one in GIVEN.items():
        if name not in IN_SEVERAL_INPUTS:
            assert one.wire_name in INPUTS or any(text.startswith(f"{one.wire_name}.") for text in INPUTS), name
