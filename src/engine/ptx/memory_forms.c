/* SPDX-License-Identifier: MIT
 *
 * Accesses and address moves: PTX ISA, chapters 9.7.9, 9.7.13.5 and following. The decoder checks
 * the operands. It looks up the parts of an opcode by name.
 */
#include "forms.h"

#define STATE                                                                                      \
    "[.const|.global|.local|.param|.param::entry|.param::func|.shared|.shared::cta|"               \
    ".shared::cluster]"
#define WINDOW "(.const|.global|.local|.shared|.param|.param::entry|.shared::cta|.shared::cluster)"
#define STRONG_STATE "[.global|.shared|.shared::cta|.shared::cluster]"
#define CACHE "[.ca|.cg|.cs|.lu|.cv|.wb|.wt]"
#define EVICTION                                                                                   \
    "[.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate]"
#define PREFETCH "[.L2::64B|.L2::128B|.L2::256B]"
#define SCOPE "(.cta|.cluster|.gpu|.sys)"
#define HINT "[.L2::cache_hint]"
#define VECTOR "[.v2|.v4|.v8]"
#define TYPE "(.b8|.b16|.b32|.b64|.b128|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64)"
#define ATOMIC "[.relaxed|.acquire|.release|.acq_rel][.cta|.cluster|.gpu|.sys]" STRONG_STATE
#define PRIORITY "(.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged)"
#define SECOND_PRIORITY "[.L2::evict_first|.L2::evict_unchanged]"
#define HALVES "(.add|.min|.max).noftz"
#define MULTIMEM "[.relaxed|.release][.cta|.cluster|.gpu|.sys][.global]"
#define MULTIMEM_LOAD                                                                              \
    "multimem.ld_reduce[.weak|.relaxed|.acquire][.cta|.cluster|.gpu|.sys][.global]"
#define REDUCTION "[.relaxed|.release][.cta|.cluster|.gpu|.sys]" STRONG_STATE

