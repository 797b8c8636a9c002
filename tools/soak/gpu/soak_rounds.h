/* SPDX-License-Identifier: MIT
 *
 * Runs all cases on each SM of a device, in rounds, and collects what differs.
 */
#ifndef SIMTCHECK_SOAK_ROUNDS_H
#define SIMTCHECK_SOAK_ROUNDS_H

#include "json_model.h"
#include "record_soak.h"
#include "soak_code.h"
#include "soak_device.h"
#include "soak_expected.h"

struct soak_plan {
    const struct soak_module *modules;
    size_t count, cases;
    bool is_sample; /* a test left out cases */
    const struct soak_expected *expected;
    const struct soak_code *code;
    double seconds;       /* rounds begin until then; 0: as few rounds as possible */
    uint32_t least, most; /* rounds; most: when `seconds` is 0 */
    long planted_sm;      /* SM with a wrong result, as a test; negative: none */
    const char *planted_opcode;
    const char *planted_failure; /* "hang" or "error" of the device, as a test; null: none */
    const char *path;            /* of the file with the results so far */
    _Atomic uint64_t *answers;   /* grows when the device has ended some work */
};

/* Checks an open device. Fills the rest of a record, with an error if the check did not end. Writes
 * the record to the plan's file from time to time. */
void soak_rounds(const struct soak_plan *plan, struct soak_device *device,
                 struct soak_gpu_record *record, struct memory *memory);

/* Writes a record to a file, which is complete at each moment. */
void soak_save(const struct soak_gpu_record *record, const char *path);

#endif
