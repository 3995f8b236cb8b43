"""What a User-Agent header tells."""

import pytest

from analytics_box.web.recognition.agent import Device, parse
from tests.cases import each

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


@each(("header", "browser", "system", "device"), BROWSERS)
def test_a_browser_is_known_by_its_header(header: str, browser: str, system: str, device: Device) -> None:
    seen = parse(header)
    assert (seen.browser, seen.system, seen.device, seen.bot) == (browser, system, device, "")
    assert seen.browser_version[:2].isdigit()


LG = "Mozilla/5.0 ({}; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36"
XBOX = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) {CHROME} Safari/537.36 Edg/141.0.0.0"
MIDP = "Profile/MIDP-2.0 Configuration/CLDC-1.1"
IE = "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; WOW64; Trident/4.0; SLCC2; .NET CLR 2.0.50727{})"
IE_11 = "Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; Touch; {}rv:11.0) like Gecko"

# Windows with a pen is no tablet.
DESKTOPS = (
    IE.format("; Tablet PC 2.0"),
    IE.format("; InfoPath.3; Tablet PC 2.0; .NET4.0C"),
    IE.format(""),
    IE_11.format("Tablet PC 2.0; "),
    IE_11.format(""),
    f"Mozilla/5.0 (X11; Linux x86_64) {CHROME} Safari/537.36",
    f"Mozilla/5.0 (X11; CrOS aarch64 15236.80.0) {CHROME} Safari/537.36",
    f"{MAC} AppleWebKit/605.1.15 (KHTML, like Gecko)",
    "Opera/9.80 (Windows NT 6.1; U; en) Presto/2.10.289 Version/12.01",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Electron/38.0.0",
)
# Televisions, boxes and consoles: neither tablets nor mobiles.
IN_A_ROOM = (
    LG.format("Web0S"),
    LG.format("webOS"),
    f"{LG.format('Web0S')} DMOST/2.0.0 (; LGE; webOSTV; WEBOS6.3.2 03.34.95; W6_lm21a;)",
    "Mozilla/5.0 (SMART-TV; Linux; Tizen 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/5.0 TV Safari/537.36",
    "Mozilla/5.0 (SMART-TV; Linux; Tizen 2.4.0) AppleWebkit/538.1 (KHTML, like Gecko) SamsungBrowser/1.1 TV",
    f"Mozilla/5.0 (Linux; Android 9; BRAVIA 4K UR2 Build/PTT1.190515.001.S104) {CHROME} Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 7.1.2; AFTMM Build/NS6265; wv) {WEBKIT} Version/4.0 Chrome/70.0 Mobile Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 7.1.2; AFTS) {WEBKIT} Silk/98.2.3 like Chrome/98.0.4758.101 Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 11; TF-LED32S08T2S; wv) {WEBKIT} Version/4.0 Chrome/83.0.4103.120 Safari/537.36 TV",
    f"Mozilla/5.0 (Linux; Android 9; KIVI 2K Android TV Build/PTO6.200622.002; wv) {CHROME} Mobile Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 12; Chromecast HD Build/STTE.220920.015) {CHROME} Safari/537.36 CrKey/1.56.500000",
    f"Mozilla/5.0 (Linux; Android 12; MiTV-AYFR0 Build/STTC.230104.002) {CHROME} Safari/537.36",
    "HbbTV/1.2.1 (+DRM;Samsung;SmartTV2013;T-FXPDEUC-1102.2;;) WebKit",
    "Mozilla/5.0 (X11; FreeBSD; U; Viera; de-DE) AppleWebKit/537.11 (KHTML, like Gecko) Viera/3.10.0 Chrome/23.0",
    "Roku/DVP-9.10 (519.10E04111A)",
    "Mozilla/5.0 (PlayStation 4 11.00) AppleWebKit/605.1.15 (KHTML, like Gecko)",
    f"Mozilla/5.0 (PlayStation; PlayStation 5/2.26) {WEBKIT} Version/13.0 Safari/605.1.15",
    "Mozilla/5.0 (PlayStation Vita 3.61) AppleWebKit/537.73 (KHTML, like Gecko) Silk/3.2",
    "Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/606.4 (KHTML, like Gecko) NF/6.0.1.15.4",
    "Mozilla/5.0 (New Nintendo 3DS like iPhone) AppleWebKit/536.30 (KHTML, like Gecko) NX/3.0.0.5.22 Mobile",
    XBOX,
    f"Mozilla/5.0 (Windows Phone 10.0; Android 4.2.1; Xbox; Xbox One) {CHROME} Mobile Safari/537.36 Edge/13.10586",
)
PHONES = (
    f"Nokia6300/2.0 (05.50) {MIDP}",
    f"SAMSUNG-SGH-E250/1.0 {MIDP} UP.Browser/6.2.3.3.c.1.101 (GUI) MMP/2.0",
    f"SonyEricssonK750i/R1CA Browser/SEMC-Browser/4.2 {MIDP}",
    f"BlackBerry9700/5.0.0.351 {MIDP} VendorID/123",
    "LG-KP500 Teleca/WAP-Browser",
    "SIE-S40/2.3 UP/4.1.16r",
    "DoCoMo/2.0 P900i(c100;TB;W24H12)",
    "KDDI-CA3H UP.Browser/6.2_7.2.7.1.K.5.214 (GUI) MMP/2.0",
    "Mozilla/4.0 (Brew MP 1.0.4; U; en-us; Kyocera; NetFront/4.1/AMB) Sprint S2151-BST",
    f"Mozilla/5.0 (SymbianOS/9.4; Series60/5.0 Nokia5800d-1/52.0.007; {MIDP} ) AppleWebKit/525 (KHTML, like Gecko)",
    "Mozilla/5.0 (webOS/1.4.0; U; en-US) AppleWebKit/532.2 (KHTML, like Gecko) Version/1.0 Safari/532.2 Pre/1.0",
    "Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5",
    "Mozilla/4.0 (compatible; MSIE 6.0; Windows CE; IEMobile 7.11)",
    "Opera/9.80 (J2ME/MIDP; Opera Mini/9.80 (S60; SymbOS; Opera Mobi/23.348; U; en) Presto/2.5.25 Version/10.54",
    "Opera/9.80 (Android; Opera Mini/7.5.33361/31.1543; U; en) Presto/2.8.119 Version/11.1010",
    "Mozilla/5.0 (MeeGo; NokiaN9) AppleWebKit/534.13 (KHTML, like Gecko) NokiaBrowser/8.5.0 Mobile Safari/534.13",
    f"Mozilla/5.0 (Linux; Android 4.4.2; KAZAM TV 45) {CHROME} Mobile Safari/537.36",  # shows television, too
    f"Mozilla/5.0 (Linux; Android 9; W-K360-TV) {CHROME} Mobile Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 7.0; RIVIERA F23) {CHROME} Mobile Safari/537.36",
    "Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 Mobile Edge/15.15254",
)
TABLETS = (
    f"{IPHONE.replace('iPhone', 'iPad')} Version/18.5 Mobile/15E148 Safari/604.1",
    f"Mozilla/5.0 (Linux; Android 14; SM-X710) {CHROME} Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 9; KFMAWI) {WEBKIT} Silk/98.2.3 like Chrome/98.0.4758.101 Safari/537.36",
    "Mozilla/5.0 (Android 14; Tablet; rv:143.0) Gecko/143.0 Firefox/143.0",
    f"Mozilla/5.0 (Linux; Android 6.0; BTV-DL09) {CHROME} Safari/537.36",
    "Mozilla/5.0 (hp-tablet; Linux; hpwOS/3.0.5; U; en-US) AppleWebKit/534.6 (KHTML, like Gecko) TouchPad/1.0",
    "Mozilla/5.0 (PlayBook; U; RIM Tablet OS 2.1.0; en-US) AppleWebKit/536.2+ (KHTML, like Gecko) Version/7.2.1.0",
)
DEVICES: tuple[tuple[Device, tuple[str, ...]], ...] = (
    ("desktop", DESKTOPS),
    ("desktop", IN_A_ROOM),
    ("mobile", PHONES),
    ("tablet", TABLETS),
)


