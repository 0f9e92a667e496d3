// drawn_34: out0[32] from in0[61]; 4 work-items in groups of 1
__kernel void drawn_34(__global float *out0, __global const float *restrict in0) {
    const int gid0 = get_global_id(0);
    float4 acc0 = (float4)(-INFINITY);
    for (int k0 = 0; k0 < 2; k0++) {
        const int offset0 = k0 * 4;
        const float4 vector0 = (float4)(in0[offset0 + 8], in0[offset0 + 16], in0[offset0 + 24], in0[offset0 + 32]);
        for (int k1 = 0; k1 < 2; k1++) {
            acc0 = maximum_float4(acc0, vector0);
        }
    }
    const int offset1 = gid0 * 8;
    const int offset2 = offset1 + 1;
    const float4 greater0 = maximum_float4(acc0, acc0);
    const float4 lesser0 = at_most_float4(at_least_float4(maximum_float4(greater0, greater0), (float4)(-8.0f)), (float4)(8.0f));
    const int offset3 = offset1 + 3;
    const int offset4 = offset1 + 5;
    const int offset5 = offset1 + 7;
    for (int i0 = 0; i0 < 2; i0++) {
        out0[offset2] = maximum_float(out0[offset2], lesser0.s0);
        out0[offset3] = maximum_float(out0[offset3], lesser0.s1);
        out0[offset4] = maximum_float(out0[offset4], lesser0.s2);
        out0[offset5] = maximum_float(out0[offset5], lesser0.s3);
    }
}

// drawn_35: out0[2] from in0[61]
static void drawn_35(float *out0, const float *in0) {
    float acc0[4];
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 1; i1++) {
            const long offset0 = i1 * -2;
            const float value0 = in0[offset0 + 32];
            const float value1 = in0[offset0 + 33];
            const float value2 = in0[offset0 + 34];
            float acc1 = -INFINITY;
            float acc2 = -INFINITY;
            float acc3 = -INFINITY;
            for (long k0 = 0; k0 < 1; k0++) {
                for (long k1 = 0; k1 < 1; k1++) {
                    acc1 = maximum_float(acc1, value0);
                    acc2 = maximum_float(acc2, value1);
                    acc3 = maximum_float(acc3, value2);
                }
            }
            const float lesser0 = at_most_float(at_least_float(maximum_float(maximum_float(acc1, acc2), acc3), -8.0f), 8.0f);
            for (long i2 = 0; i2 < 4; i2++) {
                acc0[i2] = lesser0;
            }
            out0[i0 + i1 * 2] = acc0[i1 * -1 + 3];
        }
    }
}

// drawn_36: out0[96] from in0[61]; 12 x 4 x 2 work-items in groups of 3 x 2 x 1
__kernel void drawn_36(__global uchar *out0, __global const uchar *in0) {
    __local int shared1[6];
    __local uchar shared0[6];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long gidx2 = get_group_id(2);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = lid1 * 3 + lid0;
    const long offset1 = lid0 + 3;
    uchar acc0 = (uchar)255;
    for (long k0 = 0; k0 < 2; k0++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (long k1 = 0; k1 < 2; k1++) {
            const uchar value0 = in0[(gidx0 + k1 * 4) % 4];
            uchar acc1 = (uchar)255;
            int acc2 = 0;
            #pragma unroll
            for (long k2 = 0; k2 < 2; k2++) {
                const bool condition0 = value0 < acc1;
                acc1 = (uchar)(condition0 ? value0 : acc1);
                const long offset2 = lid1 + k2 * 4;
                acc2 = condition0 ? (int)offset2 : acc2;
                const bool condition1 = value0 < acc1;
                acc1 = (uchar)(condition1 ? value0 : acc1);
                acc2 = condition1 ? (int)(offset2 + 2) : acc2;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            shared0[offset0] = acc1;
            shared1[offset0] = acc2;
            barrier(CLK_LOCAL_MEM_FENCE);
            const uchar value1 = shared0[offset1];
            const uchar value2 = shared0[lid0];
            const uchar choice0 = (uchar)(((value1 < value2) | ((value2 == value1) & (shared1[offset1] < shared1[lid0]))) ? value1 : value2);
            acc0 = min(acc0, choice0);
            acc0 = min(acc0, choice0);
            acc0 = min(acc0, choice0);
        }
    }
    out0[gidx2 + gidx1 * 48 + gidx0 * -6 + lid1 * -24 + lid0 * -2 + 46] = acc0;
}
