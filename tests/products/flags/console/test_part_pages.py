"""The parts of a flag's page beside what it does, in a browser without scripts: the tester first."""

import html
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

from analytics_box.tenants.websites.directory import Directory
from tests.cases import each
from tests.inprocess import Answer
from tests.products.flags.console.world import Console, form_with
from tests.products.flags.world import World
from tests.rooms import seen
from tests.tenants.keys.world import cookie_of

FLAGD = Path(__file__).parents[1] / "moving" / "flagd.json"
ROLLOUT = {
    "type": "rollout",
    "rolloutPercentage": 40,
    "rules": [
        {"type": "user_id", "operator": "in", "values": ["anna", "ben"], "name": "us"},
        {
            "type": "conditions",
            "enabled": False,
            "conditions": {
                "all": [{"attribute": "plan", "value": "pro"}, {"none": [{"attribute": "email", "operator": "exists"}]}]
            },
        },
    ],
}


def words_of(page: str) -> str:
    """What people read of a page, in one line."""
    text = re.sub(r"<(script|style|template)\b.*?</\1>", "", page, flags=re.DOTALL)
    text = re.sub(r"</?(?:p|li|ul|ol|div|dt|dd|dl|h\d|section|form|button|a|label)\b[^>]*>", " ", text)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


@pytest.fixture(scope="module")
def console(shared: World) -> Console:
    return Console(shared)


@pytest.fixture(scope="module")
def rollout(console: Console) -> str:
    """The path of a flag with rules and a share of users."""
    return f"/flags/{console.world.put('tested', ROLLOUT).id}"


@each(
    ("asked", "expected"),
    [
        (
            {"userId": "anna"},
            ("anna gets → on", "because rule 1 (us) matches", "User ID is one of anna, ben · actual value: anna"),
        ),
        (
            {"userId": "carl", "properties": '{"plan": "pro"}'},
            ("carl gets → off", "because rule 2 matches", "All of these", "plan is pro · actual value: pro", "not set"),
        ),
        (
            {"email": "x@y.example"},
            ("x@y.example gets →", " rollout", "x@y.example is in", "range 0 to 40"),
        ),
        ({}, ("Unknown user gets →", "Anonymous is in")),
        ({"userId": "anna", "environment": "elsewhere"}, ("anna gets no answer", "No active flag")),
    ],
)
def test_tester_shows_the_value_of_a_user_and_why(
    console: Console, rollout: str, asked: dict[str, str], expected: tuple[str, ...]
) -> None:
    page = words_of(console.seen(f"{rollout}/test?{urlencode({'userId': ''} | asked)}"))
    assert [text for text in expected if text not in page] == [], page


def test_the_tester_of_an_inactive_flag_says_what_it_would_give(console: Console) -> None:
    flag = console.world.put("not-yet", {"status": "inactive", "defaultValue": True, "payload": {"deep": [1]}})
    page = words_of(console.seen(f"/flags/{flag.id}/test?userId=anna"))
    assert "anna gets → on" in page
    assert "The flag is not active. This is the value" in page
    assert '"deep"' in page
    assert 'id="answer"' not in console.seen(f"/flags/{flag.id}/test")


@each("properties", ["{", "[]", '"x"', '{"a":' * 3_000, "x" * 9_000])
def test_properties_that_are_no_object_are_told_at_their_field(console: Console, properties: str) -> None:
    flag = console.world.put(f"odd-{len(properties)}-{ord(properties[0])}")
    answer = console.answer(f"/flags/{flag.id}/test?{urlencode({'properties': properties})}")
    assert answer.status == 400
    assert 'id="properties-error"' in answer.body.decode()


def test_a_version_is_told_compared_and_given_back(console: Console) -> None:
    flag = console.world.good("flags/create", websiteId=console.world.shop, key="changing", defaultValue=True)
    console.world.good("flags/update", id=flag["id"], defaultValue=False, note="too early")
    console.world.good("flags/update", id=flag["id"], name="Changed twice")
    path = f"/flags/{flag['id']}"
    page = words_of(console.seen(f"{path}/history"))
    assert "Version 3 current" in page
    assert "too early Default rule: on → off" in page
    page = words_of(console.seen(f"{path}/history?from=3&to=1"))
    assert "Version 3 → version 1 Name: “Changed twice” → nothing Default rule: off → on" in page
    assert console.answer(f"{path}/history?from=1&to=77").status == 404
    question = console.seen(f"{path}/restore?version=1")
    assert "Default rule: off → on" in words_of(question)
    form = {"version": "1", "current": "3"}
    assert console.gone_to(f"{path}/restore", form) == f"{path}?done=restored"
    assert console.flag(path).definition.defaultValue is True
    assert console.sent(f"{path}/restore", form).status == 409
    assert console.answer(f"{path}/restore?version=x").status == 404


