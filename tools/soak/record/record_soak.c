/* SPDX-License-Identifier: MIT */
#include "record_soak.h"

#define HEXADECIMAL .pattern = "^[0-9a-f]{16}$"

static const struct field wrong_fields[] = {
    MEMBER(COUNT, struct soak_wrong_record, sm, KEY),
    MEMBER(STRING, struct soak_wrong_record, instruction, KEY),
    MEMBER(COUNT, struct soak_wrong_record, count),
    MEMBER(STRING, struct soak_wrong_record, operands),
    MEMBER(COUNT, struct soak_wrong_record, word),
    MEMBER(STRING, struct soak_wrong_record, expected, HEXADECIMAL),
    MEMBER(STRING, struct soak_wrong_record, computed, HEXADECIMAL),
};
static const struct table soak_wrong_table =
    TABLE("soak_wrong", wrong_fields, struct soak_wrong_record);

static const struct field sm_fields[] = {
    MEMBER(COUNT, struct soak_sm_record, sm, KEY),
    MEMBER(COUNT, struct soak_sm_record, instructions),
    MEMBER(COUNT, struct soak_sm_record, tuples),
};
static const struct table soak_sm_table = TABLE("soak_sm", sm_fields, struct soak_sm_record);

static const struct field skip_fields[] = {
    MEMBER(STRING, struct soak_skip_record, cases, KEY),
    MEMBER(STRING, struct soak_skip_record, reason),
    MEMBER(LIST, struct soak_skip_record, instructions, .item = &string_item),
};
static const struct table soak_skip_table =
    TABLE("soak_skip", skip_fields, struct soak_skip_record);

static const struct field gpu_fields[] = {
    MEMBER(COUNT, struct soak_gpu_record, index, KEY),
    MEMBER(STRING, struct soak_gpu_record, name),
    MEMBER(STRING, struct soak_gpu_record, uuid, KEY),
    MEMBER(STRING, struct soak_gpu_record, capability),
    MEMBER(STRING, struct soak_gpu_record, driver),
    MEMBER(COUNT, struct soak_gpu_record, sms),
    MEMBER(COUNT, struct soak_gpu_record, instructions),
    MEMBER(COUNT, struct soak_gpu_record, rounds),
    MEMBER(NUMBER, struct soak_gpu_record, prepare_seconds),
    MEMBER(BOOL, struct soak_gpu_record, failed),
    MEMBER(STRING, struct soak_gpu_record, error, NULLABLE),
    MEMBER(LIST, struct soak_gpu_record, skipped, OF(soak_skip)),
    MEMBER(LIST, struct soak_gpu_record, covered, OF(soak_sm)),
    MEMBER(LIST, struct soak_gpu_record, wrong, OF(soak_wrong)),
};
const struct table soak_gpu_table = TABLE("soak_gpu", gpu_fields, struct soak_gpu_record);

static const struct field soak_fields[] = {
    MEMBER(STRING, struct soak_record, simtcheck),
    MEMBER(STRING, struct soak_record, build, OPTIONAL),
    MEMBER(STRING, struct soak_record, mode, MARK),
    MEMBER(COUNT, struct soak_record, status),
    MEMBER(NUMBER, struct soak_record, seconds),
    MEMBER(NUMBER, struct soak_record, expected_seconds),
    MEMBER(STRING, struct soak_record, error, NULLABLE),
    MEMBER(LIST, struct soak_record, gpus, OF(soak_gpu), MARK),
};
const struct table soak_table = TABLE("soak_results", soak_fields, struct soak_record);
