"""The audience of the demo's website, as data: sources, machines and places with their shares.

Weights are relative; they need not add up to anything.
"""

from typing import NamedTuple

from analytics_box.products.sample_data.site import TALKED_ABOUT, SamplePage, Section


class VisitSource(NamedTuple):
    """A source of visits, and the sections or the one page that they land on. `query` is added to its address."""

    weight: float
    landings: dict[Section, float]
    referrer: str = ""
    query: str = ""
    page: SamplePage | None = None


class SampleMachine(NamedTuple):
    """A browser on a machine. `downloads` is the platform that a download from it is for; phones download nothing."""

    weight: float
    user_agent: str
    screen: str
    viewport: str
    downloads: str = ""


class SamplePlace(NamedTuple):
    """A language with a time zone, the hour of UTC around which its people are busiest, and where they live: regions
    with a city each, the most of them in the first. Where there are none, only the country is known."""

    weight: float
    language: str
    time_zone: str
    busiest: float
    cities: tuple[tuple[str, str], ...] = ()

    @property
    def country(self) -> str:
        """The code of the country."""
        return self.language[-2:]


_SEARCHED: dict[Section, float] = {"home": 36, "docs": 40, "blog": 14, "pricing": 6, "download": 4}
_TALKED: dict[Section, float] = {"home": 42, "blog": 52, "docs": 6}

_BOUGHT: dict[Section, float] = {"home": 80, "pricing": 20}
_GOOGLE_ADS = "utm_source=google&utm_medium=cpc&utm_campaign=brand"

SOURCES = (
    VisitSource(34, {"home": 58, "docs": 24, "pricing": 6, "download": 6, "blog": 6}),
    VisitSource(26, _SEARCHED, "https://www.google.com/"),
    VisitSource(8, {"home": 54, "docs": 40, "about": 6}, "https://github.com/inkwell/inkwell"),
    VisitSource(5.5, {"home": 40, "docs": 52, "pricing": 8}, "https://chatgpt.com/", "utm_source=chatgpt.com"),
    VisitSource(3.5, _SEARCHED, "https://duckduckgo.com/"),
    VisitSource(3, _TALKED, "https://news.ycombinator.com/"),
    VisitSource(2.6, _SEARCHED, "https://www.bing.com/"),
    VisitSource(2.6, _TALKED, "https://www.reddit.com/"),
    VisitSource(
        1.2, _BOUGHT, "https://www.google.com/", f"{_GOOGLE_ADS}&utm_term=note+taking+app&utm_content=headline-a"
    ),
    VisitSource(
        0.8, _BOUGHT, "https://www.google.com/", f"{_GOOGLE_ADS}&utm_term=offline+notes&utm_content=headline-b"
    ),
    VisitSource(
        0.5, _BOUGHT, "https://www.google.com/", f"{_GOOGLE_ADS}&utm_term=markdown+editor&utm_content=headline-a"
    ),
    VisitSource(
        0.9, _BOUGHT, "https://www.linkedin.com/", "utm_source=linkedin&utm_medium=paid-social&utm_campaign=teams"
    ),
    VisitSource(
        0.7, _TALKED, "https://changelog.com/", "utm_source=changelog&utm_medium=podcast&utm_campaign=sponsorship"
    ),
    VisitSource(0.4, _BOUGHT, "https://www.producthunt.com/", "ref=producthunt"),
    VisitSource(1.9, _TALKED, "https://t.co/"),
    VisitSource(1.6, {"home": 50, "docs": 50}, "https://www.perplexity.ai/"),
    VisitSource(1.4, {"blog": 80, "home": 20}, "https://dev.to/inkwell/offline-first-in-practice"),
    VisitSource(1.3, {"home": 60, "blog": 40}, "https://www.linkedin.com/"),
    VisitSource(1.1, {"blog": 100}, "https://lobste.rs/"),
    VisitSource(1.0, {"home": 70, "download": 30}, "https://www.youtube.com/"),
    VisitSource(0.8, {"home": 50, "docs": 50}, "https://claude.ai/"),
)
DIRECT = SOURCES[0]
HACKER_NEWS = VisitSource(0, {}, "https://news.ycombinator.com/item", page=TALKED_ABOUT)
NEWSLETTER = VisitSource(0, {"blog": 70, "about": 20, "pricing": 10}, query="utm_source=newsletter&utm_medium=email")

_WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
_MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
_LINUX = "Mozilla/5.0 (X11; Linux x86_64)"
_IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
_IPAD = "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
_ANDROID = "Mozilla/5.0 (Linux; Android 10; K)"
_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
_PHONE_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36"
_SAMSUNG = "AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36"
_SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15"

