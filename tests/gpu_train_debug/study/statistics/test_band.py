"""The calibration band and its suggested mixes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_train_debug.study.inputs.plan import Band
from gpu_train_debug.study.statistics.band import INSIDE, MIXABLE, OUT_OF_REACH, TOO_FEW, Tier, calibrate, tiers_of

BAND = Band(arm="base")


def test_tiers_are_gathered_in_order_of_appearance() -> None:
    tiers = tiers_of(["b", "a", "b", "calm"], [False, False, False, True], np.array([0.5, 1.0, 0.0, 0.25]))
    assert tiers == (Tier("b", 2, 0.25, False), Tier("a", 1, 1.0, False), Tier("calm", 1, 0.25, True))


def test_nothing_is_changed_inside_the_band() -> None:
    found = calibrate([Tier("easy", 10, 0.8, False), Tier("hard", 10, 0.5, False)], BAND)
    assert (found.status, found.counts, found.mean, found.expected) == (INSIDE, (10, 10), 0.65, 0.65)


def test_mix_hits_the_middle_of_the_band_and_repeats_no_task() -> None:
    found = calibrate([Tier("easy", 100, 0.9, False), Tier("hard", 300, 0.2, False)], BAND)
    assert found.status == MIXABLE
    assert found.counts == (100, 47)
    assert found.expected == pytest.approx((90 + 0.2 * 47) / 147)


def test_controls_keep_their_share() -> None:
    tiers = [Tier("easy", 100, 0.9, False), Tier("hard", 300, 0.3, False), Tier("calm", 40, 0.1, True)]
    found = calibrate(tiers, BAND)
    assert found.status == MIXABLE
    assert found.counts[2] / sum(found.counts) == pytest.approx(40 / 440, abs=0.01)


def test_middle_of_what_can_be_reached_is_aimed_at() -> None:
    found = calibrate([Tier("easy", 100, 0.64, False), Tier("hard", 300, 0.2, False)], BAND)
    assert found.status == MIXABLE
    assert found.expected == pytest.approx(0.62, abs=0.005)


@pytest.mark.parametrize(
    ("tiers", "counts"),
    [
        ([Tier("easy", 10, 0.6, False), Tier("hard", 10, 0.0, False)], (10, 0)),
        ([Tier("easy", 10, 0.9, False), Tier("hard", 10, 0.75, False)], (0, 10)),
        ([Tier("easy", 10, 0.6, False), Tier("hard", 10, 0.599, False), Tier("harder", 10, 0.0, False)], (10, 0, 0)),
        ([Tier("easy", 10, 0.6, False), Tier("hard", 90, 0.1, False), Tier("calm", 10, 0.6, True)], (10, 0, 1)),
    ],
    ids=["low edge", "high edge", "tiers close together", "controls"],
)
def test_edge_of_the_band_is_within_reach(tiers: list[Tier], counts: tuple[int, ...]) -> None:
    found = calibrate(tiers, BAND)
    assert (found.status, found.counts) == (MIXABLE, counts)


def test_a_band_that_whole_tasks_miss_isnt_out_of_reach() -> None:
    found = calibrate([Tier("easy", 1, 1.0, False), Tier("hard", 1, 0.0, False)], BAND)
    assert (found.status, found.counts, found.expected, found.reach) == (TOO_FEW, (), None, (0.0, 1.0))


def test_a_mix_of_few_tasks_is_called_small() -> None:
    few, many = (
        calibrate([Tier("easy", count, 0.7, False), Tier("hard", 200, 0.0, False)], BAND) for count in (15, 25)
    )
    assert (few.status, few.small) == (MIXABLE, True)
    assert (many.status, many.small) == (MIXABLE, False)
    assert not calibrate([Tier("only", 3, 0.7, False)], BAND).small


@pytest.mark.parametrize(
    ("tiers", "reach"),
    [
        ([Tier("easy", 10, 0.5, False), Tier("hard", 10, 0.1, False)], (0.1, 0.5)),
        ([Tier("easy", 10, 0.95, False), Tier("hard", 10, 0.8, False)], (0.8, 0.95)),
        ([Tier("only", 10, 0.3, False)], (0.3, 0.3)),
        ([Tier("calm", 10, 0.3, True)], (0.3, 0.3)),
        ([Tier("easy", 10, 0.7, False), Tier("calm", 10, 0.0, True)], (0.35, 0.35)),
    ],
    ids=["below", "above", "one tier", "controls only", "controls too many"],
)
def test_reach_is_told_when_no_mix_gets_into_the_band(tiers: list[Tier], reach: tuple[float, float]) -> None:
    found = calibrate(tiers, BAND)
    assert (found.status, found.counts, found.expected) == (OUT_OF_REACH, (), None)
    assert found.reach == pytest.approx(reach)


@given(
    st.lists(
        st.tuples(st.integers(1, 200), st.sampled_from([0.0, 0.6, 0.75, 1.0]) | st.floats(0, 1), st.booleans()),
        min_size=1,
        max_size=6,
    )
)
def test_verdict_agrees_with_what_is_within_reach(rows: list[tuple[int, float, bool]]) -> None:
    tiers = [Tier(str(number), *row) for number, row in enumerate(rows)]
    found = calibrate(tiers, BAND)
    lowest, highest = found.reach
    assert lowest <= found.mean <= highest
    assert (found.status == OUT_OF_REACH) == (highest < BAND.low - 1e-9 or lowest > BAND.high + 1e-9)
    if found.status in (INSIDE, MIXABLE):
        assert found.expected is not None
        assert BAND.low - 1e-9 <= found.expected <= BAND.high + 1e-9
        assert all(0 <= count <= tier.tasks for count, tier in zip(found.counts, tiers, strict=True))
    else:
        assert (found.expected, found.counts) == (None, ())
