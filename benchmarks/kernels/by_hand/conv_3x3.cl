// A 3x3 convolution with zeros around the image. Lanes are output channels, whose weights are packed side by side first. A work-item has a
// band of rows of one image: it copies these rows and the ones above and below, with zeros at both ends of each row.
#define VECTORS 2
#define BATCH (VECTORS * LANES)
#define TAPS (CHANNELS * 9)
#define ROW (WIDTH + 2)

__kernel void pack_weights(__global float *packed, __global const float *weights) {
    const long k = get_global_id(0);
    for (long to = 0; to < FILTERS; to++) packed[(to / BATCH * TAPS + k) * BATCH + to % BATCH] = weights[to * TAPS + k];
}

__kernel void conv_3x3(__global float *result, __global const float *images, __global const float *packed) {
    __local float padded[CHANNELS][BAND + 2][ROW];
    __local float transposed[BATCH][WIDTH];
    const long top = get_global_id(0) * BAND, image = get_global_id(1);
    for (long c = 0; c < CHANNELS; c++)
        for (long y = 0; y < BAND + 2; y++) {
            const long from = top + y - 1;
            const bool inside = from >= 0 && from < HEIGHT;
            const __global float *row = images + ((image * CHANNELS + c) * HEIGHT + (inside ? from : 0)) * WIDTH;
            padded[c][y][0] = padded[c][y][WIDTH + 1] = 0.0f;
            for (long x = 0; x < WIDTH; x++) padded[c][y][x + 1] = inside ? row[x] : 0.0f;
        }
    for (long batch = 0; batch < FILTERS; batch += BATCH)
        for (long y = 0; y < BAND; y++) {
            for (long x = 0; x < WIDTH; x += TILE) {
                float16 sums[TILE][VECTORS];
                UNROLLED for (int t = 0; t < TILE; t++) UNROLLED for (int v = 0; v < VECTORS; v++) sums[t][v] = 0.0f;
                const __global float *filter = packed + batch * TAPS;
                for (long c = 0; c < CHANNELS; c++)
                    for (long dy = 0; dy < 3; dy++, filter += 3 * BATCH)
                        UNROLLED for (int dx = 0; dx < 3; dx++)
                            UNROLLED for (int t = 0; t < TILE; t++)
                                UNROLLED for (int v = 0; v < VECTORS; v++)
                                    sums[t][v] += padded[c][y + dy][x + t + dx] * read(filter + dx * BATCH + v * LANES);
                UNROLLED for (int t = 0; t < TILE; t++)
                    UNROLLED for (int v = 0; v < VECTORS; v++)
                        UNROLLED for (int lane = 0; lane < LANES; lane++) transposed[v * LANES + lane][x + t] = sums[t][v][lane];
            }
            for (long to = 0; to < BATCH; to++)
                for (long x = 0; x < WIDTH; x++)
                    result[((image * FILTERS + batch + to) * HEIGHT + top + y) * WIDTH + x] = transposed[to][x];
        }
}
