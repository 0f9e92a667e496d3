"""Bytes that a kernel moves through each level of the memory hierarchy, for many tilings at once.

The bodies of a kernel's innermost loops share the loops around them: loops beside each other run one after the other, so what they fetch
adds up. What one iteration of the shared loops touches may fit a cache; then a later body finds there what an earlier one has fetched.
Walking the loops from the innermost out, the elements touched grow; up to the loop at which they still fit a cache, what was fetched
into it is used again for nothing, and every loop further out fetches it anew.

Arrays have the tilings last, and before them the depth of a loop; the first axis is of ranges, accesses or buffers.
"""

from __future__ import annotations

from math import prod

import numpy as np

from eqsat.machine import Machine
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.bodies import Body
from eqsat.schedule.cost.groups import has_groups, width_of
from eqsat.schedule.cost.hits import bytes_at_most
from eqsat.schedule.cost.nest import Nest
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings, product_over

# What stored bytes cost that go to memory, in times of what they cost a work-item that stores to one stretch only.
TWO_STREAMS = 1.45

# What level 2 could have delivered where elements side by side end and the next are so far away: another line is touched, and none is foreseen.
# Where they are no more than a line, that is another line at most.
FAR_BYTES, FAR_STEP = 256.0, 2048

# How often a line that is stored crosses the last cache: into a unit's own caches and out again, but cores have half of them from the run before.
STORED_BY_UNITS, STORED_BY_CORES = 2.0, 1.5

# Of one work-item, by which a core that something else keeps busy is late.
UNEVEN = 0.1

# Walks that go on in turns, each in a page of its own, and are still foreseen, to the end of that page.
MOST_WALKS, PAGE = 64, 4096

# The share of a cache within which data stay that are used again, and local memory, while other data pass through.
USABLE, KEPT = 0.75, 0.5

# Lines that the items of one register wait for at once, and what one from memory takes in times of one from the second cache, besides.
LINES_AT_ONCE, MEMORY_TIMES = 16.0, 1.0


def repeats(kernel: Tables, tilings: Tilings) -> Floats:
    """How often what depends on a loop over outputs is done again, for loops around that one on which it does not depend.

    Serial tiles of parallel ranges repeat it within a work-item.
    """
    outputs = np.flatnonzero(kernel.outputs).tolist()
    inner, inside, rank = tilings.inner_across, kernel.loops.T[:, :, None], tilings.depths
    innermost = np.full((len(kernel.loops), len(tilings)), -1)
    for position in outputs:
        looped = inside[position] & (inner[position] > 1)
        innermost = np.where(looped, np.maximum(innermost, rank[position]), innermost)
    found = np.ones(innermost.shape)
    for position in outputs:
        around = ~inside[position] & (rank[position] < innermost)
        found *= np.where(around, inner[position], 1.0)
    return found.T


def busiest_share(tilings: Tilings, device: Machine) -> Floats:
    """The share of all work that the busiest core does."""
    return (np.ceil(tilings.groups / device.cores) + UNEVEN) / tilings.groups


