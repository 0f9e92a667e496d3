"""Bytes that a kernel moves through each level of the memory hierarchy, for many tilings at once.

The bodies of a kernel's innermost loops share the loops around them. Neighbouring loops run one after the other, so their traffic adds up.
If the data that one iteration of the shared loops touches fits a cache, a later body finds there what an earlier one has fetched.

The footprint grows from the innermost loop outwards. Up to the outermost loop whose footprint fits a cache, data in it are reused for free;
every loop further out fetches them anew.

In arrays, the last axis is over tilings, the one before it over depths of a loop nest, and the first over ranges, accesses or buffers.
"""

from __future__ import annotations

from math import prod

import numpy as np

from eqsat.machine import Machine
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.body_tree import Body
from eqsat.schedule.cost.cache_sets import room_of_stretch
from eqsat.schedule.cost.groups import width_of
from eqsat.schedule.cost.nest import Nest
from eqsat.schedule.cost.scatter_hit_rate import bytes_at_most
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.tiling import Bools, Floats, Tilings, product_over

# Cost of bytes stored to memory if a work-item stores to several stretches, relative to storing to a single one; and if these begin less than
# NEAR_STEP bytes apart, within lines: the stretches of a page take turns, so that its lines are not prefetched.
TWO_STREAMS, NEAR_STREAMS, NEAR_STEP = 1.45, 2.7, 3072

# Bytes that level 2 could have delivered in the time lost where a contiguous stretch ends and the next one is at least FAR_STEP bytes away,
# because it touches another line that was not prefetched. Stretches of at most one line lose only the time of a line.
FAR_BYTES, FAR_STEP = 256.0, 2048

# Transfers of a stored line between the last cache and a unit's own caches: in, and out again. Cores still have half of the lines of the last run.
STORED_BY_UNITS, STORED_BY_CORES = 2.0, 1.5

# Load imbalance: the share of a work-item by which the slowest core lags, because it is also busy with something else.
UNEVEN = 0.1

# Most interleaved walks, each in its own page, that are still prefetched, and the bytes of a page, at whose end prefetching stops.
MOST_WALKS, PAGE = 64, 4096

# The largest shares of a cache that reused data, and local memory, can fill without being evicted by data that pass through.
USABLE, KEPT = 0.75, 0.5

# Lines that the items of one register wait for at once.
LINES_AT_ONCE = 16.0


