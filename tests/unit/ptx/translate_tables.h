/* SPDX-License-Identifier: MIT
 *
 * What the translator of PTX must refuse, and what it must make of the rest, for test_translate.c.
 * Tables end with a row without PTX.
 */
#ifndef SIMTCHECK_TESTS_TRANSLATE_TABLES_H
#define SIMTCHECK_TESTS_TRANSLATE_TABLES_H

/* The sentence, behind "t.ptx:". */
struct refusal {
    const char *ptx, *sentence;
};

/* Whole files; what stands in line 4 and on of a module; what stands in line 7 of a kernel. */
extern const struct refusal refused_files[], refused_directives[], refused_instructions[];

enum { MAX_PIECES = 5 };

/* What must stand in the C, one behind the other. */
struct acceptance {
    const char *ptx, *c[MAX_PIECES];
};

/* From line 4 of a module on. */
extern const struct acceptance accepted_modules[];

#endif
