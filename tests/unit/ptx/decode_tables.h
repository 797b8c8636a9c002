/* SPDX-License-Identifier: MIT
 *
 * What the PTX decoder must reject, and how it must decode the rest, for test_decode.c. Tables end
 * with a row without PTX.
 */
#ifndef SIMTCHECK_TESTS_DECODE_TABLES_H
#define SIMTCHECK_TESTS_DECODE_TABLES_H

/* `sentence` is the message after "t.ptx:". */
struct rejection {
    const char *ptx, *sentence;
};

/* Whole files; text from line 4 of a module on; text from line 7 of a kernel on. */
extern const struct rejection rejected_files[], rejected_directives[], rejected_instructions[];

enum { MAX_PIECES = 16 };

/* `pieces` are what describe() must write, one after the other. */
struct acceptance {
    const char *ptx, *pieces[MAX_PIECES];
};

/* Text from line 4 of a module on. */
extern const struct acceptance accepted_modules[];

#endif
