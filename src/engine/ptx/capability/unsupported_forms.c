/* SPDX-License-Identifier: MIT
 *
 * Instructions of PTX ISA 9.0 that the simulator rejects, and the reason. A row matches an opcode
 * that has all parts of its pattern, in any order, and that no other table has. Operands of a row
 * are a selector of the result, such as %r1.h1.
 */
#include "forms.h"

#define SM_100 "it needs sm_100"
#define ADDRESSES_32 "generic addresses have 64 bits"
#define VIDEO "compilers do not compute what the PTX ISA defines"
#define BULK "a kernel cannot change a tensor map"
#define TEXTURES "the simulator has no such kind of texture"
#define STACK "the simulator has no dynamic allocation on the stack"

const struct form unsupported_forms[] = {
    {"add(.f32x2)", "", SM_100, "9.7.3.3"},
    {"sub(.f32x2)", "", SM_100, "9.7.3.4"},
    {"mul(.f32x2)", "", SM_100, "9.7.3.5"},
    {"fma(.f32x2)", "", SM_100, "9.7.3.6"},
    {"min.abs.f32", "", SM_100, "9.7.3.11"},
    {"max.abs.f32", "", SM_100, "9.7.3.12"},
    {"add.f32(.f16|.bf16)", "", SM_100, "9.7.5.1"},
    {"sub.f32(.f16|.bf16)", "", SM_100, "9.7.5.2"},
    {"fma.f32(.f16|.bf16)", "", SM_100, "9.7.5.3"},

    {"ld(.L2::evict_normal|.L2::evict_first|.L2::evict_last)", "", SM_100, "9.7.9.8"},
    {"st(.L2::evict_normal|.L2::evict_first|.L2::evict_last)", "", SM_100, "9.7.9.11"},
    {"st.async.mmio", "", SM_100, "9.7.9.12"},
    {"st.bulk", "", SM_100, "9.7.9.13"},
    {"multimem.ld_reduce(.e5m2|.e5m2x2|.e5m2x4|.e4m3|.e4m3x2|.e4m3x4)", "", SM_100, "9.7.9.14"},
    {"discard", "", "the simulator does not model discarded cache lines", "9.7.9.17"},
    {"cvta.u32", "", ADDRESSES_32, "9.7.9.20"},
    {"cvt.rs", "", SM_100, "9.7.9.21"},
    {"cvt(.e2m1x2|.e2m3x2|.e3m2x2|.e2m1x4|.e2m3x4|.e3m2x4|.ue8m0x2)", "", SM_100, "9.7.9.21"},
    {"cvt.satfinite.tf32.f32", "", SM_100, "9.7.9.21"},
    {"mapa.u32", "", ADDRESSES_32, "9.7.9.23"},
    {"getctarank.u32", "", ADDRESSES_32, "9.7.9.24"},
    {"cp(.tile::gather4|.tile::scatter4|.im2col::w|.im2col::w::128|.cp_mask)", "", SM_100,
     "9.7.9.25"},
    {"tensormap.swizzle_atomicity", "", SM_100, "9.7.9.26"},
    {"tensormap", "", BULK, "9.7.9.26"},

    {"tex", "", TEXTURES, "9.7.10.3"},
    {"txq", "", TEXTURES, "9.7.10.5"},
    {"istypep", "", "the types of handles are known only when a kernel runs", "9.7.10.6"},
    {"sured(.u64|.s64)", "", "reductions of surfaces have 32 bits", "9.7.11.3"},
    {"sured.p", "", TEXTURES, "9.7.11.3"},
    {"suq(.channel_data_type|.channel_order|.memory_layout)", "",
     "objects of a launch do not have it", "9.7.11.4"},

    {"red.async", "", ADDRESSES_32, "9.7.13.7"},
    {"vote", "", "since sm_70, vote needs .sync", "9.7.13.8"},
    {"shfl", "", "since sm_70, shfl needs .sync", "9.7.9.5"},
    {"redux.f32", "", SM_100, "9.7.13.11"},
    {"clusterlaunchcontrol", "", SM_100, "9.7.13.17"},

    {"mma(.kind::f8f6f4|.kind::mxf4|.kind::mxf4nvf4|.kind::mxf8f6f4)", "", SM_100, "9.7.14.5"},
    {"ldmatrix(.m16n16|.m8n16)", "", SM_100, "9.7.14.5.15"},
    {"stmatrix.m16n8", "", SM_100, "9.7.14.5.16"},
    {"tcgen05", "", SM_100, "9.7.16"},
    {"stacksave", "", STACK, "9.7.17.1"},
    {"stackrestore", "", STACK, "9.7.17.2"},
    {"alloca", "", STACK, "9.7.17.3"},

    {"vadd(.sat|.min|.max)", "", VIDEO, "9.7.18.1.1"},
    {"vsub(.sat|.min|.max)", "", VIDEO, "9.7.18.1.1"},
    {"vabsdiff(.sat|.min|.max)", "", VIDEO, "9.7.18.1.1"},
    {"vmin(.min|.max)", "", VIDEO, "9.7.18.1.1"},
    {"vmax(.min|.max)", "", VIDEO, "9.7.18.1.1"},
    {"vshl(.sat|.min|.max)", "", VIDEO, "9.7.18.1.2"},
    {"vshr(.min|.max)", "", VIDEO, "9.7.18.1.2"},
    {"vshr.sat", "", "its result is then not merged into a part of a register", "9.7.18.1.2"},
    {"vadd", ".h1", VIDEO, "9.7.18.1.1"},
    {"vsub", ".h1", VIDEO, "9.7.18.1.1"},
    {"vabsdiff", ".h1", VIDEO, "9.7.18.1.1"},
    {"vmin", ".h1", VIDEO, "9.7.18.1.1"},
    {"vmax", ".h1", VIDEO, "9.7.18.1.1"},
    {"vshl", ".h1", VIDEO, "9.7.18.1.2"},
    {"vshr", ".h1", VIDEO, "9.7.18.1.2"},
    {"vset", ".h1", VIDEO, "9.7.18.1.4"},
    {"vmad(.sat|.shr7|.shr15)", "", VIDEO, "9.7.18.1.3"},
    {"vset(.min|.max)", "", VIDEO, "9.7.18.1.4"},
    {0},
};