def repeats(kernel: Tables, tilings: Tilings) -> Floats:
    """The factor by which loops over outputs repeat the work of each set of loops, by tiling and set.

    A loop repeats the work if the work does not depend on it, and it is around a loop over outputs that the work depends on. Loops over the
    serial tiles of a parallel range count, too.
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
    """Seconds of the slowest transfer: from level 2 or level 3 to the busiest core, or from memory.

    `busy` is the share of all work that the busiest core does, and `begun` the number of groups resident on it. Data that fit the last cache
    are still there from the kernel, or the run, before.
    """
    accesses, nest = kernel.accesses, Nest.of(tilings)
    crossing = traffic(kernel.tree, tilings, nest, begun, device)
    if accesses.tested.any():
        crossing = np.minimum(crossing, bytes_at_most(accesses, tilings, device))
    _, visit = _reached(accesses, tilings.reach[accesses.moving], device)
    apart = np.repeat(np.isfinite(accesses.jump_steps)[..., None], len(tilings), axis=2)
    visit, apart = _joined(accesses, tilings, visit, apart, device)
    lines, runs = _reached(accesses, tilings.extents[accesses.moving, None], device)
    touched = accesses.max_by_buffer(np.minimum(lines * runs, accesses.size[:, None]))
    local, written = accesses.buffers_local[:, None], accesses.buffers_written[:, None]
    kept = touched * accesses.max_by_buffer(_instances(accesses, tilings))
    for bytes_across, cache in zip(crossing, device.cache_bytes, strict=True):
        bytes_across[:] = np.where(local & (kept <= cache * KEPT), 0.0, bytes_across)
    level2, level3, memory = crossing
    passing = touched[~accesses.buffers_local].sum()
    level3 *= device.from_level3(passing)
    memory *= device.from_memory(passing)
    streams, far = _streams(accesses, tilings, visit, apart, nest, device)
    together = visit * _near_stretches(accesses, tilings, apart)
    delays = device.visit_bytes / accesses.max_by_buffer(
        together
    ) + device.jump_bytes / accesses.max_by_buffer(streams)
    waiting = _missed_stores(accesses, level2, streams, device)
    level2 *= 1.0 + accesses.max_by_buffer(
        np.where(visit > device.line_bytes, FAR_BYTES, device.line_bytes) / streams * far
    )
    several = written & (_store_streams(accesses, tilings) > 1)
    memory *= np.where(
        several, np.where(_take_turns(accesses, tilings, apart, device), NEAR_STREAMS, TWO_STREAMS), 1.0
    )
    stored = np.where(written, STORED_BY_UNITS if device.has_groups else STORED_BY_CORES, 1.0)
    level2, level3 = level2 * stored, level3 * stored
    core = busy / device.frequency
    per_cycle = device.cache_bytes_per_cycle
    cached = np.maximum(
        level2.sum(axis=0) / per_cycle[0], (level3 * (1.0 + device.cached_delays * delays)).sum(axis=0) / per_cycle[1]
    ) * core  # fmt: skip
    bandwidth = np.minimum(tilings.groups * device.core_bandwidth, device.bandwidth)
    fetched = (memory * (1.0 + delays)).sum(axis=0) / bandwidth
    found = np.maximum(np.maximum(cached, fetched), waiting * device.missed_store_cycles * core)
    if device.has_groups:
        lines = (level2.sum(axis=0) + memory.sum(axis=0)) / device.vector_bytes
        at_once = begun * np.maximum(1.0, tilings.together / width_of(device)) * LINES_AT_ONCE
        found = np.maximum(found, lines * device.load_cycles / at_once * core)
    return found


def _missed_stores(accesses: Accesses, crossing: Floats, streams: Floats, device: Machine) -> Floats:
    """Stores to lines that are neither in level 1 nor prefetched, by tiling: one for each contiguous stretch of `streams` bytes."""
    stretches = crossing / np.maximum(accesses.max_by_buffer(streams), device.line_bytes)
    return np.where(accesses.buffers_written[:, None], stretches, 0.0).sum(axis=0)


def traffic(
    body: Body,
    tilings: Tilings,
    loops: Nest,
    begun: Floats,
    device: Machine,
    around: Bools | None = None,
) -> Floats:
    """Bytes that cross into the cache of each level, by level, buffer of the body, and tiling; `loops` is the kernel's whole loop nest.

    `around` are the loops that the body shares with neighbouring bodies, if all of these together do not fit the cache. The neighbours then
    evict the body's data from one iteration of such a loop to the next.
    """
    if body.parts:
        of_item = _of_item(body, tilings)
        within = _within(body, tilings, of_item)
        nest = loops.around(body.loops, body.inside[:, None] & ~of_item)
    else:  # an innermost body has no loops inside
        within, nest = tilings.reach, loops.around(body.loops)
    sizes, rooms = _footprints(body.accesses, tilings, nest, within, device)
    if device.has_groups:
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
    """Whether the loop over a range is within the body and inside all loops around it, by range and tiling."""
    rank = tilings.depths
    around = body.loops[:, None] & tilings.loops
    return body.inside[:, None] & (rank > np.where(around, rank, -1).max(axis=0, initial=-1))


def _within(body: Body, tilings: Tilings, of_item: Bools) -> Floats:
    """The elements of each range that the loops within the body cover in one run of it, by range and tiling.

    For a parallel range these are the serial tiles of one work-item. They are a single tile if the loop over them is outside a loop around
    the body.
    """
    walked = np.where(of_item, tilings.walked, tilings.reach)
    alone = np.where(body.inside[:, None], tilings.extents[:, None], tilings.reach)
    return np.where(tilings.parallel.T, walked, alone)


def _footprints(
    accesses: Accesses, tilings: Tilings, nest: Nest, within: Floats, device: Machine
) -> tuple[Floats, list[Floats]]:
    """(bytes that the accesses of a body touch, by buffer, depth of the nest around it and tiling; room in the cache of each level for all of them).

    `within` has the elements of each range that one run of the body covers. A stretch may start anywhere in a line. If stretches are a power
    of two apart, they map to few of the sets of a cache and need more room. Prefetching also brings bytes between stretches into level 2.
    """
    ranges = accesses.moving
    spans = nest.spans(ranges, within[ranges], tilings.extents[ranges])
    lines, reach = _stretches(accesses, spans)
    step = _nearest(accesses, spans)
    runs = _side_by_side(accesses, reach, device)
    apart = np.isfinite(step) & (step >= runs + device.line_bytes)
    runs = np.where(apart, reach + device.line_bytes, runs)
    sets = room_of_stretch(accesses, spans, runs, max(device.way_bytes))
    between = apart & (step < FAR_STEP)
    size = accesses.size[:, None, None]
    if accesses.holds:
        many = _instances(accesses, tilings)[:, None]
        lines, size = lines * many, size * many
    whole = accesses.max_by_buffer(size)

    def touched(bytes_each: Floats) -> Floats:
        return np.minimum(accesses.footprint_by_buffer(lines * bytes_each), whole)

    sizes, packed = touched(runs), touched(sets).sum(axis=0)
    foreseen = (
        touched(np.where(between, np.maximum(sets, step), sets)).sum(axis=0) if between.any() else packed
    )
    plain = sizes.sum(axis=0)
    ways = zip((packed, foreseen, plain), device.way_bytes, strict=True)
    rooms = [room if way > device.line_bytes else plain for room, way in ways]
    return sizes, rooms


def _fetched(accesses: Accesses, nest: Nest, sizes: Floats, shared: Bools) -> Floats:
    """The bytes fetched if only the loops inside each depth fit the cache: the footprint of the loop there, times the repetitions by loops around it.

    An iteration of that loop reuses what the one before has left: the rest of a line, or the rows that both have in common in a stencil. It
    reuses nothing if the loop is `shared` with neighbouring bodies, which evict it.
    """
    sit = accesses.buffers_sit.take(nest.position, axis=1)
    again: Floats = np.where(sit | nest.parallel, nest.iterations, 1.0)
    repeats = np.ones(sizes.shape)
    repeats[:, : again.shape[1] - 1] = np.multiply.accumulate(again[:, :0:-1], axis=1)[:, ::-1]
    touched = np.concatenate([np.where(shared, sizes[:, :-1] * again, sizes[:, 1:]), sizes[:, -1:]], axis=1)
    return touched * repeats


def _nearest(accesses: Accesses, spans: Floats) -> Floats:
    """The least step from one stretch to another, by access, while the ranges run over these spans; infinite where there is one stretch only."""
    moving = (spans.take(accesses.jumping_among_moving, axis=0) > 1)[:, None]
    return np.minimum.reduce(
        np.where(moving, accesses.jump_steps[..., None, None], np.inf), axis=0, initial=np.inf
    )


def _reached(accesses: Accesses, spans: Floats, device: Machine) -> tuple[Floats, Floats]:
    """(number of contiguous stretches of memory, bytes of each), by access, while the ranges run over these spans; a cache line at least."""
    lines, reach = _stretches(accesses, spans)
    return lines, _side_by_side(accesses, reach, device)


def _side_by_side(accesses: Accesses, reach: Floats, device: Machine) -> Floats:
    """The bytes of a stretch whose last element starts `reach` bytes after the first; a cache line at least, or the array if it is smaller."""
    column = -1, *[1] * (reach.ndim - 1)
    least = np.minimum(device.line_bytes, accesses.size)
    return np.maximum(reach + accesses.itemsize.reshape(column), least.reshape(column))


def _stretches(accesses: Accesses, spans: Floats) -> tuple[Floats, Floats]:
    """(number of contiguous stretches of memory, bytes from the first element of each to the last), by access, while the ranges run over these spans.

    Two ranges with the same stride, as in a convolution, reach mostly the same stretches.
    """
    lines = product_over(spans, accesses.moving_jumps)
    lines *= accesses.apart.reshape(-1, *[1] * (lines.ndim - 1))
    for number, positions in accesses.equal_strides:
        if accesses.jumps[number, positions[0]]:
            own = spans[np.searchsorted(accesses.moving, positions)]
            lines[number] *= (1.0 + (own - 1.0).sum(axis=0)) / own.prod(axis=0)
    steps, rest = accesses.near_steps, spans.shape[1:]
    return lines, (steps @ (spans - 1.0).reshape(len(spans), prod(rest))).reshape(len(steps), *rest)


def _joined(
    accesses: Accesses, tilings: Tilings, visit: Floats, apart: Bools, device: Machine
) -> tuple[Floats, Bools]:
    """(bytes of each contiguous visit, ranges whose stretches are still apart), after joining neighbouring stretches of a tile.

    A stretch is joined to the one before if it starts at most a line after its end. `apart` says by range of `Accesses.jumping`, access and
    tiling which stretches are not joined yet.
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
    """(bytes of each walk that is prefetched as one stream, whether the innermost loop that moves a load makes far steps), by access and tiling.

    A walk is prefetched, from the innermost loop outwards, as long as each iteration starts at most a line after the end of the one before.
    Several far walks of a work-item may take turns, as many as the loops between have iterations. Stretches of a tile that a walk joins count
    as one.
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
    alone, all_alone = np.ones(visit.shape, bool), True  # where a walk takes no turns with others
    nearest, stretches = _nearest_apart(accesses, apart), _apart(accesses, tilings, apart)
    settled = False  # whether the last attempt to join stretches found none
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
    """The least step between stretches that are not joined yet, by access and tiling."""
    return np.where(apart, accesses.jump_steps[..., None], np.inf).min(axis=0, initial=np.inf)


def _apart(accesses: Accesses, tilings: Tilings, apart: Bools) -> Floats:
    """The number of stretches of a tile that are not joined, by access and tiling."""
    return np.where(apart, tilings.reach[accesses.jumping][:, None], 1.0).prod(axis=0)


def _near_stretches(accesses: Accesses, tilings: Tilings, apart: Bools) -> Floats:
    """The number of stretches of a tile less than FAR_STEP apart, by access and tiling: going from one to the next causes no delay."""
    near = apart & (accesses.jump_steps < FAR_STEP)[..., None]
    return np.where(near, tilings.reach[accesses.jumping][:, None], 1.0).prod(axis=0)


def _take_turns(accesses: Accesses, tilings: Tilings, apart: Bools, device: Machine) -> Bools:
    """Whether several stretches of a tile lie in one page, and do not begin with lines, by buffer and tiling."""
    steps = accesses.jump_steps
    near = steps < NEAR_STEP
    near &= np.where(near, steps, 0.0) % device.line_bytes > 0
    stretches = np.where(apart & near[..., None], tilings.reach[accesses.jumping][:, None], 1.0).prod(axis=0)
    return accesses.max_by_buffer(stretches) > 1


def _instances(accesses: Accesses, tilings: Tilings) -> Floats:
    """How many copies of each local memory a work-group has, one for each element of the tile around it, by access and tiling; 1 for other memory."""
    if not accesses.holds:
        return np.ones((len(accesses.local), len(tilings)))
    return product_over(tilings.tile_across, accesses.around_held)


def local_bytes(accesses: Accesses, tilings: Tilings) -> Floats:
    """Bytes of local memory that a work-group fills, by tiling; in groups of several items each row has one element of padding."""
    rows = accesses.size[:, None] + np.where(tilings.together > 1, accesses.itemsize[:, None], 0.0)
    filled = accesses.max_by_buffer(rows * _instances(accesses, tilings))
    return filled[accesses.buffers_local].sum(axis=0)


def _store_streams(accesses: Accesses, tilings: Tilings) -> Floats:
    """The number of stretches of memory that the body of a work-item stores to, by tiling."""
    return tilings.copies_in(accesses.jumps[accesses.writes]) @ accesses.count[accesses.writes]
