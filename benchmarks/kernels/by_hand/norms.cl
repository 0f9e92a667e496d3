// Norms of rows. A row stays in the first-level cache while it is read again.
#define COPIES 4
#define STEP (COPIES * LANES)

__kernel void softmax(__global float *result, __global const float *x) {
    __local float16 kept[COLUMNS / LANES];
    const long share = ROWS / get_global_size(0);
    for (long row = get_global_id(0) * share; row < (get_global_id(0) + 1) * share; row++) {
        const __global float *from = x + row * COLUMNS;
        float16 most[COPIES], sums[COPIES];
        UNROLLED for (int c = 0; c < COPIES; c++) most[c] = -INFINITY, sums[c] = 0.0f;
        for (long i = 0; i < COLUMNS; i += STEP)
            UNROLLED for (int c = 0; c < COPIES; c++) most[c] = greater(most[c], read(from + i + c * LANES));
        UNROLLED for (int c = 1; c < COPIES; c++) most[0] = greater(most[0], most[c]);
        const float shift = greatest_of_lanes(most[0]) * -1.442695f;
        for (long i = 0; i < COLUMNS; i += STEP)
            UNROLLED for (int c = 0; c < COPIES; c++)
                sums[c] += kept[i / LANES + c] = power_of_two(read(from + i + c * LANES) * 1.442695f + shift);
        UNROLLED for (int c = 1; c < COPIES; c++) sums[0] += sums[c];
        const float scale = 1.0f / sum_of_lanes(sums[0]);
        for (long i = 0; i < COLUMNS; i += LANES) stream(result + row * COLUMNS + i, kept[i / LANES] * scale);
    }
}

__kernel void layer_norm(
    __global float *result, __global const float *x, __global const float *scale, __global const float *shift
) {
    const long share = ROWS / get_global_size(0);
    for (long row = get_global_id(0) * share; row < (get_global_id(0) + 1) * share; row++) {
        const __global float *from = x + row * COLUMNS;
        float16 sums[COPIES], squares[COPIES];
        UNROLLED for (int c = 0; c < COPIES; c++) sums[c] = squares[c] = 0.0f;
        for (long i = 0; i < COLUMNS; i += STEP) UNROLLED for (int c = 0; c < COPIES; c++) sums[c] += read(from + i + c * LANES);
        UNROLLED for (int c = 1; c < COPIES; c++) sums[0] += sums[c];
        const float mean = sum_of_lanes(sums[0]) / COLUMNS;
        for (long i = 0; i < COLUMNS; i += STEP)
            UNROLLED for (int c = 0; c < COPIES; c++) {
                const float16 centred = read(from + i + c * LANES) - mean;
                squares[c] += centred * centred;
            }
        UNROLLED for (int c = 1; c < COPIES; c++) squares[0] += squares[c];
        const float factor = 1.0f / sqrt(sum_of_lanes(squares[0]) / COLUMNS + 1e-5f);
        for (long i = 0; i < COLUMNS; i += LANES)
            stream(result + row * COLUMNS + i, (read(from + i) - mean) * factor * read(scale + i) + read(shift + i));
    }
}
