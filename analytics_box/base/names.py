"""Names that people give: every script, apostrophes, ampersands and emoji; nothing that nobody sees. Pure."""

import re
import unicodedata
from typing import Final

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _

LONGEST: Final = 100
LONGEST_SLUG: Final = 50
# Letters that slugs spell otherwise than without their accents: each word is a lower-case letter and what it becomes.
# Pages give this text to web/static/js/slug.js.
SPELLING: Final = (
    "äae öoe üue ßss æae œoe øoe ðd đd þth ħh ıi łl ŋng ŧt "
    "аa бb вv гg ґg дd ђdj еe єye ёyo жzh зz иi іi їyi йy јj кk лl љlj мm нn њnj оo пp рr сs тt ћc уu фf хkh цts чch "
    "џdz шsh щshch ъ ыy ь эe юyu яya "
    "αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo"
)
_SPELLED: Final = {word[0]: word[1:] for word in SPELLING.split()}
_JOINERS: Final = dict.fromkeys((0x200C, 0x200D))  # Persian, Hindi and emoji are written with them


def one_line(text: str) -> str:
    """The text with single spaces, and none at its ends."""
    return " ".join(text.split())


def is_visible(text: str) -> bool:
    """Whether it has no control characters, none that change the direction of text, and no joiners alone."""
    seen = text.translate(_JOINERS)
    return seen.isprintable() and (bool(seen) or not text)


def is_name(text: str, longest: int = LONGEST) -> bool:
    """Whether it is a name of 1 to `longest` characters."""
    return 1 <= len(text) <= longest and is_visible(text)


def clean_name(given: str, longest: int = LONGEST, *, field: str = "") -> str:
    """A name of 1 to `longest` characters in one line. Raises BadRequest, about the field if it is given."""
    name = one_line(given)
    if not is_name(name, longest):
        text = _("Enter a name of 1 to {longest} characters").format(longest=longest)
        raise BadRequest.about(field, text) if field else BadRequest(text)
    return name


def slug_of(name: str, fallback: str, longest: int = LONGEST_SLUG) -> str:
    """Return a slug of the name: a-z, 0-9 and hyphens within; the fallback if no letter can be spelled so."""
    spelled = "".join(map(_spell, unicodedata.normalize("NFC", name).lower()))
    return re.sub(r"[^a-z0-9]+", "-", spelled).strip("-")[:longest].rstrip("-") or fallback


def _spell(letter: str) -> str:
    if letter in _SPELLED:
        return _SPELLED[letter]
    parts = unicodedata.normalize("NFKD", letter).lower()
    return "".join(_SPELLED.get(part, part) for part in parts if unicodedata.category(part)[0] != "M")
