"""How pages look for one person, chosen on the profile page or over RPC."""

from tests.accounts.world import send
from tests.inprocess import WholeBox


def test_the_profile_is_kept_and_shown(box: WholeBox) -> None:
    cookie = box.cookie
    fields = {"timezone": "Europe/Berlin", "date_format": "YYYY-MM-DD", "time_format": "h:mm a", "theme": "dark"}
    assert send(box, "/settings/profile", cookie, **fields).status == 303
    assert b'data-theme="dark"' in box.get("/settings/profile", cookie=cookie).body
    assert b"2026-06-17, 2:00 pm" in box.get("/settings/security", cookie=cookie).body
    refused = send(box, "/settings/profile", cookie, theme="pink")
    assert refused.status == 400
    assert b"Choose one of the values on the page" in refused.body


def test_preferences_over_rpc(box: WholeBox) -> None:
    cookie, path = box.cookie, "/preferences/updateUserPreferences"
    start = box.post("/preferences/getUserPreferences", {}, cookie=cookie).json
    assert start == {"timezone": "auto", "dateFormat": "D MMM YYYY", "timeFormat": "HH:mm"}
    changed = box.post(path, {"timezone": "Asia/Kathmandu"}, cookie=cookie).json
    assert changed == {**start, "timezone": "Asia/Kathmandu"}
    assert box.post(path, {"timezone": "Nowhere/Land"}, cookie=cookie).status == 400
    assert box.post(path, {}, key="all").status == 403
