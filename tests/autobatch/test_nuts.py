"""The sampler of the example: exact moments, and the same numbers in every batch and on every machine.

`python -m tests.autobatch.nuts_agreement` compares more chains, and those of a regression, whose members meet at their gradients.
"""

import numpy as np
import pytest

import eqsat as eq
from benchmarks.autobatch.nuts import example

NUTS = example()
CHAINS, DRAWS, WARM_UP = 64, 200, 20


@pytest.fixture(scope="module")
def chain():
    return NUTS.chains(NUTS.gaussian)


def started(count, draws, seed=5):
    keys = eq.random.split(eq.random.key(seed), count).numpy()
    return keys, np.ones((count, draws, 2), np.float32), np.float32(0.6), np.int32(6)


def test_moments_are_those_of_the_gaussian(chain):
    samples = chain(*started(CHAINS, DRAWS))[:, WARM_UP:].astype(np.float64)
    products = samples[..., :, None] * samples[..., None, :]
    for values, exact in ((samples, np.zeros(2)), (products, NUTS.COVARIANCE)):
        means = values.mean(axis=1)  # of chains, which are independent
        error = means.std(axis=0, ddof=1) / np.sqrt(CHAINS)
        assert np.all(np.abs(means.mean(axis=0) - exact) < 4.5 * error)
        assert np.all(error < 0.1)
    first, last = samples[:, :-1, 0].ravel(), samples[:, 1:, 0].ravel()
    assert abs(np.corrcoef(first, last)[0, 1]) < 0.5  # a sampler that hardly moves has right moments, too


def test_numbers_do_not_depend_on_order_or_machine(chain):
    keys, starts, step, depth = started(12, 4)
    samples = chain(keys, starts, step, depth)
    order = np.random.default_rng(0).permutation(12)
    np.testing.assert_array_equal(chain(keys[order], starts, step, depth), samples[order])
    np.testing.assert_array_equal(chain(keys[3:5], starts[:2], step, depth), samples[3:5])
    assert len(np.unique(samples[:, -1, 0])) == 12
    for machine in ("numpy", "static"):
        np.testing.assert_allclose(
            chain(keys, starts, step, depth, machine=machine), samples, rtol=1e-3, atol=1e-4
        )