MACHINES = (
    SampleMachine(25, f"{_WINDOWS} {_CHROME}", "1920x1080", "1905x945", "windows"),
    SampleMachine(15, f"{_MAC} {_CHROME}", "1512x982", "1512x860", "mac"),
    SampleMachine(3.5, f"{_LINUX} {_CHROME}", "2560x1440", "1690x1310", "linux"),
    SampleMachine(9, f"{_MAC} {_SAFARI}", "1440x900", "1440x790", "mac"),
    SampleMachine(7, f"{_WINDOWS} {_CHROME} Edg/142.0.0.0", "1536x864", "1521x730", "windows"),
    SampleMachine(
        4,
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
        "1920x1080",
        "1905x960",
        "windows",
    ),
    SampleMachine(
        4.5,
        "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        "2560x1440",
        "1280x1330",
        "linux",
    ),
    SampleMachine(1.2, f"{_WINDOWS} {_CHROME} OPR/124.0.0.0", "1920x1080", "1850x930", "windows"),
    SampleMachine(14, f"{_IPHONE} Version/18.6 Mobile/15E148 Safari/604.1", "393x852", "393x659"),
    SampleMachine(1.4, f"{_IPHONE} CriOS/142.0.7444.46 Mobile/15E148 Safari/604.1", "430x932", "430x740"),
    SampleMachine(12, f"{_ANDROID} {_PHONE_CHROME}", "412x915", "412x785"),
    SampleMachine(1.8, f"{_ANDROID} {_SAMSUNG}", "384x832", "384x700"),
    SampleMachine(0.9, "Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "360x800", "360x660"),
    SampleMachine(1.7, f"{_IPAD} Version/18.6 Mobile/15E148 Safari/604.1", "820x1180", "820x1080"),
)

PLACES = (
    SamplePlace(
        24,
        "en-US",
        "America/New_York",
        18,
        (
            ("New York", "New York"),
            ("Massachusetts", "Boston"),
            ("Pennsylvania", "Philadelphia"),
            ("Georgia", "Atlanta"),
            ("Illinois", "Chicago"),
        ),
    ),
    SamplePlace(
        13,
        "en-US",
        "America/Los_Angeles",
        20.5,
        (
            ("California", "San Francisco"),
            ("California", "Los Angeles"),
            ("Washington", "Seattle"),
            ("Oregon", "Portland"),
            ("Colorado", "Denver"),
        ),
    ),
    SamplePlace(
        10,
        "en-GB",
        "Europe/London",
        14,
        (
            ("England", "London"),
            ("England", "Manchester"),
            ("Scotland", "Edinburgh"),
        ),
    ),
    SamplePlace(
        12,
        "de-DE",
        "Europe/Berlin",
        13,
        (
            ("Berlin", "Berlin"),
            ("Bavaria", "Munich"),
            ("Hamburg", "Hamburg"),
            ("North Rhine-Westphalia", "Cologne"),
            ("Saxony", "Leipzig"),
        ),
    ),
    SamplePlace(
        7,
        "fr-FR",
        "Europe/Paris",
        13,
        (
            ("Île-de-France", "Paris"),
            ("Auvergne-Rhône-Alpes", "Lyon"),
            ("Occitanie", "Toulouse"),
        ),
    ),
    SamplePlace(
        4,
        "nl-NL",
        "Europe/Amsterdam",
        13,
        (
            ("North Holland", "Amsterdam"),
            ("Utrecht", "Utrecht"),
        ),
    ),
    SamplePlace(
        4,
        "pl-PL",
        "Europe/Warsaw",
        12.5,
        (
            ("Mazovia", "Warsaw"),
            ("Lesser Poland", "Kraków"),
        ),
    ),
    SamplePlace(
        3.5,
        "es-ES",
        "Europe/Madrid",
        14,
        (
            ("Madrid", "Madrid"),
            ("Catalonia", "Barcelona"),
        ),
    ),
    SamplePlace(
        3.5,
        "pt-BR",
        "America/Sao_Paulo",
        17,
        (
            ("São Paulo", "São Paulo"),
            ("Rio de Janeiro", "Rio de Janeiro"),
        ),
    ),
    SamplePlace(
        6,
        "en-IN",
        "Asia/Kolkata",
        9,
        (
            ("Karnataka", "Bengaluru"),
            ("Maharashtra", "Mumbai"),
            ("Telangana", "Hyderabad"),
        ),
    ),
    SamplePlace(
        4,
        "ja-JP",
        "Asia/Tokyo",
        4,
        (
            ("Tokyo", "Tokyo"),
            ("Osaka", "Osaka"),
        ),
    ),
    SamplePlace(
        3,
        "en-AU",
        "Australia/Sydney",
        3,
        (
            ("New South Wales", "Sydney"),
            ("Victoria", "Melbourne"),
        ),
    ),
    SamplePlace(
        3,
        "en-CA",
        "America/Toronto",
        18,
        (
            ("Ontario", "Toronto"),
            ("British Columbia", "Vancouver"),
            ("Quebec", "Montreal"),
        ),
    ),
    SamplePlace(2, "sv-SE", "Europe/Stockholm", 13),
)
