"""Are you sure? As a page that names what it is about."""

from typing import Final, NamedTuple

from analytics_box.base import figures
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import Page, PageRequest

LONGEST_IN_BUTTON: Final = 40  # characters


class ConfirmationTexts(NamedTuple):
    """Before something goes: what is asked, what would become of it, and the button that does it."""

    title: str
    text: str
    submit: str


def ask(
    visit: PageRequest,
    shell: Shell,
    question: ConfirmationTexts,
    name: str,
    *,
    action: str,
    back: str,
    fields: dict[str, str] | None = None,
    **said: str,
) -> Page:
    """The page of a question about something of this name. Its form posts `fields` to `action`; `back` is where cancel
    leads, and `said` fills in what the question says."""
    return visit.pages.show(
        "question.html",
        shell=shell,
        title=question.title.format(name=figures.visible(name)),
        text=question.text.format(**{key: figures.visible(text) for key, text in said.items()}),
        submit=question.submit.format(name=short_name(name)),
        action=action,
        back=back,
        fields=fields or {},
    )


def short_name(name: str) -> str:
    """A name as buttons have it: of a very long one the beginning."""
    shown = figures.visible(name)
    return shown if len(shown) <= LONGEST_IN_BUTTON else f"{shown[:LONGEST_IN_BUTTON].rstrip()}…"


def back_of(given: str, home: str) -> str:
    """The page at or below `home` to go back to; empty for anything else."""
    return given if given == home or given.startswith((f"{home}?", f"{home}/", f"{home}#")) else ""
