/* SPDX-License-Identifier: MIT
 *
 * Cases in words: what options, reports and case IDs call their parts, and the case ID that names a
 * whole case.
 */
#ifndef SIMTCHECK_CASES_CASE_ID_H
#define SIMTCHECK_CASES_CASE_ID_H

#include "case.h"

enum { CASE_ID_SIZE = 256, WORD_SIZE = 48, MAX_DIMENSIONS = 3 };

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
bool variant_kind_parse(const char *word, enum variant_kind *kind);

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

/* The case ID of a case run by that engine:
 * VERSION:ENGINE:ID:FORM:MODEL:SCHEDULE:BLOCK:SIZE:VALUES:CHECKSUM */
void case_id_format(const struct test_case *test, const struct engine_kind *engine,
                    char case_id[CASE_ID_SIZE]);

/* Of what stands before the last ':' of a case ID: the number, in eight hexadecimal digits, behind
 * it.
 */
uint32_t case_id_checksum(const char *text, size_t length);

/* The engine that a case ID names. Null if the text is not a case ID of this version. */
const struct engine_kind *case_id_engine(const char *case_id);

/* Reads a case ID. On failure returns false and says in `reason`, in one sentence, what is wrong.
 */
bool case_id_parse(const char *case_id, const struct catalogue *catalogue, struct test_case *test,
                   const struct engine_kind **engine, char *reason, size_t reason_size);

#endif
