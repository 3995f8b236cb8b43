"""The commands `analytics-box export` and `analytics-box load`: move a website's events and resources."""

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, BinaryIO, Final

import click
import msgspec

from analytics_box import __version__
from analytics_box.app.cli.apply import ASKING, asking, dump
from analytics_box.app.cli.imports import import_file
from analytics_box.app.cli.options import read_settings, report_refusals
from analytics_box.app.declared.stock import Ask
from analytics_box.base.backup.places import BackupPlace, FolderPlace, Sink, place_of
from analytics_box.base.clock import SystemClock, iso_day
from analytics_box.base.errors import BadRequest
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.translation import _
from analytics_box.products.exports.loading import MOST_ROWS
from analytics_box.products.exports.parts import columns_of
from analytics_box.products.exports.people import MOST_PROFILES
from analytics_box.products.imports.readers import analytics_box
from analytics_box.products.imports.readers.analytics_box import COLUMNS
from analytics_box.query.exported import HISTORIES

PREFIX: Final = "analytics-box-export-"
MANIFEST: Final = f"{PREFIX}manifest.json"
_MOST_MANIFEST: Final = 64 << 20
_MOST_LINE: Final = 4 << 20
_LEFT_OUT: Final = (
    "bots and quarantined events",
    "counts of dropped events",
    "secrets, passwords, API keys and accounts",
    "incidents of status pages",
)
_HISTORIES_LEFT_OUT: Final = "clicks on short links, and the history of monitors"
_PEOPLE_LEFT_OUT: Final = "profiles, their traits and devices"
_PEOPLE: Final = tuple(
    {"name": name, "type": kind}
    for name, kind in (
        ("profile", "string"),
        ("createdAt", "timestamp"),
        ("updatedAt", "timestamp"),
        ("traits", "string"),
        ("visitors", "string"),
    )
)
_TOTALS: Final = tuple(
    {"name": name, "type": "string" if name in {"day", "roll", "value", "second"} else "integer"} for name in COLUMNS
)
_MOST_LISTED: Final = 100
# Reasons that are named when something cannot be loaded.
_MOST_NAMED: Final = 20


def _export(values: dict[str, Any]) -> None:
    named = {one.name: values[one.name] for one in ASKING.settings if one.name}
    place = place_of(values["destination"], read_settings(named))
    if isinstance(place, FolderPlace):
        Path(place.shown).mkdir(mode=0o700, parents=True, exist_ok=True)
    place.look()
    with asking(values) as ask:
        websites = _select_websites(ask("websites.list", {}), values["website"])
        listed: list[dict[str, Any]] = []
        for website in websites:
            for part in ask("exports.listParts", {"websiteId": website["id"]}):
                listed.append(_export_part(ask, place, website, part, values))
        totals = [_export_totals(ask, place, website, values["format"]) for website in websites]
        people = [_export_people(ask, place, website, values["format"]) for website in websites if values["people"]]
        # Another server's procedures cannot read them, and they belong to no single website.
        has_histories = not values["url"] and not values["website"]
        histories = [_export_history(ask, place, table, values["format"]) for table in HISTORIES if has_histories]
        with place.writing(f"{PREFIX}box.yaml") as sink:
            sink.write(dump(ask)[0].encode())
    described = {table: columns_of(table) for table in (*FACT_NAMES, *HISTORIES)} | {
        "people": _PEOPLE,
        "totals": _TOTALS,
    }
    with place.writing(f"{PREFIX}schema.json") as sink:
        sink.write(msgspec.json.format(msgspec.json.encode(described)))
    manifest = {
        "format": "analytics-box-export",
        "version": 1,
        "server": __version__,
        "people": values["people"],
        "files": listed,
        "totals": [one for one in totals if one["file"]],
        "profiles": people,
        "histories": histories,
        "leftOut": (
            *_LEFT_OUT,
            *(() if values["people"] else (_PEOPLE_LEFT_OUT,)),
            *(() if histories else (_HISTORIES_LEFT_OUT,)),
        ),
    }
    # It comes last, so that an export that has one is whole.
    with place.writing(MANIFEST) as sink:
        sink.write(json.dumps(manifest, indent=1).encode())
    if values["as_json"]:
        click.echo(json.dumps(manifest))
    else:
        click.echo(f"Exported {len(websites)} websites in {len(listed) + len(histories)} files to {place.shown}.")