def memory_seconds(kernel: Tables, tilings: Tilings, busy: Floats, begun: Floats, device: Machine) -> Floats:
    """The slowest of the three transfers: from level 2, from level 3 (by the busiest core, which does `busy` of all, and has so many groups `begun`
    at once), from memory.

    What fits the last cache is still there from the kernel, or the run, before.
    """
    accesses, nest = kernel.accesses, Nest.of(tilings)
    crossing = traffic(kernel.tree, tilings, nest, begun, device)
    if accesses.tested.any():
        crossing = np.minimum(crossing, bytes_at_most(accesses, tilings, device))
    _, visit = _reached(accesses, tilings.reach[accesses.moving], device)
    apart = np.repeat(np.isfinite(accesses.jump_steps)[..., None], len(tilings), axis=2)
    visit, apart = _joined(accesses, tilings, visit, apart, device)
    lines, runs = _reached(accesses, tilings.extents[accesses.moving, None], device)
    touched = accesses.most(np.minimum(lines * runs, accesses.size[:, None]))
    local, written = accesses.buffers_local[:, None], accesses.buffers_written[:, None]
    kept = touched * accesses.most(_instances(accesses, tilings))
    for bytes_across, cache in zip(crossing, device.cache_bytes, strict=True):
        bytes_across[:] = np.where(local & (kept <= cache * KEPT), 0.0, bytes_across)
    level2, level3, memory = crossing
    memory *= device.from_memory(touched[~accesses.buffers_local].sum())
    streams, far = _streams(accesses, tilings, visit, apart, nest, device)
    together = visit * _near_stretches(accesses, tilings, apart)
    delays = device.visit_bytes / accesses.most(together) + device.jump_bytes / accesses.most(streams)
    waiting = _missed_stores(accesses, level2, streams, device)
    level2 *= 1.0 + accesses.most(
        np.where(visit > device.line_bytes, FAR_BYTES, device.line_bytes) / streams * far
    )
    several = written & (_store_streams(accesses, tilings) > 1)
    memory *= np.where(several, TWO_STREAMS, 1.0)
    level3 *= np.where(written, STORED_BY_UNITS if has_groups(device) else STORED_BY_CORES, 1.0)
    core = busy / device.frequency
    per_cycle = device.cache_bytes_per_cycle
    cached = np.maximum(
        level2.sum(axis=0) / per_cycle[0], (level3 * (1.0 + device.cached_delays * delays)).sum(axis=0) / per_cycle[1]
    ) * core  # fmt: skip
    share = np.minimum(
        tilings.groups / device.cores, 1.0
    )  # one core alone gets half of what the memory can deliver
    fetched = (memory * (1.0 + delays)).sum(axis=0) / (device.bandwidth * (0.5 + share / 2))
    found = np.maximum(np.maximum(cached, fetched), waiting * device.missed_store_cycles * core)
    if has_groups(device):
        lines = (level2.sum(axis=0) + MEMORY_TIMES * memory.sum(axis=0)) / device.vector_bytes
        at_once = begun * np.maximum(1.0, tilings.together / width_of(device)) * LINES_AT_ONCE
        found = np.maximum(found, lines * device.load_cycles / at_once * core)
    return found


def _missed_stores(accesses: Accesses, crossing: Floats, streams: Floats, device: Machine) -> Floats:
    """Stores whose line level 1 has not got, and none foresees: one for each stretch of so many bytes side by side, by tiling."""
    stretches = crossing / np.maximum(accesses.most(streams), device.line_bytes)
    return np.where(accesses.buffers_written[:, None], stretches, 0.0).sum(axis=0)


def traffic(
    body: Body,
    tilings: Tilings,
    loops: Nest,
    begun: Floats,
    device: Machine,
    around: Bools | None = None,
) -> Floats:
    """Bytes that cross into the cache of each level, by level, buffer of the body, and tiling; `loops` are all of the kernel.

    Where the body has neighbours in loops `around` them all, with which it does not fit, these drive out what it leaves from one iteration of such a
    loop to the next.
    """
    if body.parts:
        of_item = _of_item(body, tilings)
        within = _within(body, tilings, of_item)
        nest = loops.around(body.loops, body.inside[:, None] & ~of_item)
    else:  # no loops are inside
        within, nest = tilings.reach, loops.around(body.loops)
    sizes, rooms = _footprints(body.accesses, tilings, nest, within, device)
    if has_groups(device):
        rooms[:2] = [room * begun for room in rooms[:2]]
    fits = np.array([room <= USABLE * size for room, size in zip(rooms, device.cache_bytes, strict=True)])
    shared = np.zeros(nest.position.shape, bool)
    if around is not None:
        shared = nest.outermost[:, None] | around[nest.position]
    passed = (fits[:, 1:] & ~shared) | (nest.iterations == 1)
    depth = np.logical_and.accumulate(passed, axis=1).sum(axis=1)
    fetched = _fetched(body.accesses, nest, sizes, shared)
    found = fetched[:, depth, np.arange(len(tilings))].swapaxes(0, 1)
    if not body.parts or fits[:, 0].all():
        return found
    apart = np.zeros(found.shape)
    for part, buffers in zip(body.parts, body.places, strict=True):
        apart[:, buffers] += traffic(part, tilings, loops, begun, device, body.loops)
    return np.where(fits[:, None, 0], found, apart)


