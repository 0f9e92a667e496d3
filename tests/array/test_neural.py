"""Functions of neural networks against their formulas in NumPy."""

import math

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.errors import BuildError, DTypeError, ShapeError
from tests.array.compare import assert_agrees, numbers

X = numbers("float64", (2, 5, 8), 1)


def softmax(x, axis=-1):
    exponentials = np.exp(x - x.max(axis, keepdims=True))
    return exponentials / exponentials.sum(axis, keepdims=True)


def test_activations():
    assert_agrees(xp.relu(X), np.maximum(X, 0))
    assert_agrees(xp.silu(X), X / (1 + np.exp(-X)), 100)
    erf = np.vectorize(math.erf)
    assert_agrees(xp.gelu(X), 0.5 * X * (1 + erf(X / math.sqrt(2))), absolute=1e-15)
    inner = math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)
    assert_agrees(xp.gelu(X, approximate="tanh"), 0.5 * X * (1 + np.tanh(inner)), absolute=1e-15)
    with pytest.raises(BuildError, match="cannot approximate gelu by 'no'"):
        xp.gelu(X, approximate="no")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu_by_tanh_has_no_subnormal_results_where_it_is_cut(dtype):
    """Near to 0 it has: there it is half of x."""
    x = np.concatenate([np.linspace(-60.0, 60.0, 24_001), [-np.inf, np.inf, 0.0, -0.0]]).astype(dtype)
    found = np.asarray(xp.gelu(x, approximate="tanh"))
    tiny = np.finfo(dtype).tiny
    assert np.all((found == 0.0) | (np.abs(found) >= tiny))
    with np.errstate(over="ignore", invalid="ignore"):
        expected = x / (1.0 + np.exp(-2.0 * math.sqrt(2.0 / math.pi) * (x + dtype(0.044715) * x**3)))
    np.testing.assert_allclose(found[:-4], expected[:-4], rtol=2000 * np.finfo(dtype).eps, atol=30 * tiny)
    np.testing.assert_array_equal(found[-4:], [-0.0, np.inf, 0.0, -0.0])
    assert np.all(np.signbit(found[x < -30.0]))
    small = np.array([1e-40, -1e-40], dtype)
    np.testing.assert_array_equal(np.asarray(xp.gelu(small, approximate="tanh")), small / dtype(2))


def test_normalizations():
    assert_agrees(xp.softmax(X), softmax(X), 20)
    assert_agrees(xp.softmax(X, axis=1), softmax(X, 1), 20)
    assert_agrees(xp.softmax(X * 1000), softmax(X * 1000), 200, absolute=1e-300)
    assert_agrees(xp.log_softmax(X), np.log(softmax(X)), 20)
    scale, shift = numbers("float64", (8,), 2), numbers("float64", (8,), 3)
    centred = X - X.mean(-1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + shift
    assert_agrees(xp.layer_norm(X, scale, shift), expected, 20, absolute=1e-14)
    assert_agrees(xp.rms_norm(X, scale), X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) * scale, 20)


@pytest.mark.parametrize("function", [xp.layer_norm, xp.rms_norm])
def test_a_shape_is_no_scale(function):
    """PyTorch's functions take one there."""
    for given in (X.shape[-1:], [X.shape[-1]], X.shape):
        with pytest.raises(BuildError, match="is the shape .* give factors as an array"):
            function(X, given)
    assert function(X, tuple(map(float, X.shape[-1:]))).shape == X.shape


def test_attention():
    keys, values = numbers("float64", (2, 7, 8), 2), numbers("float64", (2, 7, 3), 3)
    scores = X @ keys.swapaxes(1, 2) / math.sqrt(8)
    assert_agrees(xp.attention(X, keys, values), softmax(scores) @ values, 20, absolute=1e-14)
    mask = np.tri(5, 7, 2, dtype=bool)
    assert_agrees(
        xp.attention(X, keys, values, mask=mask),
        softmax(np.where(mask, scores, -np.inf)) @ values,
        20,
        absolute=1e-14,
    )


