"""Measures NUTS on a logistic regression of 10,000 rows with 100 coefficients: gradients per second, beside BlackJAX and TensorFlow Probability.

`python -m benchmarks.autobatch --nuts` runs each library in a process of its own, in turns, with the same data, step and limit of the tree.
`--python` names the interpreter that has the peers. TensorFlow Probability's sampler (`tfp`) is the one that its library has now, under XLA. Its
auto-batched sampler (`tfp_batched`) reached 557, 3113, 4388 and 1866 gradients/s for 1, 10, 100 and 1000 chains when seed 002 became the aim of
this package.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.autobatch.rivals import answer, started, taken_in_turns

ROWS, COEFFICIENTS = 10_000, 100
STEP, DEPTH = 0.02, 5
CHAINS = (1, 10, 100, 1000)
PEERS = ("eqsat", "blackjax", "tfp", "tfp_batched")


def rows_of(chains: Sequence[int], rounds: int, seconds: float, python: str) -> list[dict[str, Any]]:
    """For each number of chains, the gradients per second of each library: the median of its turns, and the most."""
    return [_row(count, rounds, seconds, python) for count in chains]


def _row(chains: int, rounds: int, seconds: float, python: str) -> dict[str, Any]:
    print("nuts", chains, file=sys.stderr)
    row: dict[str, Any] = {"chains": chains}
    with ExitStack() as stack:
        children: dict[str, subprocess.Popen[str]] = {}
        for peer in PEERS:
            interpreter = sys.executable if peer == "eqsat" else python
            child = started(stack, [interpreter, "-m", __spec__.name, peer, str(chains)], quiet=True)
            if (ready := answer(child)) is not None:
                children[peer], row[f"{peer}_first_s"] = child, round(ready[1], 1)
        taken = taken_in_turns(children, rounds, seconds)
    for peer in PEERS:
        row[peer] = round(median(taken[peer])) if taken.get(peer) else None
        row[f"{peer}_most"] = round(max(taken[peer])) if taken.get(peer) else None
    return row


def data() -> tuple[Any, Any]:
    """The rows, and the outcomes as 0 and 1."""
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(ROWS, COEFFICIENTS)).astype(np.float32)
    logits = rows @ draw.normal(size=COEFFICIENTS)
    return rows, (draw.uniform(size=ROWS) < 1 / (1 + np.exp(-logits))).astype(np.float32)


def draws_of(chains: int) -> int:
    """The number of draws of one call: enough to keep a library busy if there are few chains, and not too many for 1000 chains."""
    return max(2, min(10, 2000 // chains))


def prepare(peer: str, chains: int) -> Callable[[], int]:
    """A call that makes all draws of all chains, and returns the number of gradients that it computed."""
    return {"eqsat": _eqsat, "blackjax": _blackjax, "tfp": _tfp, "tfp_batched": _tfp_batched}[peer](chains)


def _eqsat(chains: int) -> Callable[[], int]:
    import eqsat as eq

    run = eqsat_chain()
    keys = eq.random.split(eq.random.key(1), chains).numpy()
    start = np.zeros((chains, COEFFICIENTS), np.float32)
    return lambda: int(
        run(keys, start, np.float32(STEP), np.int32(DEPTH), np.int32(draws_of(chains)))[1].sum() + chains
    )


def eqsat_chain() -> Any:
    """The sampler of the example on this posterior: a batched function of key, position, step, depth and number of draws."""
    import eqsat as eq

    rows, outcomes = data()

    @eq.autobatch.batch
    def posterior(position):
        logits = rows @ position
        height = eq.sum(outcomes * logits - eq.logaddexp(logits, logits * 0)) - (position @ position) / 2
        return height, (outcomes - 1 / (1 + eq.exp(-logits))) @ rows - position

    transition = example().sampler(posterior)

    @eq.autobatch.batch
    def chain(key, position, step, most_depth, draws):
        height, gradient = posterior(position)
        point, total = (position, gradient, height), 0
        for number in range(draws):
            point, steps = transition(eq.random.fold_in(key, number), point, step, most_depth)
            total += steps
        position, _, _ = point
        return position, total

    return chain


def example() -> Any:
    """`examples/06_nuts.py` as a module."""
    path = Path(__file__).parents[2] / "examples" / "06_nuts.py"
    spec = importlib.util.spec_from_file_location("nuts_example", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _blackjax(chains: int) -> Callable[[], int]:
    import blackjax
    import jax
    import jax.numpy as jnp

    rows, outcomes = map(jnp.asarray, data())

    def density(position):
        logits = rows @ position
        return jnp.sum(outcomes * logits - jnp.logaddexp(logits, 0.0)) - position @ position / 2

    sampler = blackjax.nuts(density, STEP, jnp.ones(COEFFICIENTS), max_num_doublings=DEPTH)

    def draw(state, key):
        state, information = jax.vmap(sampler.step)(jax.random.split(key, chains), state)
        return state, information.num_integration_steps.sum()

    @jax.jit
    def run(key):
        state = jax.vmap(sampler.init)(jnp.zeros((chains, COEFFICIENTS), jnp.float32))
        return jax.lax.scan(draw, state, jax.random.split(key, draws_of(chains)))[1].sum() + chains

    return lambda: int(run(jax.random.key(1)))


def _tfp(chains: int) -> Callable[[], int]:
    import tensorflow as tf
    import tensorflow_probability as tfp

    kernel = tfp.mcmc.NoUTurnSampler(_tfp_density(), step_size=STEP, max_tree_depth=DEPTH)

    @tf.function(jit_compile=True)
    def run():
        return tfp.mcmc.sample_chain(
            draws_of(chains), tf.zeros((chains, COEFFICIENTS)), kernel=kernel, seed=(1, 2),
            trace_fn=lambda _, results: results.leapfrogs_taken,
        )[1]  # fmt: skip

    return lambda: int(run().numpy().sum() + chains)


def _tfp_density() -> Any:
    import tensorflow as tf

    rows, outcomes = map(tf.constant, data())

    def density(position):
        logits = position @ tf.transpose(rows)
        height = tf.reduce_sum(outcomes * logits - tf.nn.softplus(logits), axis=-1)
        return height - tf.reduce_sum(position * position, axis=-1) / 2

    return density


def _tfp_batched(chains: int) -> Callable[[], int]:
    """TFP's recursive, auto-batched sampler."""
    import tensorflow as tf
    from tensorflow_probability.python.experimental.mcmc import nuts_autobatching

    kernel = nuts_autobatching.NoUTurnSampler(
        _tfp_density(),
        step_size=STEP,
        max_tree_depth=DEPTH,
        num_trajectories_per_step=draws_of(chains),
        seed=1,
    )

    @tf.function(jit_compile=True)
    def run():
        position = tf.zeros((chains, COEFFICIENTS))
        return kernel.one_step(position, kernel.bootstrap_results(position))[1].leapfrogs_taken

    return lambda: int(tf.reduce_sum(run()).numpy() + chains)


def main() -> None:
    """Prepares a sampler, prints the gradients of its first call and the seconds to get them, and takes turns until input ends."""
    peer, chains = sys.argv[1], int(sys.argv[2])
    start = perf_counter()
    try:
        call = prepare(peer, chains)
        first = call()
    except ImportError:
        print("null", flush=True)
        return
    print(json.dumps([first, perf_counter() - start]), flush=True)
    for _ in sys.stdin:
        start = perf_counter()
        count = call()
        print(json.dumps([count / (perf_counter() - start)]), flush=True)


if __name__ == "__main__":
    main()
