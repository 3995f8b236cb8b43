"""Bots are distinguished from people (semantics 19, wire 4.7); measured on public collections of user agents."""

import json
import lzma
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from analytics_box.web.recognition import bots
from tests.cases import each
from tests.examples import is_thorough

CORPUS = Path(__file__).parent / "corpus"
ROOT = Path(__file__).parents[3]
DATA = ROOT / "analytics_box" / "web" / "recognition" / "data" / "bots.json"
PACKAGES = ROOT / "web" / "node_modules"


def user_agents(name: str) -> list[str]:
    return lzma.decompress((CORPUS / f"{name}.txt.xz").read_bytes()).decode().splitlines()


@pytest.mark.parametrize(("corpus", "how_many"), [("device_detector", 1_300), ("uap_core", 60)])
def test_of_programs_at_least_98_percent_are_found(corpus: str, how_many: int) -> None:
    programs = user_agents(f"{corpus}_bots")
    assert len(programs) > how_many
    missed = [sent for sent in programs if not bots.classify(sent)[0]]
    assert len(missed) <= len(programs) * 0.02, missed


@pytest.mark.parametrize(("corpus", "how_many"), [("device_detector", 35_000), ("uap_core", 15_000)])
def test_of_people_at_most_1_7_percent_are_held_for_programs(corpus: str, how_many: int) -> None:
    """Those that are no user agents but bare names of models are too short whoever sends them (wire 4.7)."""
    agents = user_agents(f"{corpus}_people")
    assert len(agents) > how_many
    verdicts = [(sent, bots.classify(sent)[0]) for sent in (agents if is_thorough() else agents[::4])]
    people = [(sent, verdict) for sent, verdict in verdicts if verdict != bots.SHORT]
    wronged = [sent for sent, verdict in people if verdict]
    assert len(wronged) <= len(people) * 0.017, wronged[:20]


CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
PIXEL = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile"
SAMPLES = (
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", bots.KNOWN, "Googlebot"),
    ("Mozilla/5.0 (compatible; YandexNewslinks; +http://yandex.com/bots)", bots.KNOWN, "YandexNewslinks"),
    ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
     bots.KNOWN, "GPTBot"),
    ("curl/8.14.1 is here", bots.KNOWN, "curl"),
    ("python-requests/2.32.3", bots.KNOWN, "python-requests"),
    ("1001FirmsBot/1.0", bots.KNOWN, "1001FirmsBot"),
    (f"{PIXEL} (compatible; Google-Read-Aloud; +https://support.google.com/webmasters/answer/1061943)",
     bots.KNOWN, "Google-Read-Aloud"),
    (CHROME.replace("Chrome", "HeadlessChrome"), bots.KNOWN, "HeadlessChrome"),
    ("", bots.MISSING, ""),
    ("Mozilla/5", bots.SHORT, "Mozilla/5"),
    (CHROME, "", ""),
    (f"{PIXEL} Safari/537.36", "", ""),
    # Words of the lists that are names of devices and browsers, too.
    (PIXEL.replace("Pixel 9", "RMX5116 Build/AP3A.240617.008"), "", ""),
    (PIXEL.replace("Pixel 9", "GM Discovery II"), "", ""),
    (PIXEL.replace("Pixel 9", "HTC Butterfly"), "", ""),
    (f"{PIXEL} SogouMSE,SogouMobileBrowser/6.1.5", "", ""),
    (f"{PIXEL} Viber/27.4.0.0", "", ""),
    ("Mozilla/5.0 (Linux; GoogleTV 3.2; VAP430 Build/MASTER) AppleWebKit/534.24", "", ""),
)  # fmt: skip


WINDOWS = CHROME.replace("X11; Linux x86_64", "Windows NT 10.0; Win64; x64")
NAMED = (
    (f"{CHROME} Prerender (+https://github.com/prerender/prerender)", "Prerender"),
    (f"{PIXEL} Safari/537.36 Prerender (+https://github.com/prerender/prerender)", "Prerender"),
    (PIXEL.replace("Pixel 9", "Pixel 2; DuplexWeb-Google/1.0"), "DuplexWeb-Google"),
    (PIXEL.replace("Pixel 9", "Pixel 2 Build/OPD3.170816.012; DuplexWeb-Google/1.0"), "DuplexWeb-Google"),
    ("Google-AMPHTML", "Google-AMPHTML"),
    (f"{PIXEL} Safari/537.36 (compatible; Google-AMPHTML)", "Google-AMPHTML"),
    (f"{PIXEL} Safari/537.36 Google-AMPHTML", "Google-AMPHTML"),
    ("Mozilla/5.0 (compatible; Google-Publisher-Plugin)", "Google-Publisher-Plugin"),
    (f"{PIXEL} Safari/537.36 (compatible; Google-Publisher-Plugin)", "Google-Publisher-Plugin"),
    ("amazon-kendra", "amazon-kendra"),
    (f"{WINDOWS} amazon-kendra", "amazon-kendra"),
    ("Mozilla/5.0 (compatible; Assetnote/1.0.0)", "Assetnote"),
    (f"{CHROME} Assetnote/1.0.0", "Assetnote"),
    ("Mozilla/5.0 (Linux; Android 7.0; M bot 51) (compatible; Googlebot/2.1)", "Googlebot"),
    ("Mozilla/5.0 (Linux; Android 13; Spider 8) (compatible; Baiduspider/2.0)", "Baiduspider"),
    ("Mozilla/5.0 (compatible; XBot/1.0; +https://xbot.example/)", "XBot"),
    ("Mozilla/5.0 (compatible; M bot 51; +https://mbot.example/)", "M bot 51"),
    ("Cubot/1.0 (+https://cubot.example/bot)", "Cubot"),
)


