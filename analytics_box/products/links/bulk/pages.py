"""The import of links under /links/bulk: a file is checked, its rows are shown, then it is imported."""

from pathlib import Path
from typing import Any

import msgspec
from litestar import Request
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Stream

from analytics_box.base import errors, figures
from analytics_box.base.errors import BadRequest, PayloadTooLarge
from analytics_box.base.file_queue import FileQueue, keep_going
from analytics_box.base.store.foreign import is_database
from analytics_box.base.translation import _, ngettext
from analytics_box.products.links.bulk import exports
from analytics_box.products.links.bulk import files as import_files
from analytics_box.products.links.bulk.cells import MOST_ROWS
from analytics_box.products.links.bulk.databases import read_links_database
from analytics_box.products.links.bulk.exports import BESIDE, COLUMNS
from analytics_box.products.links.bulk.jobs import ImportJobs, LinkImportJob
from analytics_box.products.links.domains.lookup import LinkDomains
from analytics_box.products.links.link import MOST_FILE_BYTES
from analytics_box.products.links.page_frame import HOME, frame
from analytics_box.resource.imports import HEAD, MOST_OF_DATABASE, kept_upload
from analytics_box.web.call import Call
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

_COUNTS = {"created": _("new"), "updated": _("updated"), "unchanged": _("unchanged"), "failed": _("with errors")}


BULK = f"{HOME}/bulk"
MOST_SHOWN = 200  # rows with errors
_ZIP = b"PK\x03\x04"  # workbooks are such archives
MOST_IGNORED = 20  # columns that mean nothing
EXAMPLE = """name,targetUrl,slug,folder,tags,utmSource
Spring sale,https://example.com/sale,spring,Campaigns,print;sale,poster
Help,https://example.com/help,help,,,
"""


async def import_form(visit: Visitor) -> Page:
    """GET /links/bulk."""
    return await _form(visit, Again())


