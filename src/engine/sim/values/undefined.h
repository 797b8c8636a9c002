/* SPDX-License-Identifier: MIT
 *
 * Undefined values: which bytes of registers and of memory have none, where they come from, and the
 * fault of their use.
 */
#ifndef SIMTCHECK_SIM_UNDEFINED_H
#define SIMTCHECK_SIM_UNDEFINED_H

#include "machine.h"

static inline void note_defined(char *frame, uint32_t slot, uint32_t lanes)
{
    head_of(frame, slot)->undefined &= ~lanes;
}

void note_undefined_bytes(char *frame, uint32_t slot, uint32_t lanes, const struct head *from);

/* Gives the register the same undefined bytes as that of head `from`, in these lanes. */
static inline void note_undefined(char *frame, uint32_t slot, uint32_t lanes,
                                  const struct head *from)
{
    struct head *head = head_of(frame, slot);

    if (unlikely((from->undefined & lanes) != 0)) {
        note_undefined_bytes(frame, slot, lanes, from);
        return;
    }
    head->undefined &= ~lanes;
    head->whole &= ~lanes;
}

/* Sets whether the register is undefined, all of it, in that lane. */
static inline void note_undefined_lane(char *slots, uint32_t slot, uint32_t lane, bool undefined,
                                       uint32_t origin)
{
    const struct head head = {
        .undefined = (uint32_t)undefined << lane, .origin = origin, .bytes = ALL_BYTES};

    note_undefined(slots, slot, UINT32_C(1) << lane, &head);
}

/* Returns the undefined bytes of a value that is converted from `from` to `to` bytes. */
uint32_t undefined_resized(uint32_t bytes, uint32_t from, uint32_t to, bool is_signed);

/* Marks a byte of memory that got an undefined value of that origin from a lane. It counts as
 * unwritten again. */
void store_undefined_byte(struct region *region, uint64_t offset, const struct simt_place *place,
                          uint32_t origin, uint32_t lane);

/* Returns the origin of an undefined value that the current instruction copies or computes with. A
 * variable that was never written has none yet. */
uint32_t undefined_origin_of(const struct head *from);

/* ---- Where an undefined value comes from ---- */

/* Returns a number for struct head that stands for a read of unwritten memory by a lane of the
 * current warp, in a region or (null) in a thread's own memory. The numbers are valid until the end
 * of the job. Reads at one place have one number. */
uint32_t undefined_origin(const struct simt_place *place, const struct region *region,
                          uint64_t offset, uint32_t lane);
/* Returns a number that stands only for the last read of that origin by a lane of the current warp.
 * Returns the same number if there are too many. */
uint32_t undefined_exactly(uint32_t origin, uint32_t lane);
/* The same for the first use of a variable in a register, which was never written. */
uint32_t undefined_variable(const struct simt_place *place);
/* The same for a shuffle from a lane that gives no value. */
uint32_t undefined_shuffle(const struct simt_place *place);
/* The same for a division by zero. */
uint32_t undefined_quotient(const struct simt_place *place);
/* The same for `what` cannot be expressed in another arithmetic. */
uint32_t undefined_inexact(const struct simt_place *place, const char *what);
/* The same for a register that changed, or may still change, while wgmma uses it. `what` describes
 * its value. */
uint32_t undefined_group(const struct simt_place *place, const char *what);
/* The same for a result of wgmma before its wait. undefined_is_pending() returns true for such an
 * origin. undefined_settled() returns the origin of values computed from it. It returns any other
 * origin unchanged. */
uint32_t undefined_pending(const struct simt_place *place);
bool undefined_is_pending(uint32_t origin);
uint32_t undefined_settled(uint32_t origin);
/* Returns what that origin cannot express; null: it is another one. */
const char *undefined_reason(uint32_t origin);
/* The lanes whose results the last op cannot express, and what these need. */
extern struct exact_refusal {
    uint32_t lanes;
    const char *what;
} exact_refusal;
void forget_origins(void);
/* Raises a fault if the value is undefined in one of the lanes. `use` says what it is used for. */
void use_undefined(const char *frame, uint32_t slot, uint32_t lanes, const char *use);
/* Reports a fault if the array holds an undefined value at the end. */
void report_undefined_output(const struct region *region);

#endif
