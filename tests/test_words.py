"""The voice of the code and of its texts: a count per pattern that reads as a translation, which can only fall.

`CEILINGS` has today's counts. A change that adds one more fails; rewrite what you added. A change that removes some
lowers the number here: `python -m tests.test_words` prints the table as it would be.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tests.cases import each
from tests.messages import messages, without_messages

CEILINGS: Final = {
    "docstrings that begin with What, Who, Which, How, It, One …": 0,
    "docstrings that begin with Whether, of functions that return no bool": 32,
    "classes named by a bare participle": 0,
    "functions named by a bare participle": 223,
    "class names that exist twice": 0,
    "functions of one statement": 2789,
    "comments that continue the code as half a sentence": 1497,
    "tests named by a question word or pronoun": 0,
    "words: so many, so much": 30,
    "words: anew, once more": 2,
    "words: no more, of late, by and by, in vain, meanwhile": 27,
    "words: is told, tells, hears of": 72,
    "words: goes by, is made of, is called, stands in": 63,
    "words: at once, of its own, beside": 235,
    "words: whoever, somebody, nobody, everybody, whom": 155,
    "words: too at the end": 11,
    "words: as far as, None where, None for": 25,
    "words: shall": 1,
}
# A count can be this much below its ceiling, so that two branches that both lower it do not conflict.
SLACK: Final = 0.02

ROOT: Final = Path(__file__).parent.parent
OPENINGS: Final = re.compile(r"(What|Who|Whose|Whom|Which|How|Where|When|Those|These|It|One|The same)\b")
# Participles that do not end in -ed.
_IRREGULAR: Final = """
begun born bound bought broken brought built caught chosen done drawn driven drunk eaten fallen felt found given gone
grown heard held hidden hung kept known laid led lent lost made meant met mistaken paid proven said seen sent shown sold
spent spoken stolen struck sworn swept taken taught thought thrown told torn understood won worn written
"""
IRREGULAR: Final = frozenset(_IRREGULAR.split())
NOT_PARTICIPLES: Final = frozenset(("seed", "feed", "need", "speed", "embed", "exceed"))

# Words that give a translated voice away, in code and in texts for users.
WORDS: Final[Mapping[str, re.Pattern[str]]] = {
    "words: so many, so much": re.compile(r"\bso (many|much)\b", re.I),
    "words: anew, once more": re.compile(r"\b(anew|once more)\b", re.I),
    "words: no more, of late, by and by, in vain, meanwhile": re.compile(
        r"\b(no more|not any more|any more|of late|lately|by and by|in vain|meanwhile)\b", re.I
    ),
    "words: is told, tells, hears of": re.compile(r"\b(is told|are told|tells|hears? of)\b", re.I),
    "words: goes by, is made of, is called, stands in": re.compile(
        r"\b(goes by|go by|holds for|is made of|are made of|is called|are called|stands (in|for|beside|below|by))\b",
        re.I,
    ),
    "words: at once, of its own, beside": re.compile(r"\b(at once|of (its|their|your|yours) own|beside)\b", re.I),
    "words: whoever, somebody, nobody, everybody, whom": re.compile(
        r"\b(whoever|whomever|somebody|nobody|everybody|anybody|whom)\b", re.I
    ),
    "words: too at the end": re.compile(r", too[.,;:)\"']", re.I),
    "words: as far as, None where, None for": re.compile(r"\b(as far as|None where)\b"),
    "words: shall": re.compile(r"\bshall\b", re.I),
}
TEST_WORDS: Final = re.compile(
    r"^test_(what|who|whoever|whose|which|how|where|when|those|these|it|one|nobody|somebody|everybody)_"
    r"|_(whoever|nobody|somebody|everybody|anew|too|whom)(_|$)"
)


class Definition(NamedTuple):
    """A class, function or module: what the patterns look at, for the trees of all modules take 200 MB."""

    where: str
    name: str
    kind: Literal["module", "class", "function"]
    docstring: str
    returns: str
    bases: tuple[str, ...]
    statements: int


@cache
def modules(folder: str) -> tuple[tuple[str, str], ...]:
    """The path and text of each module below a folder of the repository."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return tuple((file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")) for file in files)


@cache
def definitions(folder: str) -> tuple[Definition, ...]:
    """The modules, classes and functions below a folder."""
    return tuple(found for path, text in modules(folder) for found in _inside(ast.parse(text), path))


def _inside(node: ast.AST, path: str) -> Iterator[Definition]:
    """The node's definition and those among its statements, however deep; expressions have none."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        docstring = ast.get_docstring(node, clean=False)
        statements = len(node.body) - (docstring is not None)
        if isinstance(node, ast.Module):
            yield Definition(path, "", "module", docstring or "", "", (), statements)
        else:
            yield Definition(
                f"{path}:{node.lineno}",
                node.name,
                "class" if isinstance(node, ast.ClassDef) else "function",
                docstring or "",
                "" if isinstance(node, ast.ClassDef) or node.returns is None else ast.unparse(node.returns),
                tuple(ast.unparse(base) for base in node.bases) if isinstance(node, ast.ClassDef) else (),
                statements,
            )
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, name, ()):
            yield from _inside(child, path)


def is_participle(word: str) -> bool:
    """Return whether a word of a name is a past participle, as far as its letters show."""
    return word in IRREGULAR - NOT_PARTICIPLES or (
        word.endswith("ed") and word not in NOT_PARTICIPLES and len(word) > 3
    )


def words_of(name: str) -> list[str]:
    """The words of a name in either style, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def _of_kind(kind: Literal["class", "function"]) -> list[Definition]:
    return [found for found in definitions("analytics_box") if found.kind == kind]


