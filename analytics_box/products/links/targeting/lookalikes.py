"""Domains that are written to be taken for others: letters of several scripts in one label, or a label all of whose
foreign letters have a Latin twin (the idea of Unicode TR 39, as browsers apply it). Pure."""

import unicodedata
from typing import Final

# Scripts that are written together in one word.
_TOGETHER: Final = (
    {"LATIN", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"},
    {"LATIN", "CJK", "HANGUL"},
    {"LATIN", "CJK", "BOPOMOFO"},
)
# Letters with a Latin twin, by script.
_TWINS: Final = {
    "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуҽпгѵѡ"),
    "GREEK": frozenset("αικνορτυχγωηβ"),
    "ARMENIAN": frozenset("գզհոսւօցյո"),
}
_INVISIBLE: Final = frozenset("\u0300\u0301\u0307\u0308\u0323\u0327\u0335\u0337\u0338")  # marks that are overlooked


def looks_like_another(host: str) -> bool:
    """Whether a host, as written or in punycode, has a label that is taken for another one."""
    labels = [_in_unicode(label) for label in host.rstrip(".").split(".")]
    return any(_deceives(label, labels[-1]) for label in labels)


def _deceives(label: str, top: str) -> bool:
    """A label below a top-level domain of its own script (москва.рф) is what it seems to be."""
    if label.isascii():
        return False
    plain = unicodedata.normalize("NFKC", label).lower()
    if any(letter in _INVISIBLE for letter in plain):
        return True  # no single letter stands for it: a mark on a letter that never has it
    scripts = {_script(letter) for letter in plain if letter.isalpha()}
    if len(scripts) > 1 and not any(scripts <= group for group in _TOGETHER):
        return True
    if len(scripts) != 1 or not top.isascii():
        return False
    twins = _TWINS.get(next(iter(scripts)))
    return twins is not None and all(letter in twins for letter in plain if letter.isalpha())


def _script(letter: str) -> str:
    """The script of a letter, as the first word of its name says."""
    return unicodedata.name(letter, "UNKNOWN").split(" ", 1)[0]


def _in_unicode(label: str) -> str:
    if not label.lower().startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label
