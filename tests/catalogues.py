"""The template of the catalogues, taken out of the source, and how one is brought up to it.

Run as a program, it writes the template and brings every catalogue up to it.
"""

import ast
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from kings_client.words.tongue import CASES, FOLDER

SOURCE: Final = FOLDER.parent
TEMPLATE: Final = FOLDER / "kings.pot"

PLAIN: Final = ("tell", "later")
WITH_CONTEXT: Final = ("tell_as", "later_as", "later_noun")


def template() -> Catalog:
    """Return every message of the client's source, those of nouns in each case."""
    catalog = Catalog(project="Kings in the Corner", version="1", charset="utf-8")
    found: dict[tuple[str, str], str] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for one, several, context in _messages(ast.parse(path.read_text(encoding="utf-8"))):
            found[one, context] = found.get((one, context)) or several
    for (one, context), several in sorted(found.items()):
        catalog.add((one, several) if several else one, context=context or None)
    return catalog


def _messages(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Give each marked message: the singular, the plural and the context, empty without one."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        words = [one.value for one in node.args if isinstance(one, ast.Constant)]
        texts = [word for word in words if isinstance(word, str)]
        name = node.func.id
        if name in PLAIN and texts:
            yield texts[0], "", ""
        elif name == "tell_some" and len(texts) > 1:
            yield texts[0], texts[1], ""
        elif name in WITH_CONTEXT and len(texts) > 1:
            cases = CASES if name == "later_noun" else ()
            for context in (texts[0], *(f"{texts[0]}, {case}" for case in cases)):
                yield texts[1], "", context


def written(catalog: Catalog) -> str:
    """Return a catalogue's text without what changes by itself."""
    stream = BytesIO()
    write_po(stream, catalog, no_location=True)
    lines = stream.getvalue().decode().splitlines()
    left_out = ("#", *(f'"{name}' for name in _CHANGING))
    return "\n".join(line for line in lines if not line.startswith(left_out)).strip() + "\n"


_CHANGING: Final = ("POT-", "PO-", "Last-Translator", "Language-Team", "Generated-By", "Report-")
"""What begins the lines of a catalogue's head that say when and by whom it was written."""


def read(path: Path) -> Catalog:
    """Return a catalogue as Babel reads it."""
    with path.open("rb") as stream:
        return read_po(stream, locale=None if path == TEMPLATE else path.stem)


def texts_of(text: object) -> tuple[str, ...]:
    """Return the forms of a message or of its translation: one, or one for each plural."""
    return tuple(map(str, text)) if isinstance(text, tuple | list) else (str(text or ""),)


def updated(path: Path) -> Catalog:
    """Return a catalogue with exactly the template's messages, translated where they were."""
    old, fresh = read(path), template()
    fresh.locale = old.locale
    for message in fresh:
        known = old.get(message.id, message.context) if message.id else None
        if known is not None:
            message.string = known.string
    return fresh


if __name__ == "__main__":
    TEMPLATE.write_text(written(template()), encoding="utf-8")
    for catalogue in sorted(FOLDER.glob("*.po")):
        catalogue.write_text(written(updated(catalogue)), encoding="utf-8")
