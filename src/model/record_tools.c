/* SPDX-License-Identifier: MIT */
#include "record_tools.h"

/* ---- Machine code ---- */

static const struct field kernel_fields[] = {
    FIELD("kernel", STRING, struct kernel_record, kernel, .compare = COMPARE_KEY),
    FIELD("module", STRING, struct kernel_record, module),
    FIELD("ptxas", STRING, struct kernel_record, ptxas, .compare = COMPARE_KEY),
    FIELD("arch", STRING, struct kernel_record, arch, .compare = COMPARE_KEY),
    FIELD("registers", COUNT, struct kernel_record, registers, .compare = COMPARE_CHANGED),
    FIELD("spill_store_bytes", COUNT, struct kernel_record, spill_store_bytes,
          .flags = FIELD_NULLABLE | FIELD_KNOWN,
          .known = offsetof(struct kernel_record, has_spills), .compare = COMPARE_MORE_IS_WORSE,
          .shown = "bytes of spill stores"),
    FIELD("spill_load_bytes", COUNT, struct kernel_record, spill_load_bytes,
          .flags = FIELD_NULLABLE | FIELD_KNOWN,
          .known = offsetof(struct kernel_record, has_spills), .compare = COMPARE_MORE_IS_WORSE,
          .shown = "bytes of spill loads"),
    FIELD("stack_bytes", COUNT, struct kernel_record, stack_bytes, .compare = COMPARE_CHANGED,
          .shown = "bytes of stack"),
    FIELD("shared_bytes", COUNT, struct kernel_record, shared_bytes, .compare = COMPARE_CHANGED,
          .shown = "bytes of shared memory"),
    FIELD("constant_bytes", COUNT, struct kernel_record, constant_bytes, .compare = COMPARE_CHANGED,
          .shown = "bytes of constants"),
    FIELD("code_bytes", COUNT, struct kernel_record, code_bytes, .compare = COMPARE_CHANGED,
          .shown = "bytes of code"),
    FIELD("digest", STRING, struct kernel_record, digest, .pattern = "^[0-9a-f]{16}$",
          .compare = COMPARE_CHANGED, .shown = "code"),
};
const struct table kernel_record_table = TABLE("kernel", kernel_fields, struct kernel_record);

static const struct field failure_fields[] = {
    FIELD("module", STRING, struct failure_record, module, .compare = COMPARE_KEY),
    FIELD("ptxas", STRING, struct failure_record, ptxas, .compare = COMPARE_KEY),
    FIELD("reason", STRING, struct failure_record, reason),
};
const struct table failure_table = TABLE("failure", failure_fields, struct failure_record);

static const struct field code_fields[] = {
    FIELD("skipped", STRING, struct code_record, skipped, .flags = FIELD_NULLABLE),
    FIELD("failures", LIST, struct code_record, failures, .table = &failure_table),
    FIELD("kernels", LIST, struct code_record, kernels, .table = &kernel_record_table),
};
const struct table code_table = TABLE("code", code_fields, struct code_record);

/* ---- Compilers ---- */

static const struct field wrong_kernel_fields[] = {
    FIELD("id", STRING, struct wrong_kernel_record, id),
    FIELD("variant", WORD, struct wrong_kernel_record, kind, .words = &variant_kind_words),
    FIELD("outcome", STRING, struct wrong_kernel_record, outcome),
};
static const struct table wrong_kernel_table =
    TABLE("wrong_kernel", wrong_kernel_fields, struct wrong_kernel_record);

static const struct field stage_fields[] = {
    FIELD("stage", STRING, struct stage_record, stage, .compare = COMPARE_KEY),
    FIELD("programs", COUNT, struct stage_record, programs, .compare = COMPARE_CHANGED),
    FIELD("wrong", COUNT, struct stage_record, wrong, .compare = COMPARE_MORE_IS_WORSE,
          .shown = "wrong programs"),
    FIELD("same_code_pairs", COUNT, struct stage_record, same_code_pairs),
    FIELD("skipped", STRING, struct stage_record, skipped, .compare = COMPARE_LACK),
    FIELD("kernels", COUNT, struct stage_record, kernels),
    FIELD("kernels_wrong", LIST, struct stage_record, kernels_wrong, .table = &wrong_kernel_table,
          .compare = COMPARE_MORE_IS_WORSE, .shown = "wrong kernels of the catalogue"),
    FIELD("kernels_skipped", STRING, struct stage_record, kernels_skipped),
};
const struct table stage_table = TABLE("stage", stage_fields, struct stage_record);

static const struct field family_fields[] = {
    FIELD("shape", STRING, struct family_record, shape, .compare = COMPARE_KEY),
    FIELD("program", STRING, struct family_record, program),
    FIELD("members", COUNT, struct family_record, members, .compare = COMPARE_CHANGED,
          .shown = "programs of the family"),
    FIELD("blamed", STRING, struct family_record, blamed, .compare = COMPARE_CHANGED),
    FIELD("wrong", LIST, struct family_record, wrong, .item = &string_item,
          .compare = COMPARE_MORE_IS_WORSE, .shown = "wrong in stages"),
    FIELD(NULL, MEMBERS, struct family_record, difference, .table = &difference_table),
};
const struct table family_table = TABLE("family", family_fields, struct family_record);

static const struct field twins_fields[] = {
    FIELD("one", STRING, struct twins_record, one, .compare = COMPARE_KEY),
    FIELD("other", STRING, struct twins_record, other, .compare = COMPARE_KEY),
    FIELD("ptxas", STRING, struct twins_record, ptxas, .compare = COMPARE_KEY),
};
const struct table twins_table = TABLE("same_code", twins_fields, struct twins_record);

static const struct field pair_fields[] = {
    FIELD("when", COUNT, struct pair_record, when),
    FIELD("rows", LIST, struct pair_record, rows, .table = &twins_table, .least = 1),
};
const struct table pair_record_table = TABLE("found_pair", pair_fields, struct pair_record);

static const struct field origin_fields[] = {
    FIELD("families", LIST, struct compilers_origin, families, .item = &count_item),
    FIELD("pairs", LIST, struct compilers_origin, pairs, .table = &pair_record_table),
};
static const struct table origin_table =
    TABLE("compilers_origin", origin_fields, struct compilers_origin);

static const struct field compilers_fields[] = {
    FIELD("seed", COUNT, struct compilers_record, seed),
    FIELD("programs", COUNT, struct compilers_record, programs),
    FIELD("stages", LIST, struct compilers_record, stages, .table = &stage_table,
          .flags = FIELD_MARK),
    FIELD("families", LIST, struct compilers_record, families, .table = &family_table,
          .flags = FIELD_MARK),
    FIELD("same_code", LIST, struct compilers_record, same_code, .table = &twins_table),
    FIELD("same_code_pairs", COUNT, struct compilers_record, same_code_pairs),
    FIELD("unsteady", LIST, struct compilers_record, unsteady, .item = &string_item),
    FIELD("complete", BOOL, struct compilers_record, complete, .flags = FIELD_KNOWN,
          .known = offsetof(struct compilers_record, has_complete)),
    FIELD("code", POINTER, struct compilers_record, code, .table = &code_table,
          .flags = FIELD_OPTIONAL),
    FIELD("origin", POINTER, struct compilers_record, origin, .table = &origin_table,
          .flags = FIELD_OPTIONAL),
};
const struct table compilers_table = TABLE("compilers", compilers_fields, struct compilers_record);
