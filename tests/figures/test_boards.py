"""Every page of figures has words for all that it shows, and asks for types that its subject knows."""

import pytest

from analytics_box.figures.board import Board
from analytics_box.products.links.figures.board import LINK
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.overview.event_pages import EVENT, GOAL
from analytics_box.products.overview.session_stories import OF_SESSIONS
from analytics_box.query.catalog.registry import TYPES

BOARDS = pytest.mark.parametrize("board", [WEBSITE, LINK], ids=["website", "link"])


@BOARDS
def test_all_that_it_shows_has_its_words(board: Board) -> None:
    words, about = board.words, board.about({})
    listed = {*board.lists, *board.extras}
    assert set(words.tabs) == listed - set(board.sharing[1:])
    assert set(words.choices) == set(board.sharing)
    assert set(words.anchors) >= {*listed, *(metric.name for metric in board.metrics)}
    assert set(words.empty) == set(board.panel_of) or "" in words.empty
    assert set(about.names) >= {metric.name for metric in board.metrics}
    assert set(about.names) >= {listed.counted for listed in board.lists.values() if not listed.apart}
    own = {board.kinds.field} if board.kinds is not None else set()
    assert set(words.filters) >= set(board.fields) - own


@BOARDS
def test_board_requests_types_of_its_subject(board: Board) -> None:
    asked = {
        *(listed.type for listed in board.lists.values()),
        *(metric.total for metric in board.metrics),
        *(metric.series for metric in board.charted.values()),
        *(name for extra in board.extras.values() for name in extra.types),
        *(name for name, _ in board.wholes.values()),
    }
    assert {TYPES[name].subject for name in asked} == {board.subject}


@BOARDS
def test_each_list_is_in_one_panel_that_is_called_like_its_first(board: Board) -> None:
    groups = (*board.panels.values(), *board.tables_alone)
    assert [name for names in groups for name in names] == list(board.lists)
    assert all(panel == names[0] for panel, names in board.panels.items())


@pytest.mark.parametrize("board", [WEBSITE, LINK, GOAL, EVENT, OF_SESSIONS])
def test_changes_are_explained_only_by_lists_of_the_board(board: Board) -> None:
    assert {explanation.listed for explanation in board.explained_by} <= set(board.lists)


def test_a_page_can_be_about_what_is_not_counted() -> None:
    programs, people = LINK.about({"kind": "bot"}), LINK.about({"kind": "click"})
    clicks = TYPES["link_total_clicks"]
    assert [ask.kinds for ask in programs.asks(clicks).asks] == [(2,)]
    assert people.asks(clicks) == clicks
    assert (programs.judged, people.judged) == (False, True)
    assert programs.names["clicks"] != people.names["clicks"]
