/* SPDX-License-Identifier: MIT */
#include "record_package.h"

static const struct field member_fields[] = {
    MEMBER(STRING, struct package_member, name),
    MEMBER(STRING, struct package_member, kind),
    MEMBER(COUNT, struct package_member, size),
    MEMBER(STRING, struct package_member, sha256, .pattern = "^[0-9a-f]{64}$"),
};
static const struct table package_member_table =
    TABLE("package_member", member_fields, struct package_member);

static const struct field test_fields[] = {
    MEMBER(WORD, struct package_test, engine, WORDS(engine)),
    MEMBER(STRING, struct package_test, id),
    FIELD("variant", WORD, struct package_test, kind, WORDS(variant_kind)),
    MEMBER(WORD, struct package_test, model, WORDS(model),
           KNOWN_BY(struct package_test, has_model)),
    MEMBER(COUNT, struct package_test, cases, OPTIONAL),
};
static const struct table package_test_table =
    TABLE("package_test", test_fields, struct package_test);

static const struct field skip_fields[] = {
    MEMBER(STRING, struct package_skip, reason),
    MEMBER(COUNT, struct package_skip, tests, .least = 1),
};
static const struct table package_skip_table =
    TABLE("package_skip", skip_fields, struct package_skip);

static const struct field result_fields[] = {
    MEMBER(WORD, struct package_result, verdict, WORDS(check_result)),
    MEMBER(COUNT, struct package_result, tests),
    MEMBER(COUNT, struct package_result, conform),
    MEMBER(COUNT, struct package_result, known_defects),
    MEMBER(COUNT, struct package_result, known_deviations),
    MEMBER(COUNT, struct package_result, failed),
    MEMBER(COUNT, struct package_result, skipped),
    MEMBER(COUNT, struct package_result, missing),
    MEMBER(LIST, struct package_result, skips, OF(package_skip)),
    MEMBER(LIST, struct package_result, failures, .item = &string_item),
    MEMBER(LIST, struct package_result, known, .item = &string_item),
    MEMBER(LIST, struct package_result, lacks, .item = &string_item),
};
const struct table package_result_table =
    TABLE("package_result", result_fields, struct package_result);

static const struct field package_fields[] = {
    FIELD("simtcheck_package", COUNT, struct package_record, version, .least = 1, MARK),
    MEMBER(OBJECT, struct package_record, build, OF(build)),
    MEMBER(OBJECT, struct package_record, result, OF(package_result)),
    MEMBER(OBJECT, struct package_record, environment, OF(environment)),
    MEMBER(LIST, struct package_record, members, OF(package_member), .least = 1),
    MEMBER(COUNT, struct package_record, level, .least = 1),
    MEMBER(COUNT, struct package_record, seed),
    MEMBER(LIST, struct package_record, tests, OF(package_test), .least = 1),
};
const struct table package_table = TABLE("package", package_fields, struct package_record);