def _select_websites(websites: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    unknown = [name for name in names if not any(name in {one["id"], one["domain"]} for one in websites)]
    if unknown:
        raise BadRequest(_("There is no website {name}. Enter its id or domain").format(name=unknown[0]))
    return [one for one in websites if not names or {one["id"], one["domain"]} & set(names)]


def _export_part(
    ask: Ask, place: BackupPlace, website: dict[str, Any], part: dict[str, Any], values: dict[str, Any]
) -> dict[str, Any]:
    """Write a part, unless an earlier run has written it: months that are over do not change often."""
    form, given = values["format"], {"websiteId": website["id"], "table": part["table"], "month": part["month"]}
    name = f"{PREFIX}{website['domain']}-{part['table']}-{part['month']}.{form}"
    described = {"website": website["domain"], "table": part["table"], "month": part["month"], "file": name}
    is_over = part["month"] < iso_day(SystemClock().now())[: len("2026-06")]
    if isinstance(place, FolderPlace) and is_over and not values["fresh"] and Path(place.full_name(name)).exists():
        click.echo(f"{name}: exists", err=True)
        return described
    pieces = _pieces(ask, "exports.getRows", given | {"people": values["people"]})
    _write(place, name, pieces, part["columns"], form)
    return described


def _export_totals(ask: Ask, place: BackupPlace, website: dict[str, Any], form: str) -> dict[str, str]:
    """Write the imported totals of a website, if it has any."""
    pieces = _pieces(ask, "exports.getTotals", {"websiteId": website["id"]})
    first = next(pieces)
    name = f"{PREFIX}{website['domain']}-totals.{form}" if first else ""
    if first:
        _write(place, name, chain((first,), pieces), list(_TOTALS), form)
    return {"website": website["domain"], "file": name}


def _export_people(ask: Ask, place: BackupPlace, website: dict[str, Any], form: str) -> dict[str, str]:
    """Write the identified visitors of a website."""
    name = f"{PREFIX}{website['domain']}-people.{form}"
    pieces = _pieces(ask, "exports.getPeople", {"websiteId": website["id"]})
    _write(place, name, pieces, list(_PEOPLE), form)
    return {"website": website["domain"], "file": name}


def _export_history(ask: Ask, place: BackupPlace, table: str, form: str) -> dict[str, str]:
    """Write the clicks of all links, or what all monitors have recorded: the rows of each one together."""
    name = f"{PREFIX}{table}.{form}"
    pieces = chain.from_iterable(
        _pieces(ask, "history read", {"table": table, "id": owner}) for owner, _name in _owners(ask, table)
    )
    columns: list[dict[str, str]] = msgspec.to_builtins(columns_of(table))
    _write(place, name, pieces, columns, form)
    return {"table": table, "file": name}


def _owners(ask: Ask, table: str) -> Iterator[tuple[str, str]]:
    """The links or monitors that can have rows of a table, by id, with their names in a file."""
    if table != "link_clicks":
        for one in ask("uptime.listSchedules", {}):
            yield one["id"], one["name"] or mask_query(one["url"])
        return
    offset, more = 0, True
    while more:
        page = ask("links.paginated", {"limit": _MOST_LISTED, "offset": offset})
        for one in page["items"]:
            yield one["id"], f"{one['domain'] or ''}/{one['slug']}"
        offset, more = offset + _MOST_LISTED, page["hasMore"]


def _write(place: BackupPlace, name: str, pieces: Iterator[bytes], columns: list[dict[str, str]], form: str) -> None:
    with place.writing(name) as sink:
        if form == "ndjson":
            for piece in pieces:
                sink.write(piece)
        else:
            _convert(pieces, columns, form, sink)
    click.echo(name, err=True)


def _pieces(ask: Ask, procedure: str, given: dict[str, Any]) -> Iterator[bytes]:
    after = None
    while True:
        answer = ask(procedure, given | {"after": after})
        yield answer["content"].encode()
        after = answer["next"]
        if after is None:
            return


def _convert(pieces: Iterator[bytes], columns: list[dict[str, str]], form: str, sink: Sink) -> None:
    """Convert NDJSON by DuckDB, in files of a temporary folder."""
    import tempfile  # noqa: PLC0415  # Few exports need it.

    import duckdb  # noqa: PLC0415  # It takes half a second.

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "rows.ndjson", Path(folder) / f"rows.{form}"
        with source.open("wb") as file:
            file.writelines(pieces)
        kinds = {"string": "varchar", "integer": "bigint", "number": "double", "timestamp": "varchar"}
        typed = {one["name"]: kinds[one["type"]] for one in columns}
        typed |= {name: "json" for name in ("properties", "data", "traits", "visitors") if name in typed}
        fields = ", ".join(f"'{one['name']}': '{typed[one['name']]}'" for one in columns)
        selected = ", ".join(
            f'"{one["name"]}"::timestamptz as "{one["name"]}"' if one["type"] == "timestamp" else f'"{one["name"]}"'
            for one in columns
        )
        options = "format parquet, compression zstd" if form == "parquet" else "format csv, header"
        with duckdb.connect(config={"memory_limit": "512MB", "threads": 1, "temp_directory": folder}) as db:
            db.execute("set timezone = 'UTC'")
            db.execute(
                f"copy (select {selected} from read_json('{source}', format = 'newline_delimited',"
                f" maximum_object_size = {_MOST_LINE}, columns = {{{fields}}})) to '{target}' ({options})"
            )
        with target.open("rb") as file:
            while piece := file.read(1 << 20):
                sink.write(piece)


def _load(values: dict[str, Any]) -> None:
    named = {one.name: values[one.name] for one in ASKING.settings if one.name}
    place = place_of(values["source"], read_settings(named))
    manifest = _manifest(place)
    with asking(values | {"url": None}) as ask:
        known = {one["domain"]: one["id"] for one in ask("websites.list", {})}
        total = 0
        left_out: list[str] = []
        parts = [one | {"kind": kind} for kind in ("files", "totals", "profiles") for one in manifest.get(kind, ())]
        for part in parts:
            domain = values["into"] or part["website"]
            if values["website"] and part["website"] not in values["website"]:
                continue
            if domain not in known:
                reason = _("There is no website {name}. Create it, for example from box.yaml").format(name=domain)
                left_out.append(f"{part['file']}: {reason}")
                continue
            if part["kind"] == "files":
                given = {"websiteId": known[domain], "table": part["table"], "month": part["month"]}
                total += _load_part(ask, place, part["file"], given)
            elif part["kind"] == "totals":
                total += _load_totals(ask, place, part["file"], known[domain])
            else:
                _load_people(ask, place, part["file"], known[domain])
            click.echo(part["file"], err=True)
        if not values["website"] and not values["into"]:
            for history in manifest.get("histories", ()):
                total += _load_history(ask, place, history["file"], history["table"], left_out)
                click.echo(history["file"], err=True)
    click.echo(json.dumps({"rows": total}) if values["as_json"] else f"Loaded rows: {total:,}")
    if left_out:
        more = [_("and {count} more").format(count=len(left_out) - _MOST_NAMED)] if left_out[_MOST_NAMED:] else []
        raise BadRequest(_("Left out:\n{reasons}").format(reasons="\n".join([*left_out[:_MOST_NAMED], *more])))


def _manifest(place: BackupPlace) -> dict[str, Any]:
    """The manifest of an export whose files can be loaded. Raises BadRequest."""
    with place.reading(MANIFEST) as file:
        content = file.read(_MOST_MANIFEST)
    with suppress(msgspec.DecodeError, KeyError, TypeError, AttributeError):
        found: dict[str, Any] = msgspec.json.decode(content, type=dict[str, Any])
        names = [(part["website"], part["table"], part["month"], part["file"]) for part in found["files"]]
        names += [("", part["table"], "", part["file"]) for part in found.get("histories", ())]
        names += [(part["website"], "", "", part["file"]) for part in found.get("profiles", ())]
        names += [(part["website"], "", "", part["file"]) for part in found.get("totals", ())]
        if not all(isinstance(text, str) for name in names for text in name):
            raise BadRequest(_("This is not the manifest of an export"))
        if any("/" in name[3] or not name[3].startswith(PREFIX) for name in names):
            raise BadRequest(_("This is not the manifest of an export"))
        if not all(name[3].endswith(".ndjson") for name in names):
            raise BadRequest(_("Only exports in the format ndjson can be loaded"))
        return found
    raise BadRequest(_("This is not the manifest of an export"))


def _load_part(ask: Ask, place: BackupPlace, name: str, given: dict[str, Any]) -> int:
    """Load a file behind the rows that are stored already; return the number of new rows."""
    done = stored = int(ask("load state", given)["stored"])
    with place.reading(name) as file:
        for number, lines in _batches(file, name):
            if number + len(lines) > stored:
                content = _text(lines[max(stored - number, 0) :], name)
                done = int(ask("load rows", given | {"skip": done, "content": content})["stored"])
    return done - stored


def _load_totals(ask: Ask, place: BackupPlace, name: str, website_id: str) -> int:
    """Load imported totals as an import, which can be undone. Days that have data are left out; the number of rows."""
    given = {"websiteId": website_id, "fileName": name, "provider": analytics_box.READER.name}
    with place.reading(name) as file:
        imported = import_file(ask, file, given)
    if imported["state"] == "done":
        return int(imported["rows"])
    ask("imports.undo", {"id": imported["id"]})
    return 0


def _load_people(ask: Ask, place: BackupPlace, name: str, website_id: str) -> None:
    """Load identified visitors, all of them again after an interruption."""
    website = {"websiteId": website_id}
    with place.reading(name) as file:
        for _number, lines in _batches(file, name, most=MOST_PROFILES):
            ask("load people", website | {"content": _text(lines, name)})


def _load_history(ask: Ask, place: BackupPlace, name: str, table: str, left_out: list[str]) -> int:
    """Load a file with the rows of several links or monitors, one after the other; return the number of new rows. Rows
    of links and monitors that are not here are left out, with the reason in `left_out`."""
    if table not in HISTORIES:
        raise BadRequest(_("This is not the manifest of an export"))
    known: dict[str, list[str]] = {}
    for owner_id, owner_name in _owners(ask, table):
        known.setdefault(owner_name, []).append(owner_id)
    total, owner, seen, stored, done = 0, "", -1, 0, 0
    given: dict[str, Any] = {}
    with place.reading(name) as file:
        for _number, lines in _batches(file, name):
            for named, rows in groupby(lines, partial(_owner_name, field=HISTORIES[table][0], file=name)):
                if seen < 0 or named != owner:
                    owner, seen, given = named, 0, {}
                    if reason := _reason(known.get(named, []), named):
                        left_out.append(f"{name}: {reason}")
                    else:
                        given = {"table": table, "id": known[named][0]}
                        stored = done = int(ask("history state", given)["stored"])
                if not given:
                    continue
                own = list(rows)
                if seen + len(own) > stored:
                    content = _text(own[max(stored - seen, 0) :], name)
                    before, done = done, int(ask("history load", given | {"skip": done, "content": content})["stored"])
                    total += done - before
                seen += len(own)
    return total


def _owner_name(line: bytes, *, field: str, file: str) -> str:
    """The name of the link or monitor of a row. Raises BadRequest."""
    with suppress(msgspec.DecodeError, KeyError, TypeError, RecursionError):
        name = msgspec.json.decode(line, type=dict[str, Any])[field]
        if isinstance(name, str):
            return name
    raise BadRequest(_("{file} has a row without {field}").format(file=file, field=field))


def _reason(ids: list[str], name: str) -> str:
    """The reason why rows cannot be loaded into what has this name; empty if they can."""
    if not ids:
        return _("There is no {name}. Create it, for example from box.yaml").format(name=name)
    return _("{name} is the name of several monitors. Rename the others first").format(name=name) if ids[1:] else ""


def _text(lines: list[bytes], name: str) -> str:
    try:
        return b"".join(lines).decode()
    except UnicodeDecodeError as wrong:
        raise BadRequest(_("{file} is not valid UTF-8").format(file=name)) from wrong


def _batches(file: BinaryIO, name: str, *, most: int = MOST_ROWS) -> Iterator[tuple[int, list[bytes]]]:
    """The lines of a file, some at a time, and the number of lines before them. Raises BadRequest."""
    before, size = 0, 0
    lines: list[bytes] = []
    while line := file.readline(_MOST_LINE):
        if not line.endswith(b"\n"):
            where = before + len(lines) + 1
            raise BadRequest(_("{file}: line {line} is incomplete or too long").format(file=name, line=where))
        lines.append(line)
        size += len(line)
        if len(lines) == most or size >= _MOST_LINE:
            yield before, lines
            before, lines, size = before + len(lines), [], 0
    if lines:
        yield before, lines


_WEBSITES: Final = click.Option(("--website",), multiple=True, help="Website ID or domain. Repeatable. [default: all]")
export = click.Command(
    "export",
    callback=lambda **values: report_refusals(lambda: _export(values)),
    help="Export all events and resources to DESTINATION: a folder, or s3://bucket/prefix.\n\n"
    "An interrupted export into a folder goes on with the files that are missing.",
    params=[
        click.Argument(("destination",)),
        _WEBSITES,
        click.Option(
            ("--format",),
            type=click.Choice(("ndjson", "csv", "parquet")),
            default="ndjson",
            show_default=True,
            help="Format of the files. Another server can load ndjson.",
        ),
        click.Option(
            ("--people",), is_flag=True, help="Include profile IDs of visitors, and their profiles with traits."
        ),
        click.Option(("--fresh",), is_flag=True, help="Replace files that exist."),
        *ASKING.params,
    ],
)
load = click.Command(
    "load",
    callback=lambda **values: report_refusals(lambda: _load(values)),
    help="Load the events and histories of an export from SOURCE: a folder, or s3://bucket/prefix.\n\n"
    "Its websites, links and monitors must exist, and have no events or history from that time. An interrupted load "
    "goes on where it stopped.",
    params=[
        click.Argument(("source",)),
        click.Option(("--website",), multiple=True, help="Domain in the export. Repeatable. [default: all]"),
        click.Option(("--into",), help="Domain of the website to load into. [default: the same domain]"),
        *(one for one in ASKING.params if one.name != "url"),
    ],
)
