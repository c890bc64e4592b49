"""The five written sources as rule sets, each by its name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import frozen

from kings_engine.rules import BadRules, Fault, Knob, Rules, Value, make_rules


@frozen
class Preset:
    """A named set of rules.

    Attributes:
        name: what players call it.
        source: the number of the written source it reproduces (``docs/rules.md``).
        about: one line for a list of presets.
        knobs: where it differs from ``pagat``.
    """

    name: str
    source: str
    about: str
    knobs: Mapping[str, Value]

    def rules(self, knobs: Mapping[str, object] = MappingProxyType({})) -> Rules:
        """Return this preset's rules with ``knobs`` changed.

        Raises:
            BadRules: the resulting set cannot be played.
        """
        return make_rules({**self.knobs, **knobs})


_CLASSIC: Final = {"draw": "start", "match": "one_deal"}

PRESETS: Final[Mapping[str, Preset]] = {
    preset.name: preset
    for preset in (
        Preset("pagat", "002", "draw ends the turn; a match to 25 points", {}),
        Preset("classic", "004", "draw starts the turn; one deal", _CLASSIC),
        Preset(
            "classic_match",
            "004",
            "draw starts the turn; whoever reaches 25 points is out, the last one left wins",
            {**_CLASSIC, "match": "elimination"},
        ),
        Preset("one_page", "001", "draw starts the turn; a match to 25 points", {"draw": "start"}),
        Preset(
            "strict",
            "000",
            "no kings on sides; the deal ends with the stock; the first dealer is cut for",
            {
                "draw": "start",
                "empty_place": "not_king",
                "stock_empty": "ends_deal",
                "idle_counts": "hand",
                "first_dealer": "cut_higher",
            },
        ),
        Preset(
            "royal_corners",
            "003",
            "four corner piles and an open stock; who is out rests, the others play on; to 50",
            {
                "layout": "corners",
                "empty_place": "vacated",
                "open_stock": True,
                "going_out": "plays_on",
                "points": 50,
                "name_loser": True,
                "tie": "shared",
                "first_dealer": "lot",
                "opens": "dealer",
            },
        ),
    )
}


def preset_rules(name: str, knobs: Mapping[str, object] = MappingProxyType({})) -> Rules:
    """Return the rules of the preset called ``name`` with ``knobs`` changed.

    Raises:
        BadRules: there is no such preset, or the resulting set cannot be played.
    """
    if name not in PRESETS:
        raise BadRules((Fault("rules", name[:40], Knob(choices=tuple(PRESETS))),))
    return PRESETS[name].rules(knobs)
