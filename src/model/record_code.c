/* SPDX-License-Identifier: MIT */
#include "record_code.h"

static const struct field kernel_fields[] = {
    MEMBER(STRING, struct kernel_record, kernel, KEY),
    MEMBER(STRING, struct kernel_record, module),
    MEMBER(STRING, struct kernel_record, ptxas, KEY),
    MEMBER(STRING, struct kernel_record, arch, KEY),
    MEMBER(COUNT, struct kernel_record, registers, CHANGED),
    MEMBER(COUNT, struct kernel_record, spill_store_bytes,
           NULL_UNLESS(struct kernel_record, has_spills),
           SHOWN(MORE_IS_WORSE, "bytes of spill stores")),
    MEMBER(COUNT, struct kernel_record, spill_load_bytes,
           NULL_UNLESS(struct kernel_record, has_spills),
           SHOWN(MORE_IS_WORSE, "bytes of spill loads")),
    MEMBER(COUNT, struct kernel_record, stack_bytes, SHOWN(CHANGED, "bytes of stack")),
    MEMBER(COUNT, struct kernel_record, shared_bytes, SHOWN(CHANGED, "bytes of shared memory")),
    MEMBER(COUNT, struct kernel_record, constant_bytes, SHOWN(CHANGED, "bytes of constants")),
    MEMBER(COUNT, struct kernel_record, code_bytes, SHOWN(CHANGED, "bytes of code")),
    MEMBER(STRING, struct kernel_record, digest, .pattern = "^[0-9a-f]{16}$",
           SHOWN(CHANGED, "code")),
};
const struct table kernel_record_table = TABLE("kernel", kernel_fields, struct kernel_record);

static const struct field failure_fields[] = {
    MEMBER(STRING, struct failure_record, module, KEY),
    MEMBER(STRING, struct failure_record, ptxas, KEY),
    MEMBER(STRING, struct failure_record, reason),
};
const struct table failure_table = TABLE("failure", failure_fields, struct failure_record);

static const struct field code_fields[] = {
    MEMBER(STRING, struct code_record, skipped, NULLABLE),
    MEMBER(LIST, struct code_record, failures, OF(failure)),
    MEMBER(LIST, struct code_record, kernels, OF(kernel_record)),
};
const struct table code_table = TABLE("code", code_fields, struct code_record);
