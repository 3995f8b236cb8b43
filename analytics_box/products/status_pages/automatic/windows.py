"""Messages to subscribers about announced maintenance windows of monitors: when it is scheduled, starts and ends.

The table `status_page_windows` has the last message about each window on each page, written in the transaction that
queues it, so that no message is sent twice. A repeating window is announced once; each occurrence has a start and an
end.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.base import ids
from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.window import MaintenanceWindow, is_covered, spans
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import USUAL_MESSAGES, Status
from analytics_box.products.status_pages.page import StatusPage, Whole
from analytics_box.products.status_pages.seen import public_name
from analytics_box.products.status_pages.subscriber import ComponentImpact, News
from analytics_box.products.status_pages.subscribers import outbox
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.view import sources
from analytics_box.products.status_pages.view.showing import VisibleComponent
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.web.call import Parts

# Pages show windows that start within this time.
AHEAD: Final = 30 * DAY


class WindowNotice(NamedTuple):
    """A message about a window: the status, the times of the occurrence (UTC ms), and the text."""

    status: Status
    start: int
    end: int
    message: str
    is_last: bool = False


class WindowMessage(Struct, frozen=True):
    """A message for a page, to be queued; `components` are the ids that it is about."""

    page: StatusPage
    window_id: str
    news: News
    components: frozenset[str]
    is_last: bool


def next_notice(before: News | None, window: MaintenanceWindow | None, now: int) -> WindowNotice | None:
    """The message to send now about a window; None if there is none. Pure.

    `before` is the last message about it. The window is None if the page does not announce it any longer.
    """
    if before is not None and before.status != "completed":
        start, end = before.scheduled_for or 0, before.scheduled_until or 0
        known = [span for span in spans(window, start, start + 1) if span.start == start] if window is not None else []
        if known and known[0].end <= now:
            return WindowNotice("completed", start, known[0].end, USUAL_MESSAGES["completed"])
        if before.status == "in_progress":
            return None if known else WindowNotice("completed", start, end, USUAL_MESSAGES["completed"], is_last=True)
    upcoming = next(iter(spans(window, now, now + AHEAD)), None) if window is not None else None
    if window is None or upcoming is None:
        if before is None or before.status != "scheduled":
            return None
        start, end = before.scheduled_for or 0, before.scheduled_until or 0
        return WindowNotice("completed", start, end, _("This maintenance has been canceled."), is_last=True)
    start, end = upcoming
    is_known = before is not None and before.scheduled_for == start
    if start <= now:
        is_told = is_known and before is not None and before.status != "scheduled"
        return None if is_told else WindowNotice("in_progress", start, end, USUAL_MESSAGES["in_progress"])
    if before is None or (before.status == "completed" and window.repeat is None and not is_known):
        return WindowNotice("scheduled", start, end, USUAL_MESSAGES["scheduled"])
    if before.status == "scheduled" and (start, end) != (before.scheduled_for, before.scheduled_until):
        return WindowNotice("scheduled", start, end, _("The time of this maintenance has changed."))
    return None


async def announce(parts: Parts) -> None:
    """Queue all messages about windows that are due, for each published page. Raises Unavailable."""
    now = parts.clock.now()
    known = await parts.box_db.read(last_messages)
    due = [one for whole in parts[StatusPages].all() if whole.page.published for one in _due(parts, whole, known, now)]
    for message in due:
        await parts.box_db.write(partial(queue_message, message=message, now=now))
    if due:
        parts[SubscriberDeliveries].soon()


def _due(parts: Parts, whole: Whole, known: dict[tuple[str, str], News], now: int) -> list[WindowMessage]:
    own_sources, page_id = parts[PageSnapshots].sources, whole.page.id
    announced = any(one.announced for one in own_sources.monitors.windows(whole.organization_id))
    own = {window_id for page, window_id in known if page == page_id}
    if not announced and not own:
        return []
    members = sources.members(own_sources, whole)
    windows = {one.id: one for one in sources.announced_windows(own_sources, whole, members)}
    messages = []
    for window_id in sorted({*windows, *own}):
        before, window = known.get((page_id, window_id)), windows.get(window_id)
        notice = next_notice(before, window, now)
        if notice is not None:
            messages.append(_message(whole.page, window_id, notice, before, window, members, now))
    return messages


def _message(
    page: StatusPage,
    window_id: str,
    notice: WindowNotice,
    before: News | None,
    window: MaintenanceWindow | None,
    members: Sequence[VisibleComponent],
    now: int,
) -> WindowMessage:
    covered = [
        one for one in members if window is not None and one.monitor is not None and is_covered(window, one.monitor)
    ]
    affected = tuple(ComponentImpact(public_name(one.component, one.monitor), "maintenance") for one in covered)
    component_ids = tuple(one.component.id for one in covered)
    news = News(
        update_id=ids.new_id(),
        incident_id=window_id,
        kind="maintenance",
        title=window.name if window is not None else before.title if before is not None else "",
        status=notice.status,
        severity="minor",
        message=notice.message,
        at=min(now, notice.end) if notice.status == "completed" else now,
        scheduled_for=notice.start,
        scheduled_until=notice.end,
        affected=affected if before is None or affected else before.affected,
        component_ids=component_ids if before is None or component_ids else before.component_ids,
        is_open=notice.status != "completed",
    )
    return WindowMessage(page, window_id, news, frozenset(news.component_ids), notice.is_last)


def last_messages(db: Connection) -> dict[tuple[str, str], News]:
    """The last message about each window of each page, by the ids of page and window."""
    found = db.execute("-- windows.last_messages\nselect page_id, window_id, news from status_page_windows").fetchall()
    return {(str(page), str(window)): msgspec.json.decode(str(news), type=News) for page, window, news in found}


def queue_message(db: Connection, message: WindowMessage, now: int) -> None:
    """Queue a message for the subscribers of its components, and remember it as the last one of its window."""
    outbox.queue_news(db, message.page, message.news, message.components, now=now)
    place = message.page.id, message.window_id
    if message.is_last:
        db.execute("-- windows.forget\ndelete from status_page_windows where page_id = ? and window_id = ?", place)
        return
    db.execute(
        """
        -- windows.queue_message
        insert into status_page_windows (page_id, window_id, news) values (?, ?, ?)
        on conflict (page_id, window_id) do update set news = excluded.news
        """,
        (*place, msgspec.json.encode(message.news).decode()),
    )