async def import_file(visit: Visitor) -> Answer:
    """POST /links/bulk/file: check a file. Raises Unavailable."""
    with kept_upload(visit.parts.settings.data_dir) as path:
        try:
            await visit.upload_to("file", path, limit=MOST_OF_DATABASE)
            sent = await visit.parts[FileQueue].run(visit.call.identity.holder, _content, path)
        except PayloadTooLarge as large:
            message = _("The file is larger than {most} MB. Split it").format(most=MOST_FILE_BYTES // 1_000_000)
            return await _form(visit, Again(large.status, wrong={"file": message}))
        except BadRequest as wrong:
            return await _form(visit, Again(wrong.status, wrong={"file": wrong.message}))

    async def save() -> str:
        return _begin(visit, sent)

    return await visit.submit(save, _form, field="file")


def _content(path: Path) -> bytes:
    """The bytes of an uploaded file; of a database its links as JSON. Raises BadRequest or PayloadTooLarge."""
    with path.open("rb") as file:
        is_text = not is_database(file.read(HEAD))
    if not is_text:
        found = msgspec.json.encode(read_links_database(path, keep_going))
        if len(found) > MOST_FILE_BYTES:
            raise BadRequest(_("The database has too many visits for this page. Run “analytics-box link import”"))
        return found
    if path.stat().st_size > MOST_FILE_BYTES:
        raise PayloadTooLarge(_("The file is too large"))
    return path.read_bytes()


async def import_text(visit: Visitor) -> Answer:
    """POST /links/bulk/text: check pasted text. Raises Unavailable."""
    form = await visit.form()

    async def save() -> str:
        return _begin(visit, form.get("text", "").encode("utf-8", "surrogatepass"))

    return await visit.submit(save, _form, values=form, field="text")


async def import_page(visit: Visitor, job_id: FromPath[str]) -> Page:
    """GET /links/bulk/{job}: the progress or result. Raises NotFound."""
    job = visit.parts[ImportJobs].find(job_id, visit.person)
    shown = job.shown
    wrong = [row for row in shown.rows if row.status == "failed"] if shown is not None and not job.runs else []
    return visit.pages.show(
        "link_import_job.html",
        shell=frame(visit.person),
        job=job,
        href=f"{BULK}/{job.id}",
        progress=_("{done} of {total} rows").format(done=figures.count(job.done), total=figures.count(job.total)),
        summary=_summary(job),
        counts=_counts(job),
        wrong=wrong[:MOST_SHOWN],
        more=figures.count(len(wrong) - MOST_SHOWN) if len(wrong) > MOST_SHOWN else "",
        ignored=", ".join(shown.ignoredColumns[:MOST_IGNORED]) if shown is not None else "",
        clicks=_clicks_words(job),
        run=_run_words(job),
        places=_places(visit, job) if any(row.field == "domain" for row in wrong) else [],
    )


async def run_import(visit: Visitor, job_id: FromPath[str]) -> Next:
    """POST /links/bulk/{job}: import what was checked, or check it for another domain. Raises NotFound."""
    job = visit.parts[ImportJobs].find(job_id, visit.person)
    domain = (await visit.form()).get("domain")
    if domain is None:
        visit.parts[ImportJobs].run(job, visit.call)
    else:
        visit.parts[ImportJobs].check_again(job, visit.call, domain)
    return visit.go(f"{BULK}/{job.id}")


def _begin(visit: PageRequest, sent: bytes) -> str:
    """The address that shows the check. Raises BadRequest or Unavailable."""
    if not sent.strip():
        raise BadRequest(_("Choose a file, or paste its text"))
    if sent.startswith(_ZIP):
        raise BadRequest(_("This is a spreadsheet or an archive. Save it as “CSV UTF-8”"))
    try:
        content = import_files.utf8(sent)
    except UnicodeDecodeError as broken:
        line = figures.count(sent.count(b"\n", 0, broken.start) + 1)
        raise BadRequest(_("Line {line} is not UTF-8 text. Save the file as “CSV UTF-8”").format(line=line)) from broken
    return f"{BULK}/{visit.parts[ImportJobs].begin(visit.call, visit.person, content).id}"


async def _form(visit: PageRequest, again: Again) -> Page:
    return visit.show(
        "link_import.html",
        frame(visit.person),
        again,
        most=figures.count(MOST_ROWS),
        columns=[name for name in COLUMNS if name not in BESIDE and name != "targetUrl"] + ["password"],
        example=EXAMPLE,
    )


def _places(visit: PageRequest, job: LinkImportJob) -> list[tuple[str, str, bool]]:
    """The domains for links of other domains: value, label, and whether it is selected."""
    own = (each.domain for each in visit.parts[LinkDomains].of(visit.person.organization_id))
    found = [
        ("", "{host}/l/".format(host=visit.parts.settings.public_url.partition("://")[2])),
        *((each, each) for each in own),
    ]
    return [(value, words, value == job.domain) for value, words in found]


def _summary(job: LinkImportJob) -> str:
    """The number of checked or imported rows."""
    if job.shown is None or job.runs:
        return ""
    total = job.shown.total
    words = (
        ngettext("1 row checked", "{total} rows checked", total)
        if job.state == "checked"
        else ngettext("1 row imported", "{total} rows imported", total)
    )
    return words.format(total=figures.count(total))


def _counts(job: LinkImportJob) -> list[tuple[str, str, str]]:
    """The rows by outcome: status, number, and text."""
    if job.shown is None or job.runs:
        return []
    found = {name: getattr(job.shown, name) for name in _COUNTS}
    return [(name, figures.count(found[name]), words) for name, words in _COUNTS.items()]


def _clicks_words(job: LinkImportJob) -> str:
    """The number of earlier clicks; empty if there are none."""
    count = job.shown.clicks if job.shown is not None and not job.runs else 0
    words = ngettext("1 earlier click", "{count} earlier clicks", count)
    return words.format(count=figures.count(count)) if count else ""


def _run_words(job: LinkImportJob) -> str:
    """The label of the button; empty if there is nothing to import."""
    if job.shown is None or job.state != "checked":
        return ""
    count = job.shown.created + job.shown.updated
    words = (
        ngettext("Import 1 link, skip errors", "Import {count} links, skip errors", count)
        if job.shown.failed
        else ngettext("Import 1 link", "Import {count} links", count)
    )
    return words.format(count=figures.count(count)) if count else ""


async def export(
    request: Request[Any, Any, Any],
    form: FromPath[str],
    call: NamedDependency[Call],
) -> Stream:
    """GET /links/export/{csv or json}: all links of the organization, with ?folderId= those of a folder."""
    if form not in exports.TYPES:
        raise errors.NotFound(_("Export links as csv or json"))
    folder = request.query_params.get("folderId")
    kind: exports.Form = "csv" if form == "csv" else "json"
    return Stream(
        exports.pieces(call, call.organization(), kind, folder_id=folder),
        media_type=exports.TYPES[kind],
        headers={"cache-control": "no-store", "content-disposition": f'attachment; filename="links.{kind}"'},
    )