def docstring_openings() -> Iterator[str]:
    """Docstrings that begin with a question word or a pronoun."""
    return (found.where for found in definitions("analytics_box") if OPENINGS.match(found.docstring))


def whether_of_no_bool() -> Iterator[str]:
    """Functions that do not return a bool, although their docstring begins with Whether."""
    for found in _of_kind("function"):
        if found.docstring.startswith("Whether") and found.returns and "bool" not in found.returns:
            yield found.where


def participles(kind: Literal["class", "function"]) -> Iterator[str]:
    """Classes or functions whose whole name is a participle."""
    for found in _of_kind(kind):
        words = words_of(found.name)
        if len(words) == 1 and is_participle(words[0]):
            yield f"{found.where} {found.name}"


def repeated_class_names() -> Iterator[str]:
    """Names that several classes have."""
    names = Counter(found.name for found in _of_kind("class"))
    return (f"{name} × {number}" for name, number in names.most_common() if number > 1)


def functions_of_one_statement() -> Iterator[str]:
    """Functions whose body is one statement behind the docstring."""
    return (f"{found.where} {found.name}" for found in _of_kind("function") if found.statements == 1)


def half_sentences() -> Iterator[str]:
    """Comments behind code that continue it instead of saying something by themselves."""
    comment = re.compile(r"\S  # (?!noqa|type:)[a-z].*$", re.M)
    for path, text in modules("analytics_box"):
        for found in comment.finditer(text):
            yield f"{path}: {found.group()}"


def odd_test_names() -> Iterator[str]:
    """Tests named by a question word, a pronoun or nobody in particular."""
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(encoding="utf-8"), re.M):
            if TEST_WORDS.search(name):
                yield f"{file.relative_to(ROOT)} {name}"


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """All that people read: source, templates, the manual, and each message once, however often it is used."""
    files = (*(ROOT / "web/templates").rglob("*.html"), *(ROOT / "web/manual").glob("*.md"), ROOT / "README.md")
    read = [
        (file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8"))
        for file in sorted(files)
        if file.name != "changelog.md"
    ]
    sources = (*modules("analytics_box"), *read)
    marked = {message.text: message.path for message in messages()}
    return (
        *((path, without_messages(text)) for path, text in sources),
        *((path, f'"{text}"') for text, path in marked.items()),
    )


def _of_words(pattern: re.Pattern[str]) -> Callable[[], Iterator[str]]:
    return lambda: (f"{path}: {found.group()}" for path, text in texts() for found in pattern.finditer(text))


PATTERNS: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "docstrings that begin with What, Who, Which, How, It, One …": docstring_openings,
    "docstrings that begin with Whether, of functions that return no bool": whether_of_no_bool,
    "classes named by a bare participle": lambda: participles("class"),
    "functions named by a bare participle": lambda: participles("function"),
    "class names that exist twice": repeated_class_names,
    "functions of one statement": functions_of_one_statement,
    "comments that continue the code as half a sentence": half_sentences,
    "tests named by a question word or pronoun": odd_test_names,
    **{name: _of_words(pattern) for name, pattern in WORDS.items()},
}


@each("name", PATTERNS)
def test_count_of_a_translated_pattern_only_falls(name: str) -> None:
    found, ceiling = [*PATTERNS[name]()], CEILINGS[name]
    assert len(found) <= ceiling, f"{len(found)} {name}, {ceiling} before; rewrite the new ones. Some: {found[-5:]}"
    assert len(found) >= ceiling - max(10, int(ceiling * SLACK)), (
        f"{len(found)} {name}, {ceiling} before: lower the ceiling in CEILINGS (python -m tests.test_words)"
    )


@each("name", WORDS)
def test_texts_for_users_contain_no_translated_word(name: str) -> None:
    manual = {
        file: file.read_text(encoding="utf-8") for file in (*(ROOT / "web/manual").glob("*.md"), ROOT / "README.md")
    }
    texts = [(file.name, text) for file, text in manual.items() if file.name != "changelog.md"]
    found = [
        (path, match.group())
        for path, text in (*((message.path, message.text) for message in messages()), *texts)
        for match in WORDS[name].finditer(text)
    ]
    assert not found


def test_every_pattern_has_a_ceiling() -> None:
    assert {*PATTERNS} == {*CEILINGS}


def test_patterns_find_what_they_are_for() -> None:
    assert OPENINGS.match("What a link decides.")
    assert not OPENINGS.match("Items of a list.")
    assert [is_participle(word) for word in ("kept", "asked", "read", "embed", "result")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert words_of("_LinkShown") == ["link", "shown"]
    assert TEST_WORDS.search("test_nobody_sees_it")
    assert not TEST_WORDS.search("test_expired_link_answers_410")


if __name__ == "__main__":
    print("CEILINGS: Final = {")  # noqa: T201  the output of the module
    for pattern, find in PATTERNS.items():
        print(f'    "{pattern}": {sum(1 for _ in find())},')  # noqa: T201
    print("}")  # noqa: T201
