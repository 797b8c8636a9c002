/* SPDX-License-Identifier: MIT
 *
 * Asynchronous copies and mbarrier objects: PTX ISA, chapters 9.7.9.25 to 9.7.9.28 and 9.7.13.15.
 * The decoder checks the operands.
 */
#include "forms.h"

#define OWN "[.shared|.shared::cta]"
#define ANY "[.shared|.shared::cta|.shared::cluster]"
#define SCOPE "[.cta|.cluster]"
#define HINT "[.L2::cache_hint]"
#define BARRIER ".mbarrier::complete_tx::bytes"
#define DIMENSIONS "(.1d|.2d|.3d|.4d|.5d)"
#define PIXELS "(.3d|.4d|.5d)"
#define TENSOR "cp.async.bulk.tensor"
#define TO_SHARED "(.shared::cluster|.shared::cta).global"
#define TO_GLOBAL ".global.shared::cta"

const struct form async_forms[] = {
    {"cp.async(.ca|.cg)(.shared|.shared::cta).global" HINT "[.L2::64B|.L2::128B|.L2::256B]",
     "[%r1], [%rd1], 16, %r2", "@cp_async", "9.7.9.25.3"},
    {"cp.async.commit_group", "", "@cp_commit", "9.7.9.25.3"},
    {"cp.async.wait_group", "1", "@cp_wait", "9.7.9.25.3"},
    {"cp.async.wait_all", "", "@cp_wait", "9.7.9.25.3"},
    {"cp.async.mbarrier.arrive[.noinc]" OWN ".b64", "[%rd1]", "@mbarrier", "9.7.13.16"},

    {"mbarrier.init" OWN ".b64", "[%rd1], %r1", "@mbarrier", "9.7.13.15"},
    {"mbarrier.inval" OWN ".b64", "[%rd1]", "@mbarrier", "9.7.13.15"},
    {"mbarrier(.expect_tx|.complete_tx)[.relaxed]" SCOPE ANY ".b64", "[%rd1], %r1", "@mbarrier",
     "9.7.13.15"},
    {"mbarrier(.arrive|.arrive_drop)[.expect_tx][.release|.relaxed]" SCOPE ANY ".b64",
     "%rd1, [%rd2], 2", "@mbarrier", "9.7.13.15"},
    {"mbarrier(.arrive|.arrive_drop).noComplete[.release][.cta]" OWN ".b64", "%rd1, [%rd2], 2",
     "@mbarrier", "9.7.13.15"},
    {"mbarrier(.test_wait|.try_wait)[.parity][.acquire|.relaxed]" SCOPE OWN ".b64",
     ".parity? %p1, [%rd1], %r1; %p1, [%rd1], %rd2", "@mbarrier", "9.7.13.15"},
    {"mbarrier.pending_count.b64", "%r1, %rd1", "@mbarrier", "9.7.13.15"},

    {"cp.async.bulk" TO_SHARED BARRIER "[.multicast::cluster]" HINT,
     ".multicast? [%r1], [%rd2], 16, [%r3], %h1; [%r1], [%rd2], 16, [%r3]", "@bulk", "9.7.9.25.4"},
    {"cp.async.bulk.shared::cluster.shared::cta" BARRIER, "[%r1], [%r2], 16, [%r3]", "@bulk",
     "9.7.9.25.4"},
    {"cp.async.bulk" TO_GLOBAL ".bulk_group" HINT, "[%rd1], [%r2], 16", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta" BARRIER "(.and|.or|.xor).b32",
     "[%r1], [%r2], 16, [%r3]", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta" BARRIER ".add(.s32|.u32|.u64)",
     "[%r1], [%r2], 16, [%r3]", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta" BARRIER "(.min|.max)(.s32|.u32)",
     "[%r1], [%r2], 16, [%r3]", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta" BARRIER "(.inc|.dec).u32",
     "[%r1], [%r2], 16, [%r3]", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk" TO_GLOBAL ".bulk_group" HINT "(.and|.or|.xor)(.b32|.b64)",
     "[%rd1], [%r2], 16", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk" TO_GLOBAL ".bulk_group" HINT ".add(.s32|.u32|.s64|.u64|.f32|.f64)",
     "[%rd1], [%r2], 16", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk" TO_GLOBAL ".bulk_group" HINT ".add.noftz(.f16|.bf16)",
     "[%rd1], [%r2], 16", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk" TO_GLOBAL ".bulk_group" HINT
     "(.min|.max)(.s32|.u32|.s64|.u64|.f16|.bf16)",
     "[%rd1], [%r2], 16", "@bulk", "9.7.9.25.4"},
    {"cp.reduce.async.bulk" TO_GLOBAL ".bulk_group" HINT "(.inc|.dec).u32", "[%rd1], [%r2], 16",
     "@bulk", "9.7.9.25.4"},
    {"cp.async.bulk.prefetch.L2.global" HINT, "[%rd2], 16", "@bulk", "9.7.9.25.4"},
    {"cp.async.bulk.commit_group", "", "@bulk_group", "9.7.9.25.4"},
    {"cp.async.bulk.wait_group[.read]", "1", "@bulk_group", "9.7.9.25.4"},

    {TENSOR DIMENSIONS TO_SHARED "[.tile]" BARRIER "[.multicast::cluster]" HINT,
     ".multicast? [%r1], [%rd2, C], [%r3], %h1; [%r1], [%rd2, C], [%r3]", "@bulk", "9.7.9.27.1"},
    {TENSOR PIXELS TO_SHARED ".im2col" BARRIER "[.multicast::cluster]" HINT,
     ".multicast? [%r1], [%rd2, C], [%r3], O, %h1; [%r1], [%rd2, C], [%r3], O", "@bulk",
     "9.7.9.27.1"},
    {TENSOR DIMENSIONS TO_GLOBAL "[.tile].bulk_group" HINT, "[%rd2, C], [%r2]", "@bulk",
     "9.7.9.27.1"},
    {TENSOR PIXELS TO_GLOBAL ".im2col_no_offs.bulk_group" HINT, "[%rd2, C], [%r2]", "@bulk",
     "9.7.9.27.1"},
    {"cp.reduce.async.bulk.tensor" DIMENSIONS TO_GLOBAL
     "(.add|.min|.max|.inc|.dec|.and|.or|.xor)[.tile].bulk_group" HINT,
     "[%rd2, C], [%r2]", "@bulk", "9.7.9.27.1"},
    {"cp.reduce.async.bulk.tensor" PIXELS TO_GLOBAL
     "(.add|.min|.max|.inc|.dec|.and|.or|.xor).im2col_no_offs.bulk_group" HINT,
     "[%rd2, C], [%r2]", "@bulk", "9.7.9.27.1"},
    {"cp.async.bulk.prefetch.tensor" DIMENSIONS ".L2.global[.tile]" HINT, "[%rd2, C]", "@bulk",
     "9.7.9.27.1"},
    {"cp.async.bulk.prefetch.tensor" PIXELS ".L2.global.im2col" HINT, "[%rd2, C], O", "@bulk",
     "9.7.9.27.1"},
    {0},
};
