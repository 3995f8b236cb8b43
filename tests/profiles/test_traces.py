"""Where people leave traces: nothing in events.db is overlooked when one is removed.

Whoever adds a table or a column to events.db says here whether it refers to strings or to people.
"""

from pathlib import Path

from analytics_box.ingest.facts import SPANS, TABLES, stored
from analytics_box.profiles import traces
from tests.profiles.world import Said, World, event, span

# Tables that hold no facts, and why the removal of a person need not look into them.
OTHERS = {
    "strings": "what is removed from it last",
    "profiles": "a person goes by id, and the id is kept while somebody has it",
    "visitor_profiles": "the same",
    "erasures": "what is being removed",
    "erasure_numbers": "the same",
    "event_ids": "digests of event ids, forgotten after two days",
    "event_ids_new": "the same",
    "drops": "counts by reason",
    "link_clicks": "clicks are nobody's by name; the strings that they use stay",
    "link_totals": "counts by link",
    "link_orphans": "counts by address and kind",
    "clients": "combinations of strings, which go with their strings",
    "campaigns": "the same",
    "session_numbers": "a count",
    "box": "the id of the box and the highest numbers of websites and links",
    "replaced": "numbers of strings that rows of a session had, which go with the session",
    "changes": "ids of removed rows, until the column replica has followed",
    "_sqlite_migrations": "steps of the schema",
}


def test_every_table_of_events_db_is_known(world: World) -> None:
    tables = {str(row[0]) for row in world.read("select name from sqlite_master where type = 'table'")}
    assert tables - {*map(stored, TABLES)} - {"sqlite_sequence", "sqlite_stat1"} <= set(OTHERS)


def test_every_column_of_a_fact_is_a_measure_or_a_string(world: World) -> None:
    for table in TABLES:
        columns = {str(row[1]) for row in world.read(f"pragma table_info({table})")}
        assert columns == {"id", *traces.columns(table)}
        assert set(traces.texts(table)) < set(traces.columns(table))


def test_columns_of_strings_are_those_in_which_texts_arrive(tmp_path: Path) -> None:
    """A row whose every text is new has the numbers of new strings in exactly these columns, or none."""
    world = World(tmp_path / "data")
    said = Said(visitor=1, profile="profile", path="/path", client_session="session")
    world.add(event(world.shop.site, said), *(span(table, world.shop.site, said) for table in SPANS))
    known = {int(str(row[0])) for row in world.read("select id from strings")}
    for table in TABLES:
        (row,) = world.read(f"select {', '.join(traces.columns(table))} from {table}")
        numbers = dict(zip(traces.columns(table), row, strict=True))
        assert {numbers[name] for name in traces.texts(table)} <= known
        for name, text in (("profile", "profile"), ("path", "/path"), ("client_session", "session")):
            ((number,),) = world.read("select id from strings where value = ?", text)
            assert numbers[name] == number
    world.close()
