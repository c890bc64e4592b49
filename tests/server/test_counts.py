"""How times are counted, and what is told of them."""

from kings_server.counts import LATENCIES, Times


def test_the_steps_tell_below_what_a_share_lies() -> None:
    times = Times()
    assert times.below(0.5) is None
    for seconds in (0.0005, 0.001, 0.0015, 0.03):
        times.add(seconds)
    assert (times.count, times.seconds) == (4, 0.033)
    assert times.below(0.5) == 0.001
    assert times.below(0.75) == 0.002
    assert times.below(0.99) == 0.05
    times.add(60.0)
    assert times.below(1.0) == float("inf")
    assert times.steps[-1] == 1
    assert len(times.steps) == len(LATENCIES) + 1
