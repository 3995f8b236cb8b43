"""`link …`: the same procedures as the API's; what is created redirects at once."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.products.links.bulk import exports
from tests.app.admin.commanding import beside, result, typed
from tests.inprocess import WholeBox, whole_box

ADA = ("--organization", "ada")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


@pytest.fixture
def data(box: WholeBox) -> Iterator[Path]:
    with beside(box) as directory:
        yield directory


def test_a_new_link_redirects_at_once_and_an_edited_one_elsewhere(box: WholeBox, data: Path) -> None:
    ended = typed("link", "create", "https://example.com/a", "--slug", "spring", "--tag", "mail", *ADA, data=data)
    assert (ended.exit_code, ended.stdout) == (0, "http://localhost:8000/l/spring\n")
    assert box.get("/l/spring").headers["location"] == "https://example.com/a"
    for name in ("spring", "http://localhost:8000/l/spring", "/l/spring"):
        assert result("link", "show", name, data=data)["tags"] == ["mail"]
    row = result(
        "link", "edit", "spring", "--target", "https://example.com/b", "--field", "redirectStatus=301", data=data
    )
    assert (row["slug"], row["tags"], row["redirectStatus"]) == ("spring", ["mail"], 301)
    answer = box.get("/l/spring")
    assert (answer.status, answer.headers["location"]) == (301, "https://example.com/b")
    gone = result("link", "delete", row["id"], data=data)
    assert gone["id"] == row["id"]
    assert box.get("/l/spring").status == 404


def test_empty_option_clears_the_field(data: Path) -> None:
    full = ("--slug", "full", "--expires", "2027-01-31T18:00Z", "--tag", "a", "--max-clicks", "5")
    made = result("link", "create", "https://example.com/", *full, *ADA, data=data)
    assert (made["expiresAt"], made["tags"], made["maxClicks"]) == ("2027-01-31T18:00:00.000Z", ["a"], 5)
    row = result("link", "edit", "full", "--expires", "", "--tag", "", "--field", "maxClicks=null", data=data)
    assert (row["expiresAt"], row["tags"], row["maxClicks"]) == (None, [], None)


def test_a_password_comes_from_a_file_and_is_never_shown(data: Path) -> None:
    made = result(
        "link",
        "create",
        "https://example.com/",
        "--slug",
        "secret",
        "--password-file",
        "-",
        *ADA,
        data=data,
        given="hidden words\n",
    )
    assert made["hasPassword"]
    assert "hidden words" not in json.dumps(made)
    assert "hidden words" not in typed("link", "show", "secret", data=data).stdout


def test_an_export_can_be_imported_again(
    box: WholeBox, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "_PIECE", 2)
    for number in range(5):
        typed("link", "create", f"https://example.com/{number}", "--slug", f"number-{number}", *ADA, data=data)
    for form in ("csv", "json"):
        file = tmp_path / f"links.{form}"
        assert typed("link", "export", "--to", str(file), *ADA, data=data).exit_code == 0
        assert typed("link", "export", "--format", form, *ADA, data=data).stdout_bytes == file.read_bytes()
        assert not (tmp_path / f"links.{form}.part").exists()
        tried = result("link", "import", str(file), "--dry-run", *ADA, data=data)
        assert (tried["total"], tried["unchanged"], tried["failed"]) == (5, 5, 0)
    rows = csv.DictReader(io.StringIO((tmp_path / "links.csv").read_text()))
    assert [row["slug"] for row in rows] == [f"number-{number}" for number in range(5)]
    assert len(json.loads((tmp_path / "links.json").read_text())) == 5
    for number in range(5):
        typed("link", "delete", f"number-{number}", data=data)
    assert result("link", "import", str(tmp_path / "links.json"), *ADA, data=data)["created"] == 5
    assert box.get("/l/number-4").headers["location"] == "https://example.com/4"


def test_a_row_that_fails_is_named_and_changes_the_exit_code(box: WholeBox, data: Path) -> None:
    sheet = "name,targetUrl,slug\nGood,https://example.com/,good\nBad,javascript:alert(1),bad\n"
    ended = typed("link", "import", "-", *ADA, data=data, given=sheet)
    assert ended.exit_code == 1
    assert "1 created, 0 updated, 0 unchanged, 1 failed" in ended.stdout
    assert "Row 2: targetUrl: " in ended.stdout
    assert box.get("/l/good").status == 302


def test_links_of_a_foreign_domain_are_imported_where_domain_says(box: WholeBox, data: Path) -> None:
    sheet = "Link,Long URL\nhttps://bit.ly/keep-me,https://example.com/kept\n"
    ended = typed("link", "import", "-", *ADA, data=data, given=sheet)
    assert (ended.exit_code, "bit.ly is not one of your link domains" in ended.stdout) == (1, True)
    assert typed("link", "import", "-", "--domain", "", *ADA, data=data, given=sheet).exit_code == 0
    assert box.get("/l/keep-me").headers["location"] == "https://example.com/kept"


def test_links_are_listed_searched_and_limited(data: Path) -> None:
    for slug in ("spring", "summer", "autumn"):
        typed("link", "create", f"https://example.com/{slug}", "--slug", slug, "--tag", slug[:1], *ADA, data=data)
    listed = [row["slug"] for row in result("link", "list", *ADA, data=data)]
    assert listed == ["autumn", "summer", "spring"]
    assert [row["slug"] for row in result("link", "list", "--limit", "1", *ADA, data=data)] == ["autumn"]
    assert [row["slug"] for row in result("link", "list", "--search", "umm", *ADA, data=data)] == ["summer"]
    assert [row["slug"] for row in result("link", "list", "--tag", "s", *ADA, data=data)] == ["summer", "spring"]
    assert "http://localhost:8000/l/spring  0 clicks" in typed("link", "list", *ADA, data=data).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("create", "javascript:alert(1)", *ADA), 1, "targetUrl"),
        (("create", "https://example.com/", "--field", "nothing=1", *ADA), 1, "nothing"),
        (("create", "https://example.com/", "--field", "maxClicks=many", *ADA), 1, "maxClicks"),
        (("create", "https://example.com/", "--field", "maxClicks", *ADA), 2, "maxClicks=100"),
        (("create", "https://example.com/", "--folder", "none", *ADA), 1, "There is no folder none"),
        (("show", "nothing"), 1, "There is no link nothing"),
        (("export", "--to", "/nowhere/links.csv", *ADA), 1, "/nowhere/links.csv cannot be written: No such file"),
        (("import", "/nowhere", *ADA), 2, "No such file"),
    ],
)
def test_invalid_input_is_refused_in_one_line(data: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    ended = typed("link", *arguments, data=data)
    assert (ended.exit_code, said in ended.stderr, "Traceback" in ended.stderr) == (code, True, False), ended.stderr
    assert code == 2 or ended.stderr.count("\n") == 1


def test_a_link_of_another_organization_is_found_by_its_id_or_slug_only_where_it_is_one(
    box: WholeBox, data: Path
) -> None:
    typed("link", "create", "https://example.com/", "--slug", "theirs", "--organization", "eve", data=data)
    row = result("link", "show", "theirs", data=data)
    assert row["organizationId"] == box.foreign_organization_id
    assert box.post("/links/get", {"id": row["id"]}, key="linking").status == 404, "not for a key of another one"
