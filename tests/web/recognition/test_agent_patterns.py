"""Patterns of browsers and systems that are compiled when they are needed find what all of them, compiled, find."""

import importlib.util
import lzma
import subprocess
import sys
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import ua_parser_rs
from ua_parser.loaders import load_lazy_builtins

from analytics_box.web.recognition.agent import AgentMatch, browser_and_system

CORPUS = Path(__file__).parent / "corpus"
ROOT = Path(__file__).parents[3]
DATA = ROOT / "analytics_box" / "web" / "recognition" / "data" / "agents.json"
EVERY = 5  # lines of the corpus
_SAID = attrgetter("family", "major", "minor", "patch", "patch_minor")


def said(found: AgentMatch | None) -> Any:
    return found and _SAID(found)


def headers() -> Iterator[str]:
    for path in sorted(CORPUS.glob("*.xz")):
        yield from lzma.decompress(path.read_bytes()).decode().splitlines()[::EVERY]


@pytest.fixture(scope="module")
def whole() -> Callable[[str], tuple[Any, Any]]:
    """All patterns in one piece, as ua-parser itself uses them."""
    fields = attrgetter("regex", "family", "major", "minor", "patch", "patch_minor")
    browsers, systems, _ = load_lazy_builtins()
    of_browsers = ua_parser_rs.UserAgentExtractor(map(fields, browsers))
    of_systems = ua_parser_rs.OSExtractor(map(fields, systems))
    return lambda header: (said(of_browsers.extract(header)), said(of_systems.extract(header)))


def test_headers_of_people_and_bots_say_what_they_say_to_all_patterns(
    whole: Callable[[str], tuple[Any, Any]],
) -> None:
    compared = 0
    for header in headers():
        browser, system = browser_and_system(header)
        assert (said(browser), said(system)) == whole(header), header
        compared += 1
    assert compared > 10_000


@pytest.mark.parametrize("change", [str.upper, str.lower, str.swapcase, lambda header: header[::-1], lambda header: ""])
def test_unusual_headers_match_the_reference(
    change: Callable[[str], str], whole: Callable[[str], tuple[Any, Any]]
) -> None:
    for header in list(headers())[::10]:
        browser, system = browser_and_system(change(header))
        assert (said(browser), said(system)) == whole(change(header)), change(header)


def test_the_data_file_is_what_the_package_says() -> None:
    made = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "agents.py")], capture_output=True, text=True, check=True
    )
    assert made.stdout == DATA.read_text("utf-8")


def test_a_box_does_not_need_the_package_that_the_patterns_come_from() -> None:
    code = (
        "import sys; from analytics_box.web.recognition.agent import parse;"
        "print(parse('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0').browser,"
        " any(name.partition('.')[0] in {'ua_parser', 'ua_parser_builtins', 're2'} for name in sys.modules))"
    )
    assert importlib.util.find_spec("ua_parser") is not None
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["Firefox", "False"]
