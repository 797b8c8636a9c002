/* SPDX-License-Identifier: MIT
 *
 * Case IDs, with the given and with the correct checksum, and the words that they consist of.
 */
#include "case_id.h"
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_words(const char *word)
{
    uint64_t numbers[MAX_DIMENSIONS];
    struct schedule schedule;
    struct values values;
    enum profile profile;
    enum model model;
    enum variant_kind kind;

    schedule_parse(word, &schedule);
    values_parse(word, &values);
    profile_parse(word, &profile);
    model_parse(word, &model);
    variant_kind_parse(word, &kind);
    dimensions_parse(word, MAX_DIMENSIONS, SIZE_LIMIT, numbers);
}

/* Checks that a valid case ID survives being parsed and written. */
static void read_case_id(const char *text)
{
    char reason[512] = "", once[CASE_ID_SIZE], again[CASE_ID_SIZE];
    const struct engine_kind *engine = NULL;
    struct test_case test;

    if (!case_id_parse(text, &simtcheck_catalogue, &test, &engine, reason, sizeof reason)) {
        fuzz_expect(reason[0] != '\0');
        return;
    }
    case_id_format(&test, engine, once);
    fuzz_expect(case_id_parse(once, &simtcheck_catalogue, &test, &engine, reason, sizeof reason));
    case_id_format(&test, engine, again);
    fuzz_expect(strcmp(once, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), *summed = NULL;

    read_words(text);
    read_case_id(text);
    if (asprintf(&summed, "%s:%08" PRIx32, text, case_id_checksum(text, strlen(text))) < 0)
        exit(3);
    read_case_id(summed);
    free(summed);
    free(text);
    return 0;
}
