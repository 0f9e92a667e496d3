// A sum: each work-item adds one part, then a single work-item adds the sums of the parts.
#define COPIES 8
#define STEP (COPIES * LANES)

__kernel void sum_of_part(__global float *parts, __global const float *x) {
    const long share = SIZE / get_global_size(0);
    const __global float *from = x + get_global_id(0) * share;
    float16 sums[COPIES];
    UNROLLED for (int c = 0; c < COPIES; c++) sums[c] = 0.0f;
    for (long i = 0; i < share; i += STEP) UNROLLED for (int c = 0; c < COPIES; c++) sums[c] += read(from + i + c * LANES);
    UNROLLED for (int c = 1; c < COPIES; c++) sums[0] += sums[c];
    parts[get_global_id(0)] = sum_of_lanes(sums[0]);
}

__kernel void sum_of_parts(__global float *sum, __global const float *parts) {
    float16 sums = 0.0f;
    for (long i = 0; i < PARTS; i += LANES) sums += read(parts + i);
    *sum = sum_of_lanes(sums);
}
