"""What may be a name: people write in every script, with apostrophes and ampersands."""

import json
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from tests.cases import each

SLUG_SCRIPT = Path(__file__).parents[2] / "web" / "static" / "js" / "slug.js"


@each(
    "name",
    [
        "Kim's & Jo's <Café> №1",
        "متجر‌ها",  # with a non-joiner, as Persian writes it
        "क्‍ष की दुकान",  # with a joiner, as Hindi writes it
        "東京の店",
        "🏳️‍🌈 shop",
        "x" * 100,
    ],
)
def test_names_take_what_people_write(name: str) -> None:
    assert names.is_name(names.one_line(f"  {name} "))


@each("name", ["", "x" * 101, "a\u200bb", "a\u202eb", "a\x00b", "\u200d", "a\ufffeb"])
def test_names_reject_invisible_characters(name: str) -> None:
    assert not names.is_name(names.one_line(name))


SPELLED = [
    ("Müller & Söhne", "mueller-soehne"),
    ("Mu\u0308ller & So\u0308hne", "mueller-soehne"),  # decomposed, as macOS writes file names
    ("STRASSE / Straße", "strasse-strasse"),
    ("Ærø Ferry", "aeroe-ferry"),
    ("Łódź Café", "lodz-cafe"),
    ("Ñandú №1", "nandu-no1"),
    ("Мой магазин", "moy-magazin"),
    ("Ελληνικά", "ellinika"),
    ("日本 Shop", "shop"),
    ("a日b", "a-b"),
    ("İstanbul", "istanbul"),
    ("Ⅷ ﬁne", "viii-fine"),
    ("-- x --", "x"),
    ("日本", "fallback"),
    ("--", "fallback"),
    ("x" * 80, "x" * 50),
    ("x" * 49 + " y", "x" * 49),
]


@each(("name", "slug"), SPELLED)
def test_slug_spells_the_letters_of_a_name(name: str, slug: str) -> None:
    assert names.slug_of(name, "fallback") == slug


def test_clean_name_is_one_line_and_its_refusal_names_the_field() -> None:
    assert names.clean_name("  Spring \n sale ") == "Spring sale"
    with pytest.raises(BadRequest, match="Enter a name of 1 to 5 characters") as refused:
        names.clean_name("Spring", 5, field="title")
    assert [detail.field for detail in refused.value.details] == ["title"]


@pytest.mark.node
def test_slugs_in_browsers_are_those_of_the_server() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is missing")
    every = [chr(code) for code in range(0x3000) if not 0xD800 <= code < 0xE000]
    wanted = [name for name, _ in SPELLED] + [f"a{letter}b" for letter in every if unicodedata.category(letter) != "Cn"]
    script = f"""
        import fs from "node:fs";
        import {{ slug }} from {json.dumps(SLUG_SCRIPT.as_uri())};
        const {{ names, spelling }} = JSON.parse(fs.readFileSync(0, "utf8"));
        console.log(JSON.stringify(names.map((name) => slug(name, spelling, 50))));
    """
    given = json.dumps({"names": wanted, "spelling": names.SPELLING})
    ended = subprocess.run(
        (node, "--input-type=module", "-e", script), input=given, capture_output=True, text=True, check=True, timeout=60
    )
    assert dict(zip(wanted, json.loads(ended.stdout), strict=True)) == {
        name: names.slug_of(name, "") for name in wanted
    }
