"""What a User-Agent header tells."""

import pytest

from analytics_box.ingest.agent import Device, parse

WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
CHROME = f"{WEBKIT} Chrome/141.0.0.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
PIXEL = "Mozilla/5.0 (Linux; Android 15; Pixel 9)"

# Header, browser, system, device.
BROWSERS: tuple[tuple[str, str, str, Device], ...] = (
    (f"{WINDOWS} {CHROME} Safari/537.36", "Chrome", "Windows", "desktop"),
    (f"{WINDOWS} {CHROME} Safari/537.36 Edg/141.0.0.0", "Edge", "Windows", "desktop"),
    (f"{WINDOWS} {CHROME} Safari/537.36 OPR/125.0.0.0", "Opera", "Windows", "desktop"),
    (f"{WINDOWS[:-1]}; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox", "Windows", "desktop"),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox", "Linux", "desktop"),
    ("Mozilla/5.0 (X11; Ubuntu; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox", "Linux", "desktop"),
    (f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {CHROME} Safari/537.36", "Chrome", "ChromeOS", "desktop"),
    (f"{MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15", "Safari", "macOS", "desktop"),
    (f"{MAC} {CHROME} Safari/537.36", "Chrome", "macOS", "desktop"),
    (f"{IPHONE} Version/18.5 Mobile/15E148 Safari/604.1", "Safari", "iOS", "mobile"),
    (f"{IPHONE} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1", "Chrome", "iOS", "mobile"),
    (f"{IPHONE} FxiOS/143.0 Mobile/15E148 Safari/605.1.15", "Firefox", "iOS", "mobile"),
    (f"{IPHONE.replace('iPhone', 'iPad')} Version/18.5 Mobile/15E148 Safari/604.1", "Safari", "iOS", "tablet"),
    (f"{PIXEL} {CHROME} Mobile Safari/537.36", "Chrome", "Android", "mobile"),
    (f"{PIXEL} {WEBKIT} SamsungBrowser/28.0 Mobile Safari/537.36", "Samsung Internet", "Android", "mobile"),
    ("Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0", "Firefox", "Android", "mobile"),
    (f"Mozilla/5.0 (Linux; Android 14; SM-X710) {CHROME} Safari/537.36", "Chrome", "Android", "tablet"),
)  # fmt: skip


@pytest.mark.parametrize(("header", "browser", "system", "device"), BROWSERS)
def test_a_browser_is_known_by_its_header(header: str, browser: str, system: str, device: Device) -> None:
    seen = parse(header)
    assert (seen.browser, seen.system, seen.device, seen.bot) == (browser, system, device, "")
    assert seen.browser_version[:2].isdigit()


PROGRAMS = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    f"{WINDOWS} {WEBKIT} HeadlessChrome/141.0.0.0 Safari/537.36",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "curl/8.14.1 and more",
    "python-requests/2.32.3",
    "Go-http-client/2.0",
    "okhttp/4.12.0",
    "Wget/1.25.0 (linux-gnu)",
    "axios/1.7.9 xxx",
    "UptimeRobot/2.0; http://www.uptimerobot.com/",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Scrapy/2.12 (+https://scrapy.org)",
    "PostmanRuntime/7.44.0",
)


@pytest.mark.parametrize("header", PROGRAMS)
def test_a_program_is_flagged_with_its_reason(header: str) -> None:  # wire 4.7
    assert parse(header).bot == "known_bot_user_agent"


@pytest.mark.parametrize(
    ("header", "reason"),
    [("", "missing_user_agent"), ("x", "user_agent_too_short"), ("Mozilla/5", "user_agent_too_short")],
)
def test_a_header_that_no_browser_sends_is_flagged(header: str, reason: str) -> None:  # wire 4.7
    assert parse(header).bot == reason


@pytest.mark.parametrize("header", ["Mozilla/5.0 " + "x" * 1_000, "(((((((((((", "\x00" * 20, "\u202e" * 20, "é" * 20])
def test_nonsense_is_an_unknown_browser(header: str) -> None:
    assert parse(header).browser == ""
