"""The location of a sender (wire 4.7): country by the list that comes with the box; region and city by a database that
the
operator names, or by the headers of a trusted proxy.

Names are English, empty if unknown. Nothing here stores or logs an IP address.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Mapping
from importlib import resources
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import maxminddb

from analytics_box.base.cache import BoundedCache
from analytics_box.base.settings import Settings
from analytics_box.web.address import is_trusted, networks
from analytics_box.web.recognition.countries import name_of, proper_name
from analytics_box.web.recognition.paths import clean

log = logging.getLogger(__name__)

MOST_REMEMBERED = 20_000  # networks
_LONGEST = 100  # characters of a region's or city's name
# How addresses begin that may not be on the internet; all that do are in such a network or beside one.
_DOUBTFUL = tuple(f"{first}." for first in (0, 10, 100, 127, 169, 172, 192, 198, 203, *range(240, 256)))
_CERTAIN, _BESIDE = "2", ("2001:", "2002:")  # of IPv6: 2000::/3 is all that was ever given out
_DATA = resources.files("analytics_box.web.recognition").joinpath("data")


_UNSAID = {"XX", "ZZ", "T1", "UNKNOWN", "-", "?"}  # Cloudflare, App Engine and others


class Location(NamedTuple):
    """English names, empty if unknown."""

    country: str = ""
    region: str = ""
    city: str = ""


UNKNOWN = Location()


class Geo:
    """The databases, and the locations of the networks looked up last. Used by the event loop's thread;
    `reload` may run in another."""

    def __init__(self, settings: Settings) -> None:
        """Open what there is. A named database that cannot be read is logged; until it can be, countries come from the
        list of the box."""
        self._path = Path(settings.geo_database).expanduser() if settings.geo_database else None
        self._beside = settings.data_dir
        headers = (settings.geo_country_header, settings.geo_region_header, settings.geo_city_header)
        self.headers = tuple(name.lower().encode("latin-1") for name in headers if name)
        self._headers = tuple(name.lower().encode("latin-1") for name in headers)
        self._asks_proxy = any(headers)
        self._trusted = networks(settings.trusted_proxies)
        self._builtin = maxminddb.open_database(str(_DATA.joinpath("countries.mmdb")), maxminddb.MODE_AUTO)
        self._named: maxminddb.Reader | None = None
        self._seen: tuple[int, int, int] | None = None
        self._complaint = ""
        self._known: BoundedCache[str, Location] = BoundedCache(MOST_REMEMBERED)
        self.places = object()  # another one whenever the databases may say something else
        self.reload()

    def of(self, network: str, headers: Mapping[bytes, bytes], *, peer: str) -> Location:
        """The location of a client by its cut network (http.address.network_of). Headers count only when the peer is a
        trusted proxy; what they leave open the databases say."""
        known = self._known  # a reload puts another there, which must not get what the old database says
        location = known.get(network)
        if location is None:
            location = self._look_up(network)
            known.put(network, location)
        return self._corrected(location, headers) if self._asks_proxy and is_trusted(peer, self._trusted) else location

    def reload(self) -> bool:
        """Open the named database again if its file is another than before; whether it did. Reads the disk."""
        if self._path is None:
            return False
        try:
            found = os.stat(self._path)
            seen = (found.st_mtime_ns, found.st_size, found.st_ino)
            if seen == self._seen:
                return False
            reader = _open_copy(self._path, self._beside)
        except (OSError, ValueError, maxminddb.InvalidDatabaseError) as broken:
            self._complain(broken)
            return False
        self._seen, self._complaint = seen, ""
        self._named = reader
        self._known = BoundedCache(MOST_REMEMBERED)
        self.places = object()
        log.info("Using locations from %s (%s)", self._path, reader.metadata().database_type)
        return True

    def forget(self) -> None:
        """Forget all networks that were looked up."""
        self._known = BoundedCache(MOST_REMEMBERED)

    def _complain(self, broken: Exception) -> None:
        complaint = broken.strerror or "" if isinstance(broken, OSError) and broken.strerror else str(broken)
        if complaint != self._complaint:
            before = "the one read before is kept" if self._named is not None else "only countries are known"
            log.error("geo_database %s cannot be read: %s; %s", self._path, complaint, before)
        self._complaint = complaint

    def _look_up(self, network: str) -> Location:
        address = network.partition("/")[0]
        location = location_of(_get(self._named, address)) if self._named is not None else UNKNOWN
        if not location.country and (found := _get(self._builtin, address)) and _is_global(address):
            location = Location(name_of(found["country_code"]), location.region, location.city)
        return location

    def _corrected(self, location: Location, headers: Mapping[bytes, bytes]) -> Location:
        country, region, city = (_proxy_value(headers.get(name)) if name else "" for name in self._headers)
        country = name_of(country) or proper_name(country)  # Any other text would be one more country.
        if country and country != location.country:
            location = Location(country)  # a region of the other country would be wrong
        return Location(country or location.country, region or location.region, city or location.city)


def _open_copy(path: Path, beside: Path) -> maxminddb.Reader:
    """A reader of a copy that nobody else sees: it stays in the disk's cache instead of memory, and a file that is
    written over in location cannot change under the reader's feet."""
    with path.open("rb") as file, tempfile.NamedTemporaryFile(dir=beside, prefix=".geo-", suffix=".mmdb") as copy:
        shutil.copyfileobj(file, copy, 1 << 20)
        copy.flush()
        return maxminddb.open_database(copy.name, maxminddb.MODE_AUTO)


def _get(reader: maxminddb.Reader, address: str) -> Any:
    try:
        return reader.get(address)
    except (ValueError, maxminddb.InvalidDatabaseError):  # no address, IPv6 asked of IPv4, or a damaged database
        return None


def _is_global(address: str) -> bool:
    """Whether an address is on the internet. Python's answer takes ten times as long as looking up the country."""
    if ":" in address:
        if address.startswith(_CERTAIN) and not address.startswith(_BESIDE):
            return True
    elif not address.startswith(_DOUBTFUL):
        return True
    return ip_address(address).is_global


def _proxy_value(value: bytes | None) -> str:
    """The text of a proxy's header, which may be percent-encoded; empty if the proxy says that it does not know."""
    if not value:
        return ""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = value.decode("latin-1")
    text = clean(unquote(text) if "%" in text else text, _LONGEST)
    return "" if text.upper() in _UNSAID else text


def location_of(found: Any) -> Location:
    """The location in an entry of a database, in MaxMind's form (and DB-IP's) or in the flat one of ip-location-db."""
    if not isinstance(found, dict):
        return UNKNOWN
    country = found.get("country") or found.get("registered_country")
    code = country.get("iso_code") if isinstance(country, dict) else found.get("country_code") or country
    named = name_of(code) if isinstance(code, str) else ""
    subdivisions = found.get("subdivisions")
    first = subdivisions[0] if isinstance(subdivisions, list) and subdivisions else None
    return Location(
        country=named or _english(country),
        region=_english(first) or _text(found.get("state1") or found.get("state")),
        city=_english(found.get("city")) or _text(found.get("city")),
    )


def _english(named: Any) -> str:
    inner = named.get("names") if isinstance(named, dict) else None
    return _text(inner.get("en")) if isinstance(inner, dict) else ""


def _text(value: Any) -> str:
    return clean(value, _LONGEST) if isinstance(value, str) else ""
