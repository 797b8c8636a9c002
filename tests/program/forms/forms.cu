// SPDX-License-Identifier: MIT
//
// PTX forms that nvcc does not generate, and that change memory or a predicate. plain.cu computes
// the same without them.
__constant__ int table[4] = {1, 2, 3, 4};

// A vector of atomic additions, with and without a result and a cache policy.
static __device__ void add_vectors(float *sums, unsigned t, unsigned long long policy)
{
    float a, b;

    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(sums), "f"(1.0f), "f"(2.0f)
                 : "memory");
    asm volatile("atom.global.add.L2::cache_hint.v2.f32 {%0, %1}, [%2], {%3, %4}, %5;"
                 : "=f"(a), "=f"(b)
                 : "l"(sums + 2), "f"(1.0f), "f"((float)t), "l"(policy)
                 : "memory");
}

// The multimem address of one device is an address of its memory.
static __device__ void add_multimem(unsigned *place, unsigned t)
{
    unsigned old;

    asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.u32 %0, [%1];"
                 : "=r"(old)
                 : "l"(place)
                 : "memory");
    asm volatile("multimem.st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(place), "r"(old + 5)
                 : "memory");
    asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(place), "r"(t)
                 : "memory");
}

__global__ void forms(float *sums, unsigned *out)
{
    unsigned t, y, z, w, is_constant, any, merged;
    unsigned long long policy, at = (unsigned long long)table;

    asm volatile("mov.v4.u32 {%0, %1, %2, %3}, %%tid;" : "=r"(t), "=r"(y), "=r"(z), "=r"(w));
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    add_vectors(sums, t, policy);
    add_multimem(out + 64 + t, t);
    asm("{.reg .pred p; isspacep.const p, %1; selp.u32 %0, 1, 0, p;}"
        : "=r"(is_constant)
        : "l"(at));
    asm("{.reg .pred p, q; setp.eq.u32 q, %1, 3; lop3.or.b32 %0|p, %1, %1, %1, 0xc0, q; "
        "selp.u32 %0, 7, 8, p;}"
        : "=r"(any)
        : "r"(t & 3));
    asm("vadd.u32.u32.u32 %0.b1, %1.b0, %1, %1;" : "=r"(merged) : "r"(t | 0x01020300));
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + t),
                 "r"(t + y + z + w + is_constant * 1000 + any * 10000), "l"(policy)
                 : "memory");
    out[32 + t] = merged;
}

// The store races with the second element of the vector.
__global__ void race(float *sums)
{
    if (threadIdx.x > 0)
        asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(sums), "f"(1.0f), "f"(2.0f)
                     : "memory");
    else
        sums[1] = 0;
}
