/* SPDX-License-Identifier: MIT
 *
 * The parts of a case as words, for options, reports and case IDs, and the case ID that names a
 * whole case.
 */
#ifndef SIMTCHECK_CASES_CASE_ID_H
#define SIMTCHECK_CASES_CASE_ID_H

#include "case.h"

enum { CASE_ID_SIZE = 256, WORD_SIZE = 64, MAX_DIMENSIONS = 4 };

/* Writes "sequential", "reverse", "random-SEED" or "delay-POINT-POINT ...". Parsing accepts ':' for
 * '-' as well. */
void schedule_format(struct schedule schedule, char word[WORD_SIZE]);
bool schedule_parse(const char *word, struct schedule *schedule);

/* Writes "ones", "unit-INDEX", "hash-SEED" and so on. */
void values_format(struct values values, char word[WORD_SIZE]);
bool values_parse(const char *word, struct values *values);

/* Writes the model, followed by "-cdp1" under that profile, and by "-limits" at CUDA's default
 * limits. */
void model_format(const struct test_case *test, char word[WORD_SIZE]);

bool profile_parse(const char *word, enum profile *profile);
bool model_parse(const char *word, enum model *model);
bool variant_kind_parse(const char *word, enum variant_kind *kind);

/* Write a block as "96", "32x16" or "4x4x2", and a size as "4x16d5+1". Sizes have up to four
 * dimensions. "d5" means a maxDepth of 5, and "+1" means one extra block. */
void block_format(const struct extent *block, char word[WORD_SIZE]);
void size_format(const struct shape *shape, char word[WORD_SIZE]);

/* Reads a size without "+1". Returns false if the word is not a size or has too many elements. */
bool size_parse(const char *word, struct shape *shape);

/* Sets the sizes of a shape; those after the first `count` have no value. Returns false if there
 * are too many elements. */
bool size_set(struct shape *shape, const uint64_t sizes[MAX_SIZES], size_t count);

/* Reads 1 to `most` numbers, each at most `limit`, separated by 'x'. Returns how many, or 0. */
size_t dimensions_parse(const char *word, size_t most, uint64_t limit,
                        uint64_t numbers[MAX_DIMENSIONS]);

/* The maximum number of elements of a size. */
extern const uint64_t SIZE_LIMIT;

/* Writes the case ID of a case on that engine:
 * VERSION:ENGINE:ID:VARIANT:MODEL:SCHEDULE:BLOCK:SIZE:VALUES:CHECKSUM */
void case_id_format(const struct test_case *test, const struct engine_kind *engine,
                    char case_id[CASE_ID_SIZE]);

/* Returns the checksum of the text before the last ':' of a case ID. The case ID ends with it, as
 * eight hexadecimal digits. */
uint32_t case_id_checksum(const char *text, size_t length);

/* Reads a case ID. On failure returns false and writes one sentence about the error to `reason`. */
bool case_id_parse(const char *case_id, const struct catalogue *catalogue, struct test_case *test,
                   const struct engine_kind **engine, char *reason, size_t reason_size);

#endif
