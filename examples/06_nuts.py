"""The No-U-Turn sampler for a batch of chains: each builds trees of its own depth, by recursion, from random numbers of its own key.

`pip install "eqsat[sampling]"` adds ArviZ: then `python examples/06_nuts.py trace.png` also prints R-hat and draws the traces.

Source: M. D. Hoffman and A. Gelman, The No-U-Turn Sampler (JMLR 2014); M. Betancourt, A Conceptual Introduction to Hamiltonian Monte Carlo (2017).
"""

import sys

import numpy as np

import eqsat as eq
from eqsat.autobatch import batch

DIVERGED = -1000.0  # a logarithm of a weight


@batch
def turns(first, last, step):
    """Whether a trajectory comes back at one of its ends."""
    (first_position, first_momentum), (last_position, last_momentum, _) = first, last
    along = (last_position - first_position) * step
    return along @ first_momentum < 0 or along @ last_momentum < 0


def sampler(density):
    """One transition of a chain.

    `density` is a batched function from a position to the logarithm of its density, and the gradient of that. The result is a batched function
    from a key, a point (position, gradient and logarithm of the density), the size of a step, and how often the tree may double, to the next
    point, and how many steps that took.
    """

    @batch
    def leapfrog(position, momentum, gradient, step):
        momentum = momentum + step / 2 * gradient
        position = position + step * momentum
        height, gradient = density(position)
        return position, momentum + step / 2 * gradient, gradient, height

    @batch
    def tree(key, depth, position, momentum, gradient, step, start):
        """2**depth steps: the first and the last point, one chosen of all, their weight as a logarithm, how many they are, whether to go on."""
        if depth == 0:
            position, momentum, gradient, height = leapfrog(position, momentum, gradient, step)
            weight = height - (momentum @ momentum) / 2 - start
            last = (position, momentum, gradient)
            return (position, momentum), last, (position, gradient, height), weight, 1, weight > DIVERGED
        keys = eq.random.split(key, 3)
        first, last, chosen, weight, steps, goes_on = tree(
            keys[0], depth - 1, position, momentum, gradient, step, start
        )
        if goes_on:
            position, momentum, gradient = last
            _, last, other, added, more, goes_on = tree(
                keys[1], depth - 1, position, momentum, gradient, step, start
            )
            steps += more
            total = eq.logaddexp(weight, added)
            if eq.log(eq.random.uniform(keys[2], (), weight.dtype)) < added - total:
                chosen = other
            weight = total
            goes_on = goes_on and not turns(first, last, step)
        return first, last, chosen, weight, steps, goes_on

    @batch
    def transition(key, point, step, most_depth):
        position, gradient, height = point
        keys = eq.random.split(key, 2)
        momentum = eq.random.normal(keys[0], position.shape, position.dtype)
        start = height - (momentum @ momentum) / 2
        low = high = (position, momentum, gradient)
        chosen, weight, steps, depth, goes_on = point, 0.0, 0, 0, True
        while goes_on and depth < most_depth:
            own = eq.random.split(eq.random.fold_in(keys[1], depth), 3)
            forward = eq.random.bernoulli(own[0])
            position, momentum, gradient = high if forward else low
            towards = step if forward else -step
            _, end, other, added, more, goes_on = tree(
                own[1], depth, position, momentum, gradient, towards, start
            )
            if forward:
                high = end
            else:
                low = end
            if goes_on:
                if eq.log(eq.random.uniform(own[2], (), height.dtype)) < added - weight:
                    chosen = other
                weight = eq.logaddexp(weight, added)
                low_position, low_momentum, _ = low
                goes_on = not turns((low_position, low_momentum), high, step)
            steps += more
            depth += 1
        return chosen, steps

    return transition


def chains(density):
    """A batched function that runs whole chains: the positions after each draw."""
    transition = sampler(density)

    @batch
    def chain(key, positions, step, most_depth):
        """`positions` are the start, of shape (draws, extent), which are overwritten one by one."""
        position = positions[0]
        height, gradient = density(position)
        point = (position, gradient, height)
        for number in range(positions.shape[0]):
            point, _ = transition(eq.random.fold_in(key, number), point, step, most_depth)
            position, _, _ = point
            positions[number] = position
        return positions

    return chain


COVARIANCE = np.array([[1.0, 0.8], [0.8, 2.0]])
PRECISION = np.linalg.inv(COVARIANCE).astype(np.float32)


@batch
def gaussian(position):
    """The logarithm of the density of a correlated Gaussian, but for a constant, and its gradient."""
    gradient = -(PRECISION @ position)
    return (position @ gradient) / 2, gradient


def main() -> None:
    """Samples, and compares the moments with the exact ones."""
    count, draws = 100, 250
    keys = eq.random.split(eq.random.key(2026), count).numpy()
    starts = np.zeros((count, draws, 2), np.float32)
    samples = chains(gaussian)(keys, starts, np.float32(0.5), np.int32(6))
    flat = samples[:, 50:].reshape(-1, 2)
    print("mean", flat.mean(axis=0), "covariance", np.cov(flat.T).round(2).tolist())
    if len(sys.argv) > 1:
        summarize(samples[:4, 50:], sys.argv[1])


def summarize(samples, path) -> None:
    """Prints R-hat and effective sample sizes, and draws the traces of some chains."""
    import arviz

    data = arviz.from_dict(posterior={"x": samples[..., 0], "y": samples[..., 1]})
    print(arviz.summary(data))
    arviz.plot_trace(data).ravel()[0].figure.savefig(path)


if __name__ == "__main__":
    main()
