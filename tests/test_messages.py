"""Every text of a template is marked for translation, and extraction finds all that is marked."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from string import Formatter
from typing import Final

import jinja2
from jinja2 import nodes

from tests.messages import ROOT, messages
from tests.test_words import definitions, modules

ATTRIBUTES: Final = frozenset(("alt", "aria-label", "aria-description", "label", "placeholder", "title"))
MARKERS: Final = frozenset(("_", "ngettext"))
UNREAD: Final = frozenset(("code", "kbd", "pre", "style"))  # Code is the same in every language.
HOLE: Final = "\f"  # in the place of an expression or a statement: white space for HTML
# Names of formats, keys and codes, which are the same in every language.
NAMES: Final = frozenset(("TXT", "YAML", "JSON", "Atom", "RSS", "de-AT", "?ref=poster", "en", "card-wide"))
_ADDRESS: Final = re.compile(r"https?://\S+")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_TEXT: Final = re.compile(r"[A-Z][a-z]+([a-z ]|$)|[A-Z][^\W\d_]* [^\W\d_]+")
# Errors and results with texts that users read, and functions that take such a text.
REFUSALS: Final = frozenset(
    ("BoxError", "ErrorDetail", "RequestFailed", "NotSent", "SendOutcome", "BackupFailed", "CannotAnswer")
) | {"lose", "say", "_wrong", "_wrong_shape"}
_ATTRIBUTE: Final = re.compile(r"""[\w-]+=("[^"]*"?|'[^']*'?)>?""")  # of a macro that writes a part of a tag


class _LiteralTexts(HTMLParser):
    """Collects the texts of a template whose expressions and statements are holes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in UNREAD
        self.found += [value or "" for name, value in attrs if name in ATTRIBUTES]

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in UNREAD

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.found.append(_ATTRIBUTE.sub("", data))


def literal_texts(source: str) -> list[str]:
    """The texts between the tags of a template, and in its attributes, that no expression gives."""
    parser, environment = _LiteralTexts(), jinja2.Environment(keep_trailing_newline=True)
    parser.feed("".join(text if kind == "data" else HOLE for _line, kind, text in environment.lex(source)))
    parser.close()
    texts = [text.strip() for found in parser.found for text in found.split(HOLE)]
    return [text for text in texts if _WORD.search(text) and not _ADDRESS.fullmatch(text) and text not in NAMES]


def marked_texts(node: nodes.Node) -> Iterator[str]:
    """The texts in the expressions of a template that are marked."""
    for call in node.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in MARKERS:
            yield from (one.as_const() for one in call.args[: 1 if call.node.name == "_" else 2])


def unmarked_texts(node: nodes.Node) -> Iterator[str]:
    """The texts in the expressions of a template that are not marked: those that begin with a capital letter."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in MARKERS:
        return
    if isinstance(node, nodes.Const) and isinstance(node.value, str) and _TEXT.match(node.value):
        yield node.value
    children = (node.value,) if isinstance(node, nodes.Pair) else node.iter_child_nodes()  # keys are not shown
    for child in children:
        yield from unmarked_texts(child)


def templates() -> Iterator[tuple[str, str]]:
    """Each template with its source."""
    for file in sorted((ROOT / "web/templates").rglob("*.*")):
        yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")


