"""How pages look for one person, chosen on the profile page or over RPC."""

from tests.inprocess import WholeBox
from tests.tenants.accounts.world import send

FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}


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
    assert start == {"timezone": "auto", "dateFormat": "D MMM YYYY", "timeFormat": "HH:mm", "weekStart": "sunday"}
    changed = box.post(path, {"timezone": "Asia/Kathmandu"}, cookie=cookie).json
    assert changed == {**start, "timezone": "Asia/Kathmandu"}
    assert box.post(path, {"timezone": "Nowhere/Land"}, cookie=cookie).status == 400
    assert box.post(path, {}, key="all").status == 403


def test_the_switch_of_the_theme_keeps_the_page_and_the_theme(box: WholeBox) -> None:
    cookie = box.cookie
    page = f"http://box.example/sites/{box.sites['shop']}?range=today"
    headers = {"cookie": cookie, **FORM, "referer": page}
    answer = box.ask("POST", "/settings/theme", headers=headers, body=b"theme=dark")
    assert (answer.status, answer.headers["location"]) == (303, f"/sites/{box.sites['shop']}?range=today")
    assert answer.headers["set-cookie"].startswith("theme=dark; Path=/; Max-Age=31536000; SameSite=Lax")
    shown = box.get("/settings/security", cookie=cookie, accept="text/html").body
    assert b'data-theme="dark"' in shown
    assert b'value="dark" aria-pressed="true"' in shown
    elsewhere = {**headers, "referer": "https://evil.example//evil.example/"}
    answer = box.ask("POST", "/settings/theme", headers=elsewhere, body=b"theme=system")
    assert answer.headers["location"] == "/sites"
    assert b"data-theme=" not in box.get("/settings/security", cookie=cookie, accept="text/html").body
    assert box.ask("POST", "/settings/theme", headers=headers, body=b"theme=pink").status == 400
