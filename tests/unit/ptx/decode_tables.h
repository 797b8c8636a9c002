/* SPDX-License-Identifier: MIT
 *
 * What the decoder of PTX must reject, and what it must make of the rest, for test_decode.c. Tables
 * end with a row without PTX.
 */
#ifndef SIMTCHECK_TESTS_DECODE_TABLES_H
#define SIMTCHECK_TESTS_DECODE_TABLES_H

/* The sentence, behind "t.ptx:". */
struct refusal {
    const char *ptx, *sentence;
};

/* Whole files; what stands in line 4 and on of a module; what stands in line 7 of a kernel. */
extern const struct refusal refused_files[], refused_directives[], refused_instructions[];

enum { MAX_PIECES = 5 };

/* What describe() must write, one piece behind the other. */
struct acceptance {
    const char *ptx, *pieces[MAX_PIECES];
};

/* From line 4 of a module on. */
extern const struct acceptance accepted_modules[];

#endif
