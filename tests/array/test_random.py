"""Random numbers: known answers, distributions, independence, and the same numbers in every batch, shape and executor."""

import math

import numpy as np
import pytest
from scipy import stats

import eqsat as eq
from eqsat.array.random.philox import block
from eqsat.dtype import uint32
from eqsat.errors import BuildError, DTypeError, ShapeError
from eqsat.uop import UOp

KEY = eq.random.key(20260101)
DRAWS = {
    "bits": eq.random.bits,
    "wide bits": lambda key, shape: eq.random.bits(key, shape, eq.uint64),
    "bytes": lambda key, shape: eq.random.bits(key, shape, eq.uint8),
    "uniform": eq.random.uniform,
    "uniform between": lambda key, shape: eq.random.uniform(key, shape, low=-3.0, high=5.5),
    "uniform float64": lambda key, shape: eq.random.uniform(key, shape, eq.float64),
    "normal": eq.random.normal,
    "normal float64": lambda key, shape: eq.random.normal(key, shape, eq.float64),
    "exponential": eq.random.exponential,
    "bernoulli": lambda key, shape: eq.random.bernoulli(key, 0.3, shape),
    "randint": lambda key, shape: eq.random.randint(key, shape, -7, 1000),
}
# Counter, key and block of kat_vectors, which accompanies Random123, the implementation of the paper's authors.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (
        (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def philox(counter, key):
    """Another implementation, on Python's integers."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second >> 32 ^ c[1] ^ k[0], second % 2**32, first >> 32 ^ c[3] ^ k[1], first % 2**32]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_blocks_are_those_of_the_paper(counter, key, expected):
    made = block(
        tuple(UOp.const(uint32, each) for each in counter), tuple(UOp.const(uint32, each) for each in key)
    )
    assert tuple(int(np.asarray(eq.evaluate(word))) for word in made) == expected
    assert tuple(philox(counter, key)) == expected


def test_bits_are_blocks_in_order():
    seed = 0x123456789ABCDEF0
    expected = [word for number in range(6) for word in philox((number, 0, 0, 0), (seed % 2**32, seed >> 32))]
    assert eq.random.bits(eq.random.key(seed), 23).numpy().tolist() == expected[:23]
    wide = [low | high << 32 for low, high in zip(expected[::2], expected[1::2], strict=True)]
    assert eq.random.bits(eq.random.key(seed), (11,), eq.uint64).numpy().tolist() == wide[:11]
    assert eq.random.bits(eq.random.key(seed), 23, eq.uint8).numpy().tolist() == [
        word % 256 for word in expected[:23]
    ]


def test_keys_of_keys_are_blocks_of_their_own():
    seed = 99
    made = [philox((number, 0, 0, 1), (seed, 0)) for number in range(5)]
    expected = [low | high << 32 for low, high, *_ in made]
    key = eq.random.key(seed)
    assert eq.random.split(key, 5).numpy().tolist() == expected
    assert eq.random.fold_in(key, np.arange(5)).numpy().tolist() == expected
    low, high, *_ = philox((1, 7, 0, 1), (seed, 0))
    assert eq.random.fold_in(key, np.uint64((7 << 32) + 1)).item() == low | high << 32


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_do_not_depend_on_shape_or_batch(name):
    draw = DRAWS[name]
    keys = eq.random.split(KEY, 6)
    long = draw(keys, (4, 5)).numpy()
    assert long.shape == (6, 4, 5)
    np.testing.assert_array_equal(draw(keys.reshape((2, 3)), (20,)).numpy().reshape(6, 4, 5), long)
    for member, position in ((0, 1), (3, 7), (5, 20)):
        each = draw(keys[member], (position,)).numpy()
        np.testing.assert_array_equal(each, long[member].ravel()[:position])
    np.testing.assert_array_equal(draw(keys, ()).numpy(), long[:, 0, 0])


@pytest.mark.parametrize("name", DRAWS)
def test_kernels_draw_the_numbers_of_the_reference(name):
    draw = DRAWS[name]
    assert_agree(eq.jit(lambda key: draw(key, (37,)))(np.uint64(20260101)), draw(KEY, (37,)).numpy())


def test_kernels_draw_from_keys_of_keys():
    key = np.uint64(20260101)
    many = eq.jit(lambda key: eq.random.normal(eq.random.split(key, 3), (5,)))
    assert_agree(many(key), eq.random.normal(eq.random.split(KEY, 3), (5,)).numpy())
    one = eq.jit(lambda key, step: eq.random.uniform(eq.random.fold_in(key, step)))
    assert_agree(one(key, np.uint32(7)), eq.random.uniform(eq.random.fold_in(KEY, 7)).numpy())
    given = eq.jit(lambda keys: eq.random.bits(keys, (5,)))
    keys = eq.random.split(KEY, 4).numpy()
    assert_agree(given(keys), eq.random.bits(keys, 5).numpy())


def assert_agree(result, expected):
    if expected.dtype.kind == "f":
        np.testing.assert_array_max_ulp(result, expected, 8)
    else:
        np.testing.assert_array_equal(result, expected)


MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)  # of the ten rounds of Philox, twice in each


def test_an_array_is_one_kernel_that_makes_each_block_once():
    program = eq.compile(eq.trace(lambda key: eq.random.uniform(key, (10_000,)), eq.spec((), eq.uint64)))
    (kernel,) = program.schedule.kernels
    multiplied = [
        node for node in kernel.ast.toposort() if any(source.arg in MULTIPLIERS for source in node.src)
    ]
    assert 0 < len(multiplied) <= 20
    assert all(math.prod(each.src[0].arg for each in node.ranges) < 2 * 2500 for node in multiplied)
    np.testing.assert_array_equal(program(np.uint64(5)), eq.random.uniform(eq.random.key(5), 10_000).numpy())


COUNT = 200_000


@pytest.mark.parametrize(
    ("draw", "distribution"),
    [
        (lambda key: eq.random.uniform(key, COUNT), stats.uniform()),
        (lambda key: eq.random.uniform(key, COUNT, eq.float64, -2, 1), stats.uniform(-2, 3)),
        (lambda key: eq.random.normal(key, COUNT), stats.norm()),
        (lambda key: eq.random.normal(key, COUNT, eq.float64), stats.norm()),
        (lambda key: eq.random.exponential(key, COUNT), stats.expon()),
        (lambda key: eq.random.exponential(key, COUNT, eq.float64), stats.expon()),
    ],
)
def test_distributions(draw, distribution):
    for seed in (1, 2):
        values = draw(eq.random.key(seed)).numpy().astype(np.float64)
        assert stats.kstest(values, distribution.cdf).pvalue > 1e-4
        for moment in (1, 2, 3, 4):
            spread = math.sqrt((distribution.moment(2 * moment) - distribution.moment(moment) ** 2) / COUNT)
            assert abs(np.mean(values**moment) - distribution.moment(moment)) < 5 * spread


def test_tails_of_the_normal_distribution():
    values = np.abs(eq.random.normal(eq.random.key(3), 2_000_000).numpy())
    for bound in (3.0, 4.0, 4.5):
        expected = 2_000_000 * 2 * stats.norm.sf(bound)
        assert abs((values > bound).sum() - expected) < 5 * math.sqrt(expected)


def test_every_bit_is_set_half_of_the_time():
    words = eq.random.bits(KEY, 100_000).numpy()
    set_bits = (words[:, None] >> np.arange(32, dtype=np.uint32) & 1).sum(axis=0, dtype=np.int64)
    assert np.all(np.abs(set_bits - 50_000) < 5 * math.sqrt(25_000))
    assert stats.chisquare(np.bincount(words >> 24, minlength=256)).pvalue > 1e-4


def test_streams_of_split_keys_are_independent():
    streams = eq.random.normal(eq.random.split(KEY, 40), 10_000).numpy()
    parent = eq.random.normal(KEY, 10_000).numpy()
    correlations = np.corrcoef(np.vstack([streams, parent]))[np.triu_indices(41, 1)] * 100  # of deviation 1
    assert stats.kstest(correlations, "norm").pvalue > 1e-4
    grandchildren = eq.random.split(eq.random.split(KEY, 100), 100).numpy()
    assert len(np.unique(grandchildren)) == 10_000


@pytest.mark.parametrize(
    ("dtype", "precision"), [("float16", 11), ("bfloat16", 8), ("float32", 24), ("float64", 53)]
)
def test_units_are_multiples_of_the_precision_below_one(dtype, precision):
    values = eq.random.uniform(KEY, 20_000, dtype).numpy().astype(np.float64)
    steps = values * 2.0**precision
    assert np.array_equal(steps, np.floor(steps))
    assert 0 <= values.min() < values.max() < 1
    assert np.any(steps % 2 == 1)
    if precision <= 11:
        assert set(steps) == set(range(2**precision))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0625), (-2.5, -2.25), (-1.0, 0.0), (100.0, 104.0)])
def test_the_upper_bound_is_never_drawn(dtype, low, high):
    values = eq.random.uniform(KEY, 20_000, dtype, low, high).numpy()
    assert low <= values.min()
    assert values.max() < high
    assert values.max() > low + 0.8 * (high - low)


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [(0, 6, "int32"), (-3, 4, "int8"), (2**63, 2**63 + 5, "uint64"), (0, 7, "uint8")],
)
def test_integers_are_uniform(low, high, dtype):
    values = eq.random.randint(KEY, 50_000, low, high, dtype).numpy()
    assert values.dtype == dtype
    counts = [int((values == each).sum()) for each in range(low, high)]
    assert sum(counts) == 50_000
    assert stats.chisquare(counts).pvalue > 1e-4


def test_integers_of_the_widest_range_are_upper_words():
    whole = eq.random.randint(KEY, 100, 0, 2**32, eq.int64).numpy()
    np.testing.assert_array_equal(whole, eq.random.bits(KEY, 100, eq.uint64).numpy() >> np.uint64(32))


def test_truth_values_have_their_probabilities():
    for p in (0.01, 0.5, 0.9):
        times = int(eq.random.bernoulli(KEY, p, 100_000).numpy().sum())
        assert abs(times - 100_000 * p) < 5 * math.sqrt(100_000 * p * (1 - p))
    assert eq.random.bernoulli(KEY, [0.0, 1.0], (1000, 2)).numpy().tolist() == [[False, True]] * 1000


def test_categories_have_their_probabilities():
    weights = np.array([0.1, 0.0, 0.6, 0.3])
    with np.errstate(divide="ignore"):
        logits = np.log(weights).astype(np.float32)
    chosen = eq.random.categorical(eq.random.split(KEY, 20_000), logits).numpy()
    counts = np.bincount(chosen, minlength=4)
    assert counts[1] == 0
    assert stats.chisquare(counts[[0, 2, 3]], 20_000 * weights[[0, 2, 3]]).pvalue > 1e-4
    assert eq.random.categorical(KEY, np.zeros((3, 5, 2), np.float32), axis=1).shape == (3, 2)


def test_arrays_without_elements():
    assert eq.random.normal(KEY, (0, 3)).numpy().shape == (0, 3)
    assert eq.random.uniform(eq.random.split(KEY, 0), 2).numpy().shape == (0, 2)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: eq.random.key(1.5), DTypeError),
        (lambda: eq.random.key(1 << 64), DTypeError),
        (lambda: eq.random.bits(np.arange(2), 3), DTypeError),
        (lambda: eq.random.bits(KEY, 3, eq.int32), DTypeError),
        (lambda: eq.random.bits(KEY, -1), ShapeError),
        (lambda: eq.random.bits(KEY, "no shape"), ShapeError),
        (lambda: eq.random.split(KEY, -2), ShapeError),
        (lambda: eq.random.fold_in(KEY, 0.5), DTypeError),
        (lambda: eq.random.fold_in(eq.random.split(KEY, 3), np.arange(2)), ShapeError),
        (lambda: eq.random.uniform(KEY, 3, eq.int32), DTypeError),
        (lambda: eq.random.uniform(KEY, 3, low=1.0, high=1.0), BuildError),
        (lambda: eq.random.uniform(KEY, 3, low=math.nan), BuildError),
        (lambda: eq.random.uniform(KEY, 3, eq.float16, -6e4, 6e4), BuildError),
        (lambda: eq.random.normal(KEY, 3, eq.int8), DTypeError),
        (lambda: eq.random.bernoulli(KEY, 1.5), BuildError),
        (lambda: eq.random.bernoulli(KEY, math.nan), BuildError),
        (lambda: eq.random.bernoulli(KEY, [0.5, 0.5], 3), ShapeError),
        (lambda: eq.random.randint(KEY, 3, 5, 5), BuildError),
        (lambda: eq.random.randint(KEY, 3, 0, 300, eq.uint8), DTypeError),
        (lambda: eq.random.randint(KEY, 3, 0, 3, eq.float32), DTypeError),
        (lambda: eq.random.categorical(KEY, [1, 2]), DTypeError),
        (lambda: eq.random.categorical(KEY, np.zeros((3, 0))), ShapeError),
    ],
)
def test_mistakes_are_refused(wrong, error):
    with pytest.raises(error):
        wrong()


@pytest.mark.parametrize(("keys", "count"), [(2, 5), (3, 9), (2, 6)])
def test_keys_of_keys_draw_numbers_that_fill_no_blocks(keys, count):
    """The blocks of numbers were once counted by the range that counts the keys."""
    draw = eq.jit(lambda key: eq.random.normal(eq.random.split(key, keys)[0], (count,)))
    assert_agree(
        draw(np.uint64(5)), eq.random.normal(eq.random.split(eq.random.key(5), keys)[0], count).numpy()
    )