def python_messages(tree: ast.Module) -> Iterator[str]:
    """The messages of a module; a marker with anything else than a literal is an error, because it is not extracted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKERS:
            for one in node.args[: 1 if node.func.id == "_" else 2]:
                assert isinstance(one, ast.Constant), f"line {node.lineno}: {ast.unparse(one)}"
                yield str(one.value)


def refusals() -> frozenset[str]:
    """The names of what gets texts for users: errors with their kinds, and functions that add to a list of problems."""
    known = set(REFUSALS)
    bases = {
        found.name: {base.rpartition(".")[2] for base in found.bases}
        for found in definitions("analytics_box")
        if found.kind == "class"
    }
    while more := {name for name, parents in bases.items() if parents & known} - known:
        known |= more
    return frozenset(known)


def called_names(called: ast.expr) -> set[str]:
    """The last two names of what is called: `BadRequest` and `about` of `errors.BadRequest.about`."""
    names = set[str]()
    while isinstance(called, ast.Attribute) and len(names) < 2:
        names.add(called.attr)
        called = called.value
    return names | {called.id} if isinstance(called, ast.Name) and len(names) < 2 else names


def unmarked_refusals(tree: ast.AST, known: frozenset[str]) -> Iterator[str]:
    """The texts of refusals in a module that are not marked: literals and f-strings of more than one word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and known & called_names(node.func):
            given = [*node.args, *(one.value for one in node.keywords if one.arg in {"message", "suggestion"})]
            for one in given:
                for text in (one.body, one.orelse) if isinstance(one, ast.IfExp) else (one,):
                    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                    words = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
                    if " " in words and _WORD.search(words):
                        yield f"{node.lineno}: {ast.unparse(text)}"


def test_placeholders_of_a_message_get_their_values() -> None:
    checked = 0
    for path, source in modules("analytics_box"):
        for node in ast.walk(ast.parse(source)) if ".format(" in source else ():
            match node:
                case ast.Call(
                    func=ast.Attribute(
                        value=ast.Call(func=ast.Name(id="_" | "ngettext"), args=[*texts]), attr="format"
                    ),
                    args=[],
                    keywords=given,
                ) if None not in {one.arg for one in given}:
                    checked += 1
                    for text in texts:
                        if isinstance(text, ast.Constant) and isinstance(text.value, str):
                            wanted = {name for _text, name, *_rest in Formatter().parse(text.value) if name is not None}
                            names = {re.split(r"[.\[]", name)[0] for name in wanted}
                            assert names <= {one.arg for one in given}, f"{path}:{node.lineno} {text.value}"
    assert checked > 500


def test_text_of_a_refusal_is_marked() -> None:
    known = refusals()
    found = [
        f"{path}:{text}"
        for path, source in modules("analytics_box")
        for text in unmarked_refusals(ast.parse(source), known)
    ]
    assert found == [], 'write _("… {name}").format(name=…)'


def test_unmarked_refusals_are_found() -> None:
    source = """
raise errors.NotFound(f"There is no {name}")
raise BadRequest.about("name", "Enter a name" if empty else _("Enter {most} characters").format(most=9))
raise Conflict(TAKEN, reason="NOT_FREE")
"""
    assert [*unmarked_refusals(ast.parse(source), refusals())] == ["2: f'There is no {name}'", "3: 'Enter a name'"]


def test_text_between_tags_of_a_template_is_marked() -> None:
    assert [(path, text) for path, source in templates() for text in literal_texts(source)] == []


def test_text_in_an_expression_of_a_template_is_marked() -> None:
    environment = jinja2.Environment()
    found = [(path, text) for path, source in templates() for text in unmarked_texts(environment.parse(source))]
    assert found == []


def test_extraction_finds_every_marked_text() -> None:
    environment = jinja2.Environment()
    marked = Counter(
        {path: sum(1 for _text in marked_texts(environment.parse(source))) for path, source in templates()}
    )
    for path, source in modules("analytics_box"):
        if "base.translation import" in source or "_ = words.text" in source:
            marked[path] = sum(1 for _text in python_messages(ast.parse(source)))
    assert +marked == Counter(message.path for message in messages())
    assert marked.total() > 2000


def test_unmarked_texts_are_found() -> None:
    source = """<a title="Close" class="{% if x %}big{% endif %}"><b{{ told }}>{{ _("Yes") }}</b> No {{ "Not this" }}
    {{ field("Name", {"Key": _("Value")}) }} JSON</a>{% macro told() %} aria-current="page"{% endmacro %}"""
    assert literal_texts(source) == ["Close", "No"]
    parsed = jinja2.Environment().parse(source)
    assert [*unmarked_texts(parsed)] == ["Not this", "Name"]
    assert [*marked_texts(parsed)] == ["Yes", "Value"]
