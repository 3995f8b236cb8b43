"""The page of notes: what is typed is stored in the person's time zone, and what is wrong comes back with the form."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.web.page.questions import back_of
from tests.inprocess import BROWSER, Answer, FixedClock, WholeBox, whole_box

XSS = "<script>alert(1)</script> \"'&"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path, clock=FixedClock()) as whole:
        whole.box.box_db.write_now(lambda db: db.execute("update users set time_zone = 'Europe/Berlin'").fetchall())
        yield whole


def home(box: WholeBox) -> str:
    return f"/sites/{box.sites['shop']}/notes"


def send(box: WholeBox, path: str, **fields: str) -> Answer:
    headers = {
        "content_type": "application/x-www-form-urlencoded",
        "cookie": box.cookie,
        "origin": "http://localhost",
    }
    return box.ask("POST", path, headers=headers, body=urlencode(fields).encode())


def see(box: WholeBox, path: str) -> str:
    answer = box.get(path, cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    return answer.body.decode()


def stored(box: WholeBox) -> list[Any]:
    given = {"json": {"websiteId": box.sites["shop"]}}
    found: list[Any] = box.post("/rpc/annotations/list", given, key="all").json["json"]
    return found


def test_a_note_of_a_minute_is_stored_in_the_persons_zone_and_shown_in_it(box: WholeBox) -> None:
    answer = send(box, home(box), text="Version 2", xValue="2026-06-17", time="09:30", color="#16A34A")
    assert (answer.status, answer.headers["location"]) == (303, f"{home(box)}?done=added")
    (note,) = stored(box)
    assert (note["xValue"][:19], note["wholeDays"], note["color"]) == ("2026-06-17T07:30:00", False, "#16A34A")
    assert "17 Jun 2026, 09:30" in see(box, home(box))


def test_a_note_without_a_time_is_of_the_whole_day_and_can_last(box: WholeBox) -> None:
    send(box, home(box), text="Sale", xValue="2026-06-01", xEndValue="2026-06-03", color="#16A34A")
    (note,) = stored(box)
    assert (note["xValue"][:10], note["xEndValue"][:10], note["wholeDays"]) == ("2026-06-01", "2026-06-03", True)
    assert "1 Jun 2026 – 3 Jun 2026" in see(box, home(box))


def test_invalid_note_returns_the_form_with_its_input(box: WholeBox) -> None:
    answer = send(box, home(box), text="Sale & more", xValue="2026-06-03", xEndValue="2026-06-01", color="#16A34A")
    page = answer.body.decode()
    assert (answer.status, stored(box)) == (400, [])
    assert 'value="Sale &amp; more"' in page
    assert "Enter an end after the start" in page
    for fields in ({"text": " ", "xValue": "2026-06-03"}, {"text": "x", "time": "10:00"}, {"text": "x", "xValue": "3"}):
        assert send(box, home(box), color="#16A34A", **fields).status == 400
    assert stored(box) == []


def test_a_note_is_changed_and_deleted_on_its_page_and_leads_back(box: WholeBox) -> None:
    send(box, home(box), text=XSS, xValue="2026-06-17", time="09:30", color="#123456")
    (note,) = stored(box)
    path, overview = f"{home(box)}/{note['id']}", f"/sites/{box.sites['shop']}?range=today"
    page = see(box, f"{path}?{urlencode({'back': overview})}")
    assert "<script>alert" not in page + see(box, home(box))
    assert re.search(r'value="09:30"', page)
    assert "#123456" in page
    for unsafe in ("https://evil.example/", "javascript:alert(1)"):
        assert f'href="{unsafe}' not in see(box, f"{path}?{urlencode({'back': unsafe})}")
    typed = {"text": "Version 3", "xValue": "2026-06-18", "time": "", "color": "#123456", "back": overview}
    answer = send(box, path, **typed)
    assert (answer.status, answer.headers["location"]) == (303, overview)
    (changed,) = stored(box)
    assert (changed["text"], changed["xValue"][:10], changed["wholeDays"]) == ("Version 3", "2026-06-18", True)
    question = see(box, f"{path}/delete?{urlencode({'back': overview})}")
    assert "Delete the note Version 3?" in question
    assert question.count(f'"{overview}"') == 2  # where to go back to, with the note and without
    assert see(box, f"{path}/delete?back=//evil.example").count("evil") == 0
    gone = send(box, f"{path}/delete", back="https://evil.example/")
    assert (gone.headers["location"], stored(box)) == (f"{home(box)}?done=deleted", [])
    assert box.get(path, cookie=box.cookie, accept="text/html").status == 404


def test_viewers_read_and_do_not_write(box: WholeBox) -> None:
    send(box, home(box), text="Version 2", xValue="2026-06-17", color="#16A34A")
    (note,) = stored(box)
    box.box.box_db.write_now(lambda db: db.execute("update members set role = 'viewer'").fetchall())
    page = see(box, home(box))
    assert "Version 2" in page
    assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
    for path in (home(box), f"{home(box)}/{note['id']}", f"{home(box)}/{note['id']}/delete"):
        assert send(box, path, text="x", xValue="2026-06-17").status == 403


def test_the_overview_has_notes_on_its_chart_in_its_table_and_below(box: WholeBox) -> None:
    content = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "anonymous-1"}
    given = {"databuddy_client_id": box.sites["shop"], "user_agent": BROWSER}
    assert box.ask("POST", "/", headers=given, body=json.dumps(content).encode()).status == 200
    overview = f"/sites/{box.sites['shop']}"
    assert "chart-flag" not in see(box, f"{overview}?wait=all")
    for unsafe in ("https://evil.example/", f"{overview}x", "//evil.example", f"{overview}\\evil"):
        assert back_of(unsafe, overview) == ""
    assert back_of(f"{overview}#notes", overview) == f"{overview}#notes"
    back = f"{overview}?range=last_7d#notes"
    answer = send(box, home(box), text=XSS, xValue="2026-06-16", color="#16A34A", back=back, zone="Asia/Tokyo")
    assert answer.headers["location"] == back
    page = see(box, f"{overview}?range=last_7d&wait=all")
    assert "<script>alert" not in page
    assert page.count('class="chart-flag"') == 1
    assert re.search(r'<th scope="row">Tue 16 Jun</th><td class="number">[^<]*<small>&lt;script', page)
    (note,) = stored(box)
    assert f'id="note-{note["id"]}"' in page
    assert f'href="{home(box)}/{note["id"]}?back=' in page
    assert f"{home(box)}/{note['id']}/delete" in see(box, f"{home(box)}/{note['id']}")
    assert "chart-flag" not in see(box, f"{overview}?range=today&wait=all")


def test_a_way_back_never_ends_a_line_of_the_answers_head(box: WholeBox) -> None:
    back = f"/sites/{box.sites['shop']}?range=today\r\nset-cookie: a=b\t"
    answer = send(box, home(box), text="Version 2", xValue="2026-06-17", color="#16A34A", back=back)
    assert answer.status == 303
    assert not any(letter in answer.headers["location"] for letter in "\r\n\t")
