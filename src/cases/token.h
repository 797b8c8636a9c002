/* SPDX-License-Identifier: MIT
 *
 * Cases in words: what options, reports and tokens call their parts, and the token that names a
 * whole case.
 */
#ifndef SIMTCHECK_CASES_TOKEN_H
#define SIMTCHECK_CASES_TOKEN_H

#include "case.h"

enum { TOKEN_SIZE = 256, WORD_SIZE = 48, MAX_DIMENSIONS = 3 };

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

/* "96", "32x16", "4x4x2". Sizes have up to two dimensions; "d5" after them is a maxDepth of 5, and
 * "+1" at the end is one block too many: "4x16d5+1". */
void block_format(const struct extent *block, char word[WORD_SIZE]);
void size_format(const struct shape *shape, char word[WORD_SIZE]);

/* Reads a size without "+1". False when it is none, or when it is of too many elements. */
bool size_parse(const char *word, struct shape *shape);

/* Reads 1 to `most` numbers, each at most `limit`, separated by 'x'. Returns how many, or 0. */
size_t dimensions_parse(const char *word, size_t most, uint64_t limit,
                        uint64_t numbers[MAX_DIMENSIONS]);

/* The largest number of elements that a size may name. */
extern const uint64_t SIZE_LIMIT;

/* The token of a case run by that engine:
 * VERSION:ENGINE:ID:FORM:MODEL:SCHEDULE:BLOCK:SIZE:VALUES:CHECKSUM */
void token_format(const struct test_case *test, const struct engine_kind *engine,
                  char token[TOKEN_SIZE]);

/* Of what stands before the last ':' of a token: the number, in eight hexadecimal digits, behind
 * it.
 */
uint32_t token_checksum(const char *text, size_t length);

/* The engine that a token names. Null if the text is not a token of this version. */
const struct engine_kind *token_engine(const char *token);

/* Reads a token. On failure returns false and says in `reason`, in one sentence, what is wrong. */
bool token_parse(const char *token, const struct catalogue *catalogue, struct test_case *test,
                 const struct engine_kind **engine, char *reason, size_t reason_size);

#endif
