"""Words to begin incidents with, over RPC."""

from typing import Any

from tests.cases import each
from tests.inprocess import KeyName
from tests.products.status_pages.incidents.world import PAGE, World

NEW: dict[str, Any] = {"statusPageId": PAGE, "name": "Disk", "title": "A disk is full", "message": "We make room."}


def test_a_template_is_saved_changed_listed_and_deleted(world: World) -> None:
    made = world.good("saveTemplate", **NEW, severity="major")
    world.good("saveTemplate", **NEW | {"name": "Another", "title": "", "message": ""})
    changed = world.good("saveTemplate", **NEW | {"templateId": made["id"], "name": "Full  disk"})
    assert changed == made | {"name": "Full disk", "severity": "minor"}
    listed = world.good("listTemplates", statusPageId=PAGE)
    assert [one["name"] for one in listed] == ["Another", "Full disk"]
    world.good("deleteTemplate", templateId=made["id"])
    assert [one["name"] for one in world.good("listTemplates", statusPageId=PAGE)] == ["Another"]
    found = world.rows("select action from audit where subject = 'incident_template' order by rowid")
    assert [action for (action,) in found] == ["created", "created", "updated", "deleted"]


REFUSALS: tuple[tuple[str, dict[str, Any], KeyName, int], ...] = (
    ("saveTemplate", NEW | {"name": " "}, "all", 400),
    ("saveTemplate", NEW | {"message": "\x00"}, "all", 400),
    ("saveTemplate", NEW | {"templateId": "nothere1"}, "all", 404),
    ("saveTemplate", NEW, "reading", 403),
    ("saveTemplate", NEW, "foreign", 404),
    ("listTemplates", {"statusPageId": PAGE}, "foreign", 404),
    ("deleteTemplate", {"templateId": "nothere1"}, "all", 404),
)


@each(("name", "given", "key", "status"), REFUSALS)
def test_a_call_is_refused(world: World, name: Any, given: Any, key: Any, status: Any) -> None:
    assert world.call(name, key=key, **given).status == status


def test_another_organization_deletes_none_and_a_page_has_a_limit_of_them(world: World) -> None:
    made = [world.good("saveTemplate", **NEW | {"name": f"{number}"}) for number in range(100)]
    assert world.call("saveTemplate", **NEW).status == 409
    assert world.call("deleteTemplate", key="foreign", templateId=made[0]["id"]).status == 404