@each(("sent", "program"), NAMED)
def test_a_program_that_browses_like_a_person_is_known_by_the_word_it_adds(sent: str, program: str) -> None:
    assert bots.classify(sent) == (bots.KNOWN, program)


MODELS = (
    *("M bot 51", "M bot 60 Build/NRD90M", "M BOT 551 Build/MRA58K", "M bot Tab 103", "M_bot_54", "M bot"),
    *("B BOT 550 Build/MRA58K; wv", "C Bot Tab 70", "ID bot 53+ Build/NRD90M", "POWER BOT Build/MRA58K"),
    *("VR BOT 552", "VR BOT 552 PLUS Build/MRA58K", "XBot_Senior Build/O11019", "XBot Junior", "XBot"),
    *("Spider 8", "Spider 8 Build/TP1A.220624.014; wv", "CUBOT", "CUBOT J3 PRO", "Cubot X50", "CUBOT_X18_Plus"),
    *("CUBOT NOTE 20 Build/SP1A.210812.016", "S308 Build/CUBOT", "KINGKONG (CUBOT)"),
)


@each("model", MODELS)
def test_people_have_phones_whose_makers_call_them_bots_and_spiders(model: str) -> None:
    for sent in (f"{PIXEL} Safari/537.36", PIXEL.replace("Android 15", "U; Android 4.2.2; it-it")):
        assert bots.classify(sent.replace("Pixel 9", model)) == ("", "")


@each(("sent", "reason", "program"), SAMPLES)
def test_a_user_agent_is_judged_and_a_program_named(sent: str, reason: str, program: str) -> None:
    assert bots.classify(sent) == (reason, program)


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        ({b"accept": b"*/*"}, ("", "")),
        ({b"accept": b"*/*", b"sec-ch-ua": b'"Chromium";v="141", "Not?A_Brand";v="8"'}, ("", "")),
        ({}, (bots.NO_ACCEPT, "")),
        ({b"accept": b"*/*", b"sec-ch-ua": b'"HeadlessChrome";v="141"'}, (bots.HEADLESS, "")),
        ({b"accept": b"*/*", b"signature-agent": b'"https://chatgpt.com"'}, (bots.SIGNED, "chatgpt.com")),
        ({b"accept": b"*/*", b"from": b"googlebot(at)googlebot.com"}, (bots.DECLARED, "googlebot.com")),
        ({b"accept": b"*/*", b"from": b"jane.doe@crawler.example"}, (bots.DECLARED, "crawler.example")),
    ],
)
def test_headers_give_programs_away(headers: dict[bytes, bytes], verdict: tuple[str, str]) -> None:
    assert bots.classify_headers(headers) == verdict


@pytest.mark.parametrize("sent", ["x" * 1_024, "(" * 1_024, "\x00\x07bot\x1b[2J" * 9, "é" * 20, "bot" * 341])
def test_nonsense_is_judged_and_what_is_kept_of_it_can_be_shown(sent: str) -> None:
    reason, program = bots.classify(sent)
    assert reason in {"", bots.KNOWN}
    assert len(program) <= 64
    assert program.isprintable()


def test_fast_bot_detection_matches_the_patterns() -> None:
    """Without the second look at devices the matcher is the plain union of all patterns, each searched for alone."""
    found = json.loads(DATA.read_text("utf-8"))
    plain = re.compile("|".join(map(re.escape, found["names"])))
    named = [re.compile(pattern) for pattern in found["named"]]
    lower = re.compile("|".join([*map(re.escape, found["words"]), *(f"^{re.escape(s)}" for s in found["starts"])]))
    patterns = [re.compile(pattern, re.ASCII) for pattern in found["patterns"]]
    for sent in [
        *user_agents("device_detector_bots"),
        *user_agents("uap_core_bots"),
        *user_agents("uap_core_people")[::40],
    ]:
        if len(sent) < 10:
            continue
        small = sent.lower()
        sure = bool(plain.search(sent) or lower.search(small))
        sure = sure or any(p.search(sent) for p in named) or any(p.search(small) for p in patterns)
        if sure:
            assert bots.classify(sent)[0] == bots.KNOWN, sent
        elif not any(re.search(pattern, small, re.ASCII) for pattern in found["shapes"]):
            assert bots.classify(sent)[0] == "", sent


@pytest.mark.node
@pytest.mark.skipif(
    shutil.which("node") is None or not (PACKAGES / "isbot").is_dir(), reason="needs Node.js and `npm ci` in web/"
)
def test_the_data_file_is_what_the_packages_say() -> None:
    command = [sys.executable, str(ROOT / "packaging" / "bots.py")]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert made == DATA.read_text("utf-8")