def _of_item(body: Body, tilings: Tilings) -> Bools:
    """Whether the loop over the serial tiles of a range is inside those that are around all of a body, by range and tiling."""
    rank = tilings.depths
    around = body.loops[:, None] & tilings.loops
    return body.inside[:, None] & (rank > np.where(around, rank, -1).max(axis=0, initial=-1))


def _within(body: Body, tilings: Tilings, of_item: Bools) -> Floats:
    """How far each range reaches while a body runs once, by range and tiling: as far as its loops inside those that are around all of the body.

    Of a parallel range these are the serial tiles of one work-item, unless one of the loops around the body stands inside that over them.
    """
    walked = np.where(of_item, tilings.walked, tilings.reach)
    alone = np.where(body.inside[:, None], tilings.extents[:, None], tilings.reach)
    return np.where(tilings.parallel.T, walked, alone)


def _footprints(
    accesses: Accesses, tilings: Tilings, nest: Nest, within: Floats, device: Machine
) -> tuple[Floats, list[Floats]]:
    """What the accesses of a body touch, by buffer, depth of the nest around it and tiling; and the room that takes, all together, in the cache of
    each level. `within` is how far each range reaches while the body runs once.

    Stretches start anywhere in a line. A cache of few sets has no use for most of them where stretches are a power of two apart. What lies between
    stretches that caches foresee comes into level 2, too.
    """
    ranges = accesses.moving
    spans = nest.spans(ranges, within[ranges], tilings.extents[ranges])
    lines, reach = _stretches(accesses, spans)
    step, set_bytes = _nearest(accesses, spans, max(device.way_bytes))
    runs = _side_by_side(accesses, reach, device)
    apart = np.isfinite(step) & (step >= runs + device.line_bytes)
    runs = np.where(apart, reach + device.line_bytes, runs)
    sets = np.maximum(runs, set_bytes)
    between = apart & (step < FAR_STEP)
    size = accesses.size[:, None, None]
    if accesses.holds:
        many = _instances(accesses, tilings)[:, None]
        lines, size = lines * many, size * many
    whole = accesses.most(size)

    def touched(bytes_each: Floats) -> Floats:
        return np.minimum(accesses.touched(lines * bytes_each), whole)

    sizes, packed = touched(runs), touched(sets).sum(axis=0)
    foreseen = (
        touched(np.where(between, np.maximum(sets, step), sets)).sum(axis=0) if between.any() else packed
    )
    plain = sizes.sum(axis=0)
    ways = zip((packed, foreseen, plain), device.way_bytes, strict=True)
    rooms = [room if way > device.line_bytes else plain for room, way in ways]
    return sizes, rooms


def _fetched(accesses: Accesses, nest: Nest, sizes: Floats, shared: Bools) -> Floats:
    """What is fetched where only the loops inside each depth fit: what the loop there touches, times how often loops around it fetch it again.

    An iteration of that loop finds what the one before has left: the rest of a line, and rows that a stencil has in common with it; but nothing
    in a loop that is `shared` with what drives that out.
    """
    sit = accesses.buffers_sit.take(nest.position, axis=1)
    again: Floats = np.where(sit | nest.parallel, nest.iterations, 1.0)
    repeats = np.ones(sizes.shape)
    repeats[:, : again.shape[1] - 1] = np.multiply.accumulate(again[:, :0:-1], axis=1)[:, ::-1]
    touched = np.concatenate([np.where(shared, sizes[:, :-1] * again, sizes[:, 1:]), sizes[:, -1:]], axis=1)
    return touched * repeats


