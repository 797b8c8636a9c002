/* SPDX-License-Identifier: MIT
 *
 * Accesses and address moves: PTX ISA, chapters 9.7.9, 9.7.13.5 and following. The decoder checks
 * the operands. It looks up the parts of an opcode by name.
 */
#include "forms.h"

#define STATE                                                                                      \
    "[.const|.global|.local|.param|.param::entry|.param::func|.shared|.shared::cta|"               \
    ".shared::cluster]"
#define STRONG_STATE "[.global|.shared|.shared::cta|.shared::cluster]"
#define CACHE "[.ca|.cg|.cs|.lu|.cv|.wb|.wt]"
#define EVICTION                                                                                   \
    "[.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate]"
#define PREFETCH "[.L2::64B|.L2::128B|.L2::256B]"
#define SCOPE "(.cta|.cluster|.gpu|.sys)"
#define VECTOR "[.v2|.v4]"
#define TYPE "(.b8|.b16|.b32|.b64|.b128|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64)"
#define ATOMIC "[.relaxed|.acquire|.release|.acq_rel][.cta|.cluster|.gpu|.sys]" STRONG_STATE
#define REDUCTION "[.relaxed|.release][.cta|.cluster|.gpu|.sys]" STRONG_STATE

const struct form memory_forms[] = {
    {"mov(.b16|.b32|.b64|.b128|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64|.pred)", "", "@mov",
     "9.7.9.1"},
    {"cvta(.const|.global|.local|.shared|.param|.shared::cta|.shared::cluster)(.u32|.u64)", "",
     "@cvta", "9.7.9.20"},
    {"cvta.to(.const|.global|.local|.shared|.param|.shared::cta|.shared::cluster)(.u32|.u64)", "",
     "@cvta_to", "9.7.9.20"},
    {"isspacep(.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param)", "",
     "@isspacep", "9.7.9.18"},
    {"prefetch[.global|.local](.L1|.L2)", "", "@nothing", "9.7.9.16"},
    {"prefetchu.L1", "", "@nothing", "9.7.9.16"},
    {"prefetch[.const|.param].tensormap", "", "@nothing", "9.7.9.16"},

    {"ld[.weak]" STATE CACHE EVICTION PREFETCH VECTOR TYPE, "", "@ld", "9.7.9.8"},
    {"ld.volatile" STATE PREFETCH VECTOR TYPE, "", "@ld", "9.7.9.8"},
    {"ld(.relaxed|.acquire)" SCOPE STRONG_STATE EVICTION PREFETCH VECTOR TYPE, "", "@ld",
     "9.7.9.8"},
    {"ld.mmio.relaxed.sys[.global]" TYPE, "", "@ld", "9.7.9.8"},
    {"ld.global" CACHE ".nc" EVICTION PREFETCH VECTOR TYPE, "", "@ld", "9.7.9.9"},
    {"ldu[.global]" VECTOR TYPE, "", "@ld", "9.7.9.10"},
    {"st[.weak]" STATE CACHE EVICTION VECTOR TYPE, "", "@st", "9.7.9.11"},
    {"st.volatile" STATE VECTOR TYPE, "", "@st", "9.7.9.11"},
    {"st(.relaxed|.release)" SCOPE STRONG_STATE EVICTION VECTOR TYPE, "", "@st", "9.7.9.11"},
    {"st.mmio.relaxed.sys[.global]" TYPE, "", "@st", "9.7.9.11"},

    {"atom" ATOMIC "(.and|.or|.xor)(.b32|.b64)", "", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".cas(.b16|.b32|.b64|.b128)", "", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".exch(.b32|.b64|.b128)", "", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".add(.u32|.s32|.u64|.f32|.f64)", "", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".add.noftz(.f16|.f16x2|.bf16|.bf16x2)", "", "@atom", "9.7.13.5"},
    {"atom" ATOMIC "(.inc|.dec).u32", "", "@atom", "9.7.13.5"},
    {"atom" ATOMIC "(.min|.max)(.u32|.s32|.u64|.s64)", "", "@atom", "9.7.13.5"},
    {"red" REDUCTION "(.and|.or|.xor)(.b32|.b64)", "", "@red", "9.7.13.7"},
    {"red" REDUCTION ".add(.u32|.s32|.u64|.f32|.f64)", "", "@red", "9.7.13.7"},
    {"red" REDUCTION ".add.noftz(.f16|.f16x2|.bf16|.bf16x2)", "", "@red", "9.7.13.7"},
    {"red" REDUCTION "(.inc|.dec).u32", "", "@red", "9.7.13.7"},
    {"red" REDUCTION "(.min|.max)(.u32|.s32|.u64|.s64)", "", "@red", "9.7.13.7"},
    {0},
};
