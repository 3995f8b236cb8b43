"""What a word of a command may be."""

from typing import Annotated

from msgspec import Meta

Text = Annotated[str, Meta(min_length=1, max_length=255)]
