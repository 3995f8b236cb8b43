"""Client ids that are rotated: trackers get a new one, and the old one has its time."""

from pathlib import Path

from analytics_box.app.box import open_box
from analytics_box.tenants.websites.directory import Directory
from tests.inprocess import WholeBox, whole_box
from tests.tenants.websites.world import call, events, row, run_job, view


def test_a_rotation_gives_trackers_a_new_id_and_the_old_one_time(box: WholeBox) -> None:
    shop = box.sites["shop"]
    rotated = call(box, "rotateTracking", {"id": shop}).json
    new = rotated["clientId"]
    assert rotated["id"] == shop != new
    assert rotated["oldClientIds"] == [{"id": shop, "endsAt": "2026-07-17T12:00:00.000Z", "lastSeenAt": None}]
    assert view(box, new).status == 200
    box.clock.advance(seconds=29 * 86_400 + 100)
    assert view(box, shop).status == 200
    assert events(box, "shop") == 2
    run_job(box, "note old client ids")
    assert row(box)["oldClientIds"][0]["lastSeenAt"] == "2026-07-16T12:00:00.000Z"  # to the hour
    box.clock.advance(seconds=86_400)
    late = view(box, shop)
    assert (late.status, late.json["reason"]) == (400, "INGEST_INVALID_CLIENT_ID")
    assert box.post(f"/track?website_id={shop}", {"name": "x"}).status == 404
    assert view(box, new).status == 200
    # Pages still send with it, so it is still shown; a week of silence later it is not.
    run_job(box, "note old client ids")
    assert row(box)["oldClientIds"][0]["id"] == shop
    box.clock.advance(seconds=8 * 86_400)
    assert row(box)["oldClientIds"] == []
    # For the API the website keeps its id.
    assert box.post("/track", {"name": "x", "websiteId": shop}, key="all").status == 200


def test_former_client_id_is_never_reused(box: WholeBox) -> None:
    shop = box.sites["shop"]
    ids = {shop} | {call(box, "rotateTracking", {"id": shop}).json["clientId"] for _ in range(5)}
    assert len(ids) == 6
    answer = call(box, "rotateTracking", {"id": shop})
    assert (answer.status, answer.json["code"]) == (409, "CONFLICT")
    assert all(view(box, each).status == 200 for each in ids)
    assert events(box, "shop") == 6


def test_rotations_outlive_a_restart(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        shop = box.sites["shop"]
        new = call(box, "rotateTracking", {"id": shop}).json["clientId"]
        box.box.close()
        again = open_box(box.box.settings, box.clock)
        tracked = again.parts[Directory].tracked(new, box.clock.now())
        old = again.parts[Directory].tracked(shop, box.clock.now())
        again.close()
    assert tracked is not None
    assert old is not None
    assert tracked.website == old.website
    assert tracked.website.client_id == new
