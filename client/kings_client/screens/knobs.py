"""The rules in a form: a field for each knob, judged while it is filled in."""

from collections.abc import Mapping
from typing import Final

from kings_client.choices import fault_line, read_value, shown_value
from kings_client.screens.draft import Draft
from kings_client.screens.fields import Field
from kings_client.words.knobs import ABOUT, LABELS, label
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, BadRules, Knob, rules_as_plain
from kings_protocol.messages import KnobValue

_SCALE_LENGTH = 40
_NUMBER_LENGTH = 4


def _field(name: str, knob: Knob) -> Field:
    choices = ("", *map(shown_value, knob.choices)) if knob.choices else ()
    if knob.choices and knob.optional:
        choices = (*choices, shown_value(None))
    limit = _SCALE_LENGTH if knob.per_rank else _NUMBER_LENGTH
    return Field(
        name,
        LABELS[name],
        choices,
        limit,
        about=ABOUT[name],
        writable=knob.per_rank or not choices,
    )


KNOB_FIELDS: Final = tuple(_field(name, knob) for name, knob in KNOBS.items() if name != "players")
"""A field for each knob; empty ones are as the chosen preset has them."""


def knobs_of(fields: Mapping[str, Draft]) -> dict[str, KnobValue]:
    """Return the knobs that were filled in."""
    texts = {name: draft.text.strip() for name, draft in fields.items() if name in KNOBS}
    return {name: read_value(KNOBS[name], text) for name, text in texts.items() if text}


def preset_value(fields: Mapping[str, Draft], name: str) -> str:
    """Return what the chosen preset has for a knob that is left empty."""
    preset = PRESETS.get(fields["preset"].text)
    return "" if preset is None else shown_value(rules_as_plain(preset.rules())[name])


def faults_of(fields: Mapping[str, Draft]) -> dict[str, str]:
    """Return what cannot be, by field, in words."""
    if "preset" not in fields:
        return {}
    try:
        preset_rules(fields["preset"].text, knobs_of(fields))
    except BadRules as bad:
        return {fault.knob: fault_line(fault, label(fault.knob)) for fault in bad.faults}
    return {}