def test_a_share_says_who_changes_before_it_is_saved(console: Console, rollout: str) -> None:
    assert "No identified visitors yet" in words_of(console.seen(f"{rollout}/rollout"))
    for number in range(20):
        body = {"profileId": f"user-{number * 7919 % 1000}-{number}", "websiteId": console.world.shop}
        assert console.box.post("/identify", body, key="all").status == 200
    page = words_of(console.seen(f"{rollout}/rollout?percentage=100"))
    assert "Based on 20 visitors that the website identified recently" in page
    assert "With 100 % 20 Turned on" in page
    assert "Turned off" not in page
    page = console.seen(f"{rollout}/rollout?percentage=0")
    assert "0 Turned off" in words_of(page)
    assert re.search(rf'href="{rollout}/test\?userId=user-[0-9-]+"', page)
    assert "None of these users are affected." in words_of(console.seen(f"{rollout}/rollout"))
    assert console.answer(f"{rollout}/rollout?percentage=101").status == 400
    shown = form_with(console.seen(f"{rollout}/rollout"), f"{rollout}/rollout", "percentage", "40")
    form = shown | {"percentage": "55", "note": "going up"}
    assert console.gone_to(f"{rollout}/rollout", form) == f"{rollout}/rollout?done=saved"
    assert console.flag(rollout).definition.rolloutPercentage == 55
    assert console.sent(f"{rollout}/rollout", form).status == 409


def test_schedule_for_a_flag_that_someone_else_changed_is_refused_once(console: Console, rollout: str) -> None:
    """Each form of the page has the version of what it is about."""
    path, when = f"{rollout}/schedules", {"kind": "step", "step-percentage": "60", "step-at": "2028-01-01T00:00"}
    form = form_with(console.seen(f"{rollout}/rollout"), path, "kind", "step")
    console.gone_to(path, {"kind": "switch", "what": "disable", "switch-at": "2029-01-01T00:00"})
    late = console.sent(path, form | when)
    assert (late.status, "Someone else changed this" in late.body.decode()) == (409, True)
    again = form_with(late.body.decode(), path, "kind", "step")
    assert again["step-percentage"] == "60"
    console.gone_to(path, again)
    forms = seen(console.seen(f"{rollout}/rollout"), path).forms
    cancel = next(one for one in forms if one.action.endswith("/cancel"))
    console.gone_to(cancel.action, dict(cancel.fields))
    assert console.sent(cancel.action, dict(cancel.fields)).status == 409


def test_schedules_are_made_and_cancelled(console: Console, rollout: str) -> None:
    path = f"{rollout}/schedules"
    assert console.gone_to(path, {"kind": "switch", "what": "disable", "switch-at": "2029-01-01T00:00"})
    assert console.gone_to(path, {"kind": "step", "step-percentage": "60", "step-at": "2028-01-01T00:00"})
    ramp = {"kind": "ramp", "ramp-from": "60", "ramp-to": "90", "ramp-every": "1440"}
    ramp |= {"ramp-starts": "2028-02-01T00:00", "ramp-ends": "2028-02-11T00:00"}
    console.gone_to(path, ramp)
    page = console.seen(f"{rollout}/rollout")
    assert "11 steps from 60" in words_of(page)
    assert "Deactivate the flag" in words_of(page)
    for wrong, field in (
        ({"kind": "switch", "switch-at": "soon"}, "switch-at"),
        ({"kind": "switch", "switch-at": "2001-01-01T00:00"}, "switch-at"),
        (ramp | {"ramp-to": "60"}, "ramp-to"),
        (ramp | {"ramp-every": "10"}, "ramp-every"),
        ({"kind": "step", "step-percentage": "1000", "step-at": "2028-01-01T00:00"}, "step-percentage"),
    ):
        answer = console.sent(path, wrong)
        assert answer.status == 400, wrong
        assert f'id="{field}-error"' in answer.body.decode(), wrong
    for found in re.findall(r'name="id" value="([^"]+)"', page):
        console.gone_to(f"{path}/cancel", {"id": found})
    assert "No scheduled changes." in words_of(console.seen(f"{rollout}/rollout"))
    assert console.sent(f"{path}/cancel", {"id": "none"}).status == 404


def test_viewers_see_no_people(console: Console, rollout: str) -> None:
    page = words_of(console.seen(f"{rollout}/rollout?percentage=90", cookie_of(console.box, "viewer")))
    assert "Members of this organization can preview" in page
    assert "Gain it" not in page


