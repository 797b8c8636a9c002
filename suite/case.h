/* SPDX-License-Identifier: MIT
 *
 * A case: one kernel variant at one shape, with values, model and schedule. Everything that a run
 * of it depends on is in the struct, and in the token that names it.
 */
#ifndef SIMTCHECK_SUITE_CASE_H
#define SIMTCHECK_SUITE_CASE_H

#include "catalogue.h"
#include "engine.h"
#include "values.h"

struct test_case {
    const struct variant *variant;
    struct shape shape;
    struct values values;
    enum model model; /* the cuda engine has no choice of model and schedule */
    struct schedule schedule;
    enum profile profile; /* of nested launches, on the host engine */
};

enum outcome_kind {
    OUTCOME_PASS,
    OUTCOME_MISMATCH, /* it ran, and the result is not the oracle's */
    OUTCOME_FAULT,    /* it did not run to its end, or broke a rule on the way */
};

struct outcome {
    enum outcome_kind kind;
    struct fault fault; /* OUTCOME_FAULT */
    /* OUTCOME_MISMATCH. `place` is the element, such as "out[3]", or empty for the whole sum. */
    char place[32], expected[48], got[48];
    uint64_t digest; /* of all outputs, where it was asked for; not after a fault */
    uint64_t points; /* host: scheduling points, likewise */
    uint64_t races;  /* host: pairs of places in the source that race, where it was asked for */
};

/* Do both fail, and in the same way: both mismatches, or both the same kind of fault? */
bool outcome_same_kind(const struct outcome *a, const struct outcome *b);

/* One sentence part: what came out. */
void outcome_text(const struct outcome *outcome, char *text, size_t size);

enum { TOKEN_SIZE = 256, WORD_SIZE = 48, MAX_DIMENSIONS = 3 };

/* "host", "cuda" or "cuda-delayed". */
bool engine_is_known(const char *word);

/* "sequential", "reverse", "random-SEED", "delay-POINT-POINT ..."; parsing takes ':' for '-' too.
 */
void schedule_format(struct schedule schedule, char word[WORD_SIZE]);
bool schedule_parse(const char *word, struct schedule *schedule);

/* "ones", "unit-INDEX", "hash-SEED" ... */
void values_format(struct values values, char word[WORD_SIZE]);
bool values_parse(const char *word, struct values *values);

/* The model, and "-cdp1" after it where that is the profile. */
void model_format(const struct test_case *test, char word[WORD_SIZE]);

bool profile_parse(const char *word, enum profile *profile);
bool model_parse(const char *word, enum model *model);
bool form_parse(const char *word, enum form *form);

/* "96", "32x16", "4x4x2"; sizes likewise, of up to two dimensions. */
void block_format(const struct extent *block, char word[WORD_SIZE]);
void size_format(const uint64_t size[2], char word[WORD_SIZE]);

/* Reads 1 to `most` numbers, each at most `limit`, separated by 'x'. Returns how many, or 0. */
size_t dimensions_parse(const char *word, size_t most, uint64_t limit,
                        uint64_t numbers[MAX_DIMENSIONS]);

/* The largest number of elements that a size may name. */
extern const uint64_t SIZE_LIMIT;

/* The token of a case run by the engine of that name:
 * VERSION:ENGINE:ID:FORM:MODEL:SCHEDULE:BLOCK:SIZE:VALUES:CHECKSUM */
void token_format(const struct test_case *test, const char *engine, char token[TOKEN_SIZE]);

/* Reads a token. On failure returns false and says in `reason`, in one sentence, what is wrong. */
bool token_parse(const char *token, const struct catalogue *catalogue, struct test_case *test,
                 char engine[WORD_SIZE], char *reason, size_t reason_size);

#endif
