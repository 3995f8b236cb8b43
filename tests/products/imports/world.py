"""The calls that tests of imports make, and exports in the shape of other products."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from analytics_box.products.imports.worker import HistoryImports
from tests.inprocess import SiteName, WholeBox


def archive(files: Mapping[str, str]) -> bytes:
    """A ZIP archive of text files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return written.getvalue()


def sheet(header: str, rows: Iterable[Iterable[object]]) -> str:
    """A CSV file."""
    lines = [header, *(",".join(f'"{value}"' for value in row) for row in rows)]
    return "\n".join(lines) + "\n"


def call(box: WholeBox, name: str, given: Mapping[str, object]) -> Any:
    """The answer of a procedure that succeeds."""
    answer = box.post(f"/imports/{name}", dict(given), key="all")
    assert answer.status == 200, answer.json
    return answer.json


def uploaded(
    box: WholeBox, content: bytes, name: str = "export.zip", *, site: SiteName = "shop", provider: str = ""
) -> str:
    """The id of an import with this file, which is checked."""
    created = call(box, "createUpload", {"websiteId": box.sites[site], "fileName": name, "provider": provider})
    path = "/" + created["uploadUrl"].split("/", 3)[3]
    answer = box.ask("PUT", path, headers={"x_api_key": box.keys["all"]}, body=content)
    assert answer.status == 200, answer.json
    work(box)
    return str(created["id"])


def work(box: WholeBox) -> None:
    """Let the worker do what there is to do."""
    box.run(box.box.parts[HistoryImports].wait())


def status(box: WholeBox, import_id: str) -> Any:
    return call(box, "status", {"id": import_id})


def imported(box: WholeBox, content: bytes, name: str = "export.zip", **more: Any) -> str:
    """The id of an import that is done."""
    import_id = uploaded(box, content, name, **more)
    checked = status(box, import_id)
    assert checked["state"] == "checked", checked
    call(box, "start", {"id": import_id})
    work(box)
    done = status(box, import_id)
    assert done["state"] == "done", done
    return import_id


def undo(box: WholeBox, import_id: str) -> None:
    call(box, "undo", {"id": import_id})
    work(box)
    assert status(box, import_id)["state"] == "undone"


def ask(box: WholeBox, *types: str, site: SiteName = "shop", **more: Any) -> list[Any]:
    """The entries of a query about the first days of 2025."""
    query = {"parameters": [*types], "startDate": "2025-01-01", "endDate": "2025-01-31", **more}
    answer = box.post(f"/v1/query?website_id={box.sites[site]}", query, key="all")
    assert answer.status == 200, answer.json
    entries: list[Any] = answer.json["data"]
    assert all(entry["success"] for entry in entries), entries
    return entries
