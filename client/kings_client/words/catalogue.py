"""Reads a catalogue of translations: one text file a language, as translators' tools write them.

The file is compiled in memory into what the standard library's ``gettext`` takes, so that neither a
compiler nor a second file is needed to add a language.
"""

import gettext
import re
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

_LINE: Final = re.compile(r'(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+])?)\s+)?"(.*)"')
_ESCAPE: Final = re.compile(r'\\([nt"\\])')
_ESCAPED: Final = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
_MAGIC: Final = 0x950412DE
"""Begins a compiled catalogue."""


class CatalogueError(ValueError):
    """The file is no catalogue."""


def read_catalogue(path: Path) -> gettext.GNUTranslations:
    """Return the translations that the file holds; doubtful and empty ones are left out.

    Raises:
        CatalogueError: it cannot be understood; the message names the line where it can.
        OSError: it cannot be read.
    """
    try:
        return gettext.GNUTranslations(BytesIO(_compiled(dict(_pairs(path)))))
    except (ValueError, LookupError) as error:
        raise CatalogueError(f"{path.name}: {error}") from error


def _pairs(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Give each message with its translation, as a compiled catalogue writes them."""
    for block in _blocks(path.read_text(encoding="utf-8")):
        forms = [text for key, text in block.items() if key.startswith("msgstr")]
        if "msgid" not in block or not all(forms):
            continue
        context = block["msgctxt"] + "\x04" if "msgctxt" in block else ""
        several = "\0" + block["msgid_plural"] if "msgid_plural" in block else ""
        yield (context + block["msgid"] + several).encode(), "\0".join(forms).encode()


def _blocks(text: str) -> Iterator[dict[str, str]]:
    """Give the keywords of each entry with their texts; a blank line ends an entry."""
    block: dict[str, str] = {}
    keyword, doubtful = "", False
    for number, raw in enumerate([*text.splitlines(), ""], 1):
        line = raw.strip()
        if line.startswith("#"):
            doubtful = doubtful or (line.startswith("#,") and "fuzzy" in line and not block)
        elif line:
            found = _LINE.fullmatch(line)
            if found is None or not (found[1] or keyword):
                raise ValueError(f"line {number} is neither a message nor a comment")
            keyword = found[1] or keyword
            block[keyword] = block.get(keyword, "") + _ESCAPE.sub(_unescaped, found[2])
        else:
            if block and not doubtful:
                yield block
            block, keyword, doubtful = {}, "", False


def _unescaped(found: re.Match[str]) -> str:
    return _ESCAPED[found[1]]


def _compiled(pairs: dict[bytes, bytes]) -> bytes:
    """Return the catalogue in the binary form that ``gettext`` reads."""
    keys = sorted(pairs)
    start = 28 + 16 * len(keys)
    originals = translations = texts = b""
    for key in keys:
        originals += struct.pack("<II", len(key), start + len(texts))
        texts += key + b"\0"
    for key in keys:
        translations += struct.pack("<II", len(pairs[key]), start + len(texts))
        texts += pairs[key] + b"\0"
    head = struct.pack("<7I", _MAGIC, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0)
    return head + originals + translations + texts