def _nearest(accesses: Accesses, spans: Floats, way: int) -> tuple[Floats, Floats]:
    """By access, while the ranges that move them run over these spans: the least step from one stretch to another, infinite where there is one alone;
    and the bytes of a cache that each line takes up, since a stride that is a multiple of a power of two leaves most sets of the cache empty.
    """
    moving = (spans.take(accesses.jumping_among_moving, axis=0) > 1)[:, None]
    nearest, taken = (
        np.minimum.reduce(np.where(moving, each[..., None, None], np.inf), axis=0, initial=np.inf)
        for each in (accesses.jump_steps, accesses.jumps_within(way))
    )
    return nearest, np.where(np.isinf(taken), 0.0, taken)


def _reached(accesses: Accesses, spans: Floats, device: Machine) -> tuple[Floats, Floats]:
    """Stretches of memory, and bytes that lie side by side in each, a cache line at least, while the ranges that move them run over these spans."""
    lines, reach = _stretches(accesses, spans)
    return lines, _side_by_side(accesses, reach, device)


def _side_by_side(accesses: Accesses, reach: Floats, device: Machine) -> Floats:
    """Bytes of a stretch of which the last element starts so far from the first: those of its lines that are the array's at least."""
    column = -1, *[1] * (reach.ndim - 1)
    least = np.minimum(device.line_bytes, accesses.size)
    return np.maximum(reach + accesses.itemsize.reshape(column), least.reshape(column))


def _stretches(accesses: Accesses, spans: Floats) -> tuple[Floats, Floats]:
    """Stretches of memory, and bytes from the first element of each to the last, while the ranges that move them run over these spans.

    Of two ranges with one stride, as in a convolution, most places are the same.
    """
    lines = product_over(spans, accesses.moving_jumps)
    for number, positions in accesses.twins:
        if accesses.jumps[number, positions[0]]:
            own = spans[np.searchsorted(accesses.moving, positions)]
            lines[number] *= (1.0 + (own - 1.0).sum(axis=0)) / own.prod(axis=0)
    steps, rest = accesses.near_steps, spans.shape[1:]
    return lines, (steps @ (spans - 1.0).reshape(len(spans), prod(rest))).reshape(len(steps), *rest)


def _joined(
    accesses: Accesses, tilings: Tilings, visit: Floats, apart: Bools, device: Machine
) -> tuple[Floats, Bools]:
    """Bytes that are visited side by side, with the stretches of a tile that start a line after the end of the one before at most; `apart` are
    the ranges of those stretches that are not joined yet, by range of `Accesses.jumping`, access and tiling.
    """
    steps, ends = accesses.jump_steps[..., None], visit + device.line_bytes
    if not np.count_nonzero(apart & (steps <= ends)):
        return visit, apart
    apart = apart.copy()
    for place, position in enumerate(accesses.jumping):
        joins = apart[place] & (steps[place] <= ends)
        if np.count_nonzero(joins):
            further = accesses.step_bytes[:, position, None] * (tilings.reach[position] - 1.0)
            visit = np.where(joins, visit + further, visit)
            ends = visit + device.line_bytes
            apart[place] &= ~joins
    return visit, apart


