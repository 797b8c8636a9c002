/* SPDX-License-Identifier: MIT
 *
 * Instructions for the blocks of a cluster. The decoder checks the operands.
 */
#include "forms.h"

#define COMPLETION "[.shared::cluster].mbarrier::complete_tx::bytes"

const struct form cluster_forms[] = {
    {"mapa.u64", "R, R, %r2", "@mapa", "9.7.9.22"},
    {"mapa.shared::cluster(.u32|.u64)", "R, R, %r2", "@mapa", "9.7.9.22"},
    {"getctarank.u64", "%r1, R", "@getctarank", "9.7.9.23"},
    {"getctarank.shared::cluster(.u32|.u64)", "%r1, R", "@getctarank", "9.7.9.23"},
    {"barrier.cluster.arrive[.release|.relaxed][.aligned]", "", "@cluster_barrier", "9.7.13.3"},
    {"barrier.cluster.wait[.acquire][.aligned]", "", "@cluster_barrier", "9.7.13.3"},
    {"st.async[.weak]" COMPLETION "[.v2|.v4](.b32|.b64|.u32|.u64|.s32|.s64|.f32|.f64)",
     "[%rd1], R, [%rd2]", "@store_async", "9.7.9.12"},
    {"red.async.relaxed.cluster" COMPLETION ".add(.u32|.s32|.u64|.s64)", "[%rd1], R, [%rd2]",
     "@store_async", "9.7.13.8"},
    {"red.async.relaxed.cluster" COMPLETION "(.min|.max)(.u32|.s32)", "[%rd1], R, [%rd2]",
     "@store_async", "9.7.13.8"},
    {"red.async.relaxed.cluster" COMPLETION "(.inc|.dec).u32", "[%rd1], R, [%rd2]", "@store_async",
     "9.7.13.8"},
    {"red.async.relaxed.cluster" COMPLETION "(.and|.or|.xor).b32", "[%rd1], R, [%rd2]",
     "@store_async", "9.7.13.8"},
    {0},
};
