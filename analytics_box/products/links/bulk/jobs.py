"""Imports of a page: a file is checked, shown, and imported when its owner says so. They live in memory for a while."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Final, Literal

from analytics_box.base import background, ids
from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError, NotFound, Unavailable
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.links.bulk.files import Form
from analytics_box.products.links.bulk.imports import ImportLinks, LinkImportAnswer, import_rows
from analytics_box.web.call import Call

log = logging.getLogger(__name__)

KEPT_MINUTES: Final = 15
MOST: Final = 8  # of all people; each may hold a file of 8 MB

State = Literal["checking", "checked", "importing", "done", "failed"]


class LinkImportJob:
    """A file on its way to become links, as UTF-8. `shown` is what became of its rows, or what would.

    `domain` is for links that were on none of the organization's domains (GivenImport).
    """

    def __init__(self, person: SignedInPerson, content: bytes, until: float) -> None:
        self.id = ids.new_id()
        self.owner = _owner(person)
        self.content = content
        self.until = until
        self.state: State = "checking"
        self.done = 0
        self.total = 0
        self.shown: LinkImportAnswer | None = None
        self.problem = ""
        self.domain: str | None = None

    @property
    def runs(self) -> bool:
        """Whether it is being worked on."""
        return self.state in {"checking", "importing"}

    def hear(self, done: int, total: int) -> None:
        """Record the number of finished rows."""
        self.done, self.total = done, total


class ImportJobs:
    """The imports that people look at now."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._jobs: dict[str, LinkImportJob] = {}
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, call: Call, person: SignedInPerson, content: bytes) -> LinkImportJob:
        """Check a file; an earlier one of the same person that is not at work is forgotten. Raises Unavailable."""
        now = self._clock.monotonic()
        for other in list(self._jobs.values()):
            if not other.runs and (other.until <= now or other.owner == _owner(person)):
                del self._jobs[other.id]
        if len(self._holding()) >= MOST:
            self._make_room()
        if len(self._holding()) >= MOST:
            raise Unavailable(_("Another import is running. Try again in a minute"), retry_after=60)
        job = LinkImportJob(person, content, now + KEPT_MINUTES * 60)
        self._jobs[job.id] = job
        self._run(job, call, dry=True)
        return job

    def _holding(self) -> list[LinkImportJob]:
        """The imports that hold a file, oldest first."""
        return [job for job in self._jobs.values() if job.content]

    def _make_room(self) -> None:
        """Forget the oldest file that only waits for its owner, of the person who holds most in other organizations."""
        counts = Counter(user_id for user_id, _ in (job.owner for job in self._holding()))
        waiting = [job for job in self._holding() if not job.runs and counts[job.owner[0]] > 1]
        if waiting:
            del self._jobs[max(waiting, key=lambda job: counts[job.owner[0]]).id]

    def find(self, job_id: str, person: SignedInPerson) -> LinkImportJob:
        """Raises NotFound for one that is over, and for those of others or of another organization."""
        job = self._jobs.get(job_id)
        if job is None or job.owner != _owner(person) or (not job.runs and job.until <= self._clock.monotonic()):
            raise NotFound(_("This import no longer exists"))
        return job

    def check_again(self, job: LinkImportJob, call: Call, domain: str) -> None:
        """Check a file again, with its links on this domain; empty for the box's own host."""
        if job.state == "checked":
            job.domain = domain
            job.hear(0, job.total)
            self._run(job, call, dry=True)

    def run(self, job: LinkImportJob, call: Call) -> None:
        """Import what was checked. What is at work, or over, stays as it is."""
        if job.state == "checked":
            job.hear(0, job.total)
            self._run(job, call, dry=False)

    def _run(self, job: LinkImportJob, call: Call, *, dry: bool) -> None:
        job.state = "checking" if dry else "importing"
        background.begin(self._work(job, call, dry=dry), self._running)

    async def _work(self, job: LinkImportJob, call: Call, *, dry: bool) -> None:
        hear: Callable[[int, int], None] = job.hear
        try:
            content = job.content.decode()
            job.shown = await import_rows(
                call, ImportLinks(content, form_of(content), dryRun=dry, domain=job.domain), hear
            )
            job.state = "checked" if dry else "done"
        except BoxError as refused:
            job.state, job.problem = "failed", refused.message
        except Exception:
            log.exception("An import of links failed")
            job.state, job.problem = "failed", "Internal error. See the server's log"
        if job.state != "checked":
            job.content = b""
        job.until = self._clock.monotonic() + KEPT_MINUTES * 60


def _owner(person: SignedInPerson) -> tuple[str, str]:
    """The owner of an import: a file checked for one organization is not imported into another."""
    return person.user_id, person.organization_id


def form_of(content: str) -> Form:
    """The likely format of a text."""
    return "json" if content[:1_000].lstrip("\ufeff \t\r\n")[:1] in {"[", "{"} else "csv"
