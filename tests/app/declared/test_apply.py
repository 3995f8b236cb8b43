"""A file declares the resources of an organization: its plan, applying it, renames, deletions, and moving it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.app.admin.commanding import beside, typed
from tests.cases import each
from tests.inprocess import WholeBox, whole_box

FILE = """
version: 1
websites:
  - domain: shop.example
    name: Shop
    settings:
      ignoredPaths: [/admin/*]
      aliases: [shop.example]
  - domain: new.example
    name: New website
    isPublic: true
segments:
  - website: new.example
    name: Phones
    filters: [{field: device_type, op: eq, value: mobile}, {field: path, op: starts_with, value: /docs}]
goals:
  - website: new.example
    name: Sign-up
    type: EVENT
    target: sign_up
    conditions: [{property: plan}]
  - website: shop.example
    name: Sign-up
    type: PAGE_VIEW
    target: /welcome
funnels:
  - website: new.example
    name: Purchase
    steps:
      - {type: PAGE_VIEW, target: /, name: Start}
      - {type: EVENT, target: sign_up, name: Sign-up}
reports:
  - website: new.example
    name: Monday
    frequency: weekly
    recipients: [mara@elsewhere.example]
    channels: [Operations]
    websites: [shop.example]
targetGroups:
  - name: Beta testers
    rules: []
  - website: new.example
    name: Staff
flags:
  - key: checkout
    name: New checkout
    status: active
    targetGroups: [Beta testers]
  - website: new.example
    key: checkout
    type: boolean
    defaultValue: false
folders:
  - name: Campaigns
links:
  - slug: spring
    name: Spring sale
    targetUrl: https://shop.example/spring
    folder: Campaigns
    tags: [sale]
  - slug: autumn
    name: Autumn sale
    targetUrl: https://shop.example/autumn
    expiresAt: 2030-01-31T00:00:00Z
monitors:
  - name: Shop
    url: https://shop.example/health
    granularity: minute
    website: new.example
  - name: Checkout
    url: https://shop.example/checkout
    granularity: hour
    parent: Shop
    isPaused: true
  - name: Nightly backup
    kind: push
    granularity: day
statusPages:
  - slug: shop
    name: Shop status
    monitors: [Shop, Checkout]
notes:
  - website: new.example
    text: Version 2
    xValue: 2026-06-01
    xEndValue: 2026-06-03
    tags: [release]
  - website: new.example
    text: Version 2
    xValue: "2026-06-05T12:00:00+02:00"
shareLinks:
  - website: new.example
    name: For partners
    panels: [pages, sources]
componentGroups:
  - statusPage: shop
    name: Website
    description: What visitors see
components:
  - statusPage: shop
    monitor: Checkout
    group: Website
    hideUrl: true
  - statusPage: shop
    name: Phone
    group: Website
    description: Our hotline
alertRules:
  - name: Shop is down
    triggerType: uptime
    triggerConditions: {monitorIds: [Shop]}
    destinations: [{channel: Operations}]
members:
  - email: Mara@elsewhere.example
    role: viewer
"""


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


@pytest.fixture
def data(box: WholeBox) -> Iterator[Path]:
    channel = {"type": "email", "name": "Operations", "config": {"to": "ada@example.com"}}
    assert box.post("/config/createChannel", channel, key="all").status == 200
    with beside(box) as directory:
        yield directory


def apply(data: Path, text: str, *options: str) -> Any:
    ended = typed("apply", "-f", "-", *ORGANIZATION, *options, data=data, given=text)
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return ended


ORGANIZATION = ("--organization", "ada")


def test_second_application_of_a_file_changes_nothing(data: Path) -> None:
    first = apply(data, FILE, "--yes")
    assert first.exit_code == 0, first.stderr[-1500:]
    assert "~ websites shop.example" in first.output
    assert "+ flags new.example/checkout" in first.output
    second = apply(data, FILE, "--yes")
    assert (second.exit_code, second.output) == (0, "No changes.\n")


def test_file_of_one_server_moves_its_resources_to_another(data: Path, tmp_path: Path) -> None:
    assert apply(data, FILE, "--yes").exit_code == 0
    dumped = typed("apply", "--dump", *ORGANIZATION, data=data)
    assert dumped.exit_code == 0, dumped.stderr
    resources = yaml.safe_load(dumped.stdout)
    [website] = [one for one in resources["websites"] if one["domain"] == "new.example"]
    assert (website["name"], website["isPublic"]) == ("New website", True)
    with whole_box(tmp_path / "other") as other:
        channel = {"type": "email", "name": "Operations", "config": {"to": "ada@example.com"}}
        assert other.post("/config/createChannel", channel, key="all").status == 200
        with beside(other) as directory:
            moved = apply(directory, dumped.stdout, "--yes")
            assert moved.exit_code == 0, moved.stderr[-1500:]
            assert apply(directory, dumped.stdout, "--yes").output == "No changes.\n"
            again = typed("apply", "--dump", *ORGANIZATION, data=directory).stdout
    assert yaml.safe_load(again) == resources


def test_plan_is_shown_and_nothing_changes_without_consent(data: Path) -> None:
    shown = apply(data, FILE, "--dry-run")
    assert "+ goals new.example/Sign-up\n" in shown.output
    assert apply(data, FILE, "--dry-run").output == shown.output
    assert typed("apply", "-f", "-", *ORGANIZATION, data=data, given=FILE).exit_code == 1, "no terminal to ask"
    assert apply(data, FILE, "--dry-run").output == shown.output


def test_changed_field_is_the_only_one_that_is_sent(data: Path) -> None:
    assert apply(data, FILE, "--yes").exit_code == 0
    planned = json.loads(apply(data, FILE.replace("name: Spring sale", "name: Big sale"), "--dry-run", "--json").output)
    [change] = planned["changes"]
    assert (change["action"], change["label"]) == ("update", "links spring")
    assert change["fields"] == {"name": ["Spring sale", "Big sale"]}


def test_renamed_resource_keeps_its_id_and_history(box: WholeBox, data: Path) -> None:
    assert apply(data, FILE, "--yes").exit_code == 0
    website = next(
        one["id"] for one in box.post("/websites/list", {}, key="all").json if one["domain"] == "new.example"
    )
    before = box.post("/goals/list", {"websiteId": website}, key="all").json
    renamed = FILE.replace(
        "    name: Sign-up\n    type: EVENT", "    name: Registration\n    renamedFrom: Sign-up\n    type: EVENT"
    )
    assert apply(data, renamed, "--yes").exit_code == 0
    after = box.post("/goals/list", {"websiteId": website}, key="all").json
    assert [(one["id"], one["name"]) for one in after] == [(before[0]["id"], "Registration")]
    assert apply(data, renamed, "--yes").output == "No changes.\n"


def test_deletions_need_prune_and_the_name_of_their_plan(data: Path) -> None:
    assert apply(data, FILE, "--yes").exit_code == 0
    fewer = FILE.replace(
        """  - slug: autumn
    name: Autumn sale
    targetUrl: https://shop.example/autumn
    expiresAt: 2030-01-31T00:00:00Z
""",
        "",
    )
    assert apply(data, fewer, "--yes").output == "No changes.\n"
    planned = json.loads(apply(data, fewer, "--prune", "--dry-run", "--json").output)
    assert "links autumn" in [one["label"] for one in planned["changes"] if one["action"] == "delete"]
    refused = apply(data, fewer, "--prune", "--yes")
    assert (refused.exit_code, planned["plan"] in refused.stderr) == (1, True)
    other = apply(data, fewer, "--prune", "--yes", "--plan", "0" * 12)
    assert (other.exit_code, planned["plan"] in other.stderr) == (1, True)
    applied = apply(data, fewer, "--prune", "--yes", "--plan", planned["plan"])
    assert applied.exit_code == 0, applied.stderr
    assert "- links autumn: done" in applied.output
    assert apply(data, fewer, "--prune", "--dry-run").output == "No changes.\n"


TWO_PAGES = """
statusPages:
  - {slug: shop, name: Shop}
  - {slug: help-pages, name: Help}
componentGroups:
  - {statusPage: shop, name: Website}
  - {statusPage: help-pages, name: Website}
components:
  - {statusPage: help-pages, name: Search, group: Website}
members:
  - {email: mara@elsewhere.example, role: viewer}
shareLinks:
  - {website: shop.example, name: Partners, slug: our-partners}
notes: []
"""


def test_groups_of_one_name_belong_to_their_pages(box: WholeBox, data: Path) -> None:
    assert apply(data, TWO_PAGES, "--yes").exit_code == 0
    pages = {one["slug"]: one["id"] for one in box.post("/statusPage/list", {}, key="all").json}
    docs = box.post("/statusPage/get", {"statusPageId": pages["help-pages"]}, key="all").json
    assert [one["groupId"] for one in docs["components"]] == [one["id"] for one in docs["groups"]]
    assert apply(data, TWO_PAGES, "--yes").output == "No changes.\n"


def test_secret_addresses_of_share_links_are_not_written_to_a_file(data: Path) -> None:
    assert apply(data, TWO_PAGES, "--yes").exit_code == 0
    dumped = typed("apply", "--dump", *ORGANIZATION, data=data).stdout
    assert ("Partners" in dumped, "our-partners" in dumped) == (True, False)


def test_invitation_takes_another_role_and_its_link_is_shown(data: Path) -> None:
    first = apply(data, TWO_PAGES, "--yes")
    assert "Invitation of mara@elsewhere.example: http" in first.stderr
    again = apply(data, TWO_PAGES.replace("role: viewer", "role: admin"), "--yes")
    assert again.output.startswith('~ members mara@elsewhere.example\n    role: "viewer" → "admin"')
    assert apply(data, TWO_PAGES.replace("role: viewer", "role: admin"), "--yes").output == "No changes.\n"


def test_prune_removes_components_and_invitations_but_neither_owners_nor_monitors_of_a_page(data: Path) -> None:
    assert apply(data, FILE, "--yes").exit_code == 0
    empty = "componentGroups: []\ncomponents: []\nmembers: []\nnotes: []\nshareLinks: []\n"
    planned = json.loads(apply(data, empty, "--prune", "--dry-run", "--json").output)
    assert sorted(one["label"] for one in planned["changes"]) == [
        "componentGroups shop/Website",
        "components shop/Phone",
        "members mara@elsewhere.example",
        "notes new.example/Version 2/2026-06-01",
        "notes new.example/Version 2/2026-06-05T10:00:00+00:00",
        "shareLinks new.example/For partners",
    ]
    assert apply(data, empty, "--prune", "--yes", "--plan", planned["plan"]).exit_code == 0
    assert apply(data, empty, "--prune", "--dry-run").output == "No changes.\n"


WRONG: tuple[tuple[str, str], ...] = (
    ("goals:\n  - website: shop.example\n    name: A\n    type: EVENT\n", "-:2: goals shop.example/A: "),
    ("goals:\n  - {website: shop.example, name: A, type: CLICK, target: x}\n", "-:2: goals shop.example/A: type: "),
    (
        "goals:\n  - {website: other.example, name: A, type: EVENT, target: x}\n",
        "no resource “other.example” in websites",
    ),
    ("goals:\n  - {website: shop.example, name: A, type: EVENT, target: x, color: red}\n", "Unknown field color"),
    (
        "links:\n\n  - slug: a\n    name: A\n    targetUrl: https://a.example\n  - slug: a\n",
        "-:6: links a: also on line 3",
    ),
    ("pets: []\n", "unknown key pets"),
    ("version: 9\n", "version 1"),
    ("- a\n", "must be a mapping"),
    ("links: {a: 1}\n", "must be a list"),
    ("links: [1]\n", "-:1: each entry must be a mapping"),
    ("links:\n  - name: no slug\n", "slug is missing"),
    (
        "a: &a [1,2,3,4,5,6,7,8,9]\n"
        + "".join(
            f"{c}: &{c} [{','.join(f'*{p}' for _ in range(9))}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "expand to too many values",
    ),
    ("a: " + "[" * 90 + "]" * 90 + "\n", "nested too deeply"),
    ("a: [\n", "This is not valid YAML (line"),
    ("", "The file is empty"),
)


@each(("text", "reason"), WRONG)
def test_faulty_file_is_refused_with_its_line(data: Path, text: str, reason: str) -> None:
    ended = apply(data, text, "--yes")
    assert ended.exit_code == 1
    assert reason in ended.stderr, ended.stderr
