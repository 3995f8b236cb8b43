"""The differences between engines. Everything else in a statement is SQL that all of them support."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.store.strings import Combination
from analytics_box.query.engines.sql.names import PLACE


def word(pattern: str) -> re.Pattern[str]:
    """A pattern of fixed length, where no longer word ends with it.

    What may not be before it is asked last: a search for letters takes a twentieth of the time of one for `\\b`.
    """
    return re.compile(rf"{pattern}(?<!\w{pattern})")


class Dialect(Struct, frozen=True):
    """The words of an engine.

    `kept` is a column that is the same in all rows of a group, `at_best` a column of the row with the greatest (`max`)
    or least (`min`) place, and `beside_best` what has to be selected next to it; `least_beside` is the least number of
    a group in such a statement, and `with_a_view` says in it that the group has a page view, whose `path` it selects.
    `events` is what the rows of events are read from. `properties` is what is joined to events, called `fact`, for
    their custom properties one by one: with a `key`, the `kind_of` JSON that it is, and its `value` as text. `sessions`
    is the table that has the sessions of a plan already, where there is one. `words` are patterns with what they become
    in the finished statement. `combinations` are those whose numbers rows of facts have in columns of their own, by
    attribute. `part_days` is how many days of sessions an engine puts in order at a time, so that they fit into its
    memory; 0 is all of them.
    """

    kept: str
    at_best: str
    beside_best: str
    least_beside: str
    with_a_view: str
    properties: str
    kind_of: str
    value: str
    words: tuple[tuple[re.Pattern[str], str], ...]
    sessions: str = ""
    events: str = "events"
    combinations: Mapping[str, Combination] = MappingProxyType({})
    part_days: int = 0

    def keep(self, column: str) -> str:
        """A column that is the same in all rows of a group."""
        return self.kept.format(column)

    def best(self, column: str, best: str, place: str = PLACE) -> str:
        """A column of the group's first (`min`) or last (`max`) row."""
        return self.at_best.format(column=column, best=best, place=place)

    def beside(self, best: str, place: str = PLACE) -> list[str]:
        """The additional columns of a statement with such columns."""
        return [self.beside_best.format(best=best, place=place)] if self.beside_best else []

    def least(self, number: str) -> str:
        """The least number of a group, beside such columns."""
        return self.least_beside.format(number)

    @property
    def without_combinations(self) -> "Dialect":
        """The dialect for rows that have only the attributes, such as clicks and roll-ups."""
        return replace(self, combinations=MappingProxyType({})) if self.combinations else self

    def finish(self, sql: str) -> str:
        """The statement in the engine's own words."""
        for pattern, word in self.words:
            sql = pattern.sub(word, sql)
        return sql
