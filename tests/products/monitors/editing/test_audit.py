"""What the audit log says of monitors, for people who read its page."""

from tests.products.monitors.world import World


def test_the_page_of_the_audit_log_shows_what_became_of_a_monitor(world: World) -> None:
    one = world.made(name="Shop", headers={"A": "hush"}, options={"redirects": 3})
    world.good("updateSchedule", scheduleId=one, headers={"A": "hush hush"}, tags=["a"], options={"redirects": 4})
    world.good("export", secrets=True)
    world.good("deleteSchedule", scheduleId=one)
    actions = [action for action, _ in world.audited()]
    assert actions == ["created", "updated", "deleted"]
    (_, changed), *_ = [one for one in world.audited() if one[0] == "updated"]
    assert '"secrets": ["headers"]' in changed
    page = world.box.get("/settings/audit", cookie=world.box.cookie, accept="text/html")
    assert page.status == 200
    text = page.body.decode()
    assert "Shop" in text
    assert "monitor export with secrets" in text
    assert "hush" not in text