def test_a_mask_of_floats_is_added_to_the_scaled_scores():
    keys, values = numbers("float64", (2, 7, 8), 2), numbers("float64", (2, 7, 3), 3)
    scores = X @ keys.swapaxes(1, 2) / math.sqrt(8)
    bias = np.where(np.tri(5, 7, 2, dtype=bool), numbers("float64", (5, 7), 4), -np.inf)
    expected = softmax(scores + bias) @ values
    assert_agrees(xp.attention(X, keys, values, mask=bias), expected, 20, absolute=1e-14)
    compiled = eq.jit(lambda q, k, v, added: xp.attention(q, k, v, mask=added))(X, keys, values, bias)
    np.testing.assert_allclose(compiled, expected, rtol=2e-13, atol=1e-14)


def test_a_mask_of_floats_hides_as_one_of_bools_does():
    seen = np.tri(5, 5, dtype=bool)
    seen[2] = False  # nothing is seen: zeros, as in PyTorch, and not the mean of nothing
    by_bools = xp.attention(X, X, X, mask=seen).numpy()
    by_floats = xp.attention(X, X, X, mask=np.where(seen, 0.0, -np.inf)).numpy()
    np.testing.assert_array_equal(by_floats, by_bools)
    assert not by_bools[:, 2].any()
    assert np.isfinite(by_bools).all()
    compiled = eq.jit(lambda x, mask: xp.attention(x, x, x, mask=mask))(X, seen)
    np.testing.assert_allclose(compiled, by_bools, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_mask_of_floats_does_not_change_the_dtype(dtype):
    x = X.astype(dtype)
    found = xp.attention(x, x, x, mask=np.zeros((5, 5)))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.numpy(), xp.attention(x, x, x).numpy())


def test_a_mask_of_integers_says_too_little():
    with pytest.raises(DTypeError, match=r"mask of int64 .* give mask != 0 .* or astype a float"):
        xp.attention(X, X, X, mask=np.tri(5, dtype=int))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint64"])
def test_integers_are_converted_before_they_wrap(dtype):
    x = np.array([[1, 0, 1]], "bool") if dtype == "bool" else np.array([[0, 127, 3], [100, 1, 2]], dtype)
    for function in (xp.softmax, xp.log_softmax):
        of_floats = function(x.astype(np.sqrt(x).dtype))
        np.testing.assert_array_equal(function(x).numpy(), of_floats.numpy())
    for function in (xp.layer_norm, xp.rms_norm, lambda x: xp.attention(x, x, x)):
        np.testing.assert_array_equal(function(x).numpy(), function(x.astype("float64")).numpy())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_in_float32_and_rounded_once(dtype):
    x = xp.astype(xp.asarray(np.array([[300, -300, 100, 5], [1, 2, 3, 4.5]], "float32")), dtype)
    wide = xp.astype(x, "float32")
    for function in (
        xp.softmax,
        xp.log_softmax,
        xp.layer_norm,
        xp.rms_norm,
        lambda x: xp.attention(x, x, x),
        lambda x: xp.std(x, axis=0),
    ):
        result = function(x)
        assert result.dtype.name == dtype
        assert xp.all(result == xp.astype(function(wide), dtype))


@pytest.mark.parametrize("function", [xp.softmax, xp.log_softmax])
def test_nothing_has_a_softmax_without_elements(function):
    for shape in ((5, 0), (0, 5), (2, 0, 4)):
        assert np.asarray(function(np.zeros(shape, np.float32))).shape == shape
    with pytest.raises(ShapeError):
        function(np.zeros((5, 0)), axis=2)


def test_attention_to_nothing_is_zero():
    queries, none = np.ones((2, 3, 4)), np.ones((2, 0, 4))
    assert_agrees(xp.attention(queries, none, none), np.zeros((2, 3, 4)))
    assert np.asarray(xp.attention(none, none, none)).shape == (2, 0, 4)


def test_one_hot_rows():
    labels = np.array([[2, 0], [-1, 3]])
    found = xp.one_hot(labels, 3)
    assert (found.shape, found.dtype) == ((2, 2, 3), eq.float32)
    np.testing.assert_array_equal(found, labels[..., None] == np.arange(3))
    np.testing.assert_array_equal(
        xp.one_hot(labels, 3, axis=0, dtype="bool"), labels == np.arange(3)[:, None, None]
    )
    assert xp.one_hot(labels, 0).shape == (2, 2, 0)
    with pytest.raises(eq.DTypeError, match="positions"):
        xp.one_hot(np.ones(2), 3)
