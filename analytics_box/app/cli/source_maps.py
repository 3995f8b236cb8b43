"""The commands `analytics-box source-map …`."""

from pathlib import Path
from typing import Any, Final

import click
import msgspec

from analytics_box.app.cli.command import Request, command, option, resource
from analytics_box.app.cli.files import read_text
from analytics_box.products.source_maps.mappings import MOST_MAP_BYTES

_WEBSITE: Final = resource("website", "websiteId", "website")
_RELEASE: Final = "Release that the scripts belong to, as in data-release. [default: all releases]"
# With the source code, which the server drops, a file can be several times as large as the rest of it.
_MOST_FILE_BYTES: Final = 10 * MOST_MAP_BYTES


def _upload(request: Request) -> list[Any]:
    prefix = request.values["prefix"].rstrip("/")
    return [
        request.call(given=request.input | {"script": f"{prefix}/{Path(file.name).name}", "content": _content(file)})
        for file in request.values["files"]
    ]


def _content(file: Any) -> str:
    """A map without the source code."""
    text = read_text(file, _MOST_FILE_BYTES)
    try:
        fields = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return text  # The server says what is wrong with it.
    return msgspec.json.encode({name: value for name, value in fields.items() if name != "sourcesContent"}).decode()


source_map = click.Group(
    "source-map",
    commands=[
        command(
            "list",
            "sourceMaps.list",
            "List the source maps of a website, latest first.",
            target=_WEBSITE,
            text=lambda rows: (
                f"{row['script']}  {row['release'] or 'all releases'}  {row['size']:,} bytes" for row in rows
            ),
        ),
        command(
            "upload",
            "sourceMaps.upload",
            "Upload source maps of a website's scripts.\n\n"
            "A FILE is named like its script, such as app.js.map. Each upload replaces that of the same script and "
            "release.",
            click.Argument(("files",), nargs=-1, required=True, type=click.File("rb"), metavar="FILE..."),
            option("release", "--release", _RELEASE),
            click.Option(
                ("--prefix",), default="", help="Path of the scripts on the website, such as /assets. [default: any]"
            ),
            target=_WEBSITE,
            run=_upload,
            text=lambda rows: [row["script"] for row in rows],
        ),
        command(
            "delete",
            "sourceMaps.deleteRelease",
            "Delete the source maps of a release.",
            option("release", "--release", _RELEASE, default=""),
            target=_WEBSITE,
            text=lambda answer: [f"Deleted source maps: {answer['deleted']:,}"],
        ),
    ],
)
