"""How much one connection may ask."""

from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import SHARES_BURST
from kings_server.allowance import Allowances
from kings_server.bounds import Bounds

END = m.EndTurn(id="00" * 16, version=1)
COMMIT = m.Commit(id="00" * 16, match=1, deal=1, attempt=0, commitment="00" * 32)


def test_haste_costs_nobody_a_share_of_a_deck() -> None:
    allowances = Allowances(Bounds(requests_burst=3), 0.0)
    while allowances.take(END, 0.0) is None:
        pass
    assert allowances.take(COMMIT, 0.0) is None


def test_commitments_without_end_are_requests_like_others() -> None:
    allowances = Allowances(Bounds(requests_burst=3), 0.0)
    answers = [allowances.take(COMMIT, 0.0) for _ in range(SHARES_BURST + 4)]
    assert answers == [None] * (SHARES_BURST + 3) + [RefusalCode.TOO_MANY_REQUESTS]
