"""Index arithmetic of a tiled loop, simplified with the bounds of its variables as facts."""

import eqsat as eq

row = eq.variable("row", 0, 63)
lane = eq.variable("lane", 0, 7)

for written in (
    (row * 8 + lane) // 8,
    (row * 8 + lane) % 8,
    (row * 16 + lane * 2 + 1) // 2 - lane,
    (row * 8 + lane) // 64,
):
    print("written:", written.pretty(), "simplified:", eq.simplify(written).pretty(), sep="\n", end="\n\n")
