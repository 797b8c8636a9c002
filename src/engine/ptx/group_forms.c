/* SPDX-License-Identifier: MIT
 *
 * Matrix instructions of a warpgroup: PTX ISA 9.0, chapter 9.7.15, for sm_90a. The decoder checks
 * the operands.
 */
#include "forms.h"

#define DENSE "wgmma.mma_async.sync.aligned"
#define SPARSE "wgmma.mma_async.sp.sync.aligned"
#define F8 "(.e4m3|.e5m2)"
#define I8 "(.s8|.u8)"
/* Shapes by n and k: every multiple of 8 up to 256, and those of integers. */
#define N(n, k) ".m64n" #n "k" #k
#define ODD(k)                                                                                     \
    "|" N(40, k) "|" N(56, k) "|" N(72, k) "|" N(88, k) "|" N(104, k) "|" N(120, k) "|" N(         \
        136, k) "|" N(152, k) "|" N(168, k) "|" N(184, k) "|" N(200,                               \
                                                                k) "|" N(216,                      \
                                                                         k) "|" N(232,             \
                                                                                  k) "|" N(248, k)
#define EVEN(k)                                                                                       \
    N(8, k)                                                                                           \
    "|" N(16, k) "|" N(24, k) "|" N(32, k) "|" N(48, k) "|" N(64, k) "|" N(80, k) "|" N(96, k) "|" N( \
        112, k) "|" N(128,                                                                            \
                      k) "|" N(144,                                                                   \
                               k) "|" N(160,                                                          \
                                        k) "|" N(176,                                                 \
                                                 k) "|" N(192,                                        \
                                                          k) "|" N(208,                               \
                                                                   k) "|" N(224,                      \
                                                                            k) "|" N(240,             \
                                                                                     k) "|" N(256,    \
                                                                                              k)
#define ANY(k) "(" EVEN(k) ODD(k) ")"

const struct form group_forms[] = {
    {DENSE ANY(16) "(.f16|.f32).f16.f16", "", "@wgmma", "9.7.15.5"},
    {DENSE ANY(16) ".f32.bf16.bf16", "", "@wgmma", "9.7.15.5"},
    {DENSE ANY(8) ".f32.tf32.tf32", "", "@wgmma", "9.7.15.5"},
    {DENSE ANY(32) "(.f16|.f32)" F8 F8, "", "@wgmma", "9.7.15.5"},
    {DENSE "(" EVEN(32) ")[.satfinite].s32" I8 I8, "", "@wgmma", "9.7.15.5"},
    {DENSE "(" EVEN(256) ").s32.b1.b1.and.popc", "", "@wgmma", "9.7.15.5"},

    {SPARSE ANY(32) "(.f16|.f32).f16.f16", "", "@wgmma", "9.7.15.6"},
    {SPARSE ANY(32) ".f32.bf16.bf16", "", "@wgmma", "9.7.15.6"},
    {SPARSE ANY(16) ".f32.tf32.tf32", "", "@wgmma", "9.7.15.6"},
    {SPARSE ANY(64) "(.f16|.f32)" F8 F8, "", "@wgmma", "9.7.15.6"},
    {SPARSE "(" EVEN(64) ")[.satfinite].s32" I8 I8, "", "@wgmma", "9.7.15.6"},

    {"wgmma.fence.sync.aligned", "", "@wgmma_fence", "9.7.15.7"},
    {"wgmma.commit_group.sync.aligned", "", "@wgmma_commit", "9.7.15.7"},
    {"wgmma.wait_group.sync.aligned", "", "@wgmma_wait", "9.7.15.7"},
    {"setmaxnreg(.inc|.dec).sync.aligned.u32", "", "@maxnreg", "9.7.19.5"},
    {0},
};
