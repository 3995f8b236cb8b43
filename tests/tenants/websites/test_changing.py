"""Changing websites over RPC: what is written down, and what is not a change."""

from typing import Any

import pytest

from tests.inprocess import WholeBox
from tests.tenants.websites.world import audit, call


def test_a_change_is_in_the_audit_log_with_what_was_before_and_after(box: WholeBox) -> None:
    shop = box.sites["shop"]
    call(box, "update", {"id": shop, "name": "Store"})
    call(box, "updateSettings", {"id": shop, "settings": {"allowedIps": ["203.0.113.9/32"], "dataRetentionDays": 30}})
    call(box, "togglePublic", {"id": shop, "isPublic": False})  # it is not public: nothing changes, nothing is said
    details = [(action, detail) for _, actor, action, detail in audit(box) if actor.startswith("apikey:")]
    assert details == [
        ("updated", {"name": {"before": "Shop", "after": "Store"}}),
        (
            "updated",
            {
                "allowedIps": {"before": [], "after": ["203.0.113.9"]},
                "dataRetentionDays": {"before": None, "after": 30},
            },
        ),
    ]


def test_values_are_public_only_where_the_figures_are(box: WholeBox) -> None:
    shop = box.sites["shop"]

    def toggle(**given: bool) -> tuple[bool, bool]:
        answer = call(box, "togglePublic", {"id": shop, **given})
        assert answer.status == 200, answer.json
        return answer.json["isPublic"], answer.json["publicValues"]

    assert toggle(isPublic=True) == (True, False)
    assert toggle(isPublic=True, publicValues=True) == (True, True)
    assert toggle(isPublic=True) == (True, True)  # what is not said stays
    assert toggle(isPublic=False) == (False, False)
    assert toggle(isPublic=True) == (True, False)  # and has to be said anew
    changes = [detail for _, actor, _, detail in audit(box) if actor.startswith("apikey:")]
    assert changes[1] == {"publicValues": {"before": False, "after": True}}
    assert changes[2] == {
        "isPublic": {"before": True, "after": False},
        "publicValues": {"before": True, "after": False},
    }
    refused = call(box, "togglePublic", {"id": shop, "isPublic": False, "publicValues": True})
    assert (refused.status, refused.json["details"][0]["field"]) == (400, "publicValues")
    assert call(box, "getById", {"id": shop}).json["isPublic"] is True


def test_public_website_stays_public_after_a_restart(box: WholeBox) -> None:
    call(box, "togglePublic", {"id": box.sites["shop"], "isPublic": True, "publicValues": True})
    box.reopen()
    assert call(box, "getById", {"id": box.sites["shop"]}).json["publicValues"] is True
    assert call(box, "getById", {"id": box.sites["blog"]}).json["publicValues"] is False


def test_a_restricted_key_makes_no_websites(box: WholeBox) -> None:
    given = {"name": "New", "domain": "new.example"}
    assert call(box, "create", given, key="restricted").status == 403
    assert call(box, "create", given | {"organizationId": box.foreign_organization_id}).status == 403
    assert call(box, "create", given).json["domain"] == "new.example"
    assert call(box, "create", given).status == 409


CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("update", {"name": "Other"}),
    ("togglePublic", {"isPublic": True}),
    ("updateSettings", {"settings": {"visitorIdMode": "cookieless"}}),
    ("rotateTracking", {}),
    ("delete", {}),
)


@pytest.mark.parametrize(("name", "given"), CHANGES, ids=[name for name, _ in CHANGES])
def test_a_change_is_written_down_once_and_takes_no_unknown_field(
    box: WholeBox, name: str, given: dict[str, Any]
) -> None:
    wanted = {"id": box.sites["shop"], **given}
    before = len(audit(box))
    assert call(box, name, wanted | {"surprise": 1}).status == 400
    assert len(audit(box)) == before
    assert call(box, name, wanted).status == 200
    assert len(audit(box)) == before + 1