const struct form memory_forms[] = {
    {"mov(.b16|.b32|.b64|.b128|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64|.pred)", "R, R", "@mov",
     "9.7.9.1"},
    {"cvta" WINDOW ".u64", "%rd1, %rd2", "@cvta", "9.7.9.20"},
    {"cvta.to" WINDOW ".u64", "%rd1, %rd2", "@cvta_to", "9.7.9.20"},
    {"mov.v4.u32", "R, %tid", "@mov_special", "9.7.9.1"},
    {"isspacep(.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::entry)",
     "%p1, %rd1", "@isspacep", "9.7.9.18"},
    {"prefetch[.global|.local](.L1|.L2)", "[%rd1]", "@nothing", "9.7.9.16"},
    {"prefetch.global(.L2::evict_last|.L2::evict_normal)", "[%rd1]", "@nothing", "9.7.9.16"},
    {"prefetchu.L1", "[%rd1]", "@nothing", "9.7.9.16"},
    {"applypriority[.global].L2::evict_normal", "[%rd1], 128", "@nothing", "9.7.9.17"},
    {"createpolicy.fractional" PRIORITY SECOND_PRIORITY ".b64", "%rd1, 0.5", "@policy", "9.7.9.17"},
    {"createpolicy.range[.global]" PRIORITY SECOND_PRIORITY ".b64", "%rd1, [%rd2], %r1, %r2",
     "@policy", "9.7.9.17"},
    {"createpolicy.cvt.L2.b64", "%rd1, %rd2", "@policy", "9.7.9.17"},
    {"prefetch[.const|.param].tensormap", "[%rd1]", "@nothing", "9.7.9.16"},

    {"ld[.weak]" STATE CACHE EVICTION HINT PREFETCH VECTOR TYPE, "R, [%rd1]", "@ld", "9.7.9.8"},
    {"ld.volatile" STATE PREFETCH VECTOR TYPE, "R, [%rd1]", "@ld", "9.7.9.8"},
    {"ld(.relaxed|.acquire)" SCOPE STRONG_STATE EVICTION HINT PREFETCH VECTOR TYPE, "R, [%rd1+8]",
     "@ld", "9.7.9.8"},
    {"ld.mmio.relaxed.sys[.global]" TYPE, "R, [%rd1+8]", "@ld", "9.7.9.8"},
    {"ld.global" CACHE ".nc" EVICTION HINT PREFETCH VECTOR TYPE, "R, [%rd1+8]", "@ld", "9.7.9.9"},
    {"ldu[.global][.v2|.v4]" TYPE, "R, [%rd1+8]", "@ld", "9.7.9.10"},
    {"st[.weak]" STATE CACHE EVICTION HINT VECTOR TYPE, "[%rd1], R", "@st", "9.7.9.11"},
    {"st.volatile" STATE VECTOR TYPE, "[%rd1], R", "@st", "9.7.9.11"},
    {"st(.relaxed|.release)" SCOPE STRONG_STATE EVICTION HINT VECTOR TYPE, "[%rd1], R", "@st",
     "9.7.9.11"},
    {"st.mmio.relaxed.sys[.global]" TYPE, "[%rd1], R", "@st", "9.7.9.11"},

    {"atom" ATOMIC "(.and|.or|.xor)" HINT "(.b32|.b64)", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".cas(.b16|.b32|.b64|.b128)", "R, [%rd1], R, R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".exch" HINT "(.b32|.b64|.b128)", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".add" HINT "(.u32|.s32|.u64|.f32|.f64)", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".add.noftz" HINT "(.f16|.f16x2|.bf16|.bf16x2)", "R, [%rd1], R", "@atom",
     "9.7.13.5"},
    {"atom" ATOMIC "(.inc|.dec)" HINT ".u32", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC "(.min|.max)" HINT "(.u32|.s32|.u64|.s64)", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC ".add" HINT "(.v2|.v4).f32", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC HALVES HINT "(.v2|.v4|.v8)(.f16|.bf16)", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"atom" ATOMIC HALVES HINT "(.v2|.v4)(.f16x2|.bf16x2)", "R, [%rd1], R", "@atom", "9.7.13.5"},
    {"red" REDUCTION "(.and|.or|.xor)" HINT "(.b32|.b64)", "[%rd1], R", "@red", "9.7.13.7"},
    {"red" REDUCTION ".add" HINT "(.u32|.s32|.u64|.f32|.f64)", "[%rd1], R", "@red", "9.7.13.7"},
    {"red" REDUCTION ".add.noftz" HINT "(.f16|.f16x2|.bf16|.bf16x2)", "[%rd1], R", "@red",
     "9.7.13.7"},
    {"red" REDUCTION "(.inc|.dec)" HINT ".u32", "[%rd1], R", "@red", "9.7.13.7"},
    {"red" REDUCTION "(.min|.max)" HINT "(.u32|.s32|.u64|.s64)", "[%rd1], R", "@red", "9.7.13.7"},
    {"red" REDUCTION ".add" HINT "(.v2|.v4).f32", "[%rd1], R", "@red", "9.7.13.7"},
    {"red" REDUCTION HALVES HINT "(.v2|.v4|.v8)(.f16|.bf16)", "[%rd1], R", "@red", "9.7.13.7"},
    {"red" REDUCTION HALVES HINT "(.v2|.v4)(.f16x2|.bf16x2)", "[%rd1], R", "@red", "9.7.13.7"},

    /* A multimem address of one device is an address of its memory. */
    {MULTIMEM_LOAD "(.min|.max|.add)(.u32|.s32|.u64|.s64)", "R, [%rd1+8]", "@ld", "9.7.9.14"},
    {MULTIMEM_LOAD "(.and|.or|.xor)(.b32|.b64)", "R, [%rd1+8]", "@ld", "9.7.9.14"},
    {MULTIMEM_LOAD "(.min|.max|.add)[.acc::f32]" VECTOR "(.f16|.f16x2|.bf16|.bf16x2)",
     "R, [%rd1+8]", "@ld", "9.7.9.14"},
    {MULTIMEM_LOAD ".add[.v2|.v4](.f32|.f64)", "R, [%rd1+8]", "@ld", "9.7.9.14"},
    {"multimem.st[.weak|.relaxed|.release][.cta|.cluster|.gpu|.sys][.global]"
     "(.b32|.b64|.u32|.s32|.u64|.s64)",
     "[%rd1], R", "@st", "9.7.9.14"},
    {"multimem.st[.weak|.relaxed|.release][.cta|.cluster|.gpu|.sys][.global]" VECTOR
     "(.f16|.f16x2|.bf16|.bf16x2|.f32|.f64)",
     "[%rd1], R", "@st", "9.7.9.14"},
    {"multimem.red" MULTIMEM "(.min|.max)(.u32|.s32|.u64|.s64)", "[%rd1], R", "@red", "9.7.9.14"},
    {"multimem.red" MULTIMEM ".add(.u32|.s32|.u64|.f32|.f64)", "[%rd1], R", "@red", "9.7.9.14"},
    {"multimem.red" MULTIMEM "(.and|.or|.xor)(.b32|.b64)", "[%rd1], R", "@red", "9.7.9.14"},
    {"multimem.red" MULTIMEM ".add" VECTOR "(.f16|.f16x2|.bf16|.bf16x2)", "[%rd1], R", "@red",
     "9.7.9.14"},
    {"multimem.red" MULTIMEM ".add(.v2|.v4).f32", "[%rd1], R", "@red", "9.7.9.14"},
    {0},
};
