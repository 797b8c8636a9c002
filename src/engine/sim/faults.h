/* SPDX-License-Identifier: MIT
 *
 * The first fault of a run.
 */
#ifndef SIMTCHECK_SIM_FAULTS_H
#define SIMTCHECK_SIM_FAULTS_H

#include "machine.h"

/* What is known of a fault besides its thread and place: see struct fault. */
struct facts {
    enum fault_sentence sentence;
    bool writes;
    uint32_t bytes;
    const struct array_element *element; /* null: none */
    const struct array_element *stored;  /* null: none */
    const char *array;                   /* where there is no element; null: none */
    enum fault_origin origin;
    const char *object, *reason; /* null: none */
    int64_t numbers[FAULT_NUMBERS];
    const struct simt_place *others[FAULT_PLACES];
    const uint32_t *threads; /* at each of `others`; null: unknown */
};

void reset_fault(void);
/* Returns whether a use of unwritten memory by the block is a fault. */
bool is_checked(const struct block *block);
/* Returns whether its launch may write constants. */
bool is_copy(const struct block *block);
/* Returns the first fault, with its text, or null. */
const struct fault *recorded_fault(void);
/* Lets the run go on after the recorded fault, if there is one. keep_postponed() records the first
 * of these again, if the run has found nothing else. */
void postpone_fault(void);
void keep_postponed(bool finds_more);
void record_facts(enum fault_kind kind, const struct block *block, uint32_t thread,
                  const struct simt_place *place, const struct facts *facts);
_Noreturn void raise_facts(enum fault_kind kind, uint32_t lane, const struct facts *facts);

/* Records a fault that only a reason describes. */
void record_reason(enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Records a fault of the whole launch. The facts begin with the sentence. */
#define record_fault(kind, ...) record_fault_of(kind, NULL, 0, NULL, __VA_ARGS__)
/* The same of a thread of the block, or (null) of none, at that place. */
#define record_fault_of(kind, block, thread, place, ...)                                           \
    record_facts(kind, block, thread, place, &(const struct facts){.sentence = __VA_ARGS__})
/* Raises a fault of a lane of the current warp, at the current op. Does not return. */
#define raise_fault(kind, lane, ...)                                                               \
    raise_facts(kind, lane, &(const struct facts){.sentence = __VA_ARGS__})
/* The same if memory runs out. */
_Noreturn void raise_out_of_memory(uint32_t lane);
/* Ends the run after a fault was recorded. */
_Noreturn void leave_faulty(void);
/* The same after a use of unwritten memory. But launches_run() goes on, as a GPU does: the fault is
 * put aside, and the launch is not checked for further ones. */
void leave_unwritten(void);
/* Records such a fault of a lane of the current warp, at the current op, and calls
 * leave_unwritten(). */
void use_unwritten(uint32_t lane, const struct facts *facts);
/* Returns the first fault that was put aside, or one of the kind FAULT_NONE, and forgets it. */
struct fault take_passed_fault(void);

#endif
