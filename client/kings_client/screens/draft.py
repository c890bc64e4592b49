"""A line of text being written, and what keys do to it."""

from attrs import frozen

from kings_client.parts.canvas import Canvas, width_of

_MOVES = {"left": -1, "right": 1}


@frozen
class Draft:
    """A line and the place of the cursor in it, in characters."""

    text: str = ""
    at: int = 0

    def press(self, key: str, limit: int) -> "Draft":
        """Return the line after a key; keys that mean nothing to it change nothing.

        Args:
            key: a named key, or one character.
            limit: the most characters that the line may have.
        """
        before, after = self.text[: self.at], self.text[self.at :]
        match key:
            case "left" | "right":
                return Draft(self.text, min(max(self.at + _MOVES[key], 0), len(self.text)))
            case "home":
                return Draft(self.text, 0)
            case "end":
                return Draft(self.text, len(self.text))
            case "backspace":
                return Draft(before[:-1] + after, max(self.at - 1, 0))
            case "delete":
                return Draft(before + after[1:], self.at)
        if len(key) == 1 and key.isprintable() and len(self.text) < limit:
            return Draft(before + key + after, self.at + 1)
        return self


def written(text: str) -> Draft:
    """Return a line that holds ``text``, with the cursor at its end."""
    return Draft(text, len(text))


def draw_draft(
    draft: Draft, width: int, style: str, *, cursor: bool = True, hidden: bool = False
) -> Canvas:
    """Draw a line so that its cursor is in sight, however long it is; ``hidden`` shows stars."""
    canvas = Canvas(width, 1)
    text = "*" * len(draft.text) if hidden else draft.text
    column = width_of(text[: draft.at])
    start = 0
    while column >= width:
        column -= width_of(text[start])
        start += 1
    canvas.put(0, 0, " " * width, style)
    canvas.put(0, 0, text[start:], style)
    if cursor:
        canvas.cursor = (column, 0)
    return canvas
