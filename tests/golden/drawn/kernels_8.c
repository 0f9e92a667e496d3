// drawn_80: out0[216] from in0[61]
static void drawn_80(uchar *out0, const uchar *in0) {
    const bool condition0 = in0[2];
    const bool condition1 = in0[1];
    const bool condition2 = in0[0];
    bool acc0 = false;
    bool acc1 = false;
    bool acc2 = false;
    for (long k0 = 0; k0 < 2; k0++) {
        for (long k1 = 0; k1 < 4; k1++) {
            for (long i0 = 0; i0 < 2; i0++) {
                acc0 = acc0 | condition0;
                acc0 = acc0 | condition0;
                acc1 = acc1 | condition1;
                acc1 = acc1 | condition1;
                acc2 = acc2 | condition2;
                acc2 = acc2 | condition2;
            }
        }
    }
    for (long i1 = 0; i1 < 2; i1++) {
        for (long i2 = 0; i2 < 1; i2++) {
            for (long i3 = 0; i3 < 3; i3++) {
                for (long i4 = 0; i4 < 2; i4++) {
                    for (long i5 = 0; i5 < 2; i5++) {
                        const long offset0 = i1 * 108 + i2 * 6 + i3 * 12 + i4 * 6 + i5 * 3;
                        out0[offset0 + 2] = acc0;
                        out0[offset0 + 1] = acc0;
                        out0[offset0] = acc0;
                        out0[offset0 + 38] = acc1;
                        out0[offset0 + 37] = acc1;
                        out0[offset0 + 36] = acc1;
                        out0[offset0 + 74] = acc2;
                        out0[offset0 + 73] = acc2;
                        out0[offset0 + 72] = acc2;
                    }
                }
            }
        }
    }
}

// drawn_82: out0[1536] from in0[61]; 2 x 2 x 4 work-items in groups of 1 x 1 x 1
__kernel void drawn_82(__global long *out0, __global const long *in0) {
    __local long shared0[2];
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 / 2;
    const long value0 = in0[(offset0 * -1 + 3) % 3 + 47];
    for (long i0 = 0; i0 < 2; i0++) {
        shared0[i0] = value0;
    }
    const long value1 = shared0[0];
    for (long i1 = 0; i1 < 3; i1++) {
        const long offset1 = offset0 * 384 + gid2 % 2 * 768 + gid1 * 192 + gid0 * -16 + i1 * 64;
        vstore8((long8)(value1), 0, out0 + offset1 + 48);
        vstore8((long8)(value1), 0, out0 + offset1 + 56);
        vstore8((long8)(value1), 0, out0 + offset1 + 16);
        vstore8((long8)(value1), 0, out0 + offset1 + 24);
    }
}

// drawn_83: out0[192] from nothing
static void drawn_83(double *out0) {
    const double lesser0 = at_most_double(at_least_double(-(double)(0u & 7u), -8.0), 8.0);
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            for (long i2 = 0; i2 < 3; i2++) {
                const long offset0 = i0 * -16 + i1 * 96 + i2 * 32;
                out0[offset0 + 16] = lesser0;
                out0[offset0 + 18] = lesser0;
                out0[offset0 + 20] = lesser0;
                out0[offset0 + 22] = lesser0;
                out0[offset0 + 24] = lesser0;
                out0[offset0 + 26] = lesser0;
                out0[offset0 + 28] = lesser0;
                out0[offset0 + 30] = lesser0;
            }
        }
    }
}

// drawn_89: out0[9] from in0[61]
static void drawn_89(double *out0, const double *in0) {
    double acc0[2];
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            acc0[i1] = in0[i0 + i1 * 8 + 2];
        }
        out0[i0 * 3 + 2] = acc0[0];
    }
}
