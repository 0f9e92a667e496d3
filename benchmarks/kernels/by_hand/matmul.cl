// A product of matrices. A work-item packs VECTORS vectors of columns of b, over the whole inner axis, and walks its share of the rows of a.
#define TILE 8
#define VECTORS 2
#define PANEL (VECTORS * LANES)

__kernel void matmul(__global float *product, __global const float *a, __global const float *b) {
    __local float16 panel[INNER][VECTORS];
    const long column = get_global_id(1) * PANEL, share = ROWS / get_global_size(0), first = get_global_id(0) * share;
    for (long k = 0; k < INNER; k++)
        UNROLLED for (int v = 0; v < VECTORS; v++) panel[k][v] = read(b + k * COLUMNS + column + v * LANES);
    for (long row = first; row < first + share; row += TILE) {
        float16 sums[TILE][VECTORS];
        UNROLLED for (int r = 0; r < TILE; r++) UNROLLED for (int v = 0; v < VECTORS; v++) sums[r][v] = 0.0f;
        for (long k = 0; k < INNER; k++)
            UNROLLED for (int r = 0; r < TILE; r++)
                UNROLLED for (int v = 0; v < VECTORS; v++) sums[r][v] += a[(row + r) * INNER + k] * panel[k][v];
        UNROLLED for (int r = 0; r < TILE; r++)
            UNROLLED for (int v = 0; v < VECTORS; v++) write(product + (row + r) * COLUMNS + column + v * LANES, sums[r][v]);
    }
}
