"""Uploaded source maps: how they are stored, replaced and deleted, and which of them a script has."""

from collections.abc import Collection, Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, NotFound, PayloadTooLarge
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.ingest.payload import MOST_RELEASE
from analytics_box.products.source_maps.mappings import shown_path, suffixes
from analytics_box.resource.fields import Field, Stamp
from analytics_box.resource.table import Table
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.recognition.paths import clean

# The most maps of a website.
MOST_MAPS: Final = 2_000
_LONGEST: Final = 512


def _script(given: str) -> str:
    """A script by its path or URL, without what browsers do not send or differs by host."""
    script = clean(shown_path(given.partition("#")[0].strip()), _LONGEST).removesuffix(".map")
    if not script or script.endswith("/"):
        raise BadRequest(_("Enter the path of the script, such as /assets/app.js"))
    return script


class SourceMap(Struct, frozen=True, rename="camel"):
    """A source map of a script of a website, of one release or of any. `size` is in bytes, as stored. UTC ms."""

    id: str
    website_id: str
    release: Annotated[str, Meta(max_length=MOST_RELEASE), Field(clean=lambda given: clean(given, MOST_RELEASE))]
    script: Annotated[str, Meta(min_length=1, max_length=2 * _LONGEST), Field(clean=_script)]
    size: int
    created_by: str
    created_at: Stamp


MAPS: Final = Table("source_maps", SourceMap)
# The maps of a website, the latest first.
OF_WEBSITE: Final = "website_id = ? order by created_at desc, script, id"


def store(
    db: Connection, by: By, website: Website, values: Mapping[str, str], packed: bytes, most_bytes: int
) -> SourceMap:
    """Store a map instead of that of the same script and release. The oldest maps of the website make room for it.
    Raises PayloadTooLarge."""
    release, script = values.get("release", ""), values["script"]
    if len(packed) > most_bytes:
        raise PayloadTooLarge(
            _("The source map takes more than the {most:,} bytes of a website").format(most=most_bytes)
        )
    db.execute(
        "-- sourceMaps.upload\ndelete from source_maps where website_id = ? and release = ? and script = ?",
        (website.id, release, script),
    )
    room, kept = most_bytes - len(packed), 1
    for one in MAPS.all(db, OF_WEBSITE, website.id):
        room, kept = room - one.size, kept + 1
        if room < 0 or kept > MOST_MAPS:
            MAPS.delete(db, one.id)
    stored = MAPS.insert(db, SourceMap(ids.new_id(), website.id, release, script, len(packed), by.actor, by.now))
    db.execute("-- sourceMaps.upload\ninsert into source_map_contents (id, content) values (?, ?)", (stored.id, packed))
    _record(db, by, website, stored, "created")
    return stored


def delete(db: Connection, by: By, website: Website, map_id: str) -> None:
    """Delete a map. Raises NotFound."""
    gone = MAPS.find(db, map_id)
    if gone is None:
        raise NotFound.of("sourceMap", map_id)
    MAPS.delete(db, map_id)
    _record(db, by, website, gone, "deleted")


def delete_release(db: Connection, by: By, website: Website, release: str) -> int:
    """Delete the maps of a release; their number."""
    gone = MAPS.all(db, "website_id = ? and release = ? order by id", website.id, release)
    for one in gone:
        MAPS.delete(db, one.id)
        _record(db, by, website, one, "deleted")
    return len(gone)


def find_maps(db: Connection, website_id: str, release: str, scripts: Collection[str]) -> dict[str, str]:
    """The ids of the maps of scripts, by script: of this release, else of any. The longest matching path wins."""
    names = {name for script in scripts for name in suffixes(script)}
    marks = ", ".join("?" * len(names))
    rows = db.execute(
        f"-- source maps of a stack\nselect script, release, id from source_maps where website_id = ? "
        f"and release in ('', ?) and script in ({marks}) order by length(script), release",
        (website_id, release, *names),
    ).fetchall()
    known = {(str(script), str(release)): str(id_) for script, release, id_ in rows}
    found: dict[str, str] = {}
    for script in scripts:
        for wanted in dict.fromkeys((release, "")):
            match = next((known[name, wanted] for name in suffixes(script) if (name, wanted) in known), None)
            if match is not None:
                found[script] = match
                break
    return found


def content_of(db: Connection, map_id: str) -> bytes | None:
    """A map as it is stored; None if it was deleted."""
    row = db.execute(
        "-- source maps of a stack\nselect content from source_map_contents where id = ?", (map_id,)
    ).fetchone()
    return None if row is None else bytes(row[0])


def _record(db: Connection, by: By, website: Website, one: SourceMap, action: audit.Action) -> None:
    about = {"name": one.script, "release": one.release, "websiteId": website.id}
    audit.record(db, by, website.organization_id, action, "source map", one.id, about)
