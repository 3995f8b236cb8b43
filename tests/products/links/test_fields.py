"""The fields of a link are one list: the table, what input may say, answers, the form and exports have them all."""

from analytics_box.products.links.bulk.exports import COLUMNS, UTM
from analytics_box.products.links.editing.draft import LinkDraft
from analytics_box.products.links.editing.shown import LinkShown
from analytics_box.products.links.form.fields import PLAIN
from analytics_box.products.links.link import Fields, LinkFields, ShortLink
from tests.products.links.world import World

OF_THE_BOX = {"id", "organization_id", "created_by", "created_at", "updated_at"}  # nobody may give them
NOT_IN_THE_FORM = {"rules", "variants", "target_domain"}  # the first two have rows of fields of their own


def wire_names(struct: type[Fields] | type[LinkFields]) -> dict[str, str]:
    return dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))


def test_the_table_has_a_column_for_each_field(world: World) -> None:
    found = world.box.box.box_db.read_now(
        lambda db: db.execute("select name from pragma_table_info('links')").fetchall()
    )
    assert {str(name) for (name,) in found} == {*ShortLink.__struct_fields__} - {"tags"}


def test_input_may_say_every_field_but_those_of_the_box() -> None:
    assert {*LinkDraft.__struct_fields__} == {*ShortLink.__struct_fields__} - OF_THE_BOX - {"number"}


def test_a_field_has_the_same_name_in_messages_and_in_answers() -> None:
    given, shown = wire_names(LinkFields), wire_names(LinkShown)
    assert {name: shown[name] for name in given} == given


def test_every_field_is_exported() -> None:
    told_otherwise = {"folderId": {"folder"}, "utm": {*UTM}}
    for name, wire in wire_names(Fields).items():
        if name not in OF_THE_BOX:
            assert told_otherwise.get(wire, {wire}) <= {*COLUMNS}, wire


def test_the_form_takes_every_field() -> None:
    for name, wire in wire_names(LinkFields).items():
        if name not in NOT_IN_THE_FORM:
            assert wire in PLAIN or any(field.startswith(f"{wire}.") for field in PLAIN), wire
