/* SPDX-License-Identifier: MIT */
#include "record_compilers.h"

static const struct field wrong_kernel_fields[] = {
    MEMBER(STRING, struct wrong_kernel_record, id),
    FIELD("variant", WORD, struct wrong_kernel_record, kind, WORDS(variant_kind)),
    MEMBER(STRING, struct wrong_kernel_record, outcome),
};
static const struct table wrong_kernel_table =
    TABLE("wrong_kernel", wrong_kernel_fields, struct wrong_kernel_record);

static const struct field stage_fields[] = {
    MEMBER(STRING, struct stage_record, stage, KEY),
    MEMBER(COUNT, struct stage_record, programs, CHANGED),
    MEMBER(COUNT, struct stage_record, wrong, SHOWN(MORE_IS_WORSE, "wrong programs")),
    MEMBER(COUNT, struct stage_record, same_code_pairs),
    MEMBER(STRING, struct stage_record, skipped, .compare = COMPARE_LACK),
    MEMBER(COUNT, struct stage_record, kernels),
    MEMBER(LIST, struct stage_record, kernels_wrong, OF(wrong_kernel),
           SHOWN(MORE_IS_WORSE, "wrong kernels of the catalogue")),
    MEMBER(STRING, struct stage_record, kernels_skipped),
};
const struct table stage_table = TABLE("stage", stage_fields, struct stage_record);

static const struct field family_fields[] = {
    MEMBER(STRING, struct family_record, shape, KEY),
    MEMBER(STRING, struct family_record, program),
    MEMBER(COUNT, struct family_record, members, SHOWN(CHANGED, "programs in the family")),
    MEMBER(STRING, struct family_record, cause, CHANGED),
    MEMBER(LIST, struct family_record, wrong, .item = &string_item,
           SHOWN(MORE_IS_WORSE, "wrong stages")),
    FIELD(NULL, MEMBERS, struct family_record, difference, OF(difference)),
};
const struct table family_table = TABLE("family", family_fields, struct family_record);

static const struct field twins_fields[] = {
    MEMBER(STRING, struct twins_record, one, KEY),
    MEMBER(STRING, struct twins_record, other, KEY),
    MEMBER(STRING, struct twins_record, ptxas, KEY),
};
const struct table twins_table = TABLE("same_code", twins_fields, struct twins_record);

static const struct field pair_fields[] = {
    MEMBER(COUNT, struct pair_record, when),
    MEMBER(LIST, struct pair_record, rows, OF(twins), .least = 1),
};
static const struct table pair_record_table = TABLE("found_pair", pair_fields, struct pair_record);

static const struct field origin_fields[] = {
    MEMBER(LIST, struct compilers_origin, families, .item = &count_item),
    MEMBER(LIST, struct compilers_origin, pairs, OF(pair_record)),
};
static const struct table origin_table =
    TABLE("compilers_origin", origin_fields, struct compilers_origin);

static const struct field compilers_fields[] = {
    MEMBER(COUNT, struct compilers_record, seed),
    MEMBER(COUNT, struct compilers_record, programs),
    MEMBER(LIST, struct compilers_record, stages, OF(stage), MARK),
    MEMBER(LIST, struct compilers_record, families, OF(family), MARK),
    MEMBER(LIST, struct compilers_record, same_code, OF(twins)),
    MEMBER(COUNT, struct compilers_record, same_code_pairs),
    MEMBER(LIST, struct compilers_record, unsteady, .item = &string_item),
    MEMBER(BOOL, struct compilers_record, complete,
           KNOWN_BY(struct compilers_record, has_complete)),
    MEMBER(POINTER, struct compilers_record, code, OF(code), OPTIONAL),
    MEMBER(POINTER, struct compilers_record, origin, OF(origin), OPTIONAL),
};
const struct table compilers_table = TABLE("compilers", compilers_fields, struct compilers_record);
