/* SPDX-License-Identifier: MIT */
#include "record_litmus.h"

#include <inttypes.h>

static const char *const class_names[] = {"sequential", "weak", "forbidden"};
static const struct words class_words = WORDS_OF(class_names);

static const struct field outcome_fields[] = {
    MEMBER(STRING, struct litmus_outcome_record, outcome, KEY),
    FIELD("verdict", WORD, struct litmus_outcome_record, class, WORDS(class)),
    MEMBER(COUNT, struct litmus_outcome_record, count, .least = 1),
    MEMBER(COUNT, struct litmus_outcome_record, launches, .least = 1),
    MEMBER(POINTER, struct litmus_outcome_record, known_deviation, OF(known_deviation), OPTIONAL),
};
static const struct table litmus_outcome_table =
    TABLE("litmus_outcome", outcome_fields, struct litmus_outcome_record);

static const struct field row_fields[] = {
    MEMBER(STRING, struct litmus_row, test, KEY),
    MEMBER(STRING, struct litmus_row, compiler, KEY),
    MEMBER(STRING, struct litmus_row, scopes),
    MEMBER(STRING, struct litmus_row, threads),
    MEMBER(STRING, struct litmus_row, skipped, NULLABLE),
    MEMBER(STRING, struct litmus_row, error, NULLABLE),
    MEMBER(COUNT, struct litmus_row, launches),
    MEMBER(COUNT, struct litmus_row, instances),
    MEMBER(LIST, struct litmus_row, outcomes, OF(litmus_outcome)),
};

/* Checks that the outcomes are those of all instances, and that a test without any has a reason. */
static bool row_agrees(const void *record, char *why, size_t size)
{
    const struct litmus_row *row = record;
    const struct litmus_outcome_record *outcomes = row->outcomes.items;
    uint64_t count = 0;

    for (size_t k = 0; k < row->outcomes.count; k++) {
        count += outcomes[k].count;
        if (outcomes[k].launches > row->launches || outcomes[k].launches > outcomes[k].count) {
            snprintf(why, size, "%s occurred in %" PRIu64 " launches, which are too many",
                     outcomes[k].outcome, outcomes[k].launches);
            return false;
        }
    }
    if (count != row->instances)
        snprintf(why, size, "instances is %" PRIu64 ", but the outcomes have %" PRIu64,
                 row->instances, count);
    else if ((row->instances == 0) != (row->skipped != NULL || row->error != NULL))
        snprintf(why, size, "either instances, or skipped or error must be set");
    else
        return true;
    return false;
}

const struct table litmus_row_table =
    TABLE("litmus_row", row_fields, struct litmus_row, .check = row_agrees);

static const struct field environment_fields[] = {
    MEMBER(STRING, struct litmus_environment, simtcheck),
    MEMBER(STRING, struct litmus_environment, build),
    MEMBER(STRING, struct litmus_environment, gpu, NULLABLE),
    MEMBER(STRING, struct litmus_environment, architecture, NULLABLE),
    MEMBER(STRING, struct litmus_environment, driver, NULLABLE),
    MEMBER(STRING, struct litmus_environment, ptxas, NULLABLE),
};
static const struct table litmus_environment_table =
    TABLE("litmus_environment", environment_fields, struct litmus_environment);

static const struct field options_fields[] = {
    MEMBER(COUNT, struct litmus_options_record, launches, .least = 1),
    MEMBER(COUNT, struct litmus_options_record, seed),
};
static const struct table litmus_options_table =
    TABLE("litmus_options", options_fields, struct litmus_options_record);

static const struct field litmus_fields[] = {
    FIELD("simtcheck_litmus", COUNT, struct litmus_record, version, .least = 1, MARK),
    MEMBER(BOOL, struct litmus_record, complete),
    MEMBER(OBJECT, struct litmus_record, environment, OF(litmus_environment)),
    MEMBER(OBJECT, struct litmus_record, options, OF(litmus_options)),
    MEMBER(STRING, struct litmus_record, skipped, NULLABLE),
    MEMBER(LIST, struct litmus_record, rows, OF(litmus_row)),
};

static bool version_is_known(const void *record, char *why, size_t size)
{
    const struct litmus_record *litmus = record;

    if (litmus->version == LITMUS_VERSION)
        return true;
    snprintf(why, size, "version %" PRIu64 " is not supported: this program reads version %d",
             litmus->version, LITMUS_VERSION);
    return false;
}

const struct table litmus_table =
    TABLE("litmus_results", litmus_fields, struct litmus_record, .check = version_is_known);
