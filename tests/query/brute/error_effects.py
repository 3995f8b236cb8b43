"""What errors did to people (wire 1.7): whom they met, and whether their sessions went on."""

from tests.query.brute.errors import errors_of
from tests.query.brute.facts import VIEW, Answer, Facts, Question, Row
from tests.query.brute.filters import OF_SPANS, passes
from tests.query.brute.measures import begun, share, visited

_DAY = 86_400_000
_OF_THE_PAGE = {"path", "query_string"}


def _impact(facts: Facts, asked: Question) -> list[Row]:
    found = errors_of(facts, asked)
    linked = {row["visitor"] for row in found if row["visited"] and row["person"]}
    who: dict[int, set[str]] = {}
    for row in found:
        if row["begun"] and row["person"]:
            who.setdefault(row["session"], set()).add(row["person"])
    return [
        {
            "error_occurrences": len(found),
            "affected_sessions": begun(found),
            "affected_visitor_identifiers": visited(found),
            "linked_visitor_identifiers": len(linked),
            "unlinked_visitor_identifiers": visited(found) - len(linked),
            "identified_profiles": len({row["person"] for row in found} - {""}),
            "ambiguous_profile_sessions": sum(len(names) > 1 for names in who.values()),
            "identity_coverage_percent": share(len(linked), visited(found)),
        }
    ]


def _firsts(rows: list[Row]) -> dict[int, Row]:
    """The first of each session."""
    found: dict[int, Row] = {}
    for row in sorted(rows, key=lambda row: (row["time"], row["id"])):
        if row["session"]:
            found.setdefault(row["session"], row)
    return found


def _comparison(facts: Facts, asked: Question) -> list[Row]:
    all_views = [row for row in facts["events"] if row["kind"] == VIEW and not row["bot"]]
    of_sessions = [item for item in asked.filters if item[0] not in {*OF_SPANS, *_OF_THE_PAGE}]
    exposed = _firsts([row for row in errors_of(facts, asked) if row["begun"]])
    pages = {row["path"] for row in exposed.values()}
    control = _firsts(
        [
            row
            for row in all_views
            if row["path"] in pages
            and row["session"] not in exposed
            and asked.has(row["time"])
            and passes(row, of_sessions)
        ]
    )

    def goes_on(row: Row) -> bool:
        return any(
            view["session"] == row["session"] and view["time"] > row["time"] and view["path"] != row["path"]
            for view in all_views
        )

    def alike(rows: dict[int, Row]) -> dict[tuple[str, str, int], list[Row]]:
        groups: dict[tuple[str, str, int], list[Row]] = {}
        for row in rows.values():
            groups.setdefault((row["path"], row["device"], row["time"] // _DAY), []).append(row)
        return groups

    these, those = alike(exposed), alike(control)
    met = [row for key, rows in these.items() for row in rows[: len(those.get(key, []))]]
    met_none = [row for key, rows in those.items() for row in rows[: len(these.get(key, []))]]
    continued, others_continued = sum(map(goes_on, met)), sum(map(goes_on, met_none))
    return [
        {
            "candidate_exposed_sessions": len(exposed),
            "candidate_control_sessions": len(control),
            "matched_exposed_sessions": len(met),
            "matched_control_sessions": len(met_none),
            "unmatched_exposed_sessions": len(exposed) - len(met),
            "unmatched_control_sessions": len(control) - len(met_none),
            "exposed_continued_sessions": continued,
            "control_continued_sessions": others_continued,
            "exposed_continuation_percent": share(continued, len(met)),
            "control_continuation_percent": share(others_continued, len(met_none)),
        }
    ]


ANSWERS: dict[str, Answer] = {
    "error_customer_impact": _impact,
    "error_route_continuation_comparison": _comparison,
}