@each(
    ("definition", "environment", "expected"),
    [
        ({}, None, ('getBooleanValue("{key}", false', 'get_boolean_value("{key}", False', "key={key}&userId=user-42")),
        (
            {"type": "multivariant", "variants": [{"key": "a", "value": 1, "type": "number"}]},
            'it\'s "staging"',
            ('getNumberValue("{key}", 0', "/env/it%27s%20%22staging%22", "environment=it%27s+%22staging%22"),
        ),
    ],
)
def test_code_has_the_address_and_the_key_of_the_flag(
    console: Console, definition: dict[str, object], environment: str | None, expected: tuple[str, ...]
) -> None:
    flag = console.world.put(f"coded-{len(definition)}", definition, environment=environment)
    page = words_of(console.seen(f"/flags/{flag.id}/code"))
    website = console.world.box.box.parts[Directory].find(console.world.shop)
    assert website is not None
    assert [text for text in expected if text.format(key=flag.key) not in page] == [], page
    assert f'apiUrl: "{console.box.box.parts.settings.public_url}"' in page
    assert f'clientId: "{website.client_id}"' in page


def sent_file(console: Console, do: str, content: bytes, **fields: str) -> Answer:
    """The form of an import with a file, as browsers send it."""
    parts = [f'--b\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{fields[name]}\r\n' for name in fields]
    file = '--b\r\ncontent-disposition: form-data; name="file"; filename="f.json"\r\n\r\n'
    body = "".join(parts).encode() + file.encode() + content + b"\r\n--b--\r\n"
    form = {"content_type": "multipart/form-data; boundary=b", "sec_fetch_site": "same-origin"}
    return console.box.ask("POST", f"/flags/moving/{do}", headers=form | {"cookie": console.world.owner}, body=body)


def test_viewer_can_export_flags_and_sees_nothing_about_imports(console: Console) -> None:
    console.world.put("exported")
    viewer = cookie_of(console.box, "viewer")
    assert "Import" not in words_of(console.seen("/flags", viewer)).partition("Feature flags")[2]
    page = console.seen("/flags/moving", viewer)
    main = page[page.find("<main") :]
    assert "<h1>Export flags</h1>" in main
    assert "Import" not in main
    assert console.answer("/flags/export/analytics-box", viewer).status == 200
    assert 'action="/flags/moving/try"' in console.seen("/flags/moving")


def test_a_file_is_checked_before_it_is_imported_and_goes_out_again(console: Console) -> None:
    world, content = console.world, FLAGD.read_bytes()
    tried = sent_file(console, "try", content, of=world.shop, environment="moved")
    page = words_of(tried.body.decode())
    assert "Nothing is imported yet." in page
    assert "are imported as inactive because a part of their targeting is not supported" in page
    assert "moved" not in {flag.environment for flag in (world.flags.scope(world.shop) or world.known()).flags}
    done = sent_file(console, "import", content, of=world.shop, environment="moved")
    assert done.status == 200, done.body
    made = {flag.key for flag in (world.flags.scope(world.shop) or world.known()).flags if flag.environment == "moved"}
    assert {"internal", "colours"} <= made
    assert ">Exists<" in sent_file(console, "import", content, of=world.shop, environment="moved").body.decode()
    of = f"of={world.shop}&environment=moved"
    out = console.answer(f"/flags/export/flagd?{of}")
    assert "attachment" in out.headers["content-disposition"]
    assert "internal" in out.json["flags"]
    assert "Not supported by flagd" in words_of(console.seen(f"/flags/moving?check=flagd&{of}"))
    page = console.seen(f"/flags/moving?of={world.shop}")
    assert '<option value="-">None</option>' in page
    assert '<option value="" selected>' in page.split('id="format"')[1]
    world.put("of-no-environment")
    nowhere = console.answer(f"/flags/export/analytics-box?of={world.shop}&environment=-").json
    assert {one.get("environment") for one in nowhere["flags"]} == {None}
    assert console.answer("/flags/export/other").status == 404


@each(
    ("content", "said"),
    [
        (b"", "Select a file"),
        (b"\xff\xfe", "This is not a text file. Select a JSON file."),
        (b"{}", "This file does not contain flags"),
        (b"[" * 50_000, "JSON"),
    ],
)
def test_files_that_cannot_be_read_are_told(console: Console, content: bytes, said: str) -> None:
    answer = sent_file(console, "try", content)
    assert answer.status == 400
    assert said in words_of(answer.body.decode()), answer.body