def _streams(
    accesses: Accesses, tilings: Tilings, visit: Floats, apart: Bools, nest: Nest, device: Machine
) -> tuple[Floats, Bools]:
    """Bytes that lie side by side while the loops that walk along them run, and whether the innermost that moves an access loads what is
    far from each other.

    Caches foresee a walk, the innermost loop first, as long as each iteration starts a line after the end of the one before at most. So they
    do where several walks of a work-item go on in turns, far from each other, as many as iterations of the loops between. Stretches of a tile
    that a walk joins are one.
    """
    if not len(nest.position):
        return visit, np.zeros(visit.shape, bool)
    moves = accesses.own.take(nest.position, axis=1) & (nest.iterations > 1)
    rows, columns = np.arange(len(visit))[:, None], np.arange(len(visit.T))
    position = nest.position[moves.argmax(axis=1), columns]
    far = (
        moves.any(axis=1) & accesses.jumps[rows, position] & (accesses.step_bytes[rows, position] >= FAR_STEP)
    )
    steps = tilings.tile[columns, nest.position] * accesses.step_bytes.take(nest.position, axis=1)
    steps = np.where(moves, steps, 0.0)
    further = steps * (nest.iterations - 1.0)
    often = np.where(steps < FAR_STEP, np.inf, nest.iterations)
    walked, turns = visit, np.ones(visit.shape)
    alone, all_alone = np.ones(visit.shape, bool), True  # where a walk goes on without turns
    nearest, stretches = _nearest_apart(accesses, apart), _apart(accesses, tilings, apart)
    settled = False  # whether the last look has joined nothing
    for depth in range(len(nest.position)):
        if settled and not np.count_nonzero(moves[:, depth]):
            continue
        jumps = steps[:, depth] > walked + device.line_bytes
        foreseen = ~jumps
        if np.count_nonzero(jumps):
            turns = np.where(jumps, turns * often[:, depth], turns)
            alone = turns == 1
            all_alone = bool(alone.all())
        if not all_alone:
            foreseen &= alone | (turns * stretches <= MOST_WALKS) & ~nest.outermost[depth]
        longer = walked + np.where(foreseen, further[:, depth], 0.0)
        if not all_alone:
            longer = np.where(alone, longer, np.minimum(longer, np.maximum(walked, PAGE)))
        near = nearest <= longer + device.line_bytes
        settled = not np.count_nonzero(near)
        if settled or not np.count_nonzero(near & foreseen):
            walked = longer
            continue
        longer, joined = _joined(accesses, tilings, longer, apart, device)
        walked, apart = np.where(foreseen, longer, walked), np.where(foreseen, joined, apart)
        nearest, stretches = _nearest_apart(accesses, apart), _apart(accesses, tilings, apart)
    return walked, far & ~(accesses.store | accesses.local)[:, None]


def _nearest_apart(accesses: Accesses, apart: Bools) -> Floats:
    """The least step from one of the stretches that are not joined yet to another, by access and tiling."""
    return np.where(apart, accesses.jump_steps[..., None], np.inf).min(axis=0, initial=np.inf)


def _apart(accesses: Accesses, tilings: Tilings, apart: Bools) -> Floats:
    """Stretches of a tile that are not joined, by access and tiling."""
    return np.where(apart, tilings.reach[accesses.jumping][:, None], 1.0).prod(axis=0)


def _near_stretches(accesses: Accesses, tilings: Tilings, apart: Bools) -> Floats:
    """Stretches of a tile that are so near to each other that a visit of one is no delay for the next, by access and tiling."""
    near = apart & (accesses.jump_steps < FAR_STEP)[..., None]
    return np.where(near, tilings.reach[accesses.jumping][:, None], 1.0).prod(axis=0)


def _instances(accesses: Accesses, tilings: Tilings) -> Floats:
    """How many elements of a tile around it each local memory holds at once; 1 for other memory. By access and tiling."""
    if not accesses.holds:
        return np.ones((len(accesses.local), len(tilings)))
    return product_over(tilings.tile_across, accesses.around_held)


def local_bytes(accesses: Accesses, tilings: Tilings) -> Floats:
    """Bytes of local memory that a work-group fills, by tiling; where items have rows of their own, with the element that is added to each."""
    rows = accesses.size[:, None] + np.where(tilings.together > 1, accesses.itemsize[:, None], 0.0)
    filled = accesses.most(rows * _instances(accesses, tilings))
    return filled[accesses.buffers_local].sum(axis=0)


def _store_streams(accesses: Accesses, tilings: Tilings) -> Floats:
    """Stretches of memory that the body of a work-item stores to."""
    return tilings.copies_in(accesses.jumps[accesses.writes]).sum(axis=1)
