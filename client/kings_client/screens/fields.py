"""The fields of which forms are made."""

from attrs import frozen

from kings_protocol.limits import NAME_LENGTH


@frozen
class Field:
    """One field of a form.

    Attributes:
        name: which one.
        label: what stands before it.
        choices: what the arrows go through; none for text alone.
        limit: characters of text, at most.
        hidden: whether the text is shown as stars.
        about: a line on what it is for.
        writable: whether something else than the choices may be written.
    """

    name: str
    label: str
    choices: tuple[str, ...] = ()
    limit: int = NAME_LENGTH
    hidden: bool = False
    about: str = ""
    writable: bool = False

    @property
    def writes(self) -> bool:
        """Whether characters go into it."""
        return self.writable or not self.choices
