// Attention. Lanes are queries, so that the softmax over keys needs no sums over lanes. A work-item has VECTORS vectors of queries of one
// head, and all their scores.
#define TILE 8
#define VECTORS 2
#define BATCH (VECTORS * LANES)

__kernel void attention(
    __global float *result, __global const float *queries, __global const float *keys, __global const float *values
) {
    __local float16 asked[DEPTH][VECTORS];
    __local float16 scores[TOKENS][VECTORS];
    __local float16 mixed[DEPTH][VECTORS];
    const long head = get_global_id(1) * TOKENS * DEPTH, first = head + get_global_id(0) * BATCH * DEPTH;
    for (long q = 0; q < BATCH; q++)
        for (long d = 0; d < DEPTH; d++)
            ((__local float *)asked)[d * BATCH + q] = queries[first + q * DEPTH + d] * (1.442695f / sqrt((float)DEPTH));
    float16 greatest[VECTORS], total[VECTORS];
    UNROLLED for (int v = 0; v < VECTORS; v++) greatest[v] = -INFINITY, total[v] = 0.0f;
    for (long key = 0; key < TOKENS; key += TILE) {
        float16 sums[TILE][VECTORS];
        UNROLLED for (int t = 0; t < TILE; t++) UNROLLED for (int v = 0; v < VECTORS; v++) sums[t][v] = 0.0f;
        for (long d = 0; d < DEPTH; d++)
            UNROLLED for (int t = 0; t < TILE; t++)
                UNROLLED for (int v = 0; v < VECTORS; v++) sums[t][v] += keys[head + (key + t) * DEPTH + d] * asked[d][v];
        UNROLLED for (int t = 0; t < TILE; t++)
            UNROLLED for (int v = 0; v < VECTORS; v++) {
                scores[key + t][v] = sums[t][v];
                greatest[v] = greater(greatest[v], sums[t][v]);
            }
    }
    for (long key = 0; key < TOKENS; key++)
        UNROLLED for (int v = 0; v < VECTORS; v++) total[v] += scores[key][v] = power_of_two(scores[key][v] - greatest[v]);
    for (long d = 0; d < DEPTH; d += TILE) {
        float16 sums[TILE][VECTORS];
        UNROLLED for (int t = 0; t < TILE; t++) UNROLLED for (int v = 0; v < VECTORS; v++) sums[t][v] = 0.0f;
        for (long key = 0; key < TOKENS; key++)
            UNROLLED for (int t = 0; t < TILE; t++)
                UNROLLED for (int v = 0; v < VECTORS; v++) sums[t][v] += values[head + key * DEPTH + d + t] * scores[key][v];
        UNROLLED for (int t = 0; t < TILE; t++) UNROLLED for (int v = 0; v < VECTORS; v++) mixed[d + t][v] = sums[t][v] / total[v];
    }
    for (long q = 0; q < BATCH; q++)
        for (long d = 0; d < DEPTH; d++) result[first + q * DEPTH + d] = ((__local float *)mixed)[d * BATCH + q];
}
