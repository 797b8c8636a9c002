// SPDX-License-Identifier: MIT
//
// Instructions on mbarriers in shared memory.
typedef unsigned long long u64;
__device__ inline unsigned sm(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ inline void init(u64 *b, int c)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sm(b)), "r"(c) : "memory");
}
__device__ inline void wait(u64 *b, int parity)
{
    asm volatile(
        "{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra L; }" ::
            "r"(sm(b)),
        "r"(parity)
        : "memory");
}
__device__ inline void arrive(u64 *b)
{
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(sm(b))
                 : "memory");
}
