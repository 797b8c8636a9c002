/* SPDX-License-Identifier: MIT
 *
 * Parts of the code of litmus tests. A place is one of x, y, z, w and d.
 */
#ifndef SIMTCHECK_TESTS_WEAK_CODE_H
#define SIMTCHECK_TESTS_WEAK_CODE_H

#define WRITE(place, value) "st.relaxed.gpu.global.u32 [%" place "], " value ";\n"
#define READ(to, place) "ld.relaxed.gpu.global.u32 %" to ", [%" place "];\n"
#define RELEASE(place, value) "st.release.gpu.global.u32 [%" place "], " value ";\n"
#define ACQUIRE(to, place) "ld.acquire.gpu.global.u32 %" to ", [%" place "];\n"
#define FENCE "fence.acq_rel.gpu;\n"
#define FENCE_SC "fence.sc.gpu;\n"
/* Computes 1 in %r9, from a result. */
#define ONE_FROM(result) "and.b32 %r9, %" result ", 0;\nadd.u32 %r9, %r9, 1;\n"

#endif
