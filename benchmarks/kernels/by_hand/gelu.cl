// gelu(x w + b) = y / (1 + e^-2u), where u is the argument of tanh; 2 log2(e) sqrt(2 / pi) = 2.3022082.
__kernel void scaled_gelu(__global float *result, __global const float *x, __global const float *scale, __global const float *shift) {
    const long share = ROWS / get_global_size(0);
    for (long row = get_global_id(0) * share; row < (get_global_id(0) + 1) * share; row++)
        for (long i = 0; i < COLUMNS; i += LANES) {
            const float16 y = read(x + row * COLUMNS + i) * read(scale + i) + read(shift + i);
            const float16 exponent = (y + 0.044715f * y * y * y) * -2.3022082f;
            stream(result + row * COLUMNS + i, y / (1.0f + power_of_two(exponent > 126.0f ? (float16)(126.0f) : exponent)));
        }
}
