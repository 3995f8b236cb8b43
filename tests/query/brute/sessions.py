"""Sessions as ingestion has numbered them (wire 1.10), and the pages on which they begin and end."""

from dataclasses import dataclass
from functools import partial

from analytics_box.base.clock import MINUTE
from tests.query.brute.facts import CUSTOM, EXIT, VIEW, Answer, Facts, Filter, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.happened import POSITIVE
from tests.query.brute.measures import share
from tests.query.brute.tables import device
from tests.query.happenings import DAY


@dataclass(frozen=True)
class Visit:
    """All events of a session."""

    number: int
    rows: tuple[Row, ...]

    @property
    def started(self) -> int:
        return int(self.rows[0]["session_started"])

    @property
    def in_order(self) -> list[Row]:
        return sorted(self.rows, key=lambda row: (row["time"], row["id"]))

    @property
    def pages(self) -> list[Row]:
        return [row for row in self.in_order if row["kind"] == VIEW]

    @property
    def duration(self) -> int:
        return int(self.in_order[-1]["time"] - self.in_order[0]["time"])

    @property
    def visitor(self) -> int:
        """The id of its start (semantics 11), else of the first day that is left."""
        starting = [row["visitor"] for row in self.rows if row["time"] == self.started]
        left = [(row["kind"] == EXIT, row["time"] // DAY, row["visitor"]) for row in self.rows]
        return int(min(starting) if starting else min(left)[-1])

    @property
    def touched(self) -> int | None:
        """Interactions, where any page has counted them."""
        exits = [row for row in self.rows if row["kind"] == EXIT]
        found = [row["interactions"] for row in exits if row["interactions"] is not None]
        return sum(found) if found else None

    @property
    def bounced(self) -> bool:
        acted = any(
            row["kind"] == CUSTOM and row["name"] != "$flag_evaluated" and row["interactions"] != 0 for row in self.rows
        )
        return len(self.pages) == 1 and not acted and sum(row["engaged"] for row in self.rows) < 10


OF_THE_PAGE = {"path", "query_string"}
OF_AN_EVENT = {"event_name", "namespace", "profile_id", "anonymous_id", "flag"}


def visits(facts: Facts, asked: Question) -> list[Visit]:
    """The sessions that start in the range and meet the filters (semantics 11 and 15)."""
    grouped: dict[int, list[Row]] = {}
    for row in facts["events"]:
        early = row["time"] < row["session_started"] - 30 * MINUTE  # leave beacons without their page views
        if row["session"] and not row["bot"] and not early:
            grouped.setdefault(row["session"], []).append(row)
    found = [Visit(number, tuple(rows)) for number, rows in grouped.items()]
    kept = [item for item in asked.filters if item[0] not in OF_THE_PAGE | OF_AN_EVENT]
    others = [item for item in asked.filters if item not in kept]
    never = [(name, POSITIVE[op], values) for name, op, values in others if op in POSITIVE]
    ever = [item for item in others if item[1] not in POSITIVE]
    of_pages = [item for item in ever if item[0] in OF_THE_PAGE]
    each = [*([of_pages] if of_pages else []), *([item] for item in ever if item not in of_pages)]
    return [
        visit
        for visit in found
        if asked.has(visit.started)
        and passes(visit.rows[0], kept)
        and all(_has(visit, items) for items in each)
        and not any(_has(visit, [item]) for item in never)
    ]


def _has(visit: Visit, items: list[Filter]) -> bool:
    """Whether one event of a session is all of this; pages are those of its page views."""
    of_pages = items[0][0] in OF_THE_PAGE
    return any(passes(row, items) for row in (visit.pages if of_pages else visit.rows))


RANGES = ((30_000, "0-30s"), (60_000, "30s-1m"), (300_000, "1m-5m"), (900_000, "5m-15m"), (3_600_000, "15m-1h"))


def duration_range(visit: Visit) -> str:
    return next((name for most, name in RANGES if visit.duration < most), "1h+")


def of_sessions(name: str, facts: Facts, asked: Question) -> list[Row]:
    """The rows of the types about sessions."""
    found = visits(facts, asked)
    match name:
        case "session_metrics":
            number = len(found)
            return [
                {
                    "total_sessions": number,
                    "avg_session_duration": share(sum(visit.duration for visit in found), 1000 * number, 1),
                    "bounce_rate": share(sum(visit.bounced for visit in found), number),
                    "total_events": sum(row["kind"] != EXIT for visit in found for row in visit.rows),
                }
            ]
        case "session_duration_distribution":
            return [
                {
                    "duration_range": label,
                    "sessions": sum(duration_range(visit) == label for visit in found),
                    "visitors": len({visit.visitor for visit in found if duration_range(visit) == label}),
                }
                for label in [*(label for _, label in RANGES), "1h+"]
            ]
        case "sessions_by_device" | "sessions_by_browser":
            column = name.removeprefix("sessions_by_")
            groups: dict[str, list[Visit]] = {}
            for visit in found:
                groups.setdefault(visit.rows[0][column], []).append(visit)
            ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
            shown = device if column == "device" else (lambda key: key[0] or "Unknown")
            return [
                {
                    "name": shown((value,)),
                    "sessions": len(own),
                    "visitors": len({visit.visitor for visit in own}),
                }
                for value, own in ordered
            ]
        case "interaction_summary":
            touched = [visit.touched for visit in found if visit.touched is not None]
            return [
                {
                    "avg_interactions": share(sum(touched), len(touched), 1) if touched else None,
                    "interactive_sessions": sum(count > 0 for count in touched),
                    "interaction_rate": share(sum(count > 0 for count in touched), len(touched)) if touched else None,
                    "total_sessions": len(found),
                }
            ]
        case "entry_pages" | "exit_pages":
            return _ends(found, 0 if name == "entry_pages" else -1)
        case "session_flow":
            return _flow(found)
        case _:
            return _journeys(found)


def _ends(found: list[Visit], place: int) -> list[Row]:
    groups: dict[str, list[int]] = {}
    for visit in found:
        if visit.pages:
            groups.setdefault(visit.pages[place]["path"], []).append(visit.visitor)
    people = {path: len(set(visitors)) for path, visitors in groups.items()}
    return [
        {
            "name": path,
            "path": path,
            "pageviews": len(groups[path]),
            "visitors": number,
            "percentage": share(number, sum(people.values())),
        }
        for path, number in sorted(people.items(), key=lambda item: (-item[1], item[0]))
    ]


def _flow(found: list[Visit]) -> list[Row]:
    steps: dict[tuple[str, str], list[int]] = {}
    for visit in found:
        for before, after in zip(visit.pages, visit.pages[1:], strict=False):
            if before["path"] != after["path"]:
                steps.setdefault((before["path"], after["path"]), []).append(visit.number)
    ordered = sorted(steps.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {
            "from_path": start,
            "to_path": end,
            "name": f"{start} → {end}",
            "transitions": len(numbers),
            "sessions": len(set(numbers)),
        }
        for (start, end), numbers in ordered
    ]


def _journeys(found: list[Visit]) -> list[Row]:
    ways: dict[tuple[str, str], list[Visit]] = {}
    for visit in found:
        if visit.pages:
            ways.setdefault((visit.pages[0]["path"], visit.pages[-1]["path"]), []).append(visit)
    whole = sum(len(own) for own in ways.values())
    ordered = sorted(ways.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {
            "entry_page": entry,
            "exit_page": leave,
            "sessions": len(own),
            "visitors": len({visit.visitor for visit in own}),
            "percentage": share(len(own), whole),
        }
        for (entry, leave), own in ordered
    ]


ANSWERS: dict[str, Answer] = {
    name: partial(of_sessions, name)
    for name in (
        *("session_metrics", "session_duration_distribution", "sessions_by_device", "sessions_by_browser"),
        *("interaction_summary", "entry_pages", "exit_pages", "session_flow", "entry_exit_flow"),
    )
}