@each(("device", "header"), [(device, header) for device, headers in DEVICES for header in headers])
def test_a_device_is_what_stands_or_lies_before_people(device: Device, header: str) -> None:
    seen = parse(header)
    assert (seen.device, seen.bot) == (device, "")


@pytest.mark.parametrize(
    ("header", "system"),
    [
        (LG.format("Web0S"), "webOS"),
        (LG.format("webOS"), "webOS"),
        ("Mozilla/5.0 (webOS/1.4.0; U; en-US) AppleWebKit/532.2 (KHTML, like Gecko) Version/1.0 Pre/1.0", "webOS"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Linux"),
        ("Mozilla/5.0 (SMART-TV; Linux; Tizen 5.0) AppleWebKit/537.36 Version/5.0 TV Safari/537.36", "Tizen"),
    ],
)
def test_webos_is_one_system_however_televisions_spell_it(header: str, system: str) -> None:
    assert parse(header).system == system


@pytest.mark.parametrize(
    ("header", "browser", "version"),
    [
        (f"{MAC} AppleWebKit/605.1.15 (KHTML, like Gecko)", "Safari", ""),
        (f"{MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Slack/4.36.140", "Safari", ""),
        (f"{IPHONE} Mobile/15E148", "Safari", ""),
        (f"{MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15", "Safari", "18.5"),
        (f"{MAC} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36", "Chrome", "141.0"),
        (f"{WINDOWS[:-1]}; rv:128.0) Gecko/20100101 Thunderbird/128.4.0", "Thunderbird", "128.4"),
    ],
)
def test_webkit_inside_an_app_is_no_mail_program(header: str, browser: str, version: str) -> None:
    seen = parse(header)
    assert (seen.browser, seen.browser_version, seen.bot) == (browser, version, "")


@pytest.mark.parametrize("model", ["M bot 51", "VR BOT 552 PLUS", "XBot_Senior", "Spider 8 Build/TP1A.220624.014"])
def test_a_phone_that_is_called_a_bot_has_the_browser_that_it_says(model: str) -> None:
    seen = parse(f"Mozilla/5.0 (Linux; Android 13; {model}) {CHROME} Mobile Safari/537.36")
    assert (seen.browser, seen.browser_version, seen.system, seen.device, seen.bot) == (
        *("Chrome", "141.0", "Android", "mobile", ""),
    )


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


@each("header", PROGRAMS)
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
