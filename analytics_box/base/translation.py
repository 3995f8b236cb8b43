"""Messages in the language of this process: `_("Visitors")` marks a message and translates it.

Messages are written in English. A catalogue `locale/LANGUAGE/LC_MESSAGES/analytics_box.mo` next to this file translates
them if the environment names its language (LANGUAGE, LC_ALL, LC_MESSAGES or LANG); there is none today. The language is
known before any other module is loaded, so constants can hold messages.
"""

from functools import partial
from gettext import translation
from pathlib import Path
from typing import Final

# Reads the catalogue of the environment's language in a folder; without one, messages stay as they are written.
read_catalogue: Final = partial(translation, "analytics_box", fallback=True)

_catalogue = read_catalogue(Path(__file__).with_name("locale"))
_ = _catalogue.gettext
ngettext = _catalogue.ngettext
