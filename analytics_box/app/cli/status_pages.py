"""The commands `analytics-box status-page …`."""

from collections.abc import Iterator
from typing import Any, get_args

import click

from analytics_box.app.cli.command import IMPORT_SECONDS, command, option
from analytics_box.app.cli.files import DRY_RUN, FILE, import_file, summary
from analytics_box.products.monitors.moving.kuma_database import read_kuma_database
from analytics_box.products.status_pages.moving.wanted import MOST_BYTES, Source


def _import_lines(answer: dict[str, Any]) -> Iterator[str]:
    yield summary(answer, "status pages", "created", "existing", "failed")
    for row in answer["pages"]:
        counts = (
            f"{row['components']:,} components, {row['incidents']:,} incidents, {row['maintenances']:,} maintenances"
        )
        yield f"{row['name']} ({row['status']}): {row['error'] or counts}"
        yield from (f"  {note}" for note in row["notes"])
        if row["subscribers"]:
            yield f"  {row['subscribers']:,} subscribers: publish the page, then import the file under Subscribers"


status_page = click.Group(
    "status-page",
    commands=[
        command(
            "import",
            "statusPage.import",
            "Import status pages from FILE, as drafts: answers of the API of Atlassian Statuspage or Cachet in a JSON "
            "object, or kuma.db or a dump of Uptime Kuma.\n\n"
            "Each page is imported as a whole or not at all. Import the monitors of Uptime Kuma first.",
            FILE,
            option("source", "--source", "Product that wrote the file. [default: detected]", choices=get_args(Source)),
            DRY_RUN,
            run=import_file(MOST_BYTES, read_kuma_database),
            text=_import_lines,
            failed=lambda answer: bool(answer["failed"]),
            seconds=IMPORT_SECONDS,
        ),
    ],
)
